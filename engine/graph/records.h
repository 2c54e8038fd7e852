// Arrays of records (core/record.h): what the functions of array.h make of them. They are seen as their units, numbers along one
// axis more, and the results as records again; what computes works on fields.
#pragma once

#include "core/record.h"
#include "graph/array.h"

namespace quern {

// The type of so many bytes: 1, 2, 4 or 8.
DType number_of_bytes(size_t bytes);
// Units of an element.
int64_t units_in(DType type);
// A layout that counts in units of `type`, as one of `unit`s, whose last axis is an element.
Layout in_units(Layout layout, DType type, size_t unit);
// The same memory as numbers as wide as a unit, an element along the last axis. Of arrays of numbers too.
Array units_of(const Array& array);
Array units_of(const Array& array, size_t unit);
// And back: the last axis, which has no gaps, is an element.
Array of_units(const Array& units, DType type);

// Steps and place in bytes, counted from the array's memory: its elements as `type`, wherever they lie.
Array view_of_bytes(const Array& array, const Shape& shape, const std::vector<int64_t>& strides, int64_t offset, DType type);
// The type of elements that lie so: its units are all that these are multiples of.
DType type_at(const Shape& shape, const std::vector<int64_t>& strides, int64_t offset, DType type);
std::vector<int64_t> strides_in_bytes(const Array& array);
inline int64_t offset_in_bytes(const Array& array) {
  return array.layout().offset * static_cast<int64_t>(unit_of(array.dtype()));
}
// Where the elements lie, counted in elements; with gaps where no such layout says it. Lives no longer than the array.
class ElementLayout {
 public:
  explicit ElementLayout(const Array& array);
  ElementLayout(const ElementLayout&) = delete;
  ElementLayout& operator=(const ElementLayout&) = delete;
  const Layout& operator*() const { return *layout_; }
  const Layout* operator->() const { return layout_; }

 private:
  Layout own_;
  const Layout* layout_;
};
// A layout that counts in elements, as arrays of the type have it.
Layout as_arrays_have(Layout elements, DType type);

Array field(const Array& records, const RecordField& field);
Array field(const Array& records, const std::string& name);  // raises ErrorKind::key

// Of numbers that lie anywhere, a copy; other arrays as they are.
Array settled(const Array& array);
[[noreturn]] void refuse_records(std::string_view op, DType type);
// What array.h does, where records or numbers that lie anywhere take part.
Array elementwise_beside_records(Op op, std::span<const Argument> arguments, const Array* into, std::optional<Loop> loop);
Array copied_records(const Array& array, DType dtype, const Layout& elements);
void assign_records(const Array& target, const Argument& value);
Array full_of_records(const Layout& elements, const Scalar& value, DType dtype, DeviceId device);

// Are the records equal, field by field? Raises ErrorKind::type where the types have no fields in common.
Array records_equal(const Array& a, const Array& b);

}  // namespace quern
