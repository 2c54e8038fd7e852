// File: quern/shaping.h
//
// Arrays put together, cut up, repeated, moved and framed. concatenate(), stack() and views are in array.h.
//
//   for (const qn::Array& part : qn::split(a, 4)) ...
//   std::vector<qn::Array> xy = qn::meshgrid({qn::linspace(0, 1, 200), qn::linspace(0, 2, 400)});
//
// Parts are views, all else has new elements. An axis that is not there throws ErrorKind::index.
#pragma once

#include "quern/array.h"

namespace qn {

// Equal parts along an axis, views. Throws ErrorKind::value where it does not come out even; array_split() makes the first ones
// longer by one.
std::vector<Array> split(const Array& a, int64_t parts, int axis = 0, Here here = Here::current());
std::vector<Array> array_split(const Array& a, int64_t parts, int axis = 0, Here here = Here::current());
// The parts between places, which are as in a slice.
std::vector<Array> split_at(const Array& a, const std::vector<int64_t>& places, int axis = 0, Here here = Here::current());
// The parts of one element along an axis, without that axis.
std::vector<Array> unstack(const Array& a, int axis = 0, Here here = Here::current());
// Read-only views of the shape that all broadcast to. Throws ErrorKind::value where there is none.
std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays, Here here = Here::current());

// The array so many times along each axis; where there are more numbers than axes, axes are put in front, and else ones.
Array tile(const Array& a, const std::vector<int64_t>& times, Here here = Here::current());
// Each element so many times, one after the other, along an axis or {}: of a.ravel(). Throws ErrorKind::value for a negative
// number.
Array repeat(const Array& a, int64_t times, std::optional<int> axis = {}, Here here = Here::current());
// Each as often as an array of integers says, one for each element along the axis (this waits for them). Throws ErrorKind::value
// for negative ones and another number of them, ErrorKind::type for other types.
Array repeat(const Array& a, const Array& times, std::optional<int> axis = {}, Here here = Here::current());
// Moved on by `shift` along an axis, or {}: in C order; what leaves at the end comes in at the start.
Array roll(const Array& a, int64_t shift, std::optional<int> axis = {}, Here here = Here::current());
// Along several axes. Throws ErrorKind::value for as many shifts as there are no axes.
Array roll(const Array& a, const std::vector<int64_t>& shifts, const std::vector<int>& axes, Here here = Here::current());

// So many elements of a value before and after, the same along all axes, or {before, after} for each. Throws ErrorKind::value for
// negative numbers or as many pairs as there are no axes.
Array pad(const Array& a, int64_t width, const Operand& value = 0, Here here = Here::current());
Array pad(const Array& a, const std::vector<std::pair<int64_t, int64_t>>& widths, const Operand& value = 0,
          Here here = Here::current());
// A border that the array itself says: the element at the edge; the array mirrored without (reflect) or with (symmetric) the
// edge element, or from the other end (wrap); the largest, smallest, mean or middle element of each line; a ramp down to zero.
// `odd`: what is mirrored is turned at the end element too, 2 * end - element. Throws ErrorKind::value for an empty axis as well.
enum class PadMode { edge, reflect, symmetric, wrap, maximum, minimum, mean, median, linear_ramp };
Array pad(const Array& a, int64_t width, PadMode mode, bool odd = false, Here here = Here::current());
Array pad(const Array& a, const std::vector<std::pair<int64_t, int64_t>>& widths, PadMode mode, bool odd = false,
          Here here = Here::current());

// Arrays of one dimension as coordinates of a grid: read-only views with an axis for each array. `by_rows` false: the first array
// runs along the second axis, as NumPy's meshgrid has it; true: along the first one (indexing="ij").
std::vector<Array> meshgrid(const std::vector<Array>& axes, bool by_rows = false, Here here = Here::current());

// `num` numbers whose logarithms are evenly spaced, from base^start to base^stop.
Array logspace(double start, double stop, int64_t num = 50, bool endpoint = true, double base = 10, DType dtype = DType::float64,
               const Device& device = Device(), Here here = Here::current());

}  // namespace qn
