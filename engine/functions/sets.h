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
// PyTorch's: each NaN is distinct.
OneOrMore distinct_along(const Array& array, bool inverse, bool counts, std::optional<size_t> axis);
// Elements, or parts of an axis, without those that equal the one before.
OneOrMore distinct_in_turn(const Array& array, bool inverse, bool counts, std::optional<size_t> axis);

// Of flattened arrays, sorted. `are_distinct`: no array has an element twice; `places`: also where the elements stand first in
// each.
Array in_any(const Array& array, const Argument& other);
OneOrMore in_both(const Array& array, const Array* other, bool are_distinct, bool places);
Array only_in_first(const Array& array, const Array* other, bool are_distinct);
Array only_in_one(const Array& array, const Array* other, bool are_distinct);

// Where elements are among `tests`; `invert`: are not. In C order.
Array is_among(const Array& array, const Array& tests, bool invert);
// NumPy's, which checks `kind`, the name of a method; and PyTorch's, which takes a number for one of both.
Array is_in(const Array& array, const Array* tests, bool invert, std::optional<std::string_view> kind);
Array is_in_either(const Argument& array, const Argument& tests, bool invert);

}  // namespace quern
