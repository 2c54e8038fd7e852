// Tier 0: tiny work on the CPU runs at once on the calling thread, in loops compiled with quern itself from the same rows and the
// same device functions as fused groups. tier0.cpp drives, tier0/ has the loops.
#pragma once

#include <string_view>

#include "graph/array.h"

namespace quern {

// Computes the node when it is small, on the CPU, and all it needs is there. False: it stays for the scheduler.
bool run_tier0(Node& node, Evaluator& evaluator);

// How many elements are tiny at most; fewer where they fill more bytes or cost more.
inline constexpr int64_t tier0_limit = 2048;
void set_tier0_limit(int64_t elements);  // for tests: 0 for never
bool is_tier0_whole();                   // no test has lowered the limit

// The instruction set of its loops, chosen at start: "baseline", "avx2" or "avx512" (QUERN_TIER0_LEVEL lowers it).
std::string_view tier0_level();

// A number of the host as any type, converted as an array's element is, and the number that a float16's or bfloat16's bits are.
void tier0_convert(double value, DType dtype, void* out);
double tier0_wide(uint16_t bits, DType dtype);

}  // namespace quern
