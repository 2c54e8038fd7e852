#include "functions/attention.h"

#include <atomic>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "functions/activations.h"
#include "functions/dropout.h"
#include "functions/networks.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/attention.h"
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

// Where a row sees nothing, which only a mask can do, its weights are 0.
Array weights_of(const Array& query, const Array& key, const Array* mask, const AttentionForm& form) {
  Array scores = multiply(matmul(query, moveaxis(key, key.rank() - 2, key.rank() - 1)), form.scale);
  const DType type = scores.dtype();
  if (form.is_causal) {
    const Array row = arange(query.shape()[query.rank() - 2], query.device());
    const Array column = arange(key.shape()[key.rank() - 2], query.device());
    scores = add(scores, as_added(greater_equal(expand_dims(row, 1), column), type));
  } else if (mask) {
    scores = add(scores, mask->dtype() == DType::boolean ? as_added(*mask, type) : as_type(*mask, type));
  }
  std::optional<Array> is_empty;
  if (mask && last_size(scores) > 0) {
    const Array top = reduced(Reduction::maximum, detached(scores), -1, true);
    is_empty = equal(top, -std::numeric_limits<double>::infinity());
    scores = where(*is_empty, 0.0, scores);
  }
  std::vector<bool> last(scores.rank(), false);
  last.back() = true;
  const Array weights = softmax(scores, {last}, {});
  return is_empty ? where(*is_empty, 0.0, weights) : weights;
}

// ---- without scores in memory (run/calls/attention.h)

// The numbers that dropout() draws for weights of that shape; they can be drawn again.
class KeptWeights {
 public:
  KeptWeights(Shape shape, double p, const random::Stream& draws)
      : shape_(std::move(shape)),
        p_(p),
        key_(draws.key),
        first_(draws.place.fetch_add(static_cast<uint64_t>(Layout::contiguous(shape_).size()))) {}
  Array draw(DeviceId device) const {
    std::atomic<uint64_t> place(first_);
    return less(random::unit_of_size({key_, place}, shape_, DType::float32, device), 1 - p_);
  }

 private:
  Shape shape_;
  double p_;
  uint64_t key_, first_;
};

class AttentionInRows : public GradientBody {
 public:
  AttentionInRows(const AttentionForm& form, std::optional<KeptWeights> kept) : form_(form), kept_(std::move(kept)) {}
  std::string_view name() const override { return "_scaled_dot_product_flash_attention_for_cpu"; }
  bool keeps_values() const override { return true; }

  // Query, key and value, and a mask where there is one.
  Array compute(std::span<const Array> inputs) {
    auto [result, logarithms] = attend(operands(inputs), form_);
    logarithms_ = logarithms;
    return with_rank(result, inputs[0].rank());
  }

  Gradients gradients(const GradientCall& call) const override {
    if (GradientMode::is_on()) return recorded_gradients(call);
    const std::array<Array, 3> all = attend_backward(operands(call.operands), form_, with_rank(call.results[0], 4), *logarithms_,
                                                     with_rank(*call.given[0], 4));
    Gradients out(call.wanted.size());
    for (size_t i = 0; i < all.size(); ++i)
      if (call.wanted[i]) out[i] = with_rank(all[i], call.operands[i].rank());
    return out;
  }

 private:
  // Axes of one element before the others, or none.
  static Array with_rank(Array array, size_t rank) {
    while (array.rank() < rank) array = expand_dims(array, 0);
    while (array.rank() > rank) array = element(array, 0, 0);
    return array;
  }

  AttentionOperands operands(std::span<const Array> inputs) const {
    const Array query = with_rank(inputs[0], 4), key = with_rank(inputs[1], 4);
    const Shape pairs{query.shape()[0], query.shape()[1], query.shape()[2], key.shape()[2]};
    AttentionOperands out{query, key, with_rank(inputs[2], 4), {}, {}};
    if (inputs.size() > 3) out.mask = broadcast_view(with_rank(inputs[3], 4), pairs);
    if (kept_) out.kept = with_rank(kept_->draw(query.device()), 4);
    return out;
  }

