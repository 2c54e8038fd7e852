#include "functions/keras_images.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.h"
#include "functions/border.h"
#include "functions/convolution.h"
#include "functions/grid_sampling.h"
#include "functions/resampling.h"
#include "functions/steps.h"
#include "graph/memory_order.h"

namespace quern::nn {

using namespace steps;

namespace {

// Where the rows of images stand; the columns follow.
size_t rows_of(const Array& images, std::optional<std::string_view> format) {
  if (images.rank() != 3 && images.rank() != 4)
    raise(ErrorKind::value,
          "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received input with shape: "
          "images.shape={}",
          to_string(images.shape()));
  return images.rank() - (are_channels_last(format) ? 3 : 2);
}

// ---- sizes

// The weight of an element at a distance, and the distance from which on it is 0.
struct Filter {
  double (*weight)(double);
  double reach;
};

double lanczos(double radius, double x) {
  if (x <= 1e-3) return 1;
  if (x > radius) return 0;
  constexpr double pi = std::numbers::pi;
  return radius * std::sin(pi * x) * std::sin(pi * x / radius) / (pi * pi * x * x);
}

std::optional<Filter> filter_named(std::string_view name) {
  if (name == "bilinear") return Filter{[](double x) { return std::max(0.0, 1 - x); }, 1};
  if (name == "bicubic")
    return Filter{[](double x) {
                    if (x >= 2) return 0.0;
                    return x >= 1 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : (1.5 * x - 2.5) * x * x + 1;
                  },
                  2};
  if (name == "lanczos3") return Filter{[](double x) { return lanczos(3, x); }, 3};
  if (name == "lanczos5") return Filter{[](double x) { return lanczos(5, x); }, 5};
  return {};
}

Taps nearest(int64_t in, int64_t out) {
  Taps taps{out};
  for (int64_t i = 0; i < out; ++i) {
    // As float32, which decides at the border of two elements.
    const float place = (static_cast<float>(i) + 0.5f) * static_cast<float>(in) / static_cast<float>(out);
    taps.places.push_back(std::min(static_cast<int64_t>(std::floor(place)), in - 1));
  }
  return taps;
}

// Elements outside do not count; the weights of the others are divided by their sum.
Taps filtered(int64_t in, int64_t out, const Filter& filter, bool antialias) {
  const double step = static_cast<double>(in) / static_cast<double>(out), wide = antialias ? std::max(step, 1.0) : 1.0;
  std::vector<int64_t> first;
  std::vector<std::vector<double>> weights;
  for (int64_t i = 0; i < out; ++i) {
    const double place = (static_cast<double>(i) + 0.5) * step - 0.5;
    const auto from = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(place - filter.reach * wide)), 0, in - 1);
    const auto to = std::clamp<int64_t>(static_cast<int64_t>(std::floor(place + filter.reach * wide)), from, in - 1);
    std::vector<double> own;
    double total = 0;
    for (int64_t j = from; j <= to; ++j)
      total += own.emplace_back(filter.weight(std::abs(place - static_cast<double>(j)) / wide));
    for (double& one : own) one = std::abs(total) > 1000 * 1.1920929e-07 ? one / total : 0;
    first.push_back(from);
    weights.push_back(std::move(own));
  }
  return taps_of(first, weights);
}

int64_t proportional(int64_t side, int64_t target, int64_t other_target) {
  return static_cast<int64_t>(static_cast<double>(side * target) / static_cast<double>(other_target));
}

Array cropped(const Array& images, size_t rows, int64_t height, int64_t width) {
  const int64_t h = images.shape()[rows], w = images.shape()[rows + 1];
  const int64_t high = std::max<int64_t>(std::min(h, proportional(w, height, width)), 1);
  const int64_t broad = std::max<int64_t>(std::min(w, proportional(h, width, height)), 1);
  const int64_t top = (h - high) / 2, left = (w - broad) / 2;
  return part(part(images, static_cast<int>(rows), top, top + high), static_cast<int>(rows) + 1, left, left + broad);
}

