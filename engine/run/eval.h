// The executor: runs what arrays have recorded. Start at run_for_graph() in eval.cpp; it reads key -> replay | schedule ->
// batches
// -> launches.
#pragma once

#include <cstdint>

namespace quern {

// The graph executes by this; before the first array, and as often as one likes.
void install_executor();

// How many submissions were replays (run/replay.h) of earlier ones.
uint64_t replayed();

}  // namespace quern