  // Of operations that have gradients themselves.
  Gradients recorded_gradients(const GradientCall& call) const {
    const Array &query = call.operands[0], &g = *call.given[0];
    const bool has_groups = query.rank() > 2 && query.shape()[query.rank() - 3] != call.operands[1].shape()[query.rank() - 3];
    const Array key = has_groups ? for_each_query(call.operands[1], query) : call.operands[1];
    const Array value = has_groups ? for_each_query(call.operands[2], query) : call.operands[2];
    const Array weights = weights_of(query, key, call.operands.size() > 3 ? &call.operands[3] : nullptr, form_);
    Array used = weights, slopes = matmul(g, matrix_transpose(value));
    if (kept_) {
      const Array left = multiply(as_type(kept_->draw(query.device()), weights.dtype()), 1 / (1 - form_.dropout));
      used = multiply(used, left), slopes = multiply(slopes, left);
    }
    slopes = multiply(weights, subtract(slopes, reduced(Reduction::sum, multiply(slopes, weights), -1, true)));
    auto of_heads = [&](const Array& gradient, const Array& operand) {
      if (!has_groups) return gradient;
      Shape shape = operand.shape();
      const size_t axis = shape.size() - 3;
      shape.insert(shape.begin() + static_cast<int64_t>(axis) + 1, query.shape()[axis] / shape[axis]);
      return reduced(Reduction::sum, reshape(gradient, shape), static_cast<int64_t>(axis) + 1);
    };
    Gradients out(call.wanted.size());
    if (call.wanted[0]) out[0] = multiply(matmul(slopes, key), form_.scale);
    if (call.wanted[1]) out[1] = of_heads(multiply(matmul(matrix_transpose(slopes), query), form_.scale), call.operands[1]);
    if (call.wanted[2]) out[2] = of_heads(matmul(matrix_transpose(used), g), call.operands[2]);
    return out;
  }

  AttentionForm form_;
  std::optional<KeptWeights> kept_;
  std::optional<Array> logarithms_;
};

// As many samples and heads in all, or heads of keys that are for several of queries each.
bool are_heads_alike(const Array& query, const Array& other, bool has_groups) {
  const size_t heads = query.rank() - 2;
  if (other.rank() != query.rank()) return false;
  for (size_t i = 0; i < heads; ++i) {
    const int64_t n = query.shape()[i], own = other.shape()[i];
    const bool is_group = has_groups && i + 1 == heads && own > 0 && n % own == 0;
    if (own != n && !is_group) return false;
  }
  return true;
}

bool is_mask_in_rows(const Array& mask, const Array& query, const Array& key) {
  if (wants_gradient(mask) || mask.device() != query.device() || mask.rank() > query.rank()) return false;
  Shape pairs = query.shape();
  pairs.back() = key.shape()[key.rank() - 2];
  for (size_t i = 0; i < mask.rank(); ++i) {
    const int64_t own = mask.shape()[mask.rank() - 1 - i];
    if (own != 1 && own != pairs[pairs.size() - 1 - i]) return false;
  }
  return true;
}

bool is_in_rows(const Array& query, const Array& key, const Array& value, const Array* mask, double p, bool has_groups) {
  const DType type = wide_type(query.dtype());
  if (type != DType::float32 && type != DType::float64) return false;
  for (const Array* one : {&query, &key, &value})
    if (!one->device().is_cpu() || one->dtype() != query.dtype() || one->size() == 0) return false;
  if (query.rank() > 4 || p >= 1 || !are_heads_alike(query, key, has_groups) || !are_heads_alike(query, value, has_groups))
    return false;
  const size_t rank = query.rank();
  if (rank > 2 && key.shape()[rank - 3] != value.shape()[rank - 3]) return false;
  if (last_size(query) != last_size(key) || key.shape()[rank - 2] != value.shape()[rank - 2]) return false;
  return !mask || is_mask_in_rows(*mask, query, key);
}

Array in_rows(const Array& query, const Array& key, const Array& value, const Array* mask, const AttentionForm& form,
              const random::Stream& draws) {
  const DType type = query.dtype(), wide = wide_type(type);
  std::vector<Array> inputs{as_type(query, wide), as_type(key, wide), as_type(value, wide)};
  if (mask) inputs.push_back(mask->dtype() == DType::boolean ? *mask : as_type(*mask, wide));
  Shape pairs = query.shape();
  pairs.back() = key.shape()[key.rank() - 2];
  std::optional<KeptWeights> kept;
  if (form.dropout > 0) kept.emplace(pairs, form.dropout, draws);
  auto body = std::make_shared<AttentionInRows>(form, std::move(kept));
  const Kept all{std::vector<bool>(inputs.size(), true), {true}};
  const Array out = differentiable(body, inputs, all, [&] { return std::vector<Array>{body->compute(inputs)}; })[0];
  return as_type(out, type);
}

}  // namespace

