// Fused groups under `quern check`: what their kernels store is compared with their operations, one by one.
#include "run/recompute.h"
#include "recorded.h"

#include "device/check/checker.h"

#include <cstring>
#include <deque>

namespace recorded {
namespace {

class Recomputing : public Recorded {
 protected:
  struct Kept : BlockOwner {
    void give_back(Block*) noexcept override {}
  };

  // Gives a node memory with these values.
  template <class T>
  void fill(Node& node, std::vector<T> values) {
    auto& bytes = memory_.emplace_back(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    Block& block = blocks_.emplace_back();
    block.pointer = bytes.data(), block.bytes = bytes.size(), block.owner = &owner_;
    node.buffer = Buffer(&block);
  }
  template <class T>
  void fill(const Array& array, std::vector<T> values) {
    fill(*array.cell()->node, std::move(values));
  }

  static std::vector<check::Finding> found(const Recomputed& alone) {
    check::start({});
    alone.compare();
    return check::stop();
  }

  Kept owner_;
  std::deque<std::vector<char>> memory_;
  std::deque<Block> blocks_;
};

std::vector<float> numbers(size_t n, float (*f)(float)) {
  std::vector<float> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = f(static_cast<float>(i));
  return out;
}

TEST_F(Recomputing, AWrongElementIsTold) {
  Array a = memory("a", {100}), b = memory("b", {100});
  fill(a, numbers(100, [](float i) { return i; }));
  fill(b, numbers(100, [](float) { return 2.0f; }));
  Array c = op(Op::multiply, a, op(Op::add, a, b));
  std::vector<Group> groups = scheduled();
  ASSERT_EQ(groups.size(), 1u);
  Recomputed alone(groups[0]);
  std::vector<float> right = numbers(100, [](float i) { return i * (i + 2); });
  fill(c, right);
  EXPECT_TRUE(found(alone).empty());
  right[17] *= 1.01f;
  fill(c, right);
  std::vector<check::Finding> wrong = found(alone);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].kind, check::Kind::recomputed);
  EXPECT_EQ(wrong[0].work, "multiply");
  EXPECT_EQ(wrong[0].offset, 17);
}

TEST_F(Recomputing, LastDigitsMayDiffer) {
  Array a = memory("a", {100});
  fill(a, numbers(100, [](float i) { return i; }));
  Array total = sum(op(Op::multiply, a, a), {true});
  std::vector<Group> groups = scheduled();
  ASSERT_EQ(groups.size(), 1u);
  Recomputed alone(groups[0]);
  fill(total, std::vector<float>{328350.0f * 1.00001f});
  EXPECT_TRUE(found(alone).empty());
  fill(total, std::vector<float>{328350.0f * 1.01f});
  EXPECT_EQ(found(alone).size(), 1u);
}

TEST_F(Recomputing, PartsThatAreWritten) {
  Array a = memory("a", {10}), b = memory("b", {5});
  fill(a, numbers(10, [](float i) { return i; }));
  fill(b, numbers(5, [](float) { return 7.0f; }));
  Array even = a.view(a.layout().sliced(0, 0, 5, 2));
  op_into(even, Op::add, even, b);
  std::vector<Group> groups = scheduled();
  ASSERT_EQ(groups.size(), 1u);
  Recomputed alone(groups[0]);
  std::vector<float> right = numbers(10, [](float i) { return static_cast<int>(i) % 2 ? i : i + 7; });
  fill(a, right);
  EXPECT_TRUE(found(alone).empty());
  right[3] = 0;  // an element that is not to be written
  fill(a, right);
  ASSERT_EQ(found(alone).size(), 1u);
}

}  // namespace
}  // namespace recorded
