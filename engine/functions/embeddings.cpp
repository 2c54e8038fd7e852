#include "functions/embeddings.h"

#include <limits>
#include <map>

#include "core/error.h"
#include "functions/parts.h"
#include "functions/ranking.h"
#include "functions/refusals.h"
#include "functions/steps.h"
#include "functions/tensor_algebra.h"
#include "run/calls/indexing.h"
#include "run/calls/sorting.h"

namespace quern {

using namespace steps;

namespace {

// 0, 1, 2 ... A few are kept from step to step: on the CPU so small an array is computed when it is recorded, on a GPU it is a
// launch.
Array class_numbers(int64_t count, DeviceId device) {
  constexpr int64_t most = 1024;
  if (count > most) return arange(count, device);
  static auto* kept = new std::map<std::pair<DeviceId, int64_t>, Array>;  // guarded by the graph's lock
  GraphLock lock;
  if (kept->size() > 64) kept->clear();
  auto found = kept->find({device, count});
  if (found == kept->end()) found = kept->emplace(std::pair(device, count), arange(count, device)).first;
  return found->second;
}

}  // namespace

Array is_class(const Array& classes, int64_t count, size_t axis) {
  Shape shape(classes.rank() + 1, 1);
  shape[axis] = count;
  return equal(expand_dims(classes, axis), reshape(class_numbers(count, classes.device()), shape));
}

namespace {

// Integers, for whoever may see them only where all are from 0 to `count` - 1.
Array within(const Array& places, int64_t count, std::vector<std::string> texts) {
  constexpr int64_t none = std::numeric_limits<int64_t>::min();
  return unless_refused(places, places, {ErrorKind::runtime, std::move(texts), 0, count, count > 0 ? 0 : none});
}

int64_t extreme(Reduction which, const Array& numbers) {
  return scalar_in(reduce(which, numbers, std::vector<bool>(numbers.rank(), true), false)).integer;
}

// The rows themselves, with gradients that are multiplied by a factor for each row; 0 lets none pass, not even NaN.
class ScaledGradient : public GradientBody {
 public:
  std::string_view name() const override { return "embedding"; }
  Gradients gradients(const GradientCall& call) const override {
    Gradients out(2);
    const Array& factor = call.operands[1];
    out[0] = where(equal(factor, 0), 0.0, multiply(*call.given[0], factor));
    return out;
  }
};

Array with_scaled_gradient(const Array& rows, const Array& factor) {
  const Array inputs[] = {rows, factor};
  return differentiable(std::make_shared<ScaledGradient>(), inputs, {{false, true}, {}},
                        [&]() -> std::vector<Array> { return {copied(detached(rows), rows.dtype())}; })[0];
}

// Rows of the table that are picked and longer than `most` are scaled to it, in place.
void shorten(const Array& places, const Array& table, double most, double order) {
  GradientMode off(false);
  const Array used = full({table.shape()[0]}, whole(0), DType::boolean, table.device());
  const Pick pick{0, reshape(places, {places.size()}), true};  // what is not there is the lookup's error, not the table's
  if (table.shape()[0]) put(used, {&pick, 1}, Argument(whole(1)));
  const Array norm = linalg::tensor_vector_norm(table, {real_number(order), {}}, Axes{1}, false, {});
  const Array too_long = logical_and(used, greater(norm, most));
  const Array scale = where(too_long, true_divide(most, add(norm, 1e-7)), 1.0);
  assign(table, Argument(as_type(multiply(table, expand_dims(scale, 1)), table.dtype())));
}

std::optional<int64_t> row_of_padding(std::optional<int64_t> padding, int64_t rows) {
  return padding && *padding < 0 ? *padding + rows : padding;
}

// `padding`: the row that gets no gradient.
Array rows_at(const Array& places, const Array& table, std::optional<int64_t> padding, bool by_frequency) {
  if (!table.shape()[0] && places.size()) raise(ErrorKind::runtime, "index_select(): self indexing axis dim should be positive");
  const Array rows = take_along(table, places, 0, &no_row);
  if (!(padding || by_frequency) || !GradientMode::is_on() || !wants_gradient(table)) return rows;
  Array factor = full({}, whole(1), table.dtype(), table.device());
  if (by_frequency) {
    const Array counts = full({table.shape()[0]}, whole(0), wide_type(table.dtype()), table.device());
    Pick pick{0, reshape(places, {places.size()}), true};
    put_add(counts, {&pick, 1}, Argument(real_number(1)));
    pick.index = places;
    factor = reciprocal(take(counts, {&pick, 1}));
  }
  if (padding) factor = where(equal(places, *padding), 0.0, factor);
  return with_scaled_gradient(rows, expand_dims(as_type(factor, table.dtype()), places.rank()));
}

}  // namespace

namespace nn {

// int64, along a new last axis; -1: one class more than the largest number, which is waited for.
Array one_hot(const Array& classes, int64_t count) {
  if (classes.dtype() != DType::int64)
    raise(ErrorKind::runtime, "one_hot is only applicable to index tensor of type LongTensor.");
  Array shown = classes;
  if (classes.size() == 0) {
    if (count < 1) raise(ErrorKind::runtime, "Can not infer total number of classes from empty tensor.");
  } else if (count == -1) {
    if (extreme(Reduction::minimum, classes) < 0) raise(ErrorKind::runtime, "Class values must be non-negative.");
    count = extreme(Reduction::maximum, classes) + 1;
  } else {
    count = std::max<int64_t>(count, 0);
    shown = within(classes, count, {"Class values must be non-negative.", "Class values must be smaller than num_classes."});
    count = std::max<int64_t>(count, 1);  // so that there is something to look at
  }
  return as_type(is_class(shown, count, classes.rank()), DType::int64);
}

Array one_hot_along(const Array& x, int64_t count, NewAxis axis, std::optional<DType> dtype, bool is_sparse) {
  if (is_sparse) raise(ErrorKind::value, "Unsupported value `sparse=True` with quern backend");
  if (count < 0) raise(ErrorKind::type, "Argument `num_classes` must not be negative. Received: num_classes={}", count);
  const Array numbers = x.dtype() == DType::boolean ? as_type(x, DType::int32) : x;
  return as_type(is_class(numbers, count, axis.place), dtype.value_or(DType::float32));
}

// The same of a row of numbers together: the largest along the second axis, or the only one.
Array multi_hot(const Array& x, int64_t count, NewAxis axis, std::optional<DType> dtype, bool is_sparse) {
  const Array each = one_hot_along(x, count, axis, dtype, is_sparse);
  const bool is_bool = each.dtype() == DType::boolean;
  return reduced(is_bool ? Reduction::any : Reduction::maximum, each, x.rank() > 1 ? 1 : 0);
}

// The rows of `table` at these places. `padding`: the row that gets no gradient; `max_norm`: longer rows are first scaled to it,
// in the table; `by_frequency`: each row's gradient is divided by how often the row is picked.
Array embedding(const Array& places, const Array& table, std::optional<int64_t> padding, std::optional<double> max_norm,
                double norm_order, bool by_frequency, bool is_sparse) {
  if (is_sparse) raise(ErrorKind::not_implemented, "[embedding] sparse gradients are not supported; use sparse=False");
  if (max_norm) shorten(places, table, *max_norm, norm_order);
  return rows_at(places, table, row_of_padding(padding, table.shape()[0]), by_frequency);
}

}  // namespace nn

// ---- bags

namespace {

enum class BagMode : uint8_t { sum, mean, max };

// The elements of bags between offsets. `counts`: which places count, along the last axis of one element; null: all.
struct Bags {
  Array rows;
  const Array* counts;
  BagMode mode;

