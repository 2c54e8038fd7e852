// Activations: functions of networks, one body each, a single autograd node each. Their values are computed in float32 for
// halves; their derivatives are array code, which has derivatives itself. Integers become real numbers as in NumPy, but where it
// is said.
#pragma once

#include <optional>
#include <vector>

#include "functions/distributions.h"
#include "functions/elementwise.h"

namespace quern {

// Made of straight lines: the slope is `inner` inside of a range, elsewhere `slope`, or that of `slopes`, which broadcast to x.
struct Bend {
  enum class Inside { above, not_below, between, far };  // x > low; not x <= low; low < x < high; |x| > low
  Inside inside = Inside::above;
  double low = 0, high = 0, slope = 0, inner = 1;
  bool multiplies = false;  // also by a slope of 0, which leaves NaN of NaN and infinities
};
// The gradient g of y as one of x. Its own derivative by x is zero, not missing: a program may ask for it.
Array through_bend(const Array& g, const Array& x, const Bend& bend, const Array* slopes = nullptr);

// Functions of each element whose value y was computed elsewhere, without a record: 1 / sqrt(x), log(x / (1 - x)), and sqrt(x)
// with the slope 0 at 0.
enum class SmoothValue : uint8_t { inverse_root, log_odds, root, inverse_error };
Array recorded_as(SmoothValue function, const Array& x, const Array& y);

// log(sum(exp(x))): `y` still has the axes that were summed over, with one element; the result lacks `axes`.
Array log_sum_exp(const Array& x, const Array& y, const std::vector<size_t>& axes);

namespace nn {

// ---- made of lines; integers stay in the first three

Array hardtanh(const Array& x, double low, double high);  // x within [low, high]; the derivative at the ends is 0
Array relu6(const Array& x);
Array threshold(const Array& x, double threshold, double value);  // x above the threshold, elsewhere the value
Array leaky_relu(const Array& x, double slope);                   // slope * x where x is not positive
Array prelu(const Array& x, const Array& weight);  // the same with a slope for each channel, axis 1, or one for all
// The same with random slopes in [lower, upper), or outside of training their middle.
Array rrelu(const Rules& rules, const Array& x, double lower, double upper, bool is_training, const random::Stream& draws);
Array hardsigmoid(const Array& x);  // x / 6 + 1/2 within [0, 1]
// Probabilities of which some are 0: max(x - tau, 0) along an axis, where tau follows from the sums of the greatest elements.
Array sparsemax(const Array& x, size_t axis);
Array softshrink(const Array& x, double lambda);  // nearer to 0 by lambda
Array hardshrink(const Array& x, double lambda);  // 0 where |x| <= lambda

// ---- smooth

enum class GeluFormula : uint8_t { exact, tangent };
Array gelu(const Array& x, GeluFormula formula);  // x times the normal distribution's probability of being below x
Array silu(const Array& x);                       // x * sigmoid(x)
Array mish(const Array& x);                       // x * tanh(softplus(x))
// log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold, where there is one. beta: by default 1.
Array softplus(const Array& x, std::optional<double> beta, std::optional<double> threshold);
Array log_sigmoid(const Array& x);
Array elu(const Array& x, double alpha);               // alpha * (exp(x) - 1) where x is not positive
Array selu(const Array& x);                            // the same with both factors that keep mean 0 and variance 1
Array celu(const Array& x, double alpha);              // alpha * (exp(x / alpha) - 1) where x is not positive
Array hardswish(const Array& x);                       // x * hardsigmoid(x)
Array softsign(const Rules& rules, const Array& x);    // x / (1 + |x|)
Array tanhshrink(const Rules& rules, const Array& x);  // x - tanh(x)
Array entropy(const Rules& rules, const Array& x);     // -x log(x)
// The first half of x along an axis times the sigmoid of the second half. Raises ErrorKind::runtime for an odd number of
// elements.
Array glu(const Array& x, size_t axis);

// ---- along axes: exp(x) with the sum 1, the same of -x, and its logarithm; `dtype`: what they are computed in, and give

struct SoftmaxAxes {
  std::vector<bool> over;
};
Array softmax(const Array& x, const SoftmaxAxes& axes, std::optional<DType> dtype);
Array softmin(const Array& x, const SoftmaxAxes& axes, std::optional<DType> dtype);
Array log_softmax(const Array& x, const SoftmaxAxes& axes, std::optional<DType> dtype);

}  // namespace nn
}  // namespace quern
