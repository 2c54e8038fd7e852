// Functions of layers that move elements: padding as PyTorch has it, channels and pixels in another order; and the normalization
// over neighbouring channels. What is said of arguments that do not fit together is PyTorch's.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "functions/elementwise.h"

namespace quern::nn {

// `widths`: so many elements before and after along the last axis, then along that before it, and so on; negative ones cut.
// `mode`: "constant", with `value`, or "reflect", "replicate" or "circular", along the last one to three axes of arrays that have
// one or two axes more.
Array pad(const Rules& rules, const Array& x, const std::vector<int64_t>& widths, std::optional<std::string_view> mode,
          std::optional<double> value);

// x divided by (k + alpha * the mean of the squares of `size` neighbouring channels) ** beta, of (N, C, L, ...); of no elements x
// itself. Integers have a mean without its fraction.
std::optional<Array> local_response_norm(const Rules& rules, const Array& x, int64_t size, double alpha, double beta, double k);

// Channels, the axis 1: those of all groups by turns.
Array channel_shuffle(const Array& x, int64_t groups);
// (..., C * r * r, H, W) as (..., C, H * r, W * r), and back.
Array pixel_shuffle(const Array& x, int64_t factor);
Array pixel_unshuffle(const Array& x, int64_t factor);

}  // namespace quern::nn
