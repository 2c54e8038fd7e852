#include "functions/attention.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "functions/activations.h"
#include "functions/dropout.h"
#include "functions/networks.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/matmul.h"

namespace quern::nn {

using namespace steps;

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

// ---- several heads

namespace {

bool is_same(const Array& a, const Array& b) { return a.cell() == b.cell() && a.layout_ref() == b.layout_ref(); }

struct Projected {
  Array query, key, value;  // (L or S, N, width)
};

Array projection(const Array& x, const Array& weight, const Array* bias, int64_t from, int64_t to) {
  const bool is_whole = from == 0 && to == weight.shape()[0];
  const Array rows = is_whole ? weight : part(weight, 0, from, to);
  if (!bias) return linear(x, rows, nullptr);
  const Array summand = is_whole ? *bias : part(*bias, 0, from, to);
  return linear(x, rows, &summand);
}

// By three weights; the biases are one below the other still.
Projected projected_separately(const Array& query, const Array& key, const Array& value, const Heads& heads) {
  auto one = [&](const Array& x, const Array& weight, int64_t place) {
    if (!heads.bias) return linear(x, weight, nullptr);
    const Array bias = part(*heads.bias, 0, place * heads.width, (place + 1) * heads.width);
    return linear(x, weight, &bias);
  };
  return {one(query, *heads.query_weight, 0), one(key, *heads.key_weight, 1), one(value, *heads.value_weight, 2)};
}

// Inputs that are the same array are multiplied once.
Projected projected(const Array& query, const Array& key, const Array& value, const Heads& heads) {
  if (heads.is_separate) return projected_separately(query, key, value, heads);
  const int64_t w = heads.width;
  auto lines = [&](const Array& x, int64_t from, int64_t to) {
    return projection(x, *heads.weight, heads.bias, from * w, to * w);
  };
  auto cut = [&](const Array& y, int64_t from) { return part(y, -1, from * w, (from + 1) * w); };
  if (!is_same(key, value)) return {lines(query, 0, 1), lines(key, 1, 2), lines(value, 2, 3)};
  if (is_same(query, key)) {
    const Array all = lines(query, 0, 3);
    return {cut(all, 0), cut(all, 1), cut(all, 2)};
  }
  const Array both = lines(key, 1, 3);
  return {lines(query, 0, 1), cut(both, 0), cut(both, 1)};
}

// (S, N, width) -> (N, heads, S, width / heads)
Array apart(const Array& lines, int64_t count) {
  const Shape& shape = lines.shape();
  return transpose(reshape(lines, {shape[0], shape[1], count, count ? shape[2] / count : 0}), {1, 2, 0, 3});
}

// One more row, the same for all samples.
Array with_row(const Array& lines, const Array& row) {
  Shape shape = lines.shape();
  shape[0] = 1;
  return joined({lines, broadcast_view(row, shape)}, 0);
}
Array with_zeros(const Array& array, size_t axis) {
  Shape shape = array.shape();
  shape[axis] = 1;
  return joined({array, zeros(shape, array.dtype(), array.device())}, axis);
}

// A mask as what is added to scores, with a place for each key that was added; their scores stay.
Array mask_added(const Array& mask, DType type, int64_t more) {
  Array added = mask.dtype() == DType::boolean ? as_added(logical_not(mask), type) : mask;
  for (; more > 0; --more) added = with_zeros(added, added.rank() - 1);
  return added;
}

// Both masks together, (N or 1, heads or 1, L or 1, S).
std::optional<Array> mask_of(const Heads& heads, int64_t samples, DType type, bool is_causal) {
  const int64_t more = (heads.key_row != nullptr) + heads.adds_zeros;
  std::optional<Array> out;
  if (heads.mask && !is_causal) {
    const Array added = mask_added(*heads.mask, type, more);
    const Shape& shape = added.shape();
    const bool is_for_all = added.rank() == 2;
    const int64_t rows = shape[shape.size() - 2];
    out = reshape(added, {is_for_all ? 1 : samples, is_for_all ? 1 : heads.count, rows, shape.back()});
  }
  if (heads.padding) {
    const Array added = mask_added(*heads.padding, type, more);
    const Array for_pairs = reshape(added, {samples, 1, 1, last_size(added)});
    out = out ? add(*out, for_pairs) : for_pairs;
  }
  return out;
}

Array mean_over_heads(const Array& weights) {
  return as_type(true_divide(reduced(Reduction::sum, as_type(weights, wide_type(weights.dtype())), 1), weights.shape()[1]),
                 weights.dtype());
}

// The same as attention(), which shows its weights.
Attended attended(const Array& query, const Array& key, const Array& value, const std::optional<Array>& mask, double p,
                  const Heads& heads, const random::Stream& draws) {
  const double factor = std::sqrt(1 / static_cast<double>(last_size(query)));
  Array scores = matmul(multiply(query, factor), matrix_transpose(key));
  const DType type = scores.dtype();
  if (mask) scores = as_type(add(scores, *mask), type);
  Array weights = softmax(scores, {{false, false, false, true}}, heads.is_mixed ? std::optional(wide_type(type)) : std::nullopt);
  if (std::optional<Array> some = dropout(weights, p > 0 ? p : 0, true, draws)) weights = *some;
  Array values = matmul(as_type(weights, type), value);
  return {values, heads.averages ? mean_over_heads(weights) : weights};
}

}  // namespace

Attended multi_head_attention(const Array& given_query, const Array& given_key, const Array& given_value, const Heads& heads,
                              const random::Stream& draws) {
  const bool has_samples = given_query.rank() == 3;
  auto in_samples = [&](const Array& x) { return has_samples ? x : expand_dims(x, 1); };
  Projected lines = projected(in_samples(given_query), in_samples(given_key), in_samples(given_value), heads);
  if (heads.key_row) lines.key = with_row(lines.key, *heads.key_row), lines.value = with_row(lines.value, *heads.value_row);
  const int64_t length = lines.query.shape()[0], samples = lines.query.shape()[1], width = heads.width;
  auto of_heads = [&](const Array& rows, const Array* fixed) {
    if (!fixed) return apart(rows, heads.count);
    return reshape(*fixed, {samples, heads.count, fixed->shape()[1], fixed->shape()[2]});
  };
  const Array query = apart(lines.query, heads.count);
  Array key = of_heads(lines.key, heads.fixed_key), value = of_heads(lines.value, heads.fixed_value);
  if (heads.adds_zeros) key = with_zeros(key, 2), value = with_zeros(value, 2);
  const bool is_causal = heads.is_causal && !heads.padding && !heads.gives_weights;  // the mask is a triangle: none is read
  const std::optional<Array> mask = mask_of(heads, samples, query.dtype(), is_causal);
  const double p = heads.is_training ? heads.dropout : 0;
  Attended out = heads.gives_weights
                     ? attended(query, key, value, mask, p, heads, draws)
                     : Attended{attention(query, key, value, mask ? &*mask : nullptr, p, is_causal, {}, false, draws), {}};
  const Array rows = reshape(transpose(out.values, {2, 0, 1, 3}), {length * samples, width});
  const Array result = linear(rows, *heads.out_weight, heads.out_bias);
  out.values = has_samples ? reshape(result, {length, samples, last_size(result)}) : result;
  if (out.weights && !has_samples) out.weights = element(*out.weights, 0, 0);
  return out;
}

}  // namespace quern::nn
