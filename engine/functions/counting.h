// How often values occur: bincount and histograms, made of counts_of() and places_in() (sorting.h).
#pragma once

#include <optional>

#include "graph/array.h"

namespace quern {

// How often 0, 1, 2 ... occur in integers (one dimension), as int64, or the sums of real weights, as float64; at least so many
// numbers. This waits for the least and the greatest. Raises ErrorKind::type for other types, ErrorKind::value for negative
// numbers and other shapes.
Array bincount(const Array& numbers, const Array* weights, int64_t least);

// Bins of one width: how many, from where to where.
struct EvenBins {
  Scalar first, last, width;
  int64_t count = 0;
};

// How many elements lie between each two edges, the last edge included, as int64, or the sums of their weights; `density`:
// divided so that the area is one. The edges rise; where they are even, the place of an element is computed, else it is searched
// for. Raises ErrorKind::type for complex numbers, ErrorKind::value for weights of another shape.
Array histogram_counts(const Array& array, const Array& edges, const EvenBins* even, const Array* weights, bool density);

}  // namespace quern
