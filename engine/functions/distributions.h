// Distributions of random numbers: one body each. Numbers are Philox of a key and of their places in a stream (run/calls/random.h);
// a draw of n numbers takes the next n places, each number of a distribution that rejects its own stream.
//
// Raises ErrorKind::value for parameters that have no distribution ("scale < 0", NumPy's words), for which arrays of parameters are
// evaluated, and for a size that they do not broadcast to.
#pragma once

#include <atomic>
#include <initializer_list>
#include <optional>
#include <vector>

#include "graph/array.h"

namespace quern::random {

struct Stream {
  uint64_t key = 0;
  std::atomic<uint64_t> place{0};
};

// A parameter of a distribution: a number, or an array of float64.
struct Parameter {
  double number = 0;
  std::optional<Array> array{};
};
// The shape that is asked for (none: that of the parameters together), the device where no parameter is an array, and the type of
// real numbers, float32 or float64.
struct Size {
  std::optional<Shape> shape;
  DeviceId device;
};
struct RealType {
  DType value = DType::float64;
};

Array unit(Stream& stream, const Size& size, RealType type);  // in [0, 1)
Array standard_normal(Stream& stream, const Size& size, RealType type);
Array standard_exponential(Stream& stream, const Size& size, RealType type);
Array standard_gamma(Stream& stream, const Parameter& form, const Size& size, RealType type);
Array standard_cauchy(Stream& stream, const Size& size);
// Raises ErrorKind::overflow for a range that is not finite.
Array uniform(Stream& stream, const Parameter& low, const Parameter& high, const Size& size, RealType type);
Array normal(Stream& stream, const Parameter& mean, const Parameter& deviation, const Size& size, RealType type);
Array exponential(Stream& stream, const Parameter& scale, const Size& size, RealType type);
Array lognormal(Stream& stream, const Parameter& mean, const Parameter& deviation, const Size& size);
Array laplace(Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size);
Array logistic(Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size);
Array gumbel(Stream& stream, const Parameter& mode, const Parameter& scale, const Size& size);
Array rayleigh(Stream& stream, const Parameter& scale, const Size& size);
Array weibull(Stream& stream, const Parameter& form, const Size& size);
Array pareto(Stream& stream, const Parameter& form, const Size& size);
Array power(Stream& stream, const Parameter& form, const Size& size);
Array triangular(Stream& stream, const Parameter& left, const Parameter& mode, const Parameter& right, const Size& size);
Array wald(Stream& stream, const Parameter& mean, const Parameter& scale, const Size& size);

Array gamma(Stream& stream, const Parameter& form, const Parameter& scale, const Size& size);
Array beta(Stream& stream, const Parameter& a, const Parameter& b, const Size& size);
Array chisquare(Stream& stream, const Parameter& df, const Size& size);
Array noncentral_chisquare(Stream& stream, const Parameter& df, const Parameter& nonc, const Size& size);
Array f(Stream& stream, const Parameter& dfnum, const Parameter& dfden, const Size& size);
Array noncentral_f(Stream& stream, const Parameter& dfnum, const Parameter& dfden, const Parameter& nonc, const Size& size);
Array standard_t(Stream& stream, const Parameter& df, const Size& size);

// Of int64.
Array poisson(Stream& stream, const Parameter& mean, const Size& size);
Array binomial(Stream& stream, const Parameter& n, const Parameter& p, const Size& size);
Array negative_binomial(Stream& stream, const Parameter& n, const Parameter& p, const Size& size);
Array geometric(Stream& stream, const Parameter& p, const Size& size);
Array logseries(Stream& stream, const Parameter& p, const Size& size);

}  // namespace quern::random
