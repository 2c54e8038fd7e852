// File: quern/statistics.h
//
// Variance, quantiles, weighted averages, covariance, histograms, cumulative sums, differences, rounding, comparison of arrays.
// Sums, means and extremes are members of Array (array.h).
//
//   qn::Array z = (a - a.mean(0)) / qn::std(a, 0);
//
// Axes are as in a.sum(): one, several, or {} for all. An axis out of range throws ErrorKind::index.
#pragma once

#include "quern/array.h"

namespace qn {

// Variance with divisor N - ddof, and standard deviation. float64 for integers, real for complex numbers.
Array var(const Array& a, const Axes& axes = {}, double ddof = 0, bool keepdims = false, Here here = Here::current());
Array std(const Array& a, const Axes& axes = {}, double ddof = 0, bool keepdims = false, Here here = Here::current());

// Range: maximum minus minimum. Throws ErrorKind::value for empty reductions, ErrorKind::type for bools.
Array ptp(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current());
// Median along an axis, or of all elements ({}). NaN if there is one among the elements, or if there are none.
Array median(const Array& a, std::optional<int> axis = {}, bool keepdims = false, Here here = Here::current());

// Estimation methods of quantiles, under NumPy's names: linear interpolation, one of the two neighbours or their mean, and the
// methods of Hyndman and Fan (1996).
enum class QuantileMethod {
  linear,
  lower,
  higher,
  midpoint,
  nearest,
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  median_unbiased,
  normal_unbiased
};
// Quantile q in [0, 1] along an axis, or of all elements ({}); propagates NaN. Several q give a new first axis, in float64 at
// least. Throws ErrorKind::value for q out of range, ErrorKind::index for empty reductions, ErrorKind::type for complex numbers,
// and for bools with a method that interpolates.
Array quantile(const Array& a, double q, std::optional<int> axis = {}, QuantileMethod method = QuantileMethod::linear,
               bool keepdims = false, Here here = Here::current());
Array quantile(const Array& a, const std::vector<double>& q, std::optional<int> axis = {},
               QuantileMethod method = QuantileMethod::linear, bool keepdims = false, Here here = Here::current());
// The same with q in percent.
Array percentile(const Array& a, double q, std::optional<int> axis = {}, QuantileMethod method = QuantileMethod::linear,
                 bool keepdims = false, Here here = Here::current());
Array percentile(const Array& a, const std::vector<double>& q, std::optional<int> axis = {},
                 QuantileMethod method = QuantileMethod::linear, bool keepdims = false, Here here = Here::current());

// Weighted mean; the weights have the array's shape, or that of the axes in their order. Evaluates the sum of the weights. Throws
// ErrorKind::zero_division if it is zero, ErrorKind::value or type for weights of another shape.
Array average(const Array& a, const Array& weights, const Axes& axes = {}, bool keepdims = false, Here here = Here::current());

// Covariance matrix and correlation coefficients; the rows of m are variables (1-d: one variable). The divisor is the number of
// observations minus ddof. `fweights` are integer frequencies, `aweights` weights of the observations; both are evaluated. Throws
// ErrorKind::value for more than two dimensions and negative weights, ErrorKind::type for fractional frequencies, and
// ErrorKind::runtime for weights of another length.
struct CovarianceOptions {
  double ddof = 1;
  std::optional<Array> fweights = {}, aweights = {};
};
Array cov(const Array& m, const CovarianceOptions& options = {}, Here here = Here::current());
Array corrcoef(const Array& m, Here here = Here::current());

// Counts of the values 0, 1, 2 ... in a 1-d integer array: int64, at least `minlength` of them. With weights, their sums:
// float64. Evaluates the maximum. Throws ErrorKind::type for other dtypes, ErrorKind::value for negative values and for weights
// of another length.
Array bincount(const Array& a, int64_t minlength = 0, Here here = Here::current());
Array bincount(const Array& a, const Array& weights, int64_t minlength = 0, Here here = Here::current());

// What histogram() returns.
struct Histogram {
  Array counts, edges;  // one more edge than bins; the last bin includes its upper edge
};
// Histogram with `bins` bins of equal width over `range` (default: minimum to maximum, which are evaluated), or with given edges.
// Throws ErrorKind::value without bins, for a range that is empty or not finite, for edges that decrease and for weights of
// another shape; ErrorKind::type for complex numbers.
struct HistogramOptions {
  std::optional<std::pair<double, double>> range = {};
  std::optional<Array> weights = {};  // default: 1 for each element
  bool density = false;               // normalises the area to 1
};
Histogram histogram(const Array& a, int64_t bins = 10, const HistogramOptions& options = {}, Here here = Here::current());
Histogram histogram(const Array& a, const std::vector<double>& edges, const HistogramOptions& options = {},
                    Here here = Here::current());

// Cumulative sums and products along an axis, or of a.ravel() ({}). Default dtype for integers: 64-bit.
Array cumsum(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {}, Here here = Here::current());
Array cumprod(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {}, Here here = Here::current());

// The array API's forms: `include_initial` puts a 0 (1) in front. Throws ErrorKind::value if the array has several axes and none
// is given.
Array cumulative_sum(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {}, bool include_initial = false,
                     Here here = Here::current());
Array cumulative_prod(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {}, bool include_initial = false,
                      Here here = Here::current());

// n-th differences of neighbours along an axis; of bools: not_equal. Throws ErrorKind::value for a negative n and a 0-d array.
Array diff(const Array& a, int n = 1, int axis = -1, Here here = Here::current());

// Rounds to `decimals` decimals (negative: tens, hundreds), halves to even. Keeps integer dtypes.
Array round(const Array& a, int decimals = 0, Here here = Here::current());

// |a - b| <= atol + rtol * |b|, elementwise; equal infinities are close, NaNs with `equal_nan`.
Array isclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
// Whether all elements are close; whether shapes and elements are equal. These evaluate.
bool allclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
bool array_equal(const Array& a, const Array& b, Here here = Here::current());

}  // namespace qn
