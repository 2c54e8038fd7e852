// Short words for functions of arrays that are made of operations: compute(Op::add, a, 1.0), part(lines, -1, 0, 3).
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <span>
#include <vector>

#include "graph/call.h"
#include "run/transfer.h"

namespace quern::steps {

inline Scalar whole(int64_t value) {
  Scalar out;
  out.kind = WeakScalar::integer;
  out.integer = value;
  return out;
}
inline Scalar real_number(double value) {
  Scalar out;
  out.kind = WeakScalar::real;
  out.re = value;
  return out;
}

inline Argument operand(const Array& array) { return Argument(array); }
inline Argument operand(const Scalar& scalar) { return Argument(scalar); }
inline Argument operand(const Argument& argument) { return argument; }
inline Argument operand(double value) { return Argument(real_number(value)); }
template <std::integral T>
Argument operand(T value) {
  return Argument(whole(static_cast<int64_t>(value)));
}
template <class... T>
Array compute(Op op, const T&... operands) {
  Argument all[] = {operand(operands)...};
  return elementwise(op, all);
}

// The array itself where it has the type.
inline Array as_type(const Array& array, DType dtype) { return array.dtype() == dtype ? array : astype(array, dtype); }
inline Array conjugated(const Array& a) { return is_complex(a.dtype()) ? compute(Op::conjugate, a) : a; }
inline bool is_whole(DType type) { return type == DType::boolean || is_integer(type); }
inline DType common(DType a, DType b) {
  OperandType both[] = {{a}, {b}};
  return common_type(both);
}

// Views. `axis` may count from the end.
inline size_t axis_of(const Array& array, int axis) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int>(array.rank()) : axis);
}
inline Array part(const Array& array, int axis, int64_t start, int64_t stop, int64_t step = 1) {
  int64_t count = step > 0 ? (stop - start + step - 1) / step : (start - stop - step - 1) / -step;
  return array.view(array.layout().sliced(axis_of(array, axis), start, std::max<int64_t>(count, 0), step));
}
inline Array element(const Array& array, int axis, int64_t place) {
  return array.view(array.layout().without(axis_of(array, axis), place));
}
inline Array transposed(const Array& array, const std::vector<int>& order) {
  return array.view(array.layout().transposed(order));
}
inline Array with_axis(const Array& array, size_t axis) {  // an axis of one element is put in
  Layout layout = array.layout();
  layout.shape.insert(layout.shape.begin() + static_cast<ptrdiff_t>(axis), 1);
  layout.strides.insert(layout.strides.begin() + static_cast<ptrdiff_t>(axis), 0);
  return array.view(std::move(layout));
}

// Along one axis; by default the last.
inline Array reduced(Reduction reduction, const Array& array, int axis = -1, bool keep = false, std::optional<DType> dtype = {}) {
  std::vector<bool> axes(array.rank(), false);
  axes[axis_of(array, axis)] = true;
  return reduce(reduction, array, axes, keep, dtype);
}
// 0, 1, 2 ... as int64.
inline Array counted(int64_t count, DeviceId device) { return evenly_spaced(whole(0), whole(1), count, DType::int64, device); }
inline int64_t last_size(const Array& array) { return array.shape().back(); }

// out[..., i] = lines[..., places[..., i]]; no place is negative.
Array picked(const Array& lines, const Array& places);
// An axis goes to another place, the others keep their order. It becomes the last one, and back.
Array moved(const Array& array, size_t from, size_t to);
inline Array with_last(const Array& array, size_t axis) { return moved(array, axis, array.rank() - 1); }
inline Array from_last(const Array& array, size_t axis) { return moved(array, array.rank() - 1, axis); }

// Values of the host as an array of one dimension, on a device; and the other way: the values in C order, waited for.
Array from_host(const void* data, size_t bytes, const Shape& shape, DType dtype, DeviceId device);
template <class T>
Array array_of(const std::vector<T>& values, DeviceId device) {
  constexpr DType type = qn::dtype_of<T>();
  return from_host(values.data(), values.size() * sizeof(T), {static_cast<int64_t>(values.size())}, type, device);
}
template <class T>
std::vector<T> values_of(const Array& array) {
  Array given = as_type(array, qn::dtype_of<T>());
  std::vector<T> out(static_cast<size_t>(given.size()));
  read_into(given, out.data(), out.size() * sizeof(T));
  return out;
}
// The number in an array of one element, with its type.
Scalar scalar_in(const Array& array);

}  // namespace quern::steps
