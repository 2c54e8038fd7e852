// File: quern/shaping.h
//
// Splitting, repeating, rolling, padding, grids. concatenate(), stack() and views are in array.h.
//
//   for (const qn::Array& part : qn::split(a, 4)) ...
//   std::vector<qn::Array> xy = qn::meshgrid({qn::linspace(0, 1, 200), qn::linspace(0, 2, 400)});
//
// The functions that split and broadcast, and meshgrid(), return views, the others copies. An axis out of range throws
// ErrorKind::index.
#pragma once

#include "quern/array.h"

namespace qn {

// Splits into equal parts along an axis. split() throws ErrorKind::value if the length is not divisible; array_split() makes the
// first parts longer by one.
std::vector<Array> split(const Array& a, int64_t sections, int axis = 0, Here here = Here::current());
std::vector<Array> array_split(const Array& a, int64_t sections, int axis = 0, Here here = Here::current());
// Splits at positions, which are interpreted as in a slice.
std::vector<Array> split_at(const Array& a, const std::vector<int64_t>& places, int axis = 0, Here here = Here::current());
// Splits along an axis into arrays without that axis.
std::vector<Array> unstack(const Array& a, int axis = 0, Here here = Here::current());
// Read-only views of the common broadcast shape. Throws ErrorKind::value if there is none.
std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays, Here here = Here::current());

// Repeats the array `reps` times along each axis. If there are more numbers than axes, axes are prepended; if fewer, ones are.
Array tile(const Array& a, const std::vector<int64_t>& reps, Here here = Here::current());
// Repeats each element along an axis; {}: of a.ravel(). Throws ErrorKind::value for a negative number.
Array repeat(const Array& a, int64_t times, std::optional<int> axis = {}, Here here = Here::current());
// A number of repetitions for each element along the axis, which is evaluated. Throws ErrorKind::value for negative numbers and
// for another length, ErrorKind::type for numbers that are not integers.
Array repeat(const Array& a, const Array& times, std::optional<int> axis = {}, Here here = Here::current());
// Rolls the elements by `shift` along an axis, or flattened ({}); elements that leave at the end re-enter at the start.
Array roll(const Array& a, int64_t shift, std::optional<int> axis = {}, Here here = Here::current());
// Along several axes. Throws ErrorKind::value if shifts and axes differ in number.
Array roll(const Array& a, const std::vector<int64_t>& shifts, const std::vector<int>& axes, Here here = Here::current());

// Pads with a constant: `width` elements on both sides of all axes, or {before, after} for each axis. Throws ErrorKind::value for
// negative widths and if pairs and axes differ in number.
Array pad(const Array& a, int64_t width, const Operand& value = 0, Here here = Here::current());
Array pad(const Array& a, const std::vector<std::pair<int64_t, int64_t>>& widths, const Operand& value = 0,
          Here here = Here::current());
// Pads with values of the array: the edge element; the array mirrored without (reflect) or with (symmetric) the edge element; the
// array from the other end (wrap); maximum, minimum, mean or median of each line; a linear ramp to zero. `odd`: mirrored values
// are 2 * edge - value. Throws ErrorKind::value for an empty axis as well.
enum class PadMode { edge, reflect, symmetric, wrap, maximum, minimum, mean, median, linear_ramp };
Array pad(const Array& a, int64_t width, PadMode mode, bool odd = false, Here here = Here::current());
Array pad(const Array& a, const std::vector<std::pair<int64_t, int64_t>>& widths, PadMode mode, bool odd = false,
          Here here = Here::current());

// Coordinates of a grid from 1-d arrays: read-only views with one axis for each array. `by_rows` false: the first array runs
// along the second axis, as in NumPy's default (indexing="xy"); true: along the first (indexing="ij").
std::vector<Array> meshgrid(const std::vector<Array>& axes, bool by_rows = false, Here here = Here::current());

// `num` values from base^start to base^stop, evenly spaced on a logarithmic scale.
Array logspace(double start, double stop, int64_t num = 50, bool endpoint = true, double base = 10, DType dtype = DType::float64,
               const Device& device = Device(), Here here = Here::current());

}  // namespace qn
