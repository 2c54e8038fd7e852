#include "functions/resizing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.h"
#include "functions/parts.h"
#include "functions/pooling.h"
#include "functions/resampling.h"
#include "functions/steps.h"

namespace quern::nn {

using namespace steps;

namespace {

// One axis of a call: its sizes, and the factor where places are computed with it.
struct Resizing {
  int64_t in, out;
  std::optional<double> factor;
  bool keeps_corners;
};

// Elements of the input for one of the result. Places are computed in the type of the weights, as PyTorch computes them.
template <class T>
T step_of(const Resizing& axis) {
  if (axis.keeps_corners) return axis.out > 1 ? static_cast<T>(axis.in - 1) / static_cast<T>(axis.out - 1) : T(0);
  if (axis.factor && *axis.factor > 0) return static_cast<T>(1.0 / *axis.factor);
  return static_cast<T>(axis.in) / static_cast<T>(axis.out);
}
template <class T>
T place_of(const Resizing& axis, T step, int64_t i) {
  return axis.keeps_corners ? step * static_cast<T>(i) : step * (static_cast<T>(i) + T(0.5)) - T(0.5);
}

Taps nearest(const Resizing& axis, bool is_exact) {
  Taps out{axis.out};
  const auto step = step_of<float>(axis);
  for (int64_t i = 0; i < axis.out; ++i) {
    // A half is added as float64: that is what decides at the border of two elements.
    const auto place = is_exact ? static_cast<int64_t>(std::floor(static_cast<float>((static_cast<double>(i) + 0.5) * step)))
                                : static_cast<int64_t>(std::floor(static_cast<float>(i) * step));
    out.places.push_back(std::min(place, axis.in - 1));
  }
  return out;
}

template <class T>
Taps linear(const Resizing& axis) {
  Taps out{axis.out};
  const size_t n = static_cast<size_t>(axis.out);
  out.places.resize(2 * n);
  out.weights.resize(2 * n);
  const T step = step_of<T>(axis);
  for (size_t i = 0; i < n; ++i) {
    const T place = std::max(place_of<T>(axis, step, static_cast<int64_t>(i)), T(0));
    const int64_t first = std::min(static_cast<int64_t>(place), axis.in - 1);
    const T weight = axis.in == axis.out ? T(0) : std::clamp(place - static_cast<T>(first), T(0), T(1));
    out.places[i] = axis.in == axis.out ? static_cast<int64_t>(i) : first;
    out.places[n + i] = std::min(out.places[i] + 1, axis.in - 1);
    out.weights[i] = static_cast<double>(T(1) - weight);
    out.weights[n + i] = static_cast<double>(weight);
  }
  return out;
}

// Keys's cubic convolution: the weight of an element at this distance.
template <class T>
T cubic(T distance, T a) {
  const T x = std::abs(distance);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : T(0);
}

template <class T>
Taps bicubic(const Resizing& axis) {
  constexpr T a = T(-0.75);
  Taps out{axis.out};
  const size_t n = static_cast<size_t>(axis.out);
  out.places.resize(4 * n);
  out.weights.resize(4 * n);
  const T step = step_of<T>(axis);
  for (size_t i = 0; i < n; ++i) {
    const T place = place_of<T>(axis, step, static_cast<int64_t>(i));
    const auto first = static_cast<int64_t>(std::floor(place));
    const T part = std::clamp(place - static_cast<T>(first), T(0), T(1));
    const T weights[] = {((a * (part + 1) - 5 * a) * (part + 1) + 8 * a) * (part + 1) - 4 * a, cubic(part, a), cubic(1 - part, a),
                         ((a * (2 - part) - 5 * a) * (2 - part) + 8 * a) * (2 - part) - 4 * a};
    for (size_t t = 0; t < 4; ++t) {
      out.places[t * n + i] = std::clamp<int64_t>(first - 1 + static_cast<int64_t>(t), 0, axis.in - 1);
      out.weights[t * n + i] = static_cast<double>(weights[t]);
    }
  }
  return out;
}

template <class T>
T sine_cardinal(T x) {
  return x == 0 ? T(1) : std::sin(std::numbers::pi_v<T> * x) / (std::numbers::pi_v<T> * x);
}

// The weight of an element at a distance, and the distance from which on it is 0.
template <class T>
struct Filter {
  T (*weight)(T);
  int reach;
};
template <class T>
Filter<T> filter_named(std::string_view mode) {
  if (mode == "bilinear") return {[](T x) { return std::max(T(1) - std::abs(x), T(0)); }, 1};
  if (mode == "bicubic") return {[](T x) { return cubic(x, T(-0.5)); }, 2};
  return {[](T x) { return x > -3 && x < 3 ? sine_cardinal(x) * sine_cardinal(x / 3) : T(0); }, 3};
}

// Where the result is smaller, the filter is as much wider.
template <class T>
Taps filtered(const Resizing& axis, std::string_view mode) {
  const Filter<T> filter = filter_named<T>(mode);
  const T step = step_of<T>(axis), wide = std::max(step, T(1)), narrow = step >= 1 ? T(1) / step : T(1);
  const T reach = static_cast<T>(filter.reach) * wide;
  std::vector<int64_t> first;
  std::vector<std::vector<double>> weights;
  for (int64_t i = 0; i < axis.out; ++i) {
    const T center = step * (static_cast<T>(i) + T(0.5));
    const int64_t from = std::max<int64_t>(static_cast<int64_t>(center - reach + T(0.5)), 0);
    const int64_t count = std::min(static_cast<int64_t>(center + reach + T(0.5)), axis.in) - from;
    std::vector<T> own;
    T total = 0;
    for (int64_t j = 0; j < count; ++j)
      total += own.emplace_back(filter.weight((static_cast<T>(j + from) - center + T(0.5)) * narrow));
    if (own.empty()) own.push_back(T(0));
    if (total != 0)
      for (T& one : own) one /= total;
    first.push_back(std::clamp<int64_t>(from, 0, axis.in - 1));
    weights.emplace_back(own.begin(), own.end());
  }
  return taps_of(first, weights);
}

template <class T>
Taps taps_in(const Resizing& axis, std::string_view mode, bool antialias) {
  if (mode == "nearest" || mode == "nearest-exact") return nearest(axis, mode == "nearest-exact");
  if (antialias && axis.in == axis.out) return nearest({axis.in, axis.out, {}, false}, false);  // as it is, whatever the factor
  if (antialias) return filtered<T>(axis, mode);
  return mode == "bicubic" ? bicubic<T>(axis) : linear<T>(axis);
}

// ---- what PyTorch refuses

constexpr const char* of_axes[] = {"linear", "bilinear", "trilinear"};

void check_mode(const Array& x, std::string_view mode, bool keeps_corners, bool antialias) {
  if (antialias && !((mode == "bilinear" || mode == "bicubic" || mode == "lanczos") && x.rank() == 4))
    raise(ErrorKind::value,
          "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input");
  const bool is_known = x.rank() >= 3 && x.rank() <= 5;
  const bool has_axes = mode == "nearest" || mode == "nearest-exact" || mode == "area" ||
                        (is_known && mode == of_axes[x.rank() - 3]) ||
                        ((mode == "bicubic" || mode == "lanczos") && x.rank() == 4);
  if (is_known && has_axes) {
    if (mode == "lanczos" && keeps_corners) raise(ErrorKind::value, "Lanczos mode does not support align_corners=True");
    if (mode == "lanczos" && !antialias) raise(ErrorKind::value, "Lanczos mode requires antialias=True");
    return;
  }
  for (size_t i = 0; is_known && i < 3; ++i)
    if (mode == of_axes[i])
      raise(ErrorKind::not_implemented, "Got {}D input, but {} mode needs {}D input", x.rank(), mode, i + 3);
  raise(
      ErrorKind::not_implemented,
      "Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the modes: nearest | linear | bilinear | bicubic | "
      "trilinear | lanczos | area | nearest-exact (got {})",
      x.rank(), mode);
}

std::string sizes_named(const Shape& sizes) {
  std::string out;
  for (size_t i = 0; i < sizes.size(); ++i)
    out += std::string(i ? ", " : "") + "DHW"[3 - sizes.size() + i] + ": " + std::to_string(sizes[i]);
  return out;
}

void check_sizes(const Array& x, const Shape& out) {
  const Shape in(x.shape().begin() + 2, x.shape().end());
  const auto is_none = [](int64_t n) { return n < 1; };
  if (std::ranges::any_of(in, is_none) || std::ranges::any_of(out, is_none))
    raise(ErrorKind::runtime, "Input and output sizes should be greater than 0, but got input ({}){} output ({})",
          sizes_named(in), in.size() == 1 ? " and" : "", sizes_named(out));
  if (x.shape()[1] == 0)
    raise(ErrorKind::runtime, "Non-empty {}D data tensor expected but got a tensor with sizes {}", x.rank(),
          in_brackets(x.shape()));
}

void check_type(const Array& x, std::string_view mode, bool antialias) {
  const DType type = x.dtype();
  const bool is_nearest = mode == "nearest" || mode == "nearest-exact", is_half = size_of(type) == 2;
  const bool is_real = row(type).kind == DTypeKind::real;
  if (is_real && !(antialias && is_half)) return;
  if (type == DType::uint8 && (is_nearest || x.rank() == 4)) return;
  const char* name = antialias            ? "compute_index_ranges_weights"
                     : mode == "bicubic"  ? "compute_indices_weights_cubic"
                     : mode == "bilinear" ? "upsample_bilinear2d_channels_last"
                     : !is_nearest        ? "compute_indices_weights_linear"
                     : x.rank() == 4      ? "upsample_nearest2d_channels_last"
                                          : "compute_indices_weights_nearest";
  raise(ErrorKind::not_implemented, "\"{}\" not implemented for '{}'", name, torch_name_of(type));
}

// ---- sizes

std::string listed(const Shape& shape, size_t from) {
  std::string out = in_brackets(Shape(shape.begin() + static_cast<ptrdiff_t>(from), shape.end()));
  return out;
}

void check_sizes_or_factors(const Array& x, const std::optional<ResultSizes>& size, const std::optional<ScaleFactors>& factors,
                            bool recomputes) {
  if (size && factors) raise(ErrorKind::value, "only one of size or scale_factor should be defined");
  if (!size && !factors) raise(ErrorKind::value, "either size or scale_factor should be defined");
  const size_t axes = x.rank() < 2 ? 0 : x.rank() - 2;
  if (size && !size->fits(axes))
    raise(ErrorKind::value,
          "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of {} and "
          "output "
          "size of {}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.",
          listed(x.shape(), std::min<size_t>(x.rank(), 2)), in_brackets(size->numbers));
  if (factors && !factors->fits(axes))
    raise(
        ErrorKind::value,
        "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of {} and "
        "scale_factor of {} numbers. Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, "
        "...,sK) format.",
        listed(x.shape(), std::min<size_t>(x.rank(), 2)), factors->numbers.size());
  if (recomputes && size) raise(ErrorKind::value, "recompute_scale_factor is not meaningful with an explicit size.");
}

int64_t scaled(int64_t size, double factor) {
  const double out = static_cast<double>(size) * factor;
  if (!(std::abs(out) < 0x1p63)) raise(ErrorKind::runtime, "value cannot be converted to type int64_t without overflow");
  return static_cast<int64_t>(out);
}

Array mean_of_parts(const Array& x, const Shape& out) {
  WantedSizes sizes;
  for (int64_t n : out) sizes.sizes.emplace_back(n);
  return x.rank() == 3   ? adaptive_avg_pool1d(x, sizes)
         : x.rank() == 4 ? adaptive_avg_pool2d(x, sizes)
                         : adaptive_avg_pool3d(x, sizes);
}

}  // namespace

Array interpolate(const Array& x, const std::optional<ResultSizes>& size, const std::optional<ScaleFactors>& scale_factor,
                  std::optional<std::string_view> given_mode, std::optional<bool> align_corners,
                  std::optional<bool> recompute_scale_factor, bool antialias) {
  const std::string_view mode = given_mode.value_or("None");
  const bool has_corners = mode != "nearest" && mode != "area" && mode != "nearest-exact";
  if (!has_corners && align_corners)
    raise(ErrorKind::value,
          "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear");
  check_sizes_or_factors(x, size, scale_factor, recompute_scale_factor.value_or(false));
  const bool keeps_corners = align_corners.value_or(false), computes_factor = recompute_scale_factor.value_or(mode == "area");
  check_mode(x, mode, keeps_corners, antialias);
  std::vector<Resizing> axes;
  Shape out;
  for (size_t i = 0; i < x.rank() - 2; ++i) {
    const int64_t in = x.shape()[2 + i];
    std::optional<double> factor;
    if (scale_factor) factor = scale_factor->along(i);
    out.push_back(size ? size->along(i) : scaled(in, *factor));
    axes.push_back({in, out.back(), computes_factor ? std::nullopt : factor, keeps_corners});
  }
  if (mode == "area") return mean_of_parts(x, out);
  check_sizes(x, out);
  check_type(x, mode, antialias);
  std::vector<Taps> taps;
  const bool is_wide = x.dtype() == DType::float64 || x.dtype() == DType::uint8;
  for (const Resizing& axis : axes)
    taps.push_back(is_wide ? taps_in<double>(axis, mode, antialias) : taps_in<float>(axis, mode, antialias));
  const bool is_bytes = x.dtype() == DType::uint8 && has_corners;
  return is_bytes ? resampled_bytes(x, taps) : resampled(x, taps);
}

}  // namespace quern::nn
