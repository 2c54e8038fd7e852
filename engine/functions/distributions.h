// Distributions of random numbers: one body each. Numbers are Philox of a key and of their places in a stream
// (run/calls/random.h); a draw of n numbers takes the next n places, each number of a distribution that rejects its own stream.
//
// Raises ErrorKind::value for parameters that have no distribution ("scale < 0", NumPy's words), for which arrays of parameters
// are evaluated, and for a size that they do not broadcast to.
#pragma once

#include <atomic>
#include <initializer_list>
#include <optional>
#include <vector>

#include "functions/creation.h"
#include "functions/elementwise.h"
#include "graph/array.h"

namespace quern::random {

struct Stream {
  uint64_t key;
  std::atomic<uint64_t>& place;  // of the next number
};

// A parameter of a distribution: a number, or an array of float64.
struct Parameter {
  double number = 0;
  std::optional<Array> array{};
};
// The shape that is asked for (none: that of the parameters together), the device where no parameter is an array, and the type of
// the numbers (none: float64, or int64). Where float32 is asked for, numbers of few bits are drawn if the distribution has them.
struct Size {
  std::optional<Shape> shape;
  DeviceId device;
  std::optional<DType> type = {};
  DType real() const { return type.value_or(DType::float64); }
};

Array unit(const Stream& stream, const Size& size);  // in [0, 1)
Array standard_normal(const Stream& stream, const Size& size);
Array standard_exponential(const Stream& stream, const Size& size);
Array standard_gamma(const Stream& stream, const Parameter& form, const Size& size);
Array standard_cauchy(const Stream& stream, const Size& size);
// Raises ErrorKind::overflow for a range that is not finite.
Array uniform(const Stream& stream, const Parameter& low, const Parameter& high, const Size& size);
// The same. Raises ErrorKind::value where high is below low.
Array uniform_in_order(const Stream& stream, const Parameter& low, const Parameter& high, const Size& size);
Array normal(const Stream& stream, const Parameter& mean, const Parameter& deviation, const Size& size);
Array exponential(const Stream& stream, const Parameter& scale, const Size& size);
Array lognormal(const Stream& stream, const Parameter& mean, const Parameter& deviation, const Size& size);
Array laplace(const Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size);
Array logistic(const Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size);
Array gumbel(const Stream& stream, const Parameter& mode, const Parameter& scale, const Size& size);
Array rayleigh(const Stream& stream, const Parameter& scale, const Size& size);
Array weibull(const Stream& stream, const Parameter& form, const Size& size);
Array pareto(const Stream& stream, const Parameter& form, const Size& size);
Array power(const Stream& stream, const Parameter& form, const Size& size);
Array triangular(const Stream& stream, const Parameter& left, const Parameter& mode, const Parameter& right, const Size& size);
Array wald(const Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size);
Array vonmises(const Stream& stream, const Parameter& mu, const Parameter& kappa, const Size& size);  // angles in [-pi, pi]

Array gamma(const Stream& stream, const Parameter& form, const Parameter& scale, const Size& size);
Array beta(const Stream& stream, const Parameter& a, const Parameter& b, const Size& size);
// Numbers that sum to 1 along one axis more. Raises ErrorKind::value for an alpha that is no vector, or negative (or 0).
Array dirichlet(const Stream& stream, const Parameter& alpha, const Size& size);
Array dirichlet_above_zero(const Stream& stream, const Parameter& alpha, const Size& size);
// The same; one alpha stands for as many as the size has along its last axis.
Array dirichlet_of_one_too(const Stream& stream, const Parameter& alpha, const Size& size);
Array chisquare(const Stream& stream, const Parameter& df, const Size& size);
Array noncentral_chisquare(const Stream& stream, const Parameter& df, const Parameter& nonc, const Size& size);
Array f(const Stream& stream, const Parameter& dfnum, const Parameter& dfden, const Size& size);
Array noncentral_f(const Stream& stream, const Parameter& dfnum, const Parameter& dfden, const Parameter& nonc, const Size& size);
Array standard_t(const Stream& stream, const Parameter& df, const Size& size);

// Integers.
Array poisson(const Stream& stream, const Parameter& mean, const Size& size);
Array binomial(const Stream& stream, const Parameter& n, const Parameter& p, const Size& size);
Array negative_binomial(const Stream& stream, const Parameter& n, const Parameter& p, const Size& size);
Array geometric(const Stream& stream, const Parameter& p, const Size& size);
Array logseries(const Stream& stream, const Parameter& p, const Size& size);
Array zipf(const Stream& stream, const Parameter& a, const Size& size);

// ---- PyTorch's, in the type of a tensor that takes them: also float16, bfloat16 and complex numbers, of two draws each

Array unit_of_size(const Stream& stream, const Shape& shape, std::optional<DType> type, DeviceId device);
Array normal_of_size(const Stream& stream, const Shape& shape, std::optional<DType> type, DeviceId device);
Array unit_like(const Array& like, const MakingLike& to, const Stream& stream);
Array normal_like(const Array& like, const MakingLike& to, const Stream& stream);
// Integers from `low` on, `count` of them, each as likely; 0 stands for all of 64 bits. Without a type int64. Raises
// ErrorKind::runtime for what the type does not hold.
struct Bounds {
  int64_t low;
  uint64_t count;
  bool are_all = false;  // from 0 on all that a type holds
};
// Values for each element of a tensor. Raises ErrorKind::not_implemented for types without these numbers, ErrorKind::runtime for
// parameters that have no distribution.
Array uniform_for(const Rules& rules, const Array& tensor, double low, double high, const Stream& stream);
Array normal_for(const Rules& rules, const Array& tensor, double mean, double deviation, const Stream& stream);
Array exponential_for(const Rules& rules, const Array& tensor, double rate, const Stream& stream);
Array cauchy_for(const Rules& rules, const Array& tensor, double median, double sigma, const Stream& stream);
Array lognormal_for(const Rules& rules, const Array& tensor, double mean, double deviation, const Stream& stream);
Array geometric_for(const Rules& rules, const Array& tensor, double p, const Stream& stream);
Array integers_for(const Array& tensor, const Bounds& bounds, const Stream& stream);
Array trials_for(const Rules& rules, const Array& tensor, const Argument& p, const Stream& stream);

// ---- of layers: no parameter is refused

// Each element 0 with probability `rate`, all others divided by 1 - rate; none: x itself. Along axes of one element of a shape,
// in which missing sizes are those of x, all share what is drawn.
using SharedAxes = std::optional<std::vector<std::optional<int64_t>>>;
std::optional<Array> dropped(const Stream& stream, const Array& x, double rate, const SharedAxes& shape);

}  // namespace quern::random
