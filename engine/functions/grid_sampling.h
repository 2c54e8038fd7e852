// Elements of images at places between their elements, which other arrays say. Start at elements_between(); grid_sample() is
// PyTorch's, keras_images.cpp has Keras's.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/array.h"

namespace quern {

// An element along one axis that takes part in a result: its place, how much it counts (none: once), and where it is there
// (none: everywhere); where it is not, `fill` counts in its stead. A place that is not there may be any.
struct TakenPlace {
  Array place;
  std::optional<Array> weight, is_there;
};
// For each element of the places' common shape the sum over all combinations of one place for each axis. `rows`: (elements of all
// images, channels); `first`: the number of the image's first row. The result has the channels as its last axis.
Array elements_between(const Array& rows, const Shape& sizes, const std::optional<Array>& first,
                       const std::vector<std::vector<TakenPlace>>& axes, double fill);

namespace nn {

// x, (N, C, sizes), at the places of `grid`, (N, sizes of the result, axes): -1 and 1 are the borders of the image, or with
// `align_corners` the centers of the elements there; the last axis comes first. `mode`: "bilinear", "nearest" or "bicubic";
// `padding_mode`, of what lies outside: "zeros", "border" or "reflection".
Array grid_sample(const Array& x, const Array& grid, std::optional<std::string_view> mode,
                  std::optional<std::string_view> padding_mode, std::optional<bool> align_corners);
// Such a grid for matrices, (N, 2, 3) or (N, 3, 4), that say where each element of images of this size comes from.
Array affine_grid(const Array& theta, const Shape& size, std::optional<bool> align_corners);

}  // namespace nn
}  // namespace quern
