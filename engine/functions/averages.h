// Weighted averages, and how variables go together.
#pragma once

#include <optional>
#include <vector>

#include "graph/array.h"

namespace quern {

struct Average {
  Array mean, total;  // the total: the sum of the weights
};
// Over the axes that are true. The weights broadcast to the array; all is computed in `type`. The weights' sum is looked at:
// raises ErrorKind::zero_division where it is zero.
Average average(const Array& array, const Array& weights, const std::vector<bool>& axes, bool keep_dims, DType type);

// Weights of the array's shape, or of that of its axes in this order: as they broadcast to the array. Raises ErrorKind::value for
// others, ErrorKind::type where no axes are named.
Array fitted_weights(const Array& array, const Array& weights, const std::vector<int>* axes);

// The covariances of the rows (variables) of a matrix of float or complex numbers, whose columns are observations: the sum over
// their number less `ddof`. `repeated`: how often each observation was made, `counting`: how much it counts (float64, one
// dimension). Without axes where there is one variable. The weights are looked at. Raises ErrorKind::runtime,
// type, value or zero_division for such that do not fit.
struct Covariance {
  Array values;
  bool is_degenerate = false;  // no degrees of freedom are left
};
Covariance covariance(const Array& rows, double ddof, const Array* repeated, const Array* counting);
// Divided by the standard deviations, limited to [-1, 1].
Array correlation(const Array& covariance);

}  // namespace quern
