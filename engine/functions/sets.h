// Distinct elements. How many there are decides a shape, so these wait for the values.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/array.h"

namespace quern {

// The distinct elements, sorted, or the distinct parts of an axis; then what is asked for, int64: where each stands first, the
// number of each element (of each part) among them, how often each occurs.
std::vector<Array> distinct(const Array& array, std::optional<size_t> axis, bool places, bool inverse, bool counts,
                            bool equal_nan);

// Where elements are among `tests`; `invert`: are not. In C order.
Array is_among(const Array& array, const Array& tests, bool invert);
// NumPy's, which checks `kind`, the name of a method; and PyTorch's, which takes a number for one of both.
Array is_in(const Array& array, const Array* tests, bool invert, std::optional<std::string_view> kind);
Array is_in_either(const Argument& array, const Argument& tests, bool invert);

}  // namespace quern