  // How many count, at least one: what the sums are divided by.
  Array at_least_one(const Array& count) const { return as_type(maximum(count, 1), rows.dtype()); }

  Array of_one_size() const {
    const int64_t size = rows.shape()[1];
    if (mode == BagMode::max && size > 0) {
      const Array top = largest_along(rows, 1, false).values;
      return counts ? where(reduced(Reduction::any, *counts, 1), top, 0.0) : top;
    }
    const Array total = reduced(Reduction::sum, rows, 1);
    if (mode != BagMode::mean) return total;
    if (!counts) return true_divide(total, static_cast<double>(std::max<int64_t>(size, 1)));
    return true_divide(total, at_least_one(reduced(Reduction::sum, as_type(*counts, DType::int64), 1)));
  }

  Array between(const Array& offsets, int64_t bags) const {
    const int64_t count = rows.shape()[0], width = rows.shape()[1];
    if (bags == 0 || count == 0) return full({bags, width}, whole(0), rows.dtype(), rows.device());
    const Array places = places_in(offsets, as_type(arange(count, rows.device()), offsets.dtype()), true);
    const Array bag = subtract(places, 1);
    const Pick pick{0, bag};
    auto sums = [&](const Argument& values, const Shape& shape, DType type) {
      Array out = full(shape, whole(0), type, rows.device());
      put_add(out, {&pick, 1}, values);
      return out;
    };
    auto how_many = [&] {
      return sums(counts ? Argument(as_type(*counts, DType::float32)) : Argument(real_number(1)), {bags, 1}, DType::float32);
    };
    if (mode == BagMode::max) {
      const Array belongs = expand_dims(is_class(bag, bags, 0), 2);
      const Array least = full({}, real_number(-std::numeric_limits<double>::infinity()), rows.dtype(), rows.device());
      const Array top = largest_along(where(belongs, expand_dims(rows, 0), least), 1, false).values;
      return where(greater(how_many(), 0), top, 0.0);
    }
    const Array total = sums(Argument(rows), {bags, width}, rows.dtype());
    return mode == BagMode::sum ? total : true_divide(total, at_least_one(how_many()));
  }
};

BagMode mode_named(std::optional<std::string_view> name) {
  if (name == "sum") return BagMode::sum;
  if (name == "mean") return BagMode::mean;
  if (name == "max") return BagMode::max;
  raise(ErrorKind::value, "mode has to be one of sum, mean or max");
}

// The result, for whoever may see it only where the offsets begin at 0, do not decrease and none lies behind the places.
Array with_offsets_checked(const Array& result, const Array& offsets, int64_t places) {
  if (offsets.size() == 0) return result;
  const std::string starts =
      "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {}";
  const std::string ends =
      "offsets[-1] can not be greater than input's length " + std::to_string(places) + " but got offsets[-1] of {}";
  const int64_t count = offsets.size();
  Array checked = unless_refused(result, part(offsets, 0, 0, 1), {ErrorKind::runtime, {starts}, 0, 1, 0});
  if (count > 1) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    const Array steps = subtract(part(offsets, 0, 1, count), part(offsets, 0, 0, count - 1));
    checked = unless_refused(checked, steps, {ErrorKind::runtime, {"offsets must not decrease, but do by {}"}, 0, most, 0});
  }
  return unless_refused(checked, part(offsets, 0, count - 1, count), {ErrorKind::runtime, {ends}, 0, places + 1, 0});
}

void check_bags(const Array& places, const Array& table, const Array* offsets) {
  if (table.rank() != 2) raise(ErrorKind::value, "weight has to be a 2D Tensor, but got Tensor of dimension {}", table.rank());
  if (places.rank() != 1 && places.rank() != 2)
    raise(ErrorKind::value, "input has to be 1D or 2D Tensor, but got Tensor of dimension {}", places.rank());
  if (places.rank() == 2 && offsets)
    raise(ErrorKind::value,
          "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. However, "
          "found offsets of size {}",
          in_brackets(offsets->shape()));
  if (places.rank() == 1 && !offsets) raise(ErrorKind::value, "offsets has to be a 1D Tensor but got None");
  if (offsets && offsets->rank() != 1) raise(ErrorKind::value, "offsets has to be a 1D Tensor");
}

void check_weights(const Array& places, const Array* weights, std::optional<std::string_view> mode) {
  if (!weights) return;
  if (weights->shape() != places.shape())
    raise(ErrorKind::value,
          "embedding_bag: If per_sample_weights ({}) is not None, then it must have the same shape as the input ({})",
          in_brackets(weights->shape()), in_brackets(places.shape()));
  if (mode != "sum")
    raise(ErrorKind::not_implemented,
          "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='{}').",
          *mode);
}

}  // namespace

