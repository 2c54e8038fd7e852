// How often values occur: bincount and histograms, made of counts_of() and places_in() (sorting.h).
#pragma once

#include <optional>
#include <utility>

#include "graph/array.h"

namespace quern {

// How often 0, 1, 2 ... occur in integers (one dimension), as int64, or the sums of real weights, as float64; at least so many
// numbers. This waits for the least and the greatest. Raises ErrorKind::type for other types, ErrorKind::value for negative
// numbers and other shapes.
Array bincount(const Array& numbers, const Array* weights, int64_t least);
// NumPy's: an empty list, which has no type, is one of integers.
struct WholeNumbers {
  Array values;
};

// The edges of so many bins of one width between limits: by default the least and the greatest element, which are read.
// Raises ErrorKind::value for limits that fall or are not finite, and for no bins; ErrorKind::type for complex numbers.
Array even_edges(const Array& array, int64_t count, const Scalar* first, const Scalar* last);

// How many elements lie between each two edges, the last edge included, as int64, or the sums of their weights; `density`:
// divided so that the area is one; and the edges. These rise; in even bins the place of an element is computed, else it is
// searched for. Raises ErrorKind::type for complex numbers, ErrorKind::value for weights of another shape.
std::pair<Array, Array> histogram(const Array& array, const Array& edges, const Array* weights, bool density);
std::pair<Array, Array> even_histogram(const Array& array, int64_t count, const Scalar* first, const Scalar* last,
                                       const Array* weights, bool density);

// Bins as arguments have them: edges, or how many of one width; and from where to where these go.
struct Bins {
  std::optional<Array> edges;
  int64_t count = 10;
};
struct Limits {
  std::optional<std::pair<Scalar, Scalar>> both;
};

}  // namespace quern
