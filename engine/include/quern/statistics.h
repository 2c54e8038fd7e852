// File: quern/statistics.h
//
// Spread, quantiles, averages, how variables go together, how often values occur, running sums, differences, rounding, and
// whether arrays are alike. Sums, means and extremes are members of arrays (array.h).
//
//   qn::Array z = (a - a.mean(0)) / qn::std(a, 0);
//
// Axes are as a.sum() has them: one, several, or {} for all. One that is not there throws ErrorKind::index.
#pragma once

#include "quern/array.h"

namespace qn {

// The mean of the squared distances from the mean, over N - ddof; its root. Of integers in float64, of complex numbers real.
Array var(const Array& a, const Axes& axes = {}, double ddof = 0, bool keepdims = false, Here here = Here::current());
Array std(const Array& a, const Axes& axes = {}, double ddof = 0, bool keepdims = false, Here here = Here::current());

// The largest less the smallest element. Throws ErrorKind::value where there is nothing to choose from, ErrorKind::type for
// bools.
Array ptp(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current());
// What stands in the middle when sorted, or the mean of the two that do, along an axis or {}: of all elements; NaN where there is
// one, or nothing.
Array median(const Array& a, std::optional<int> axis = {}, bool keepdims = false, Here here = Here::current());

// Where a quantile between two elements is taken: from the straight line between them (linear), from one of them, from their
// mean, or as Hyndman and Fan (1996) have it.
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
// The element below which the part q (0 to 1) of all lies when sorted, along an axis or {}: of all elements; NaN where there is
// one. Several q give as many results along a new first axis, in float64 at least. Throws ErrorKind::value for q out of range,
// ErrorKind::index where there is nothing to choose from, ErrorKind::type for complex numbers, and for bools by a method that has
// to interpolate.
Array quantile(const Array& a, double q, std::optional<int> axis = {}, QuantileMethod method = QuantileMethod::linear,
               bool keepdims = false, Here here = Here::current());
Array quantile(const Array& a, const std::vector<double>& q, std::optional<int> axis = {},
               QuantileMethod method = QuantileMethod::linear, bool keepdims = false, Here here = Here::current());
// The same of parts in a hundred.
Array percentile(const Array& a, double q, std::optional<int> axis = {}, QuantileMethod method = QuantileMethod::linear,
                 bool keepdims = false, Here here = Here::current());
Array percentile(const Array& a, const std::vector<double>& q, std::optional<int> axis = {},
                 QuantileMethod method = QuantileMethod::linear, bool keepdims = false, Here here = Here::current());

// The mean in which elements count as much as their weights say, which have the array's shape, or that of the axes in their
// order. The weights' sum is looked at. Throws ErrorKind::zero_division where it is zero, ErrorKind::value or type for another
// shape.
Array average(const Array& a, const Array& weights, const Axes& axes = {}, bool keepdims = false, Here here = Here::current());

// The covariances of variables, which are the rows of m (one dimension: one variable); their correlation coefficients. The sum is
// divided by the number of observations less ddof; `fweights`: how often each was made, `aweights`: how much it counts (both are
// looked at). Throws ErrorKind::value for more than two dimensions and negative weights, ErrorKind::type for parts of a time, and
// ErrorKind::runtime for weights of another length.
struct CovarianceOptions {
  double ddof = 1;
  std::optional<Array> fweights = {}, aweights = {};
};
Array cov(const Array& m, const CovarianceOptions& options = {}, Here here = Here::current());
Array corrcoef(const Array& m, Here here = Here::current());

// How often 0, 1, 2 ... occur among integers of one dimension: int64, for so many numbers at least. With weights their sums:
// float64. This waits for the largest number. Throws ErrorKind::type for other types, ErrorKind::value for negative numbers and
// for weights of another length.
Array bincount(const Array& a, int64_t minlength = 0, Here here = Here::current());
Array bincount(const Array& a, const Array& weights, int64_t minlength = 0, Here here = Here::current());

struct Histogram {
  Array counts, edges;  // one edge more than there are bins; the last bin has both of its edges
};
// How many elements lie in each bin: so many even ones from the first to the last number, by default the smallest and largest
// element (which are looked at); or bins between edges that rise. Throws ErrorKind::value for no bins, a range that is none or
// not finite, edges that fall, and weights of another shape; ErrorKind::type for complex numbers.
struct HistogramOptions {
  std::optional<std::pair<double, double>> range = {};
  std::optional<Array> weights = {};  // what each element counts
  bool density = false;               // divided so that the area is one
};
Histogram histogram(const Array& a, int64_t bins = 10, const HistogramOptions& options = {}, Here here = Here::current());
Histogram histogram(const Array& a, const std::vector<double>& edges, const HistogramOptions& options = {},
                    Here here = Here::current());

// The sums (products) of the first element, of the first two, and so on, along an axis or {}: of a.ravel(). Of integers in 64
// bits, if `dtype` does not say otherwise.
Array cumsum(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {}, Here here = Here::current());
Array cumprod(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {}, Here here = Here::current());

// The same along an axis that is named, with a 0 (1) in front if `include_initial`. Throws ErrorKind::value for several axes of
// which none is named.
Array cumulative_sum(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {}, bool include_initial = false,
                     Here here = Here::current());
Array cumulative_prod(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {}, bool include_initial = false,
                      Here here = Here::current());

// The differences of neighbours along an axis, taken n times; of bools: where they differ. Throws ErrorKind::value for a negative
// n and for an array without axes.
Array diff(const Array& a, int n = 1, int axis = -1, Here here = Here::current());

// Rounded to so many decimals (negative: to tens, hundreds), halves to even. Integers stay integers.
Array round(const Array& a, int decimals = 0, Here here = Here::current());

// Where |a - b| <= atol + rtol * |b|; infinities are close to themselves, NaNs too with `equal_nan`.
Array isclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
// Is that true everywhere? Are shapes and elements equal? These are looks.
bool allclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
bool array_equal(const Array& a, const Array& b, Here here = Here::current());

}  // namespace qn
