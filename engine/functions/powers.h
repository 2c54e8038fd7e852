// Powers whose exponent is a number of the host, with PyTorch's derivatives: those of x**n are powers, too, down to x**0, which
// has none.
#pragma once

#include <functional>

#include "graph/array.h"

namespace quern {

// `make` computes the power. The derivative of x**0 is not recorded.
Array number_power(const Array& base, double exponent, const std::function<Array()>& make);

}  // namespace quern
