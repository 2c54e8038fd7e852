// Pooling by powers, and over windows that begin at random places. Start at the declarations; pooling.h has the other kinds.
#pragma once

#include <optional>

#include "functions/distributions.h"
#include "functions/pooling.h"
#include "functions/resizing.h"

namespace quern::nn {

// The root of the sum of the powers of each window: (sum of x ** p) ** (1 / p). An infinite p: the largest or the smallest size.
Array lp_pool1d(const Array& x, double p, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, bool ceil_mode);
Array lp_pool2d(const Array& x, double p, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, bool ceil_mode);
Array lp_pool3d(const Array& x, double p, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, bool ceil_mode);

// The largest element of each window, and its place in the plane. `output_size` windows, or that part of the input's size,
// `output_ratio`, begin about evenly; `samples` says where, a number in [0, 1) for each sample, channel and axis; none: a random
// one.
OneOrMore fractional_max_pool2d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& output_size,
                                const std::optional<ScaleFactors>& output_ratio, bool return_indices, const Array* samples,
                                const random::Stream& draws);
OneOrMore fractional_max_pool3d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& output_size,
                                const std::optional<ScaleFactors>& output_ratio, bool return_indices, const Array* samples,
                                const random::Stream& draws);

}  // namespace quern::nn