Array padded(const Array& images, size_t rows, int64_t height, int64_t width, double fill) {
  const int64_t h = images.shape()[rows], w = images.shape()[rows + 1];
  const int64_t top = (std::max(h, proportional(w, height, width)) - h) / 2;
  const int64_t left = (std::max(w, proportional(h, width, height)) - w) / 2;
  if (top <= 0 && left <= 0) return images;
  std::vector<std::pair<int64_t, int64_t>> widths(images.rank(), {0, 0});
  widths[rows + (top > 0 ? 0 : 1)] = top > 0 ? std::pair(top, top) : std::pair(left, left);
  const Scalar number = is_whole(images.dtype()) ? whole(static_cast<int64_t>(fill)) : real_number(fill);
  return with_border(images, widths, Border::constant, {.constants = std::vector(images.rank(), std::pair(number, number))});
}

// Whole numbers are computed as float32, rounded, and stay between the least and the greatest of the images.
Array resized(const Array& images, size_t rows, const Shape& size, std::string_view method, bool antialias) {
  const std::optional<Filter> filter = filter_named(method);
  const bool rounds = is_whole(images.dtype()) && filter;
  const Array wide = !filter ? images : rounds ? as_type(images, DType::float32) : as_type(images, wide_type(images.dtype()));
  Array out = wide;
  for (size_t i = 2; i-- > 0;) {
    const int64_t in = images.shape()[rows + i];
    if (in == size[i]) continue;
    if (in == 0)
      raise(ErrorKind::value, "[image.resize] images without rows or columns cannot be resized: shape {}",
            to_string(images.shape()));
    out = resampled_along(out, rows + i, filter ? filtered(in, size[i], *filter, antialias) : nearest(in, size[i]));
  }
  if (!rounds) return as_type(out, images.dtype());
  if (images.size() == 0 || out.size() == 0) return as_type(out, images.dtype());
  const std::vector<bool> all(images.rank(), true);
  const Array least = as_type(reduce(Reduction::minimum, images, all, false, {}), DType::float32);
  const Array most = as_type(reduce(Reduction::maximum, images, all, false, {}), DType::float32);
  return as_type(minimum(maximum(rint(out), least), most), images.dtype());
}

}  // namespace

Array resize_images(const Array& images, const Shape& size, std::optional<std::string_view> interpolation, bool antialias,
                    bool crops, bool pads, std::optional<std::string_view> fill_mode, double fill_value,
                    std::optional<std::string_view> format) {
  const std::string_view method = interpolation.value_or("None");
  if (method != "nearest" && !filter_named(method))
    raise(
        ErrorKind::value,
        "Invalid value for argument `interpolation`. Expected of one ('bilinear', 'nearest', 'lanczos3', 'lanczos5', 'bicubic'). "
        "Received: interpolation={}",
        method);
  if (fill_mode != "constant")
    raise(ErrorKind::value, "Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: fill_mode={}",
          fill_mode.value_or("None"));
  if (crops && pads) raise(ErrorKind::value, "Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.");
  if (size.size() != 2)
    raise(ErrorKind::value, "Argument `size` must be a tuple of two elements (height, width). Received: size={}",
          to_string(size));
  if (size[0] < 0 || size[1] < 0)
    raise(ErrorKind::value, "Argument `size` must not be negative. Received: size={}", to_string(size));
  const size_t rows = rows_of(images, format);
  if ((crops || pads) && (size[0] == 0 || size[1] == 0))
    raise(ErrorKind::value, "Argument `size` must be positive to keep an aspect ratio. Received: size={}", to_string(size));
  const Array in = crops  ? cropped(images, rows, size[0], size[1])
                   : pads ? padded(images, rows, size[0], size[1], fill_value)
                          : images;
  const Array out = resized(in, rows, size, method, antialias);
  return out.cell() == images.cell() ? copied(out, out.dtype()) : out;
}

// ---- places between elements

