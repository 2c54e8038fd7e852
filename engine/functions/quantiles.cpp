// Start at quantiles_of_lines(). What a method's name means is in places_for(): where the quantile lies among n sorted elements,
// and how much of it comes from the element above.
#include "functions/quantiles.h"

#include <cmath>
#include <limits>
#include <optional>

#include "core/error.h"
#include "functions/reductions.h"
#include "functions/shaping.h"
#include "functions/steps.h"
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

void check_method(std::string_view method) {
  for (std::string_view name :
       {"linear", "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "lower", "higher", "midpoint", "nearest"})
    if (method == name) return;
  if (constants_of(method)) return;
  raise(
      ErrorKind::value,
      "[quantile] '{}' is not a valid method; use linear, lower, higher, midpoint, nearest, inverted_cdf, averaged_inverted_cdf, "
      "closest_observation, interpolated_inverted_cdf, hazen, weibull, median_unbiased or normal_unbiased",
      method);
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
  bool is_element = method == "lower" || method == "higher" || method == "nearest";
  if (is_element || (is_whole && (method == "linear" || method == "averaged_inverted_cdf"))) {
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

Array with_nan(const Array& lines, const Array& result) {
  if (is_whole(lines.dtype())) return result;
  Array last = element(lines, -1, last_size(lines) - 1);
  return compute(Op::where, compute(Op::isnan, last), as_type(last, result.dtype()), result);
}

Array between(const Array& low, const Array& high, const Argument& weight) {
  Array far = compute(Op::subtract, high, low), rest = compute(Op::subtract, 1, weight);
  Array from_above = compute(Op::subtract, high, compute(Op::multiply, far, rest));
  Array from_below = compute(Op::add, low, compute(Op::multiply, far, weight));
  return compute(Op::where, compute(Op::greater_equal, weight, 0.5), from_above, from_below);
}

// The same from the end that is nearer, by a number.
Array between(const Array& low, const Array& high, double weight) {
  Array far = compute(Op::subtract, high, low);
  return weight >= 0.5 ? compute(Op::subtract, high, compute(Op::multiply, far, 1 - weight))
                       : compute(Op::add, low, compute(Op::multiply, far, weight));
}

// Each row has a number of elements of its own: those that are not NaN, which stand in front.
Array without_nan(const Array& lines, std::span<const double> q, std::string_view method, const QuantileType& type) {
  Array is_number = compute(Op::logical_not, compute(Op::isnan, lines));
  Array count = reduced(Reduction::sum, is_number, -1, true, DType::int64), real = astype(count, DType::float64);
  Array last = compute(Op::maximum, compute(Op::subtract, count, 1), 0);
  std::vector<Array> out;
  for (double one : q) {
    Array index;
    if (auto c = constants_of(method)) {
      double shift = c->alpha + one * (1 - c->alpha - c->beta);
      index = compute(Op::subtract, compute(Op::add, compute(Op::multiply, real, one), shift), 1);
    } else {
      index = compute(Op::multiply, compute(Op::subtract, real, 1), one);
    }
    Array floor = compute(Op::floor, index), below = astype(floor, DType::int64);
    Array low = compute(Op::maximum, compute(Op::minimum, below, last), 0);
    Array high = compute(Op::maximum, compute(Op::minimum, compute(Op::add, below, 1), last), 0);
    Array outside = compute(Op::logical_or, compute(Op::less, index, 0), compute(Op::greater_equal, index, last));
    Array weight = compute(Op::where, outside, 0.0, compute(Op::subtract, index, floor));
    if (type.is_weak) weight = as_type(weight, lines.dtype());
    Array value = element(between(picked(lines, low), picked(lines, high), operand(weight)), -1, 0);
    out.push_back(with_axis(value, 0));
  }
  return joined(out, 0);
}

}  // namespace

bool interpolates(std::string_view method) { return method == "linear" || constants_of(method); }

Array median_of_lines(const Array& lines) {
  int64_t n = last_size(lines);
  if (n == 0) return mean(lines, last_axis(lines));
  Array in_order = ordered(lines);
  Array middle = part(in_order, -1, (n - 1) / 2, n / 2 + 1);
  return with_nan(in_order, mean(middle, last_axis(middle)));
}

Array quantiles_of_lines(const Array& lines, std::span<const double> q, std::string_view method, QuantileType type,
                         bool skips_nan) {
  if (is_complex(lines.dtype())) raise(ErrorKind::type, "[quantile] a must be an array of real numbers, not complex ones");
  for (double one : q)
    if (!(one >= 0 && one <= 1)) raise(ErrorKind::value, "[quantile] {} is not in the range [0, 1]", one);
  check_method(method);
  int64_t n = last_size(lines);
  if (n == 0) raise(ErrorKind::index, "[quantile] there is nothing to choose from");
  if (skips_nan && !interpolates(method)) bug("quantiles without NaN by {}", method);
  Shape shape = lines.shape();
  shape.back() = static_cast<int64_t>(q.size());
  std::rotate(shape.begin(), shape.end() - 1, shape.end());
  QuantilePlaces places = places_for(method, type, n, q);
  if (lines.dtype() == DType::boolean && !places.is_exact && !q.empty())
    raise(ErrorKind::type, "[quantile] the quantiles of bools are not defined; convert them to integers first");
  Array ordered = sorted(lines, false);
  if (q.empty()) return full(shape, whole(0), is_whole(lines.dtype()) ? DType::float64 : lines.dtype(), lines.device());
  if (skips_nan && !is_whole(lines.dtype())) return without_nan(ordered, q, method, type);
  auto at = [&](const std::vector<int64_t>& indices) {
    Pick pick{lines.rank() - 1, array_of(indices, lines.device())};
    return take(ordered, {&pick, 1});
  };
  Array low = at(places.below);
  if (places.is_exact) return with_nan(ordered, low);
  Array high = at(places.above);
  if (type.is_weak) return with_nan(ordered, between(low, high, places.weight[0]));
  Shape beside(lines.rank(), 1);
  beside[0] = static_cast<int64_t>(q.size());
  Array weight = as_type(reshape(array_of(places.weight, lines.device()), beside), type.weights);
  return with_nan(ordered, between(low, high, operand(weight)));
}

}  // namespace quern
