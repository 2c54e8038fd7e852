// Elements or channels that are left out at random in training.
#pragma once

#include <optional>

#include "functions/distributions.h"
#include "functions/elementwise.h"

namespace quern::nn {

// In training each element is 0 with probability p and else divided by 1 - p; none: x itself.
std::optional<Array> dropout(const Array& x, double p, bool is_training, const random::Stream& draws);

}  // namespace quern::nn
