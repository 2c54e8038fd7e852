#include "functions/dropout.h"

#include <cmath>

#include "core/error.h"
#include "functions/steps.h"
#include "graph/tape.h"

namespace quern::nn {

using namespace steps;

namespace {

void check_probability(double p) {
  if (!(p >= 0 && p <= 1)) raise(ErrorKind::value, "dropout probability has to be between 0 and 1, but got {}", p);
}

// `kept` with probability 1 - p, else `left_out`.
Array noise(const Array& x, const Shape& shape, double p, double kept, double left_out, const random::Stream& draws) {
  const Array numbers = random::unit_of_size(draws, shape, DType::float32, x.device());
  const Array other = full({}, real_number(left_out), x.dtype(), x.device());
  return as_type(where(less(numbers, 1 - p), kept, other), x.dtype());
}

Array all_left_out(const Array& x) { return as_type(multiply(x, 0), x.dtype()); }

Shape channels_of(const Array& x, size_t axis) {
  if (x.rank() <= axis) raise(ErrorKind::runtime, "Feature dropout requires at least 2 dimensions in the input");
  Shape shape(x.rank(), 1);
  std::copy_n(x.shape().begin(), axis + 1, shape.begin());
  return shape;
}

// Kept elements become x a + b, others -limit a + b.
std::optional<Array> with_moments_kept(const Array& x, double p, bool is_training, bool of_channels,
                                       const random::Stream& draws) {
  constexpr double limit = 1.7580993408473766;  // selu's for small x is minus this
  check_probability(p);
  if (!is_training || p == 0 || x.size() == 0) return {};
  if (p == 1) return all_left_out(x);
  const double scale = 1 / std::sqrt((limit * limit * p + 1) * (1 - p));
  const Array kept = noise(x, of_channels ? channels_of(x, 1) : x.shape(), p, 1, 0, draws);
  const Array shift = add(multiply(subtract(kept, 1), limit * scale), limit * scale * p);
  return add(multiply(x, multiply(kept, scale)), shift);
}

}  // namespace

std::optional<Array> dropout(const Array& x, double p, bool is_training, const random::Stream& draws) {
  check_probability(p);
  if (!is_training || p == 0) return {};
  if (p == 1) return all_left_out(x);
  return multiply(x, noise(x, x.shape(), p, 1 / (1 - p), 0, draws));
}

static std::optional<Array> without_channels(const Array& x, double p, bool is_training, const random::Stream& draws,
                                             size_t axis) {
  check_probability(p);
  if (!is_training || p == 0 || x.size() == 0) return {};
  if (p == 1) return all_left_out(x);
  return multiply(x, noise(x, channels_of(x, axis), p, 1 / (1 - p), 0, draws));
}

// The same of whole channels, of (N, C, ...); of (C, L), and of (C, D, H, W), as well.
std::optional<Array> channel_dropout(const Array& x, double p, bool is_training, const random::Stream& draws) {
  return without_channels(x, p, is_training, draws, 1);
}
std::optional<Array> dropout1d(const Array& x, double p, bool is_training, const random::Stream& draws) {
  return without_channels(x, p, is_training, draws, x.rank() == 3);
}
std::optional<Array> dropout3d(const Array& x, double p, bool is_training, const random::Stream& draws) {
  return without_channels(x, p, is_training, draws, x.rank() == 5);
}

// What is left out becomes selu's limit, then all are scaled and moved so that mean 0 and variance 1 are kept.
std::optional<Array> alpha_dropout(const Array& x, double p, bool is_training, const random::Stream& draws) {
  return with_moments_kept(x, p, is_training, false, draws);
}
std::optional<Array> feature_alpha_dropout(const Array& x, double p, bool is_training, const random::Stream& draws) {
  return with_moments_kept(x, p, is_training, true, draws);
}

}  // namespace quern::nn
