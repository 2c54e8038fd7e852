// Norms of vectors as one entry of the tape. Where a norm is 0 it passes 0 on.
#pragma once

#include <vector>

#include "graph/array.h"

namespace quern {

// y is the norm of that order, an infinity too, of x over some axes, computed without a record; with or without those axes.
Array vector_norm_of(const Array& x, const Array& y, double order, const std::vector<int>& axes);

// x / max(size, eps), where size is x's norm of that order over some axes, which stay; y and size are computed without a record.
Array normalized(const Array& x, const Array& y, const Array& size, double order, const std::vector<int>& axes, double eps);

// `made`: the sum of x1 * x2 along an axis over both divisors; the norms of both, which keep the axis; the divisors, which are
// the norms or more. All were computed without a record.
Array cosine(const Array& x1, const Array& x2, const std::vector<Array>& made, size_t axis);

}  // namespace quern
