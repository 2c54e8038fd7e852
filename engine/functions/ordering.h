// Orders made of sorts (run/calls/sorting.h).
#pragma once

#include <vector>

#include "graph/array.h"

namespace quern {

// The places that order the rows by several keys of one shape: by the last one, where that is equal by the one before it.
Array sorted_places_by(const std::vector<Array>& keys);

}  // namespace quern
