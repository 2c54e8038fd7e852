// Which groups pending work makes: what shares a kernel, what is stored, and why a group is one of its own.
#include "recorded.h"

namespace recorded {
namespace {

using Schedule = Recorded;

TEST_F(Schedule, WhatNobodySeesIsNotStored) {
  Array a = memory("a", {5000}), b = memory("b", {5000});
  Array c = op(Op::sqrt, op(Op::add, op(Op::multiply, a, b), number(1)));
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (5000,): first
  x0 = a
  x1 = b
  v0 = float32 multiply x0 x1
  v1 = float32 add v0 k0
  v2 = float32 sqrt v1  (stored)
)");
}

TEST_F(Schedule, WhatSomebodyHoldsIsStored) {
  Array a = memory("a", {5000});
  Array b = op(Op::sin, a), c = op(Op::add, b, a), again = b;
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (5000,): first
  x0 = a
  v0 = float32 sin x0  (stored)
  v1 = float32 add v0 x0  (stored)
)");
}

TEST_F(Schedule, OtherShapesAreOtherGroups) {
  Array a = memory("a", {5000}), b = memory("b", {60, 7});
  Array c = op(Op::sin, a), d = op(Op::cos, b), e = op(Op::exp, c);
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (5000,): first
  x0 = a
  v0 = float32 sin x0  (stored)
  v1 = float32 exp v0  (stored)
group 2 over (60, 7): another shape
  x0 = b
  v0 = float32 cos x0  (stored)
)");
}

TEST_F(Schedule, ViewsAreLoadedWhereTheyLie) {
  Array a = memory("a", {60, 50}), row = memory("row", {60});
  Array c = op(Op::add, transposed(a), row);
  Array d = op(Op::add, c,
               a.view(a.layout().sliced(0, 2, 50, 1).sliced(1, 0, 1, 1).broadcast_to({50, 60}).transposed(std::array{0, 1})));
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (50, 60): first
  x0 = a strides (1, 50)
  x1 = row strides (0, 1)
  x2 = a strides (50, 0) from 100
  v0 = float32 add x0 x1  (stored)
  v1 = float32 add v0 x2  (stored)
)");
}

// A value that is needed at other places than it is computed at must be in memory first.
TEST_F(Schedule, AnotherPlaceOfAPendingValueComesLater) {
  Array a = memory("a", {70, 70});
  Array b = op(Op::sin, a), c = op(Op::add, b, transposed(b)), d = op(Op::cos, a);
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (70, 70): first
  x0 = a
  v0 = float32 sin x0  (stored)
group 2 over (70, 70): order
  x0 = v1.0
  x1 = v1.0 strides (1, 70)
  x2 = a
  v0 = float32 add x0 x1  (stored)
  v1 = float32 cos x2  (stored)
)");
}

TEST_F(Schedule, ReductionsEndTheirGroup) {
  Array a = memory("a", {1000000});
  Array b = sum(op(Op::square, a), {true}), c = sum(a, {true}, Reduction::maximum);
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (1000000,): first
  x0 = a
  v0 = float32 square x0
  v1 = float32 sum v0  (stored)
  v2 = float32 max x0  (stored)
)");
}

TEST_F(Schedule, SoftmaxIsOneGroup) {
  Array a = memory("a", {1000, 64});
  Array e = op(Op::exp, op(Op::subtract, a, sum(a, {false, true}, Reduction::maximum, true)));
  Array s = op(Op::true_divide, e, sum(e, {false, true}, Reduction::sum, true));
  e = Array();
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (1000, 64): first
  x0 = a
  v0 = float32 max x0
  v1 = float32 subtract x0 v0, loop 1
  v2 = float32 exp v1, loop 1
  v3 = float32 sum v2, loop 1
  v4 = float32 true_divide v2 v3, loop 2  (stored)
)");
}

// Going over so few long rows again would cost more than a kernel does.
TEST_F(Schedule, LongRowsAreNotGoneOverAgain) {
  Array a = memory("a", {3, 100000});
  Array b = op(Op::subtract, a, sum(a, {false, true}, Reduction::maximum, true));
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (3, 100000): first
  x0 = a
  v0 = float32 max x0  (stored)
group 2 over (3, 100000): order
  x0 = a
  x1 = v1.0 strides (1, 0)
  v0 = float32 subtract x0 x1  (stored)
)");
}

TEST_F(Schedule, ReductionsOverOtherAxesAreApart) {
  Array a = memory("a", {1000, 64});
  Array rows = sum(a, {false, true}), columns = sum(a, {true, false});
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (1000, 64): first
  x0 = a
  v0 = float32 sum x0  (stored)
group 2 over (1000, 64): order
  x0 = a
  v0 = float32 sum x0  (stored)
)");
}

TEST_F(Schedule, AGroupHasRoomForFewReductions) {
  Array a = memory("a", {1000000});
  std::vector<Array> sums;
  for (int i = 0; i < 5; ++i) sums.push_back(sum(op(Op::add, a, number(i)), {true}));
  std::vector<Group> groups = scheduled();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].stores.size(), 5u);  // four sums, and what the fifth one adds up
  EXPECT_EQ(groups[1].stores.size(), 1u);
  EXPECT_EQ(groups[1].apart, Apart::order);
}

TEST_F(Schedule, SingleNumbersAreComputedWhereTheyAreNeeded) {
  Array a = memory("a", {5000}), n = memory("n", {});
  Array root = op(Op::sqrt, n), alone = op(Op::sin, n);
  Array b = op(Op::true_divide, a, root);
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (5000,): first
  x0 = n strides (0)
  x1 = a
  v0 = float32 sqrt x0, once  (stored)
  v1 = float32 true_divide x1 v0  (stored)
group 2 over (): another shape
  x0 = n
  v0 = float32 sin x0  (stored)
)");
}

