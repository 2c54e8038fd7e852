// Functions of images as Keras has them, with the channels last or first: what JAX computes. resampling.h and grid_sampling.h do
// the work.
#pragma once

#include <optional>
#include <string_view>

#include "functions/resizing.h"

namespace quern::nn {

// Images, (H, W, C) or several, in another size.
Array resize_images(const Array& images, const Shape& size, std::optional<std::string_view> interpolation, bool antialias,
                    bool crops, bool pads, std::optional<std::string_view> fill_mode, double fill_value,
                    std::optional<std::string_view> format);
// An array at places between its elements: `coordinates` has a row for each of its axes. `order`: 0 is the nearest element, 1 a
// mean of neighbours. `fill_mode`, of what lies outside: "constant", "nearest", "wrap", "mirror" or "reflect".
Array map_coordinates(const Array& x, const Array& coordinates, int64_t order, std::optional<std::string_view> fill_mode,
                      double fill_value);
// Each pixel (x, y) of the result comes from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), where k = c0 x + c1 y + 1;
// `transform` has these eight numbers, for all images or for each.
Array affine_transform(const Array& images, const Array& transform, std::optional<std::string_view> interpolation,
                       std::optional<std::string_view> fill_mode, double fill_value, std::optional<std::string_view> format);
// Images after a convolution with a bell curve; both have a number for the columns and one for the rows.
Array gaussian_blur(const Array& images, const Shape& kernel_size, const ScaleFactors& sigma,
                    std::optional<std::string_view> format);

}  // namespace quern::nn
