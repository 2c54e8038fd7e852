// Words for the derivatives of calls.
#pragma once

#include <algorithm>
#include <concepts>

#include "graph/call.h"
#include "graph/tape.h"
#include "run/calls/indexing.h"
#include "run/calls/matmul.h"

namespace quern::formulas {

inline Argument word(const Array& array) { return Argument(array); }
inline Argument word(double value) {
  Scalar out;
  out.kind = WeakScalar::real;
  out.re = value;
  return Argument(out);
}
inline Argument word(std::integral auto value) {
  Scalar out;
  out.kind = WeakScalar::integer;
  out.integer = static_cast<int64_t>(value);
  return Argument(out);
}
template <class... T>
Array compute(Op op, const T&... operands) {
  Argument all[] = {word(operands)...};
  return elementwise(op, all);
}

inline Array operator+(const Array& x, const Array& y) { return compute(Op::add, x, y); }
inline Array operator-(const Array& x, const Array& y) { return compute(Op::subtract, x, y); }
template <class Y>
Array operator*(const Array& x, const Y& y) {
  return compute(Op::multiply, x, y);
}
template <class Y>
Array operator/(const Array& x, const Y& y) {
  return compute(Op::true_divide, x, y);
}
template <class X, class Y>
Array select(const Array& where, const X& x, const Y& y) {
  return compute(Op::where, where, x, y);
}
inline Array conj(const Array& x) { return is_complex(x.dtype()) ? compute(Op::conjugate, x) : x; }
inline Array zeros(const Shape& shape, DType dtype, DeviceId device) { return full(shape, Scalar{}, dtype, device); }

// 0, 1, 2 ... as int64.
inline Array counted(int64_t count, DeviceId device) {
  Scalar zero, one;
  zero.kind = one.kind = WeakScalar::integer;
  one.integer = 1;
  return evenly_spaced(zero, one, count, DType::int64, device);
}

// ---- lines along an axis

inline Array part(const Array& x, size_t axis, int64_t start, int64_t stop) {
  return x.view(x.layout().sliced(axis, start, stop - start, 1));
}
inline Array flipped(const Array& x, size_t axis) {
  int64_t n = x.shape()[axis];
  return n < 2 ? x : x.view(x.layout().sliced(axis, n - 1, n, -1));
}
// Numbers of one dimension as they go with the axis of an array of that rank.
inline Array along(const Array& line, size_t axis, size_t rank) {
  Shape shape(rank, 1);
  shape[axis] = line.size();
  return reshape(line, shape);
}
// y[k] = x[0] * ... * x[k - 1], made of elementwise products: with derivatives of any order, also where factors are zero.
Array products_before(const Array& x, size_t axis);
// s[k] = g[k] + x[k + 1] * s[k + 1], likewise.
Array sums_of_products_behind(const Array& g, const Array& x, size_t axis);
// g, put (or added) to zeros at these places of its lines.
Array scattered(const Array& g, const Array& places, size_t axis, bool adds);

// ---- matrices: the last two axes

inline Array turned(const Array& x) {
  std::vector<int> order(x.rank());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return x.view(x.layout().transposed(order));
}
inline Array adjoint(const Array& x) { return conj(turned(x)); }
// A vector for each matrix, as its rows' or its columns' factors.
inline Array as_row(const Array& x) {
  Layout layout = x.layout();
  layout.shape.insert(layout.shape.end() - 1, 1);
  layout.strides.insert(layout.strides.end() - 1, 0);
  return x.view(std::move(layout));
}
inline Array as_column(const Array& x) { return turned(as_row(x)); }
// The numbers on the diagonals, as vectors.
inline Array diagonal(const Array& x) {
  Layout layout = x.layout();
  int64_t n = layout.shape.back(), step = layout.strides.back();
  layout.shape.pop_back();
  layout.strides.pop_back();
  layout.shape.back() = std::min(layout.shape.back(), n);
  layout.strides.back() += step;
  return x.view(std::move(layout));
}
// row - column, of n x n.
inline Array below(int64_t n, DeviceId device) {
  Array i = counted(n, device);
  return reshape(i, {n, 1}) - i;
}
inline Array on_diagonal(const Array& values) {
  int64_t n = values.shape().back();
  return select(compute(Op::equal, below(n, values.device()), 0), as_row(values), 0);
}

}  // namespace quern::formulas
