// The words of array algebra, NumPy's where NumPy has them: what functions of arrays (functions/), the derivatives of operations
// (quern/grads.def) and those of calls (run/calls/formulas.h) are written with. add(a, 1.0) or a + 1.0, where(equal(a, 0), 1, a),
// matrix_transpose(a), part(lines, -1, 0, 3). An operand is an array or a number, which has no type of its own.
#pragma once

#include <algorithm>
#include <concepts>
#include <numeric>
#include <optional>
#include <vector>

#include "core/error.h"
#include "graph/call.h"

namespace quern::algebra {

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

// ---- each operation of the table under its own name, and those that have an operator

template <class... T>
concept OfArrays = ((std::same_as<T, Array> || std::same_as<T, Argument>) || ...);  // one of them at least

#define QUERN_WORD_1(name)       \
  template <OfArrays X>          \
  Array name(const X& x) {       \
    return compute(Op::name, x); \
  }
#define QUERN_WORD_2(name)             \
  template <class X, class Y>          \
    requires OfArrays<X, Y>            \
  Array name(const X& x, const Y& y) { \
    return compute(Op::name, x, y);    \
  }
#define QUERN_WORD_3(name)                         \
  template <class X, class Y, class Z>             \
    requires OfArrays<X, Y, Z>                     \
  Array name(const X& x, const Y& y, const Z& z) { \
    return compute(Op::name, x, y, z);             \
  }
#define QUERN_ROW(name, operands, ...) QUERN_WORD_##operands(name)
#define QUERN_INNER(...)
#include "quern/ops.def"
#undef QUERN_WORD_1
#undef QUERN_WORD_2
#undef QUERN_WORD_3

template <class X, class Y>
  requires OfArrays<X, Y>
Array operator+(const X& x, const Y& y) {
  return add(x, y);
}
template <class X, class Y>
  requires OfArrays<X, Y>
Array operator-(const X& x, const Y& y) {
  return subtract(x, y);
}
template <class X, class Y>
  requires OfArrays<X, Y>
Array operator*(const X& x, const Y& y) {
  return multiply(x, y);
}
template <class X, class Y>
  requires OfArrays<X, Y>
Array operator/(const X& x, const Y& y) {
  return true_divide(x, y);
}
inline Array operator-(const Array& x) { return negative(x); }

// The array itself where it is real.
inline Array conj(const Array& x) { return is_complex(x.dtype()) ? conjugate(x) : x; }

// ---- types

// The array itself where it has the type.
inline Array as_type(const Array& array, DType dtype) { return array.dtype() == dtype ? array : astype(array, dtype); }
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
inline Array transpose(const Array& array, const std::vector<int>& order) { return array.view(array.layout().transposed(order)); }
inline Array expand_dims(const Array& array, size_t axis) {  // an axis of one element is put in
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
inline Array zeros(const Shape& shape, DType dtype, DeviceId device) { return full(shape, Scalar{}, dtype, device); }
// 0, 1, 2 ... as int64.
inline Array arange(int64_t count, DeviceId device) { return evenly_spaced(whole(0), whole(1), count, DType::int64, device); }
inline int64_t last_size(const Array& array) {
  if (array.rank() == 0) raise(ErrorKind::index, "Dimension specified as -1 but tensor has no dimensions");
  return array.shape().back();
}

// ---- matrices: the last two axes

inline Array matrix_transpose(const Array& x) {
  if (x.rank() < 2) raise(ErrorKind::runtime, "expected a matrix or a batch of matrices, but got {} dimensions", x.rank());
  std::vector<int> order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return transpose(x, order);
}
inline Array adjoint(const Array& x) { return conj(matrix_transpose(x)); }
// Numbers, one for each matrix.
inline Array of_matrices(const Array& x) { return expand_dims(expand_dims(x, x.rank()), x.rank() + 1); }

}  // namespace quern::algebra
