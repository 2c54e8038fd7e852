// What the derivatives of calls are written with, beside the words of graph/algebra.h.
#pragma once

#include <algorithm>

#include "graph/algebra.h"
#include "graph/tape.h"
#include "run/calls/indexing.h"
#include "run/calls/matmul.h"

namespace quern::formulas {

using namespace algebra;

// ---- lines along an axis

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

// A vector for each matrix, as its rows' or its columns' factors.
inline Array as_row(const Array& x) {
  Layout layout = x.layout();
  layout.shape.insert(layout.shape.end() - 1, 1);
  layout.strides.insert(layout.strides.end() - 1, 0);
  return x.view(std::move(layout));
}
inline Array as_column(const Array& x) { return matrix_transpose(as_row(x)); }
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
  Array i = arange(n, device);
  return reshape(i, {n, 1}) - i;
}
inline Array on_diagonal(const Array& values) {
  int64_t n = values.shape().back();
  return where(equal(below(n, values.device()), 0), as_row(values), 0);
}

}  // namespace quern::formulas
