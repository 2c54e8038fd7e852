// Recurrent networks, and sequences of different lengths that are packed for them. A layer's step is in recurrence.h.
#pragma once

#include <vector>

#include "graph/array.h"

namespace quern::nn {

// Several arrays that are one argument.
struct Tensors {
  std::vector<Array> all;
};

// How many samples each step of a packed sequence has: more than none, and no more than the step before. Raises
// ErrorKind::runtime for other sizes, or other than the rows' number together.
std::vector<int64_t> packed_counts(const Array& rows, const Array& batch_sizes);

}  // namespace quern::nn
