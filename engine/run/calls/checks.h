// What the device finds out about values that are not known on the host.
#pragma once

#include "graph/call.h"

namespace quern {

// The same integers; a negative one is an error at the next look, as an integer has no such power among integers.
Array without_negatives(const Array& exponents);

// The same number (0-d, integer or real), as the integer that it is; one that `dtype` cannot hold is an error at the next look.
Array within_range(const Array& number, DType dtype);

}  // namespace quern
