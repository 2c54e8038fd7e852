// Weighted averages, and how variables go together.
#pragma once

#include <optional>
#include <vector>

#include "functions/elementwise.h"
#include "graph/array.h"

namespace quern {

struct Average {
  Array mean, total;  // the total: the sum of the weights
};
// Over all axes, or those named. The weights have the array's shape, or that of these axes in this order. Integers are computed
// in float64. The weights' sum is read: raises ErrorKind::zero_division where it is zero; ErrorKind::value for weights of
// other shapes, ErrorKind::type where no axes are named for them.
Average average(const Array& array, const Array& weights, const std::optional<std::vector<size_t>>& axes, bool keep_dims);
// The same, or the mean without weights: {mean}, or with `gives_total` {mean, total}, both of one shape.
struct Averages {
  std::vector<Array> arrays;
};
Averages averages(const Array& array, const std::optional<std::vector<size_t>>& axes, const Array* weights, bool gives_total,
                  bool keep_dims);

// The covariances of variables, the rows of a matrix, or its columns unless `in_rows`; a vector is one variable; those of
// `more` follow. The columns are observations: the sum over their number less `ddof`. `repeated`: how often each observation was
// made, `counting`: how much it counts (one dimension). In `dtype`; none: the common type, float64 at least. Without axes where
// there is one variable. The weights are read. Raises ErrorKind::runtime, type, value or zero_division for such that do not
// fit.
struct Covariance {
  Array values;
  bool is_degenerate = false;  // no degrees of freedom are left
};
Covariance covariance(const Array& m, const Array* more, bool in_rows, double ddof, const Array* repeated, const Array* counting,
                      std::optional<DType> dtype);
// Divided by the standard deviations, limited to [-1, 1].
Array correlation(const Array& covariance);

// NumPy's: none for `ddof` is 0 for `is_biased`, else 1. Raises ErrorKind::value for a fraction.
Covariance covariances(const Array& m, const Array* more, bool in_rows, bool is_biased, std::optional<double> ddof,
                       const Array* repeated, const Array* counting, std::optional<DType> dtype);
struct WithoutEffect {};  // arguments that are accepted and change nothing
// PyTorch's.
Covariance covariances_of_rows(const Array& m, int64_t ddof, const Array* repeated, const Array* counting,
                               std::optional<DType> dtype);
Covariance correlations_of_rows(const Array& m, std::optional<DType> dtype);

}  // namespace quern
