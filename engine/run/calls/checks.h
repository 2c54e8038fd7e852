// What the device finds out about values that are not known on the host: the work of a Check (graph/node.h).
#pragma once

#include "graph/call.h"

namespace quern {

void run_check(const Check& check, const CallRun& run);

}  // namespace quern
