// How long the CPU's threads worked, for the trace: the pool counts while somebody traces.
#pragma once

#include "device/device.h"

namespace quern {

// Nanoseconds of all threads of the pool together, between two events of the CPU that are done; without work that took no pool.
int64_t pool_time_between(Event& start, Event& end);

}  // namespace quern
