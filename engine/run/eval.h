// Runs what arrays have recorded. Start at GroupEvaluator::evaluate() in eval.cpp.
#pragma once

#include <cstdint>

namespace quern {

// Makes arrays evaluate through this; before the first array, and as often as one likes.
void install_evaluator();

// How many submissions were replays (run/replay.h) of earlier ones.
uint64_t replayed();

}  // namespace quern
