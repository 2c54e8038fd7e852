// Start at quantiles(). What a method's name means is in places_for(): where the quantile lies among n sorted elements,
// and how much of it comes from the element above.
#include "functions/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/error.h"
#include "functions/ordering.h"
#include "functions/reductions.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/indexing.h"
#include "run/calls/sorting.h"

namespace quern {

using namespace steps;

namespace {

// Hyndman and Fan's alpha and beta of the methods that interpolate.
struct Constants {
  double alpha, beta;
};
std::optional<Constants> constants_of(std::string_view method) {
  if (method == "interpolated_inverted_cdf") return Constants{0, 1};
  if (method == "hazen") return Constants{0.5, 0.5};
  if (method == "weibull") return Constants{0, 0};
  if (method == "median_unbiased") return Constants{1 / 3.0, 1 / 3.0};
  if (method == "normal_unbiased") return Constants{3 / 8.0, 3 / 8.0};
  return std::nullopt;
}

bool names_elements(std::string_view method) { return method == "lower" || method == "higher" || method == "nearest"; }

void check_method(std::string_view method, std::string_view function) {
  std::string all;
  for (std::string_view name : quantile_methods) {
    if (name == method) return;
    all.append(all.empty() ? "" : ", ").append(name);
  }
  raise(ErrorKind::value, "[{}] '{}' is not a valid method; use one of {}", function, method, all);
}

struct QuantilePlaces {
  bool is_exact = false;              // each quantile is the element `below`
  std::vector<int64_t> below, above;  // -1: the last
  std::vector<double> weight;         // of the one above
};

// In the type of the quantiles, as NumPy rounds.
template <class T>
void add_place(QuantilePlaces& out, std::string_view method, bool is_whole, T n, T q) {
  T index;
  if (auto c = constants_of(method)) {
    index = n * q + (T(c->alpha) + q * (1 - T(c->alpha) - T(c->beta))) - 1;
  } else if (method == "inverted_cdf" || method == "closest_observation") {
    bool is_closest = method == "closest_observation";
    index = n * q - 1;
    if (is_closest) index -= T(0.5);
    T below = std::floor(index);
    bool stays = index == below && (!is_closest || std::fmod(std::fabs(below), T(2)) == 1);
    out.is_exact = true;
    out.below.push_back(std::max<int64_t>(static_cast<int64_t>(stays ? below : below + 1), 0));
    return;
  } else if (method == "averaged_inverted_cdf") {
    index = n * q - 1;
  } else {
    index = (n - 1) * q;
    if (method == "midpoint") index = T(0.5) * (std::floor(index) + std::ceil(index));
  }
  if (names_elements(method) || (is_whole && method == "linear")) {
    out.is_exact = true;
    out.below.push_back(static_cast<int64_t>(method == "lower"    ? std::floor(index)
                                             : method == "higher" ? std::ceil(index)
                                                                  : std::nearbyint(index)));
    return;
  }
  T below = index >= n - 1 ? T(-1) : index < 0 ? T(0) : std::floor(index);
  T above = index >= n - 1 ? T(-1) : index < 0 ? T(0) : std::floor(index) + 1;
  T weight = index - below;
  if (method == "averaged_inverted_cdf") weight = weight == 0 ? T(0.5) : T(1);
  if (method == "midpoint") weight = index == std::floor(index) ? T(0) : T(0.5);
  out.below.push_back(static_cast<int64_t>(below));
  out.above.push_back(static_cast<int64_t>(above));
  out.weight.push_back(weight);
}

QuantilePlaces places_for(std::string_view method, const QuantileType& type, int64_t n, std::span<const double> q) {
  QuantilePlaces out;
  bool is_single = !type.is_weak && type.weights == DType::float32;
  for (double one : q) {
    if (is_single) {
      add_place(out, method, type.is_whole, static_cast<float>(n), static_cast<float>(one));
    } else {
      add_place(out, method, type.is_whole, static_cast<double>(n), one);
    }
  }
  return out;
}

// What the places take from a sorted line, and its end, where a NaN stands.
std::vector<int64_t> ranks_of(const QuantilePlaces& places, int64_t n) {
  std::vector<int64_t> out{n - 1};
  for (const std::vector<int64_t>* some : {&places.below, &places.above})
    for (int64_t one : *some) out.push_back(one < 0 ? one + n : one);
  return out;
}

// NaN as a result passes its gradient to the element, but has none for JAX.
Array followed(const Array& nan) { return WithSlopes::now() == Slopes::jax ? detached(nan) : nan; }

Array with_nan(const Array& lines, const Array& result) {
  if (is_whole(lines.dtype())) return result;
  Array last = element(lines, -1, last_size(lines) - 1);
  return where(isnan(last), as_type(followed(last), result.dtype()), result);
}

Array between(const Array& low, const Array& high, const Argument& weight) {
  Array far = subtract(high, low), rest = subtract(1, weight);
  Array from_above = subtract(high, multiply(far, rest));
  Array from_below = add(low, multiply(far, weight));
  return where(greater_equal(weight, 0.5), from_above, from_below);
}

// The same from the end that is nearer, by a number.
Array between(const Array& low, const Array& high, double weight) {
  Array far = subtract(high, low);
  return weight >= 0.5 ? subtract(high, multiply(far, 1 - weight)) : add(low, multiply(far, weight));
}

Array count_of_numbers(const Array& lines) { return reduced(Reduction::sum, logical_not(isnan(lines)), -1, true, DType::int64); }

// Each row has a number of elements of its own: those that are not NaN, which stand in front.
Array without_nan(const Array& lines, std::span<const double> q, std::string_view method, const QuantileType& type) {
  Array count = count_of_numbers(lines), real = astype(count, DType::float64);
  Array last = maximum(subtract(count, 1), 0);
  std::vector<Array> out;
  for (double one : q) {
    Array index;
    if (auto c = constants_of(method)) {
      double shift = c->alpha + one * (1 - c->alpha - c->beta);
      index = subtract(add(multiply(real, one), shift), 1);
    } else {
      index = multiply(subtract(real, 1), one);
      if (method == "lower") index = compute(Op::floor, index);
      if (method == "higher") index = ceil(index);
      if (method == "nearest") index = rint(index);
      if (method == "midpoint") index = multiply(add(compute(Op::floor, index), ceil(index)), 0.5);
    }
    Array floor = compute(Op::floor, index), below = astype(floor, DType::int64);
    Array low = maximum(minimum(below, last), 0);
    Array high = maximum(minimum(add(below, 1), last), 0);
    if (names_elements(method)) {
      out.push_back(expand_dims(element(picked(lines, low), -1, 0), 0));
      continue;
    }
    Array outside = logical_or(less(index, 0), greater_equal(index, last));
    Array weight = where(outside, 0.0, subtract(index, floor));
    weight = as_type(weight, type.is_weak ? lines.dtype() : type.weights);
    Array value = element(between(picked(lines, low), picked(lines, high), operand(weight)), -1, 0);
    out.push_back(expand_dims(value, 0));
  }
  return joined(out, 0);
}

// All axes that go as the last one.
Array lines_over(const Array& array, const Over& over) {
  std::vector<int> order;
  Shape shape;
  for (bool goes : {false, true})
    for (size_t n = 0; n < array.rank(); ++n) {
      if (over.axes[n] != goes) continue;
      order.push_back(static_cast<int>(n));
      if (!goes) shape.push_back(array.shape()[n]);
    }
  if (shape.empty()) return array.rank() == 1 ? array : reshape(array, {array.size()});
  shape.push_back(count_over(array, over));
  return reshape(transpose(array, order), shape);
}

// Each row has a middle of its own.
Array middle_of_numbers(const Array& lines) {
  Array sorted = ordered(lines, false, lines.rank() - 1), count = count_of_numbers(lines);
  Array low = maximum(floor_divide(subtract(count, 1), 2), 0);
  Array high = minimum(floor_divide(count, 2), last_size(lines) - 1);
  DType wide = lines.dtype() == DType::float16 ? DType::float32 : lines.dtype();
  Array below = as_type(picked(sorted, low), wide), above = as_type(picked(sorted, high), wide);
  Array between = true_divide(add(below, above), 2);
  return element(as_type(where(equal(low, high), below, between), lines.dtype()), -1, 0);
}

// The quantiles of each row (the last axis): an axis of as many as `q` stands in front.
Array quantiles_of_lines(const Array& lines, const Quantiles& given, std::string_view method, bool skips_nan) {
  const std::span<const double> q = given.values;
  const QuantileType type = given.type;
  check_method(method, given.function);
  int64_t n = last_size(lines);
  if (n == 0) raise(ErrorKind::index, "[{}] the array is empty", given.function);
  skips_nan = skips_nan && !is_whole(lines.dtype());
  if (skips_nan && !skips_nan_by(method)) bug("quantiles without NaN by {}", method);
  Shape shape = lines.shape();
  shape.back() = static_cast<int64_t>(q.size());
  std::rotate(shape.begin(), shape.end() - 1, shape.end());
  QuantilePlaces places = places_for(method, type, n, q);
  if (lines.dtype() == DType::boolean && !places.is_exact && !q.empty())
    raise(ErrorKind::type, "[{}] dtype bool is not supported; convert to integers first", given.function);
  Array in_line = skips_nan ? sorted(lines, false) : sorted_at(lines, ranks_of(places, n));
  if (q.empty()) return full(shape, whole(0), is_whole(lines.dtype()) ? DType::float64 : lines.dtype(), lines.device());
  if (skips_nan) return without_nan(in_line, q, method, type);
  auto at = [&](const std::vector<int64_t>& indices) {
    Pick pick{lines.rank() - 1, array_of(indices, lines.device())};
    return take(in_line, {&pick, 1});
  };
  Array low = at(places.below);
  if (places.is_exact) return with_nan(in_line, low);
  Array high = at(places.above);
  if (type.is_weak) return with_nan(in_line, between(low, high, places.weight[0]));
  Shape beside(lines.rank(), 1);
  beside[0] = static_cast<int64_t>(q.size());
  Array weight = as_type(reshape(array_of(places.weight, lines.device()), beside), type.weights);
  return with_nan(in_line, between(low, high, operand(weight)));
}

}  // namespace

bool skips_nan_by(std::string_view method) {
  return method == "linear" || method == "midpoint" || names_elements(method) || constants_of(method);
}

static Array median_of(const Array& array, const Over& over, bool skips_nan) {
  Array lines = lines_over(array, over), out;
  int64_t n = last_size(lines);
  if (n == 0) {
    out = mean(lines, last_axis(lines));
  } else if (skips_nan && !is_whole(lines.dtype())) {
    out = middle_of_numbers(lines);
  } else {
    const bool is_plain = !is_complex(lines.dtype()) && !is_record(lines.dtype());
    Array in_line = is_plain ? sorted_at(lines, {(n - 1) / 2, n / 2, n - 1}) : ordered(lines, false, lines.rank() - 1);
    Array middle = part(in_line, -1, (n - 1) / 2, n / 2 + 1);
    out = with_nan(in_line, mean(middle, last_axis(middle)));
  }
  if (over.keep_dims) out = reshape(out, shape_over(array, over));
  out.set_value(out.rank() == 0);
  return out;
}
Array median(const Array& array, const Counted& over) { return median_of(array, over, false); }
Array median_without_nan(const Array& array, const Counted& over) { return median_of(array, over, true); }

static Array quantiles_of(const Array& array, const Quantiles& q, const Counted& over, std::string_view method, bool skips_nan) {
  if (is_complex(array.dtype())) raise(ErrorKind::type, "[{}] a must be an array of real numbers, not complex ones", q.function);
  for (double one : q.values)
    if (!(one >= 0 && one <= 1))
      raise(ErrorKind::value, "[{}] {:.15g} is not in the range [0, {}]", q.function, one * q.whole, q.whole);
  if (skips_nan && array.size() == 0 && !q.are_axes_of_nothing) return mean(array, over);  // as NumPy: whatever q is
  Array found = in_order(quantiles_of_lines(lines_over(array, over), q, method, skips_nan), Order::c);
  Shape shape = shape_over(array, over);
  shape.insert(shape.begin(), q.shape.begin(), q.shape.end());
  found = reshape(found, shape);
  found.set_value(found.rank() == 0);
  return found;
}

// The lines of one axis, or of the flattened array, in order, in the array's own memory.
static void sort_in_place(const Array& array, const std::vector<bool>& goes) {
  auto count = std::count(goes.begin(), goes.end(), true);
  bool is_flat = count == std::ssize(goes);
  if (array.rank() == 0 || is_complex(array.dtype()) || array.dtype() == DType::boolean || array.is_read_only()) return;
  if ((!is_flat && count != 1) || (is_flat && !array.layout().is_contiguous())) return;
  Array lines = is_flat ? reshape(array, {array.size()}) : array;
  auto axis = is_flat ? 0 : static_cast<size_t>(std::find(goes.begin(), goes.end(), true) - goes.begin());
  assign(lines, Argument(sorted(lines, false, axis)));
}

Array quantile(const Array& array, const Quantiles& q, const Counted& over, QuantileMethod method, bool overwrites) {
  if (overwrites) sort_in_place(array, over.axes);
  return quantiles_of(array, q, over, method.name, false);
}
Array quantile_without_nan(const Array& array, const Quantiles& q, const Counted& over, QuantileMethod method) {
  return quantiles_of(array, q, over, method.name, true);
}

// ---- PyTorch's

static void check_quantile(const Array& array, const Array& q, bool is_number, std::string_view interpolation) {
  if (array.dtype() != DType::float32 && array.dtype() != DType::float64)
    raise(ErrorKind::runtime, "quantile() input tensor must be either float or double dtype");
  if (q.rank() > 1) raise(ErrorKind::runtime, "quantile() q must be a scalar or 1D tensor");
  if (q.dtype() != array.dtype()) raise(ErrorKind::runtime, "quantile() q tensor must be same dtype as the input tensor");
  if (array.size() == 0) raise(ErrorKind::runtime, "quantile() input tensor must be non-empty");
  constexpr std::string_view known[] = {"linear", "lower", "higher", "midpoint", "nearest"};
  if (std::find(std::begin(known), std::end(known), interpolation) == std::end(known))
    raise(ErrorKind::runtime, "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {}",
          interpolation);
  for (double one : values_of<double>(detached(q)))
    if (!(one >= 0 && one <= 1)) {
      const bool is_single = q.dtype() == DType::float32;
      const std::string text = is_single ? formatted("{}", static_cast<float>(one)) : formatted("{}", one);
      if (is_number) raise(ErrorKind::runtime, "quantile() q must be in the range [0, 1] but got {}", text);
      raise(ErrorKind::runtime, "quantile() q values must be in the range [0, 1]");
    }
}

// The elements at places between those of sorted lines: as many in each line as the last axis has.
static Array at_places_between(const Array& lines, const Array& at, std::string_view interpolation) {
  auto there = [&](const Array& place) { return picked(lines, astype(detached(place), DType::int64)); };
  if (interpolation == "nearest") return there(rint(at));
  Array floor = compute(Op::floor, detached(at));
  if (interpolation == "lower") return there(floor);
  Array high = there(ceil(at));
  if (interpolation == "higher") return high;
  Array weight = interpolation == "linear" ? subtract(at, floor) : full(at.shape(), real_number(0.5), at.dtype(), at.device());
  return between(there(floor), high, operand(weight));
}

static Array quantile_of_lines(const Array& array, const Argument& given, std::optional<size_t> axis, bool keep_dims,
                               std::string_view interpolation, bool skips_nan) {
  const bool is_number = !given.array();
  Array q = is_number ? full({}, given.scalar(), array.dtype(), array.device()) : *given.array();
  check_quantile(array, q, is_number, interpolation);
  Array lines = array.rank() == 0 ? reshape(array, {1}) : axis ? with_last(array, *axis) : raveled(array, Order::c);
  Array in_line = sorted(lines, false);
  const int64_t n = last_size(lines);
  Array fractions = reshape(q, {q.size()}), at;
  if (skips_nan) {
    Array last = maximum(subtract(count_of_numbers(detached(lines)), 1), 0);
    at = multiply(as_type(last, array.dtype()), fractions);
  } else {
    at = multiply(fractions, n - 1);
  }
  Shape shape = lines.shape();
  shape.back() = q.size();
  Array found = at_places_between(in_line, at.view(at.layout().broadcast_to(shape)), interpolation);
  if (!skips_nan) {
    Array last = part(in_line, -1, n - 1, n);
    found = where(isnan(last), last, found);
  }
  Shape result = array.shape();
  for (size_t d = 0; d < result.size(); ++d)
    if (!axis || d == *axis) result[d] = keep_dims ? 1 : -1;
  std::erase(result, -1);
  result.insert(result.begin(), q.shape().begin(), q.shape().end());
  return reshape(in_order(moveaxis(found, found.rank() - 1, 0), Order::c), result);
}

// PyTorch's: `q` is a number or a tensor, which has a derivative too; computed in the type of the elements. None: linear.
Array quantile_along(const Array& array, const Argument& q, std::optional<size_t> axis, bool keep_dims,
                     std::optional<std::string_view> interpolation) {
  return quantile_of_lines(array, q, axis, keep_dims, interpolation.value_or("linear"), false);
}
Array quantile_without_nan_along(const Array& array, const Argument& q, std::optional<size_t> axis, bool keep_dims,
                                 std::optional<std::string_view> interpolation) {
  return quantile_of_lines(array, q, axis, keep_dims, interpolation.value_or("linear"), true);
}

}  // namespace quern
