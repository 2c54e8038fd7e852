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

}  // namespace quern::nn
