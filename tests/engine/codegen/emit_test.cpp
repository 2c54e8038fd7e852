// The sources of kernels, as golden files in kernels/, where tools/check_nvrtc.py compiles them too. A change of the printer
// shows in their diff; QUERN_RENEW_TEXTS=1 build/develop/tests/engine/emit_test writes them anew.
#include "codegen/emit.h"
#include "recorded.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace recorded {
namespace {

class Emit : public Recorded {
 protected:
  static void expect_text(const std::string& name, const std::string& text) {
    std::filesystem::path path = std::filesystem::path(QUERN_SOURCE "/tests/engine/codegen/kernels") / (name + ".cu");
    if (std::getenv("QUERN_RENEW_TEXTS")) std::ofstream(path) << text;
    std::ifstream file(path);
    ASSERT_TRUE(file) << path << " is missing";
    std::stringstream golden;
    golden << file.rdbuf();
    EXPECT_EQ(text, golden.str()) << "the text of " << name << " is another one; if that is meant: QUERN_RENEW_TEXTS=1";
  }
  // All that is pending is one group.
  static void expect_group(const std::string& name) {
    std::vector<Group> groups = scheduled();
    ASSERT_EQ(groups.size(), 1u);
    expect_text(name, print_kernel(groups[0], form_of(groups[0])));
  }
};

TEST_F(Emit, Elements) {
  Array a = memory("a", {5000}), b = memory("b", {5000});
  Array c = op(Op::sqrt, op(Op::add, op(Op::multiply, a, b), number(1)));
  expect_group("elements");
}

TEST_F(Emit, ElementsInPacks) {
  Array a = memory("a", {100000}), b = memory("b", {100000}), n = memory("n", {});
  Array c = op(Op::where, op(Op::less, a, n), a, b);
  expect_group("packs");
}

TEST_F(Emit, TypesAreConverted) {
  Array a = memory("a", {5000}, DType::float16), b = memory("b", {5000}, DType::int32), z = memory("z", {5000}, DType::complex64);
  Array c = op(Op::multiply, op(Op::add, a, b), op(Op::add, z, number(2)));
  expect_group("types");
}

TEST_F(Emit, ViewsAndRepeatedRows) {
  Array a = memory("a", {50, 60}), row = memory("row", {60}), b = memory("b", {60, 50});
  Array c = op(Op::add, op(Op::multiply, a, row), transposed(b));
  expect_group("views");
}

TEST_F(Emit, WideIndices) {
  Array a = memory("a", {int64_t{1} << 32}, DType::int8);
  Array b = op(Op::negative, a);
  expect_group("wide");
}

TEST_F(Emit, AWriteIntoAPart) {
  Array a = memory("a", {100, 100}), b = memory("b", {98, 98});
  Array part = a.view(a.layout().sliced(0, 1, 98, 1).sliced(1, 1, 98, 1));
  op_into(part, Op::add, part, b);
  expect_group("update");
}

TEST_F(Emit, NumbersOnceForAllElements) {
  Array a = memory("a", {5000}), n = memory("n", {});
  Array root = op(Op::sqrt, n), b = op(Op::true_divide, a, root);
  expect_group("number");
}

TEST_F(Emit, Positions) {
  Array b = op(Op::multiply, positions({70, 80}, gpu), integer(3));
  expect_group("positions");
}

TEST_F(Emit, PositionsInPacks) {
  Array place = positions({100000}, gpu);
  const Argument operands[] = {Argument(place), Argument(integer(7)), Argument(integer(7))};
  Array b = elementwise(Op::random_normal32, operands, nullptr, Loop{DType::uint64, DType::float32});
  expect_group("random");
}

TEST_F(Emit, AUsersRow) {
  const UserRow& row = add_row({.name = "scale_and_sign",
                                .body = "y = x * f; s = x < 0 ? -1 : 1",
                                .operands = {{"x", DType::float32}, {"f", DType::float32}},
                                .results = {{"y", DType::float32}, {"s", DType::int32}}});
  Array a = memory("a", {5000}), f = memory("f", {5000});
  // As apply() does, which would compile it at once: the row is new.
  LayoutRef layout = contiguous_layout({5000});
  std::vector<Array> results;
  for (uint8_t output = 0; output < 2; ++output) {
    NodeRef node = new_node(Op::user, row.results[output].dtype, layout, gpu);
    node->user = &row;
    node->output = output;
    node->call = std::make_unique<Call>();
    node->call->operands = {a.operand(), f.operand()};
    graph.pending.add(*node);
    results.emplace_back(std::move(node));
  }
  Array b = op(Op::add, results[0], results[1]);
  expect_group("user_row");
}

// ---- reductions, by walk

TEST_F(Emit, RowsByThreads) {
  Array a = memory("a", {100000, 20});
  Array b = sum(op(Op::square, a), {false, true});
  expect_group("reduce_threads");
}

TEST_F(Emit, RowsByLanes) {
  Array a = memory("a", {100000, 300}, DType::float16);
  Array b = sum(a, {false, true});
  expect_group("reduce_lanes_inside");
}

TEST_F(Emit, ColumnsByLanes) {
  Array a = memory("a", {300, 100000});
  Array b = sum(a, {true, false}, Reduction::maximum);
  expect_group("reduce_lanes_outside");
}

TEST_F(Emit, ColumnsOnTheCpu) {
  Array a = memory("a", {300, 100000}, DType::float64, cpu);
  Array b = sum(a, {true, false});
  expect_group("reduce_columns");
}

TEST_F(Emit, FewResultsByBlocks) {
  Array a = memory("a", {500000}), b = memory("b", {500000});
  Array c = sum(op(Op::multiply, a, b), {true});
  expect_group("reduce_block");
}

TEST_F(Emit, ChunksAreCombined) {
  Array a = memory("a", {500000}, DType::float32, cpu);
  Array b = sum(a, {true});
  expect_group("reduce_chunks");
  expect_text("combine", print_combine(Reduction::sum, DType::float64, DType::float32));
}

TEST_F(Emit, Softmax) {
  Array a = memory("a", {1000, 64});
  Array e = op(Op::exp, op(Op::subtract, a, sum(a, {false, true}, Reduction::maximum, true)));
  Array s = op(Op::true_divide, e, sum(e, {false, true}, Reduction::sum, true));
  e = Array();
  expect_group("softmax");
}

TEST_F(Emit, WhatIsDividedByIsMadeReady) {
  Array a = memory("a", {5000}, DType::int32, cpu);
  Array b = op(Op::floor_divide, a, Scalar{.kind = WeakScalar::integer, .integer = 7}), c = op(Op::remainder, b, a);
  expect_group("divided");
}

TEST_F(Emit, SegmentsOfOneLaunch) {
  Array a = memory("a", {5000}), b = memory("b", {5000});
  Array c = op(Op::add, op(Op::multiply, a, number(2)), b);
  std::vector<Group> groups = scheduled();
  ASSERT_EQ(groups.size(), 1u);
  Form form = form_of(groups[0]);
  Segments segments = segments_of(groups[0], form);
  EXPECT_EQ(segments.bytes, 32u);  // three pointers, a float and the size
  EXPECT_EQ(segments.count, 64u);
  expect_text("segments", print_kernel_of_segments(groups[0], form));
}

}  // namespace
}  // namespace recorded
