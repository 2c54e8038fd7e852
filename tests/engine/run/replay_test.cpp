// What comes again is scheduled once: when two sequences of pending work are the same, and what is put into a kept one.
#include "run/replay.h"
#include "recorded.h"

#include <functional>

namespace recorded {
namespace {

class Replayed : public Recorded {
 protected:
  static Sequence pending() {
    Sequence sequence;
    read(needed_for({}), sequence);
    return sequence;
  }
  // The sequence's words, of work that is dropped again. Whoever compares two keeps the layouts of both: their addresses are
  // words.
  std::vector<uint64_t> words(const std::function<std::vector<Array>()>& record) {
    std::vector<Array> held = record();
    Sequence sequence = pending();
    for (LayoutRef& layout : layouts_of(sequence)) layouts_.push_back(std::move(layout));
    return sequence.words;
  }

 private:
  std::vector<LayoutRef> layouts_;
};

TEST_F(Replayed, TheSameWorkIsTheSameWords) {
  auto body = [&](double factor) {
    return words([&] {
      Array a = memory("a", {500}), b = memory("b", {500});
      return std::vector{op(Op::add, op(Op::multiply, a, number(factor)), b)};
    });
  };
  EXPECT_EQ(body(2), body(3));  // numbers are no part of it, nor is memory
}

TEST_F(Replayed, OtherWorkIsOtherWords) {
  using Make = std::function<std::vector<Array>()>;
  auto m = [&](int64_t n = 500, DType dtype = DType::float32) { return memory("", {n}, dtype); };
  Array same = m();
  const std::vector<Make> all = {
      [&] { return std::vector{op(Op::add, m(), m())}; },
      [&] { return std::vector{op(Op::subtract, m(), m())}; },
      [&] { return std::vector{op(Op::add, m(501), m(501))}; },
      [&] { return std::vector{op(Op::add, m(500, DType::float64), m(500, DType::float64))}; },
      [&] { return std::vector{op(Op::add, m(), number(1))}; },
      [&] { return std::vector{op(Op::add, same, same)}; },  // one array, not two
      [&] {
        Array a = m();
        return std::vector{op(Op::add, a.view(a.layout().sliced(0, 499, 500, -1)), m())};
      },
      [&] {
        Array b = op(Op::add, m(), m());
        return std::vector{b, b.apart()};  // held by two
      },
      [&] { return std::vector{sum(m(), {true})}; },
      [&] { return std::vector{sum(m(), {true}, Reduction::maximum)}; },
      [&] {
        Array a = m();
        op_into(a.view(a.layout().sliced(0, 0, 9, 1)), Op::add, a.view(a.layout().sliced(0, 0, 9, 1)), number(1));
        return std::vector{a};
      },
      [&] {
        Array a = m();
        op_into(a.view(a.layout().sliced(0, 1, 9, 1)), Op::add, a.view(a.layout().sliced(0, 1, 9, 1)), number(1));
        return std::vector{a};
      },
  };
  std::vector<std::vector<uint64_t>> found;
  for (const Make& make : all) found.push_back(words(make));
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i], words(all[i])) << i;
    for (size_t k = 0; k < i; ++k) EXPECT_NE(found[i], found[k]) << k << " and " << i;
  }
}

TEST_F(Replayed, WhatComesTheSecondTimeIsKept) {
  Replays replays;
  auto record = [&](const Array& a, double factor) { return op(Op::add, op(Op::multiply, a, number(factor)), number(1)); };
  Array a = memory("a", {500}), b = memory("b", {500});
  {
    Array c = record(a, 2);
    Sequence sequence = pending();
    EXPECT_EQ(replays.find(sequence), nullptr);
    EXPECT_FALSE(replays.comes_again(sequence));
  }
  {
    Array c = record(a, 3);
    Sequence sequence = pending();
    EXPECT_EQ(replays.find(sequence), nullptr);
    EXPECT_TRUE(replays.comes_again(sequence));
    EXPECT_EQ(replays.keep(sequence, batches_of(schedule(needed_for({}))))->size(), 1u);
  }
  // The third time nothing is scheduled: the groups of before hold the nodes and numbers of now.
  Array c = record(b, 4);
  Sequence sequence = pending();
  std::shared_ptr<Replay> known = replays.find(sequence);
  ASSERT_NE(known, nullptr);
  const Group& group = known->batch(0, sequence).members[0].group;
  EXPECT_EQ(group.loads[0].node, b.cell()->node.get());
  EXPECT_EQ(group.nodes.back(), c.cell()->node.get());
  EXPECT_EQ(group.constants[0]->constant.bytes, constant_of(number(4), DType::float32).bytes);

  Array d = op(Op::sin, b);
  EXPECT_EQ(replays.find(pending()), nullptr);  // there is more than before
}

// Should two have the same hash, words decide.
TEST_F(Replayed, HashesAreNotTrusted) {
  Replays replays;
  Array a = memory("a", {500}), b = op(Op::sin, a);
  Sequence sequence = pending();
  replays.keep(sequence, batches_of(schedule(needed_for({}))));
  EXPECT_NE(replays.find(sequence), nullptr);
  Sequence other = sequence;
  other.words.back() ^= 1;
  EXPECT_EQ(replays.find(other), nullptr);
}

// Loops that take turns do not push one another out.
TEST_F(Replayed, SeveralSequencesAreRemembered) {
  Replays replays;
  std::vector<Sequence> all(4);
  for (size_t i = 0; i < all.size(); ++i) all[i].hash = i + 1;  // of one place
  for (const Sequence& s : all) EXPECT_FALSE(replays.comes_again(s));
  for (const Sequence& s : all) EXPECT_TRUE(replays.comes_again(s));
}

}  // namespace
}  // namespace recorded