Array attention(const Array& query, const Array& given_key, const Array& given_value, const Array* mask, double p, bool is_causal,
                std::optional<double> scale, bool has_groups, const random::Stream& draws) {
  check_attention(query, given_key, given_value, mask, is_causal, p);
  const size_t least = std::min({query.rank(), given_key.rank(), given_value.rank()});
  if (has_groups && least < 3)
    raise(ErrorKind::index, "Dimension out of range (expected to be in range of [-{}, {}], but got -3)", least, least - 1);
  const AttentionForm form{scale.value_or(1 / std::sqrt(static_cast<double>(last_size(query)))), is_causal, p};
  if (is_in_rows(query, given_key, given_value, mask, p, has_groups))
    return in_rows(query, given_key, given_value, mask, form, draws);
  Array key = given_key, value = given_value;
  if (has_groups) key = for_each_query(key, query), value = for_each_query(value, query);
  Array weights = weights_of(query, key, mask, form);
  if (std::optional<Array> some = dropout(weights, p, true, draws)) weights = *some;
  return matmul(weights, value);
}

// ---- Keras

namespace {

struct KerasMask {
  std::optional<Array> added;    // bools that say which keys take part, or what is added to the scores
  std::optional<Array> is_seen;  // by a query: any key
};
KerasMask mask_as_keras(const Array* bias, const Array* mask, bool is_causal, const Array& query, const Array& key) {
  std::optional<Array> are_part;
  if (mask) are_part = as_type(*mask, DType::boolean);
  if (is_causal && (bias || mask)) {
    const Array row = arange(query.shape()[2], query.device()), column = arange(key.shape()[2], query.device());
    const Array before = greater_equal(expand_dims(row, 1), column);
    are_part = are_part ? logical_and(*are_part, before) : before;
  }
  KerasMask out{are_part, {}};
  if (mask) out.is_seen = reduced(Reduction::any, *are_part, -1, true);
  if (!bias) return out;
  out.added = as_type(*bias, wide_type(query.dtype()));
  if (are_part) out.added = where(*are_part, *out.added, -std::numeric_limits<double>::infinity());
  return out;
}

}  // namespace

Array dot_product_attention(const Rules& rules, const Array& given_query, const Array& given_key, const Array& given_value,
                            const Array* bias, const Array* mask, std::optional<double> scale, bool is_causal) {
  const Array* all[] = {&given_query, &given_key, &given_value};
  for (const Array* one : all)
    if (one->rank() != 4)
      raise(ErrorKind::value,
            "`dot_product_attention` only supports 4D inputs. Received: query.shape={}, key.shape={}, value.shape={}.",
            to_string(given_query.shape()), to_string(given_key.shape()), to_string(given_value.shape()));
  const OperandType types[] = {{given_query.dtype()}, {given_key.dtype()}, {given_value.dtype()}};
  const OperandType pair[] = {{resolve(Op::add, {types, 2}, rules.types).result}, types[2]};
  const DType type = resolve(Op::add, pair, rules.types).result;
  auto heads = [&](const Array& x) { return transpose(as_type(x, type), {0, 2, 1, 3}); };
  const Array query = heads(given_query);
  const Array key = heads(given_key), value = heads(given_value);
  const int64_t count = query.shape()[1], own = key.shape()[1];
  const bool has_groups = own != count;
  if (own == 0 || count % own || value.shape()[1] != own)
    raise(ErrorKind::value,
          "[dot_product_attention] the {} heads of `query` must be a multiple of the {} of `key` and {} of `value`", count, own,
          value.shape()[1]);
  const auto [added, is_seen] = mask_as_keras(bias, mask, is_causal, query, key);
  std::atomic<uint64_t> place{0};  // nothing is drawn
  Array out = attention(query, key, value, added ? &*added : nullptr, 0, is_causal && !added, scale, has_groups, {0, place});
  if (is_seen) {
    const Array all_values = has_groups ? for_each_query(value, query) : value;
    const Array sum = reduced(Reduction::sum, as_type(all_values, wide_type(type)), 2, true);
    out = where(*is_seen, out, as_type(true_divide(sum, key.shape()[2]), type));
  }
  return transpose(out, {0, 2, 1, 3});
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
