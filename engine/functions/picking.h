// Elements by places and by masks (run/calls/indexing.h), as NumPy's functions have them. Where an axis may be none, that is the
// flattened array. What takes a mask waits for it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "functions/reductions.h"

namespace quern {

// The places as NumPy's mode has them: "raise" (as they are; one that is out of range is an error at evaluation), "wrap" or
// "clip" to `size`. Raises ErrorKind::value for another mode.
Array fitted_places(const Array& places, int64_t size, std::string_view mode);
// The elements at places along an axis, whose shape stands in the axis' place. In C order. Raises ErrorKind::index where there is
// nothing to take from, ErrorKind::value for places on another device.
Array taken(const Array& array, const Array& places, std::optional<size_t> axis, std::string_view mode);

// Keras's: places of any integers, or of bools. Raises ErrorKind::value for others, also, at evaluation, for such that are not
// there.
Array taken_within(const Array& array, const Array& places, std::optional<size_t> axis);

// An index for each axis: the places for one, its own numbers for each other. Raises ErrorKind::index for places that are no
// integers, ErrorKind::value for another number of axes.
std::vector<Array> indices_along(const Array& array, const Array& places, size_t axis);
Array taken_along(const Array& array, const Array& places, size_t axis);
void put_along(const Array& array, const Array& places, const Argument& values, size_t axis);
// The same of places counted in C order.
std::vector<Array> coordinates(const Array& array, const Array& places);
// Writes values, repeated as often as needed, to places counted in C order.
void put_in_line(const Array& array, const Array& places, const Argument& values, std::string_view mode);

// Where elements are not zero: an index for each axis (ErrorKind::value without axes), places in the flattened array, rows.
std::vector<Array> nonzero(const Array& array);
std::vector<Array> nonzero_of_lines(const Array& array);  // an array without axes is a line of one element
Array flat_nonzero(const Array& array);
Array rows_of_nonzero(const Array& array);
Array count_nonzero(const Array& array, const Over& over);

// The parts of an axis at which a condition of one dimension is true. Raises ErrorKind::value for more dimensions,
// ErrorKind::index for one that is true behind the end.
Array compressed(const Array& condition, const Array& array, std::optional<size_t> axis);
// The elements of the flattened array at which the flattened condition is true.
Array extracted(const Array& condition, const Array& array);

}  // namespace quern
