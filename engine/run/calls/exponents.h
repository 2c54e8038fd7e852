// What the device finds out about exponents.
#pragma once

#include "graph/call.h"

namespace quern {

// The same integers; a negative one is an error at the next look, as an integer has no such power among integers.
Array without_negatives(const Array& exponents);

}  // namespace quern