namespace {

// The remainder with the sign of the divisor.
Array turned(const Array& place, int64_t n, std::string_view mode) {
  const auto mirrored = [](const Array& index, int64_t size) {
    const int64_t s = size - 1;
    return absolute(subtract(remainder(add(index, s), std::max<int64_t>(2 * s, 1)), s));
  };
  if (mode == "nearest") return minimum(maximum(place, 0), n - 1);
  if (mode == "wrap") return remainder(place, n);
  if (mode == "mirror") return n == 1 ? multiply(place, 0) : mirrored(place, n);
  return floor_divide(subtract(mirrored(add(multiply(place, 2), 1), 2 * n + 1), 1), 2);  // reflect
}

TakenPlace taken(const Array& index, int64_t n, std::string_view mode, const std::optional<Array>& weight) {
  const Array place = as_type(index, DType::int64);
  if (mode != "constant") return {turned(place, n, mode), weight, {}};
  return {place, weight, logical_and(greater_equal(place, 0), less(place, n))};
}

std::vector<TakenPlace> taken_between(const Array& coordinate, int64_t n, int64_t order, std::string_view mode, DType type) {
  if (order == 0) {
    // Half-way places are rounded away from zero.
    const Array rounded =
        is_whole(coordinate.dtype()) ? coordinate : multiply(sign(coordinate), floor(add(absolute(untaped(coordinate)), 0.5)));
    return {taken(rounded, n, mode, {})};
  }
  const Array place = is_whole(coordinate.dtype()) ? as_type(coordinate, type) : coordinate;
  const Array below = floor(untaped(place)), part_above = subtract(place, below);
  return {taken(below, n, mode, as_type(subtract(1, part_above), type)),
          taken(add(below, 1), n, mode, as_type(part_above, type))};
}

void check_fill_mode(std::optional<std::string_view> mode) {
  constexpr std::string_view modes[] = {"constant", "nearest", "wrap", "mirror", "reflect"};
  if (std::ranges::find(modes, mode.value_or("None")) == std::end(modes))
    raise(
        ErrorKind::value,
        "Invalid value for argument `fill_mode`. Expected one of ('constant', 'nearest', 'wrap', 'mirror', 'reflect'). Received: "
        "fill_mode={}",
        mode.value_or("None"));
}

// What means are computed in.
DType mean_type(DType type) { return is_whole(type) ? DType::float32 : wide_type(type); }

Array as_before(const Array& made, DType type) {
  if (!is_whole(type)) return as_type(made, type);
  return as_type(multiply(sign(made), floor(add(absolute(made), 0.5))), type);
}

}  // namespace

Array map_coordinates(const Array& x, const Array& coordinates, int64_t order, std::optional<std::string_view> fill_mode,
                      double fill_value) {
  if (coordinates.rank() == 0 || coordinates.shape()[0] != static_cast<int64_t>(x.rank()))
    raise(ErrorKind::value,
          "First dim of `coordinates` must be the same as the rank of `inputs`. Received inputs with shape: {} and coordinate "
          "leading "
          "dim of {}",
          to_string(x.shape()), coordinates.rank() ? coordinates.shape()[0] : 0);
  if (coordinates.rank() < 2)
    raise(ErrorKind::value, "Invalid coordinates rank: expected at least rank 2. Received input with shape: {}",
          to_string(coordinates.shape()));
  check_fill_mode(fill_mode);
  if (order != 0 && order != 1)
    raise(ErrorKind::value, "Invalid value for argument `order`. Expected one of [0, 1]. Received: order={}", order);
  if (x.size() == 0) raise(ErrorKind::value, "[map_coordinates] `inputs` has no elements: shape {}", to_string(x.shape()));
  const DType type = mean_type(x.dtype());
  std::vector<std::vector<TakenPlace>> axes;
  for (size_t i = 0; i < x.rank(); ++i)
    axes.push_back(taken_between(element(coordinates, 0, static_cast<int64_t>(i)), x.shape()[i], order, *fill_mode, type));
  const Array rows = reshape(as_type(x, type), {x.size(), 1});
  return as_before(element(elements_between(rows, x.shape(), {}, axes, fill_value), -1, 0), x.dtype());
}

