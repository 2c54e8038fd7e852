// Tier 0: tiny work on the CPU runs at once on the calling thread, in loops compiled with quern itself from the same rows and the
// same device functions as fused groups.
#pragma once

#include "graph/array.h"

namespace quern {

// Computes the node when it is small, on the CPU, and all it needs is there. False: it stays for the scheduler.
bool run_tier0(Node& node, Evaluator& evaluator);

// For tests: how many elements count as tiny (512), 0 for never.
void set_tier0_limit(int64_t elements);

// A float16's or bfloat16's bits.
uint16_t tier0_half(double value, DType dtype);

}  // namespace quern
