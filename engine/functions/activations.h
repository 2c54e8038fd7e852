// Activations and their like as one entry of the tape each. Where y is given it is the value, computed without a record from x:
// what becomes of gradients is known here.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/array.h"

namespace quern {

// Made of straight lines: the slope is `inner` inside of a range, elsewhere `slope`, or that of `slopes`, which broadcast to x.
struct Bend {
  enum class Inside { above, not_below, between, far };  // x > low; not x <= low; low < x < high; |x| > low
  Inside inside = Inside::above;
  double low = 0, high = 0, slope = 0, inner = 1;
};
Array bent(const Array& x, const Array& y, Bend::Inside inside, double low, double high, double slope, double inner,
           const Array* slopes);
// The gradient g of y as one of x. Its own derivative by x is zero, not missing: a program may ask for it.
Array through_bend(const Array& g, const Array& x, const Bend& bend, const Array* slopes = nullptr);

// A smooth function of each element: "gelu", "gelu_tanh", "silu", "softplus" (its beta and threshold are `a` and `b`),
// "log_sigmoid", "mish", "logit", "elu" (b * x where x is positive, elsewhere a * (exp(x) - 1)), "celu" (its alpha is `a`),
// "hardswish", "softsign", "tanhshrink". Of "elu_result" and "celu_result" not x is kept, but y; they rise, and a is positive.
// `part`: what y was made of that the derivative can use, of gelu the probability, of gelu_tanh, mish and tanhshrink the tangent,
// of silu the sigmoid.
Array activated(const Array& x, const Array& y, std::string_view function, double a, double b, const Array* part);

// The first half of x along an axis, which has an even number of elements, times the sigmoid of the second half.
Array gated(const Array& x, size_t axis);

// log(sum(exp(x))): `y` still has the axes that were summed over, with one element; the result lacks `axes`.
Array log_sum_exp(const Array& x, const Array& y, const std::vector<size_t>& axes);

// x over the root of the mean of its squares over the last `count` axes, then times weight; halves are computed in float32.
Array rms_norm(const Array& x, size_t count, const Array* weight, double eps);

}  // namespace quern
