// When work that nobody has looked at is submitted: at a place of the program that comes again, where few values are alive. So
// the rounds of a loop are cut alike, and the kernels of one round serve all others.
#pragma once

#include "graph/array.h"

namespace quern {

// After an op was recorded by `site`: submits everything when much is pending and this is the place for it.
void submit_under_pressure(Site site);

}  // namespace quern
