// File: quern/picking.h
//
// Selecting elements by index and by mask. Indexing (a(mask), a(indices) = 0: array.h) covers most uses; these are NumPy's
// functions beside it.
//
//   qn::Array best = qn::take_along_axis(a, qn::argsort(a), -1);
//   for (const qn::Array& places : qn::nonzero(a > 0)) ...
//
// `places` are integer arrays of positions; -1 is the last. A position out of range throws ErrorKind::index when the result is
// evaluated. The number of true elements of a mask decides the result's shape, so functions that take a mask evaluate it.
#pragma once

#include "quern/array.h"

namespace qn {

// Elements at positions along an axis; the shape of `places` replaces the axis. Throws ErrorKind::index for positions that are
// not integers and for an axis out of range, ErrorKind::value for positions on another device.
Array take(const Array& a, const Array& places, int axis = 0, Here here = Here::current());

// out(i, j) = a(i, places(i, j)) for the last axis, and so on; for results of argsort() and of argmax() with keepdims. The other
// axes broadcast. Throws ErrorKind::value if the numbers of axes differ, ErrorKind::index for positions that are not integers.
Array take_along_axis(const Array& a, const Array& places, int axis = -1, Here here = Here::current());
// Writes the elements that take_along_axis() would read; values broadcast.
void put_along_axis(const Array& a, const Array& places, const Operand& values, int axis = -1);

// Writes values (a scalar, or an array in C order, repeated as needed) to positions in the flattened array. Throws
// ErrorKind::type for positions that are not integers.
void put(const Array& a, const Array& places, const Operand& values);

// Indices of non-zero elements: a 1-d int64 array for each axis. Throws ErrorKind::value for a 0-d array.
std::vector<Array> nonzero(const Array& a, Here here = Here::current());
// Indices of non-zero elements of a.ravel().
Array flatnonzero(const Array& a, Here here = Here::current());
// Indices of non-zero elements as rows: shape (count, ndim).
Array argwhere(const Array& a, Here here = Here::current());
// Number of non-zero elements: int64.
Array count_nonzero(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current());

// The slices along an axis where a 1-d condition, which may be shorter than the axis, is true. Throws ErrorKind::value for more
// dimensions.
Array compress(const Array& condition, const Array& a, int axis, Here here = Here::current());
// The elements where a condition of the same size is true, in C order: 1-d.
Array extract(const Array& condition, const Array& a, Here here = Here::current());

}  // namespace qn
