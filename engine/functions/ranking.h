// Elements of lines that are chosen by their order, and where they stood: extremes, sorted lines, medians, modes. A NaN counts as
// greater than all numbers, an array without axes as one element. The derivative of what is chosen goes to where it stood.
#pragma once

#include <optional>

#include "graph/array.h"

namespace quern {

// Where the greatest (the smallest) element stands first, as `dtype`, by default int64; a NaN counts before all. Without an axis:
// in the flattened array. Raises ErrorKind::value for nothing to choose from.
Array place_of_largest(const Array& array, std::optional<size_t> axis, bool keep_dims, std::optional<DType> dtype);
Array place_of_smallest(const Array& array, std::optional<size_t> axis, bool keep_dims, std::optional<DType> dtype);

// Elements, and their places along an axis, int64.
struct Ranked {
  Array values, places;
};
Ranked largest_along(const Array& array, size_t axis, bool keep_dims);
Ranked smallest_along(const Array& array, size_t axis, bool keep_dims);
// Whole lines in order; what is equal stays in its order.
Array sorted_places_along(const Array& array, size_t axis, bool descending);
Ranked sorted_along(const Array& array, size_t axis, bool descending);
Array columns_in_order(const Array& array);
// The first ones of the lines in order. Raises ErrorKind::runtime for more of them than there are.
Ranked first_along(const Array& array, int64_t count, size_t axis, bool are_largest);
// The element in the middle, the lower one of two: a NaN where there is one, or the middle of what is none.
Ranked middle_along(const Array& array, size_t axis, bool keep_dims);
Ranked middle_without_nan_along(const Array& array, size_t axis, bool keep_dims);

// The element in the middle of all; elements that equal it share its derivative. NaN of nothing.
Array middle(const Array& array);
Array middle_without_nan(const Array& array);

}  // namespace quern
