// File: quern/sorting.h
//
// Order: sorted arrays, the places that sort them, where the extremes are, distinct values.
//
//   qn::Array order = qn::argsort(scores, -1, true);      // the best first
//   qn::Array ranked = names(order);
//
// NaN comes after every number. Equal elements keep their order; complex numbers order by the real part, then the imaginary one.
// An axis that is not there throws ErrorKind::index.
#pragma once

#include "quern/array.h"

namespace qn {

// A sorted copy along an axis; `descending`: the largest first.
Array sort(const Array& a, int axis = -1, bool descending = false, Here here = Here::current());
// The places, int64, that sort it.
Array argsort(const Array& a, int axis = -1, bool descending = false, Here here = Here::current());
// The places that sort by several keys of one shape: by the last of them, where that is equal by the one before it, and so on.
// Throws ErrorKind::type for none, ErrorKind::value for different shapes.
Array lexsort(const std::vector<Array>& keys, int axis = -1, Here here = Here::current());

// A copy, or the places, in which element kth is where sorting puts it: all of them are. Throws ErrorKind::value for a place that
// is not there.
Array partition(const Array& a, int64_t kth, int axis = -1, Here here = Here::current());
Array argpartition(const Array& a, int64_t kth, int axis = -1, Here here = Here::current());

// Where the largest (smallest) element stands first, int64: along an axis, or {}: in a.ravel(). A NaN counts as the largest and
// as the smallest. Throws ErrorKind::value where there is nothing to choose from.
Array argmax(const Array& a, std::optional<int> axis = {}, bool keepdims = false, Here here = Here::current());
Array argmin(const Array& a, std::optional<int> axis = {}, bool keepdims = false, Here here = Here::current());

// Where values would have to go into a sorted array of one dimension to keep it sorted, int64, of the values' shape: before what
// is equal, or after it (`right`). Throws ErrorKind::value for more dimensions.
Array searchsorted(const Array& sorted, const Array& values, bool right = false, Here here = Here::current());
// The same of an array that `sorter` sorts, places as argsort() gives them.
Array searchsorted(const Array& a, const Array& values, bool right, const Array& sorter, Here here = Here::current());

// The distinct elements, sorted, in one dimension; NaN counts as one. How many there are is waited for.
Array unique(const Array& a, Here here = Here::current());
struct UniqueCounts {
  Array values, counts;  // counts: int64, how often each occurs
};
UniqueCounts unique_counts(const Array& a, Here here = Here::current());
// Here each NaN is for itself, as in NumPy. And where each stands first in C order; the number, among them, of each element: an
// array of a's shape.
struct UniqueInverse {
  Array values, inverse_indices;
};
UniqueInverse unique_inverse(const Array& a, Here here = Here::current());
struct UniqueAll {
  Array values, indices, inverse_indices, counts;
};
UniqueAll unique_all(const Array& a, Here here = Here::current());

// Which elements of a are among the values: bools of a's shape.
Array isin(const Array& a, const Array& values, Here here = Here::current());

}  // namespace qn
