// Images, signals and volumes in another size: (samples, channels, sizes), as PyTorch's interpolate() has it. Which elements a
// result is made of is decided here, on the host; resampling.h takes and adds them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/array.h"

namespace quern::nn {

// Sizes of the result, or those divided by the input's: for each axis, or a single number for all.
template <class T>
struct ForEachOrAll {
  std::vector<T> numbers;
  bool is_single = false;
  bool fits(size_t axes) const { return is_single || numbers.size() == axes; }
  T along(size_t axis) const { return numbers[is_single ? 0 : axis]; }
};
using ResultSizes = ForEachOrAll<int64_t>;
using ScaleFactors = ForEachOrAll<double>;

// `mode`: "nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "lanczos" or "area". `align_corners`: the
// elements at the corners stay; else elements are squares whose corners stay. `antialias`: more elements count where the result
// is smaller. Without `recompute_scale_factor` places are computed with the factors as they are given.
Array interpolate(const Array& x, const std::optional<ResultSizes>& size, const std::optional<ScaleFactors>& scale_factor,
                  std::optional<std::string_view> mode, std::optional<bool> align_corners,
                  std::optional<bool> recompute_scale_factor, bool antialias);

}  // namespace quern::nn