TEST_F(Schedule, ACallIsAlone) {
  Array a = memory("a", {5000});
  Array b = op(Op::sin, a), c = some_call(b), d = op(Op::cos, c), e = op(Op::exp, a);
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (5000,): first
  x0 = a
  v0 = float32 sin x0  (stored)
group 2 over (5000,): a call
  x0 = v1.0
  v0 = float32 some call x0  (stored)
group 3 over (5000,): order
  x0 = v2.0
  x1 = a
  v0 = float32 cos x0  (stored)
  v1 = float32 exp x1  (stored)
)");
}

TEST_F(Schedule, AWriteJoinsWhatItWrites) {
  Array a = memory("a", {5000}), b = memory("b", {5000});
  Array part = a.view(a.layout().sliced(0, 10, 4000, 1));
  op_into(part, Op::multiply, part, number(2));
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (4000,): first
  x0 = a strides (1) from 10
  v0 = float32 multiply x0 k0
  v1 = float32 update of a strides (1) from 10 v0  (stored)
)");
}

// Who reads the old values comes first; who reads the new ones comes after.
TEST_F(Schedule, WritesKeepTheOrderOfReaders) {
  Array a = memory("a", {5000});
  Array before = op(Op::sin, a.view(a.layout().sliced(0, 0, 4990, 1)));
  Array part = a.view(a.layout().sliced(0, 10, 4990, 1));
  op_into(part, Op::multiply, part, number(2));
  Array after = op(Op::cos, a);
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (4990,): first
  x0 = a strides (1)
  x1 = a strides (1) from 10
  v0 = float32 sin x0  (stored)
  v1 = float32 multiply x1 k0  (stored)
group 2 over (4990,): order
  x0 = v1.1
  v0 = float32 update of a strides (1) from 10 x0  (stored)
group 3 over (5000,): order
  x0 = v2.0
  v0 = float32 cos x0  (stored)
)");
}

// A group of its shape is there, but runs before the one that reads the old values.
TEST_F(Schedule, AWriteDoesNotOvertakeReaders) {
  Array a = memory("a", {5000}), b = memory("b", {10});
  Array first = op(Op::sin, b), reader = op(Op::cos, a);
  assign(a.view(a.layout().sliced(0, 0, 10, 1)), b);
  EXPECT_EQ(text(scheduled()), R"(
group 1 over (10,): first
  x0 = b
  v0 = float32 sin x0  (stored)
group 2 over (5000,): another shape
  x0 = a
  v0 = float32 cos x0  (stored)
group 3 over (10,): order
  x0 = b
  v0 = float32 update of a strides (1) x0  (stored)
)");
}

TEST_F(Schedule, AGroupIsFullSomeTime) {
  Array a = memory("a", {5000}), b = a;
  for (int i = 0; i < 200; ++i) b = op(Op::add, b, a);
  std::vector<Group> groups = scheduled();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].nodes.size(), 112u);
  EXPECT_EQ(groups[0].stores, std::vector<uint32_t>{111});  // what the other one needs
  EXPECT_EQ(groups[1].nodes.size(), 88u);
  EXPECT_EQ(groups[1].apart, Apart::full);
}

TEST_F(Schedule, AGroupReadsSoManyArrays) {
  std::vector<Array> all;
  Array s = memory("a", {5000});
  for (int i = 0; i < 60; ++i) {
    all.push_back(memory(formatted("a{}", i), {5000}));
    s = op(Op::add, s, all.back());
  }
  std::vector<Group> groups = scheduled();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_LE(groups[0].loads.size(), 48u);
  EXPECT_GT(groups[0].loads.size(), 40u);
}

TEST_F(Schedule, WithoutElementsNothingIsShared) {
  Array a = memory("a", {0, 4});
  Array b = op(Op::sin, a), c = op(Op::cos, b);
  EXPECT_EQ(scheduled().size(), 2u);
}

TEST_F(Schedule, DevicesAreApart) {
  Array a = memory("a", {5000}), b = memory("b", {5000}, DType::float32, DeviceId::gpu(1));
  Array c = op(Op::sin, a), d = op(Op::sin, b), e = op(Op::cos, a);
  std::vector<Group> groups = scheduled();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].device, DeviceId::gpu(0));
  EXPECT_EQ(groups[0].nodes.size(), 2u);
  EXPECT_EQ(groups[1].device, DeviceId::gpu(1));
}

// ---- what evaluation needs

TEST_F(Schedule, ALookLeavesTheRestPending) {
  Array a = memory("a", {5000});
  Array b = op(Op::sin, a), c = op(Op::cos, a), d = op(Op::exp, b);
  Node* target = d.cell()->node.get();
  std::vector<Node*> needed = needed_for({&target, 1});
  EXPECT_EQ(needed, (std::vector<Node*>{b.cell()->node.get(), target}));
}

TEST_F(Schedule, ALookTakesReadersOfWhatItOverwritesAlong) {
  Array a = memory("a", {5000});
  Array reader = op(Op::sin, a), other = op(Op::cos, memory("b", {5000}));
  Array part = a.view(a.layout().sliced(0, 0, 10, 1));
  assign(part, number(0));
  Node* target = a.cell()->node.get();
  std::vector<Node*> needed = needed_for({&target, 1});
  EXPECT_EQ(needed, (std::vector<Node*>{reader.cell()->node.get(), target}));
}

}  // namespace
}  // namespace recorded
