// File: quern/sorting.h
//
// Sorting, searching, positions of extremes, unique values.
//
//   qn::Array order = qn::argsort(scores, -1, true);      // largest first
//   qn::Array ranked = names(order);
//
// Sorts are stable; NaN sorts last; complex numbers are ordered by real, then imaginary part. An axis out of range throws
// ErrorKind::index.
#pragma once

#include "quern/array.h"

namespace qn {

// A copy sorted along an axis.
Array sort(const Array& a, int axis = -1, bool descending = false, Here here = Here::current());
// The indices that sort it: int64.
Array argsort(const Array& a, int axis = -1, bool descending = false, Here here = Here::current());
// The indices that sort by several keys of one shape; the last key is the primary one. Throws ErrorKind::type without keys,
// ErrorKind::value for different shapes.
Array lexsort(const std::vector<Array>& keys, int axis = -1, Here here = Here::current());

// A copy, or the indices, with element kth in its sorted position, smaller ones before and larger ones after it (at present fully
// sorted). Throws ErrorKind::value for kth out of range.
Array partition(const Array& a, int64_t kth, int axis = -1, Here here = Here::current());
Array argpartition(const Array& a, int64_t kth, int axis = -1, Here here = Here::current());

// Index of the first maximum (minimum) along an axis, or in a.ravel() ({}): int64. NaN counts as both. Throws ErrorKind::value
// for empty reductions.
Array argmax(const Array& a, std::optional<int> axis = {}, bool keepdims = false, Here here = Here::current());
Array argmin(const Array& a, std::optional<int> axis = {}, bool keepdims = false, Here here = Here::current());

// Indices at which values can be inserted into a sorted 1-d array to keep it sorted, before equal elements or after them
// (`right`): int64, with the shape of values. Throws ErrorKind::value for more dimensions.
Array searchsorted(const Array& sorted, const Array& values, bool right = false, Here here = Here::current());
// The same for an array that is sorted by the indices `sorter`, as argsort() returns them.
Array searchsorted(const Array& a, const Array& values, bool right, const Array& sorter, Here here = Here::current());

// The sorted unique elements: 1-d; NaNs are equal. Evaluates, since the shape depends on values.
Array unique(const Array& a, Here here = Here::current());
// What unique_counts() returns: the sorted distinct elements, and how often each occurs. Evaluates.
struct UniqueCounts {
  Array values, counts;  // counts: int64
};
UniqueCounts unique_counts(const Array& a, Here here = Here::current());
// With the index in `values` of each element of a, in a's shape; unique_all() also with the index of the first occurrence in C
// order, and the counts. In unique_counts() and these NaNs are distinct, as in NumPy.
struct UniqueInverse {
  Array values, inverse_indices;
};
UniqueInverse unique_inverse(const Array& a, Here here = Here::current());
struct UniqueAll {
  Array values, indices, inverse_indices, counts;
};
UniqueAll unique_all(const Array& a, Here here = Here::current());

// Whether each element is among the test elements: bools of the shape of `element`.
Array isin(const Array& element, const Array& test_elements, Here here = Here::current());

}  // namespace qn
