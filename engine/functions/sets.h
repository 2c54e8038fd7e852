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

// As results of functions: one array, or a tuple of several.
struct OneOrMore {
  std::vector<Array> arrays;
};
// The same with a name for each, where the front end has a type of tuples for the function.
struct Named {
  std::vector<Array> arrays;
};
OneOrMore distinct_in(const Array& array, bool places, bool inverse, bool counts, std::optional<size_t> axis, bool equal_nan);
Named distinct_with_all(const Array& array);
Named distinct_with_counts(const Array& array);
Named distinct_with_inverse(const Array& array);
Array distinct_values(const Array& array);

// Where elements are among `tests`; `invert`: are not. In C order.
Array is_among(const Array& array, const Array& tests, bool invert);

}  // namespace quern
