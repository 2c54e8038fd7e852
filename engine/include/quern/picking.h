// File: quern/picking.h
//
// Elements by places and by masks. What stands between the brackets of an array does most of it (a(mask), a(places) = 0:
// array.h); here are NumPy's functions around that.
//
//   qn::Array best = qn::take_along_axis(a, qn::argsort(a), -1);
//   for (const qn::Array& places : qn::nonzero(a > 0)) ...
//
// Places are arrays of integers, -1 is the last. One that is out of range throws ErrorKind::index at the next look. How many
// elements of a mask are true decides a shape, so what takes a mask waits for its values.
#pragma once

#include "quern/array.h"

namespace qn {

// The elements at places along an axis; the places' shape stands in the axis' place. Throws ErrorKind::index for places that are
// no integers or an axis that is not there, ErrorKind::value for places on another device.
Array take(const Array& a, const Array& places, int axis = 0, Here here = Here::current());

// out(i, j) = a(i, places(i, j)) for the last axis, and so on: places has as many axes as a, and the others broadcast with a's.
// What argsort() and argmax(keepdims) give can be read so. Throws ErrorKind::value for another number of axes, ErrorKind::index
// for places that are no integers.
Array take_along_axis(const Array& a, const Array& places, int axis = -1, Here here = Here::current());
// Writes there what take_along_axis() would read; values broadcast.
void put_along_axis(const Array& a, const Array& places, const Operand& values, int axis = -1);

// Writes values, an array in C order or a number, to the elements at places of the array in C order; they are repeated as often
// as needed. Throws ErrorKind::type for places that are no integers.
void put(const Array& a, const Array& places, const Operand& values);

// Where elements are not zero: int64 arrays of one dimension, one for each axis. Throws ErrorKind::value for no axes.
std::vector<Array> nonzero(const Array& a, Here here = Here::current());
// The same in C order, one array of places in a.ravel().
Array flatnonzero(const Array& a, Here here = Here::current());
// The same as rows: shape (how many, axes of a).
Array argwhere(const Array& a, Here here = Here::current());
// How many elements are not zero: int64.
Array count_nonzero(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current());

// The parts of an axis at which a condition of one dimension is true. It may be shorter than the axis. Throws ErrorKind::value
// for more dimensions.
Array compress(const Array& condition, const Array& a, int axis, Here here = Here::current());
// The elements at which a condition of as many elements is true, in C order: one dimension.
Array extract(const Array& condition, const Array& a, Here here = Here::current());

}  // namespace qn
