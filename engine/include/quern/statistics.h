// File: quern/statistics.h
//
// Spread, running sums, differences, rounding, and whether arrays are alike. Sums, means and extremes are members of arrays
// (array.h).
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

// The sums (products) of the first element, of the first two, and so on, along an axis or {}: of a.ravel(). Of integers in 64
// bits, if `dtype` does not say otherwise.
Array cumsum(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {}, Here here = Here::current());
Array cumprod(const Array& a, std::optional<int> axis = {}, std::optional<DType> dtype = {}, Here here = Here::current());

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
