#include "functions/resampling.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/calls/indexing.h"

namespace quern {

using namespace steps;

namespace {

// Elements that lie together when an axis is gathered; fewer are slow to copy one by one, so that the axis goes to the front.
constexpr int64_t least_row = 16;
// Taps that are written as a sum of views, which is one kernel; more are a reduction.
constexpr int64_t most_terms = 8;

// The sum over the taps of `picked`, (taps * size, ...), times the weights, one for each of the first axis.
Array weighted(const Array& picked, const Taps& taps, const Array& weights) {
  Shape shape = picked.shape(), factors(picked.rank() + 1, 1);
  shape[0] = taps.size;
  shape.insert(shape.begin(), taps.each());
  factors[0] = taps.each();
  factors[1] = taps.size;
  const Array terms = reshape(picked, shape), by = reshape(weights, factors);
  if (taps.each() > most_terms) return reduced(Reduction::sum, multiply(terms, by), 0);
  Array sum = multiply(element(terms, 0, 0), element(by, 0, 0));
  for (int64_t t = 1; t < taps.each(); ++t) sum = add(sum, multiply(element(terms, 0, t), element(by, 0, t)));
  return sum;
}

// The axis is gathered where it stands if the elements behind it are rows, else as the first one.
template <class F>
Array by_rows(const Array& x, size_t axis, const Taps& taps, const F& sum) {
  const Array places = array_of(taps.places, x.device());
  int64_t row = 1;
  for (size_t i = axis + 1; i < x.rank(); ++i) row *= x.shape()[i];
  const bool goes_first = row < least_row && axis > 0;
  const Array in = in_order(goes_first ? moveaxis(x, axis, 0) : x, Order::c);
  const size_t at = goes_first ? 0 : axis;
  const Array picked = take_along(in, places, at);
  const Array out = taps.weights.empty() ? picked : moveaxis(sum(moveaxis(picked, at, 0)), 0, at);
  return goes_first ? in_order(moveaxis(out, 0, axis), Order::c) : out;
}

template <class F>
Array for_each_axis(const Array& x, const std::vector<Taps>& along, const F& one) {
  const bool are_last = x.rank() > 3 && suggests_channels_last(x.layout());
  Array out = are_last ? with_last(x, 1) : x;
  const size_t first = x.rank() - along.size() - (are_last ? 1 : 0);
  for (size_t i = along.size(); i-- > 0;) out = one(out, first + i, along[i]);
  if (are_last) out = from_last(out, 1);
  return arranged(out, format_beside(x, out.shape()));
}

// The weights where taps of one result that are the same element are one, with the sum of their weights.
std::vector<double> weights_of_elements(const Taps& taps) {
  std::vector<double> out = taps.weights;
  const auto n = static_cast<size_t>(taps.size);
  for (size_t i = n; i < out.size(); ++i)
    for (size_t t = i % n; t < i; t += n)
      if (taps.places[t] == taps.places[i]) {
        out[t] += std::exchange(out[i], 0);
        break;
      }
  return out;
}

}  // namespace

Taps taps_of(const std::vector<int64_t>& first, const std::vector<std::vector<double>>& weights) {
  Taps out{static_cast<int64_t>(first.size())};
  size_t each = 1;
  for (const auto& one : weights) each = std::max(each, one.size());
  out.places.resize(each * first.size());
  out.weights.resize(each * first.size());
  for (size_t i = 0; i < first.size(); ++i) {
    const std::vector<double>& own = weights[i];
    const size_t last = own.size() - 1;
    for (size_t t = 0; t < each; ++t) {
      out.places[t * first.size() + i] = first[i] + static_cast<int64_t>(std::min(t, last));
      out.weights[t * first.size() + i] = t < last ? own[t] : own[last] / static_cast<double>(each - last);
    }
  }
  return out;
}

Array resampled_along(const Array& x, size_t axis, const Taps& taps) {
  return by_rows(x, axis, taps, [&](const Array& picked) {
    return weighted(picked, taps, as_type(array_of(taps.weights, x.device()), x.dtype()));
  });
}

Array resampled(const Array& x, const std::vector<Taps>& along) {
  const bool is_sum = std::ranges::any_of(along, [](const Taps& taps) { return !taps.weights.empty(); });
  const Array in = is_sum ? as_type(x, wide_type(x.dtype())) : x;
  return as_type(for_each_axis(in, along, resampled_along), x.dtype());
}

Array resampled_bytes(const Array& x, const std::vector<Taps>& along) {
  return for_each_axis(x, along, [&](const Array& in, size_t axis, const Taps& taps) {
    // The weights are whole numbers of 15 bits, as exact as the largest one allows.
    const std::vector<double> exact = weights_of_elements(taps);
    const double most = exact.empty() ? 1 : *std::ranges::max_element(exact);
    int bits = 0;
    while (bits < 22 && static_cast<int>(0.5 + most * std::ldexp(1, bits + 1)) < (1 << 15)) ++bits;
    std::vector<int32_t> weights;
    for (double weight : exact) weights.push_back(static_cast<int32_t>(std::ldexp(weight, bits) + (weight < 0 ? -0.5 : 0.5)));
    return by_rows(in, axis, taps, [&](const Array& picked) {
      const Array sum = weighted(as_type(picked, DType::int32), taps, array_of(weights, x.device()));
      const Array whole_part = right_shift(add(sum, 1 << (bits - 1)), bits);
      return as_type(minimum(maximum(whole_part, 0), 255), DType::uint8);
    });
  });
}

}  // namespace quern
