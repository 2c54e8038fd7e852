// Sorting, searching and running sums. NaN is greater than every number. What has no axis as a parameter works along the last
// one.
#pragma once

#include "graph/call.h"

namespace quern {

// The array with the lines of an axis in order; not for complex numbers (take them by sorted_places).
Array sorted(const Array& array, bool descending, size_t axis);
// The places, int64, that put the lines in order; equal values stay in the order in which they stand.
Array sorted_places(const Array& array, bool descending, size_t axis);
// Along the last axis.
inline Array sorted(const Array& array, bool descending) { return sorted(array, descending, array.rank() - 1); }
inline Array sorted_places(const Array& array, bool descending) { return sorted_places(array, descending, array.rank() - 1); }
// The lines of the last axis with the elements of `ranks` where the order has them, and no greater one before nor a lesser one
// behind each; elsewhere any order. For real numbers.
Array sorted_at(const Array& array, std::vector<int64_t> ranks);
// The kernels for rows of n on a GPU, as text.
std::string sort_text(DType dtype, bool places, bool descending, int64_t n);

// Where each row's greatest (or smallest) value stands first, int64; a NaN counts before all. The rows are not empty.
Array extreme_places(const Array& array, bool least);

// For each value, how many of the sorted ones (one dimension, same type) come before it; `right`: or equal it. int64.
Array places_in(const Array& sorted, const Array& values, bool right);

// How often 0, 1 ... bins - 1 occur among int64 numbers, as int64; with `weights` (float64, same size) the sums of these.
Array counts_of(const Array& numbers, const Array* weights, int64_t bins);

// What the ufunc gives of the first element of a line, of the first two, and so on. `op`: a ufunc's name, one of those that
// has_scan() knows for the type.
Array running(const Array& array, std::string_view op, size_t axis);
bool has_scan(std::string_view op, DType dtype);

}  // namespace quern