Array nn::embedding_bag(const Array& places, const Array& table, const Array* offsets, std::optional<double> max_norm,
                        double norm_order, bool by_frequency, std::optional<std::string_view> mode, bool is_sparse,
                        const Array* weights, bool has_last_offset, std::optional<int64_t> padding) {
  check_bags(places, table, offsets);
  const BagMode how = mode_named(mode);
  check_weights(places, weights, mode);
  if (is_sparse) raise(ErrorKind::not_implemented, "[embedding_bag] sparse gradients are not supported; use sparse=False");
  if (how == BagMode::max && by_frequency)
    raise(ErrorKind::value, "max mode does not support scaling the gradient by the frequency");
  if (has_last_offset && offsets && offsets->size() == 0)
    raise(ErrorKind::runtime, "include_last_offset: number of offset should be at least 1");
  if (max_norm) shorten(places, table, *max_norm, norm_order);
  const int64_t n = table.shape()[0];
  padding = row_of_padding(padding, n);
  const std::string end = std::to_string(n) + ")";
  const Array inside = within(places, n, {"Index of input takes value {} which is not in the valid range [0, " + end});
  Array rows = rows_at(inside, table, {}, by_frequency), counts;
  if (weights) rows = multiply(rows, expand_dims(*weights, places.rank()));
  if (padding) {
    counts = expand_dims(not_equal(inside, *padding), places.rank());
    const double other = how == BagMode::max ? -std::numeric_limits<double>::infinity() : 0.0;
    rows = where(counts, rows, full({}, real_number(other), rows.dtype(), rows.device()));
  }
  const Bags bags{rows, padding ? &counts : nullptr, how};
  if (!offsets) return bags.of_one_size();
  const int64_t count = offsets->size() - has_last_offset;
  return with_offsets_checked(bags.between(part(*offsets, 0, 0, count), count), *offsets, places.size());
}

}  // namespace quern
