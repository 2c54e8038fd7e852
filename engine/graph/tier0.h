// Tier 0: tiny work on the CPU runs at once on the calling thread, in loops compiled with quern itself from the same rows and the
// same device functions as fused groups. tier0/ has the loops, run/tier0.h drives them; here is what recording needs of it.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/dtype.h"

namespace quern {

// How many elements are tiny at most; fewer where they fill more bytes or cost more.
inline constexpr int64_t tier0_limit = 2048;

// The instruction set of its loops, chosen at start: "baseline", "avx2" or "avx512" (QUERN_TIER0_LEVEL lowers it).
std::string_view tier0_level();

// A number of the host as any type, converted as an array's element is, and the number that a float16's or bfloat16's bits are.
void tier0_convert(double value, DType dtype, void* out);
double tier0_wide(uint16_t bits, DType dtype);

}  // namespace quern
