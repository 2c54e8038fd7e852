// Which groups share a launch.
#include "run/batch.h"
#include "recorded.h"

namespace recorded {
namespace {

class Batches : public Recorded {
 protected:
  // The numbers of the groups in each batch.
  static std::vector<std::vector<uint32_t>> batches() {
    std::vector<std::vector<uint32_t>> out;
    for (const Batch& batch : batches_of(scheduled())) {
      out.emplace_back();
      for (const Batch::Member& member : batch.members) out.back().push_back(member.group.number);
    }
    return out;
  }
  using Numbers = std::vector<std::vector<uint32_t>>;
};

TEST_F(Batches, SmallUpdatesOfManyArraysAreOne) {
  std::vector<Array> parameters;
  for (int i = 0; i < 3; ++i) parameters.push_back(memory(formatted("p{}", i), {100 + i}));
  for (Array& p : parameters) op_into(p, Op::multiply, p, number(0.9));
  EXPECT_EQ(batches(), (Numbers{{1, 2, 3}}));
}

TEST_F(Batches, OtherTextsAreApart) {
  Array a = memory("a", {100}), b = memory("b", {101}), c = memory("c", {102});
  Array d = op(Op::sin, a), e = op(Op::cos, b), f = op(Op::sin, c);
  EXPECT_EQ(batches(), (Numbers{{1, 3}, {2}}));
}

TEST_F(Batches, WhatNeedsAnotherGroupComesAfterIt) {
  Array a = memory("a", {100});
  Array b = op(Op::sin, a);                                       // 1
  Array c = op(Op::sin, b.view(b.layout().sliced(0, 1, 99, 1)));  // 2, of the values of 1
  Array d = op(Op::sin, memory("d", {98}));                       // 3
  std::vector<Group> groups = scheduled();
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(batches(), (Numbers{{1}, {2, 3}}));
}

TEST_F(Batches, WhatOverwritesComesAfterItsReaders) {
  Array a = memory("a", {100}), b = memory("b", {99}), c = memory("c", {98});
  auto double_of_part = [](Array& x, int64_t from, int64_t count) {
    Array part = x.view(x.layout().sliced(0, from, count, 1));
    op_into(part, Op::multiply, part, number(2));
  };
  double_of_part(b, 0, 90);                                       // 1
  Array d = op(Op::sin, c.view(c.layout().sliced(0, 0, 70, 1)));  // 2, reads c
  double_of_part(c, 0, 80);                                       // 3 would be before 2 in 1's launch
  EXPECT_EQ(batches(), (Numbers{{1}, {2}, {3}}));
  d = Array();
}

TEST_F(Batches, WithoutTheReaderItIsShared) {
  Array b = memory("b", {99}), c = memory("c", {98}), e = memory("e", {70});
  auto double_of_part = [](Array& x, int64_t from, int64_t count) {
    Array part = x.view(x.layout().sliced(0, from, count, 1));
    op_into(part, Op::multiply, part, number(2));
  };
  double_of_part(b, 0, 90);
  Array d = op(Op::sin, e);
  double_of_part(c, 0, 80);
  EXPECT_EQ(batches(), (Numbers{{1, 3}, {2}}));
}

TEST_F(Batches, ReductionsAndCallsAreAlone) {
  Array a = memory("a", {100}), b = memory("b", {101});
  Array c = sum(a, {true}), d = sum(b, {true}), e = some_call(a), f = some_call(b);
  EXPECT_EQ(batches(), (Numbers{{1}, {2}, {3}, {4}}));
}

TEST_F(Batches, AreAsLongAsTheArgumentsFit) {
  std::vector<Array> results;
  for (int64_t i = 0; i < 70; ++i) results.push_back(op(Op::sin, memory("", {100 + i})));
  Numbers found = batches();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].size(), Segments::most);
  EXPECT_EQ(found[1].size(), 70 - Segments::most);
}

}  // namespace
}  // namespace recorded
