// Norms of vectors as a single autograd node. Where a norm is 0 it passes 0 on.
#pragma once

#include <vector>

#include "functions/elementwise.h"
#include "functions/matrix_calls.h"

namespace quern {

// y is the norm of that order, an infinity too, of x over some axes, computed without a record; with or without those axes.
Array vector_norm_of(const Array& x, const Array& y, double order, const std::vector<int>& axes);

namespace nn {

// x divided by its norm over some axes, which counts as no less than eps.
Array normalize(const Array& x, const linalg::NormOrder& order, const Axes& axes, double eps);
// The cosine of the angle between vectors along an axis of both, whose norms count as no less than eps.
Array cosine_similarity(const Rules& rules, const Array& x1, const Array& x2, int64_t axis, double eps);
// The norm of x1 - x2 + eps along the last axis.
Array pairwise_distance(const Rules& rules, const Array& x1, const Array& x2, const linalg::NormOrder& order, double eps,
                        bool keep_dims);

}  // namespace nn

}  // namespace quern
