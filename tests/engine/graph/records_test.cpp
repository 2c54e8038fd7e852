// Record types and arrays of them, without memory: units, views of fields, which layouts arrays have, what is refused.
#include "graph/records.h"

#include "core/error.h"
#include "graph/memory_order.h"
#include "recorded.h"

namespace recorded {
namespace {

const DType packed = record_type("packed", 9, {{"b", DType::uint8, 0}, {"w", DType::float64, 1}});
const DType aligned =
    record_type("aligned", 24, {{"w", DType::float64, 0}, {"v", DType::float32, 8, {3}}, {"b", DType::int8, 20}});
const DType outer = record_type("outer", 48, {{"in", aligned, 0}, {"all", aligned, 24, {1}}});

class Records : public Recorded {
 protected:
  // As arrays of records are: units in memory, records over them.
  Array records(DType type, Shape shape) {
    Shape units = shape;
    units.push_back(units_in(type));
    return of_units(memory("m", units, number_of_bytes(unit_of(type)), cpu), type);
  }
};

template <class F>
ErrorKind kind_of(const F& wrong) {
  try {
    wrong();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing is raised";
  return ErrorKind::bug;
}

TEST_F(Records, TypesAreMadeOnce) {
  EXPECT_EQ(record_type("packed", 9, {}), packed);
  EXPECT_EQ(dtype_named("aligned"), aligned);
  EXPECT_EQ(dtype_named("nothing"), std::nullopt);
  EXPECT_EQ(size_of(packed), 9u);
  EXPECT_EQ(unit_of(packed), 1u);
  EXPECT_EQ(unit_of(aligned), 8u);
  EXPECT_EQ(units_in(outer), 6);
  DType smaller = in_units_of(aligned, 4);
  EXPECT_EQ(unit_of(smaller), 4u);
  EXPECT_NE(smaller, aligned);
  EXPECT_TRUE(are_same_records(smaller, aligned));
  EXPECT_FALSE(are_same_records(packed, aligned));
  EXPECT_EQ(promote(smaller, aligned), aligned);
  EXPECT_EQ(kind_of([] { promote(aligned, packed); }), ErrorKind::type);
  EXPECT_EQ(kind_of([] { promote(aligned, DType::float32); }), ErrorKind::type);
}

TEST_F(Records, FieldsAreViews) {
  Array all = records(aligned, {4, 5});
  EXPECT_EQ(all.layout().strides, (std::vector<int64_t>{15, 3}));
  Array v = field(all, "v");
  EXPECT_EQ(v.dtype(), DType::float32);
  EXPECT_EQ(v.shape(), (Shape{4, 5, 3}));
  EXPECT_EQ(v.layout().strides, (std::vector<int64_t>{30, 6, 1}));
  EXPECT_EQ(v.layout().offset, 2);
  EXPECT_EQ(strides_in_bytes(v), (std::vector<int64_t>{120, 24, 4}));
  Array inner = field(field(records(outer, {3}), "all"), "b");
  EXPECT_EQ(inner.shape(), (Shape{3, 1}));
  EXPECT_EQ(offset_in_bytes(inner), 44);
  EXPECT_EQ(inner.dtype(), DType::int8);
  EXPECT_EQ(kind_of([&] { field(all, "nothing"); }), ErrorKind::value);
}

TEST_F(Records, NumbersMayLieAnywhere) {
  Array w = field(records(packed, {4}), "w");
  ASSERT_TRUE(is_record(w.dtype()));
  EXPECT_EQ(record_of(w.dtype()).number, DType::float64);
  EXPECT_EQ(row(w.dtype()).name, "float64");
  EXPECT_EQ(strides_in_bytes(w), (std::vector<int64_t>{9}));
  EXPECT_EQ(settled(w).dtype(), DType::float64);
  EXPECT_EQ(op(Op::sin, w).dtype(), DType::float64);
}

TEST_F(Records, LayoutsInElements) {
  Array all = records(aligned, {4, 5});
  EXPECT_TRUE(ElementLayout(all)->is_contiguous());
  EXPECT_TRUE(is_in_order(all, Order::c));
  Array turned = all.view(all.layout().transposed(std::vector<int>{1, 0}));
  EXPECT_TRUE(ElementLayout(turned)->is_fortran());
  EXPECT_FALSE(is_in_order(turned, Order::c));
  EXPECT_EQ(raveled(all, Order::c).shape(), (Shape{20}));
  EXPECT_EQ(raveled(turned, Order::fortran).layout().strides, (std::vector<int64_t>{3}));
  EXPECT_EQ(reshape(all, {10, 2}).layout().strides, (std::vector<int64_t>{6, 3}));
  // Numbers are as they are.
  Array numbers = memory("n", {4, 5});
  EXPECT_EQ(&*ElementLayout(numbers), &numbers.layout());
}

TEST_F(Records, NothingComputesWithThem) {
  Array all = records(aligned, {4}), numbers = memory("n", {4}, DType::float32, cpu);
  EXPECT_EQ(kind_of([&] { op(Op::add, all, all); }), ErrorKind::type);
  EXPECT_EQ(kind_of([&] { op(Op::add, all, numbers); }), ErrorKind::type);
  EXPECT_EQ(kind_of([&] { op_into(all, Op::sin, numbers); }), ErrorKind::type);
  EXPECT_EQ(kind_of([&] { reduce(Reduction::sum, all, {true}, false); }), ErrorKind::type);
  EXPECT_EQ(kind_of([&] { assign(numbers, Argument(all)); }), ErrorKind::type);
  EXPECT_EQ(kind_of([&] { astype(all, DType::float32); }), ErrorKind::type);
  EXPECT_EQ(kind_of([&] { assign(all, Argument(records(packed, {4}))); }), ErrorKind::type);
  EXPECT_EQ(kind_of([&] { records_equal(all, numbers); }), ErrorKind::type);
}

}  // namespace
}  // namespace recorded