Array affine_transform(const Array& images, const Array& transform, std::optional<std::string_view> interpolation,
                       std::optional<std::string_view> fill_mode, double fill_value, std::optional<std::string_view> format) {
  if (interpolation != "nearest" && interpolation != "bilinear")
    raise(ErrorKind::value,
          "Invalid value for argument `interpolation`. Expected of one ('nearest', 'bilinear'). Received: interpolation={}",
          interpolation.value_or("None"));
  check_fill_mode(fill_mode);
  const size_t rows_at = rows_of(images, format);
  if (transform.rank() != 1 && transform.rank() != 2)
    raise(
        ErrorKind::value,
        "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch of transforms). Received input with shape: "
        "transform.shape={}",
        to_string(transform.shape()));
  const Array batch = images.rank() == 4 ? images : expand_dims(images, 0);
  const Array in = are_channels_last(format) ? batch : with_last(batch, 1);
  const int64_t samples = in.shape()[0], h = in.shape()[1], w = in.shape()[2], channels = in.shape()[3];
  const int64_t given = transform.rank() == 2 ? transform.shape()[0] : 1;
  if (last_size(transform) != 8 || (given != 1 && given != samples))
    raise(ErrorKind::value, "`transform` must have 8 numbers, for all images or for each of {}. Received: transform.shape={}",
          samples, to_string(transform.shape()));
  if (in.size() == 0) return copied(images, images.dtype());
  const DType type = mean_type(images.dtype());
  const Array numbers = reshape(is_whole(transform.dtype()) ? as_type(transform, DType::float32) : transform, {given, 8, 1, 1});
  const auto number = [&](int64_t n) { return element(numbers, 1, n); };
  const Array x = reshape(as_type(arange(w, in.device()), numbers.dtype()), {1, 1, w});
  const Array y = reshape(as_type(arange(h, in.device()), numbers.dtype()), {1, h, 1});
  const Array depth = add(add(multiply(number(6), x), multiply(number(7), y)), 1);
  const Array from_x = true_divide(add(add(multiply(number(0), x), multiply(number(1), y)), number(2)), depth);
  const Array from_y = true_divide(add(add(multiply(number(3), x), multiply(number(4), y)), number(5)), depth);
  const int64_t order = interpolation == "bilinear" ? 1 : 0;
  const std::vector<std::vector<TakenPlace>> axes{taken_between(from_y, h, order, *fill_mode, type),
                                                  taken_between(from_x, w, order, *fill_mode, type)};
  const Array rows = reshape(in_order(as_type(in, type), Order::c), {samples * h * w, channels});
  const Array first = reshape(multiply(arange(samples, in.device()), h * w), {samples, 1, 1});
  Array out = as_before(elements_between(rows, {h, w}, first, axes, fill_value), images.dtype());
  if (!are_channels_last(format)) out = from_last(out, 1);
  return images.rank() == 4 ? out : element(out, 0, 0);
}

// ---- bell curves

Array gaussian_blur(const Array& images, const Shape& kernel_size, const ScaleFactors& sigma,
                    std::optional<std::string_view> format) {
  const size_t rows = rows_of(images, format);
  if (kernel_size.size() != 2 || !sigma.fits(2) || kernel_size[0] < 1 || kernel_size[1] < 1)
    raise(ErrorKind::value,
          "[gaussian_blur] `kernel_size` and `sigma` must be two positive numbers each. Received: kernel_size={}",
          to_string(kernel_size));
  Array out = as_type(images, wide_type(images.dtype()));
  if (out.size() == 0) return copied(images, images.dtype());
  for (size_t i = 0; i < 2; ++i) {
    const size_t of = i == 0 ? 1 : 0;  // the numbers of the columns come first
    const int64_t n = images.shape()[rows + i], size = kernel_size[of], before = (size - 1) / 2;
    std::vector<double> bell;
    double total = 0;
    for (int64_t k = 0; k < size; ++k) {
      const double x = (static_cast<double>(k) - static_cast<double>(size - 1) / 2) / sigma.along(of);
      total += bell.emplace_back(std::exp(-0.5 * x * x));
    }
    std::vector<int64_t> first;
    std::vector<std::vector<double>> weights;
    for (int64_t j = 0; j < n; ++j) {
      first.push_back(std::max<int64_t>(j - before, 0));
      std::vector<double>& own = weights.emplace_back();
      for (int64_t p = first.back(); p < std::min(j - before + size, n); ++p)
        own.push_back(bell[static_cast<size_t>(p - j + before)] / total);
    }
    out = resampled_along(out, rows + i, taps_of(first, weights));
  }
  return as_type(out, images.dtype());
}

}  // namespace quern::nn
