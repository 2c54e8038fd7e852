#include "functions/dropout.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "functions/activations.h"
#include "functions/matrices.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/matmul.h"

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

// ---- attention

namespace {

void check_attention(const Array& query, const Array& key, const Array& value, const Array* mask, bool is_causal, double p) {
  if (query.rank() < 2 || key.rank() < 2 || value.rank() < 2)
    raise(ErrorKind::runtime,
          "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {} key.dim: {} and value.dim: {} "
          "instead.",
          query.rank(), key.rank(), value.rank());
  if (is_causal && mask)
    raise(ErrorKind::runtime, "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  if (!(p >= 0 && p <= 1)) raise(ErrorKind::runtime, "dropout probability has to be between 0 and 1, but got {}", p);
}

// Which places take part, as what is added to the scores.
Array as_added(const Array& is_part, DType type) {
  const Array least = full({}, real_number(-std::numeric_limits<double>::infinity()), type, is_part.device());
  return where(is_part, 0.0, least);
}

// As many heads as there are queries'.
Array for_each_query(const Array& heads, const Array& query) {
  const size_t axis = heads.rank() - 3;
  const int64_t own = heads.shape()[axis], count = query.shape()[query.rank() - 3];
  if (own == 0 || count % own)
    raise(ErrorKind::runtime, "Number of heads in key and value must divide the number of heads in query");
  return repeated(heads, {count / own}, axis);
}

}  // namespace

// softmax(query key^T scale + mask) value over the last two axes. `mask`: added, or bools that say what takes part; where nothing
// does, the result is 0. `p`: of dropout of the attention; `is_causal`: a place sees those up to itself; `scale`: by default one
// over the root of the last size; `has_groups`: each head of keys and values, axis -3, is for as many heads of queries.
Array attention(const Array& query, const Array& given_key, const Array& given_value, const Array* mask, double p, bool is_causal,
                std::optional<double> scale, bool has_groups, const random::Stream& draws) {
  check_attention(query, given_key, given_value, mask, is_causal, p);
  Array key = given_key, value = given_value;
  if (has_groups) {
    const size_t least = std::min({query.rank(), key.rank(), value.rank()});
    if (least < 3)
      raise(ErrorKind::index, "Dimension out of range (expected to be in range of [-{}, {}], but got -3)", least, least - 1);
    key = for_each_query(key, query), value = for_each_query(value, query);
  }
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(last_size(query))));
  Array scores = multiply(matmul(query, moveaxis(key, key.rank() - 2, key.rank() - 1)), factor);
  const DType type = scores.dtype();
  if (is_causal) {
    const Array row = arange(query.shape()[query.rank() - 2], query.device());
    const Array column = arange(key.shape()[key.rank() - 2], query.device());
    scores = add(scores, as_added(greater_equal(expand_dims(row, 1), column), type));
  } else if (mask) {
    scores = add(scores, mask->dtype() == DType::boolean ? as_added(*mask, type) : as_type(*mask, type));
  }
  std::optional<Array> is_empty;  // where a row sees nothing
  if (mask && last_size(scores) > 0) {
    const Array top = reduced(Reduction::maximum, detached(scores), -1, true);
    is_empty = equal(top, -std::numeric_limits<double>::infinity());
    scores = where(*is_empty, 0.0, scores);
  }
  std::vector<bool> last(scores.rank(), false);
  last.back() = true;
  Array weights = softmax(scores, {last}, {});
  if (is_empty) weights = where(*is_empty, 0.0, weights);
  if (std::optional<Array> some = dropout(weights, p, true, draws)) weights = *some;
  return matmul(weights, value);
}

}  // namespace quern::nn
