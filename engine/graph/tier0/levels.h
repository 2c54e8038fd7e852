// The instruction sets that tier 0 has loops for: one quern runs on every x86-64, and the best that the processor has is chosen
// once, at start (levels.cpp). Every level gives the same bits.
//
// A level above the lowest is a set of function attributes on loops, and on nothing else. What they call or share with
// other files is code for the lowest level, whichever copy of it the linker takes: what is not inlined is slow, never wrong.
#pragma once

#include "graph/tier0/loops.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define QUERN_TIER0_LEVELS 1
// Features, not the name x86-64-v3: what was written for one named processor is not inlined into what is for another.
#define QUERN_TIER0_AVX2 "avx2,fma,bmi,bmi2,popcnt,f16c"  // levels.cpp asks for the same
#define QUERN_TIER0_AVX512 QUERN_TIER0_AVX2 ",avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
#else
#define QUERN_TIER0_LEVELS 0
#endif

namespace quern::tier0 {

enum class Level : uint8_t { baseline, avx2, avx512 };
inline constexpr size_t level_count = 3;
Level level();  // of this process

// The first of a table's loops, by level, that stands at this level or below.
template <class Run>
Run best(const std::array<Run, level_count>& loops) {
  for (size_t l = static_cast<size_t>(level()); l > 0; --l)
    if (loops[l]) return loops[l];
  return loops[0];
}

extern const LoopsOfType rows_boolean, rows_int8, rows_int16, rows_uint8, rows_uint16, rows_uint32, rows_uint64, rows_complex64,
    rows_complex128;
// Types for which levels are worth their code (docs/decisions/0006-tiny-work.md).
using LoopsOfLevels = std::array<LoopsOfType, level_count>;
extern const LoopsOfLevels rows_int32, rows_int64, rows_float16, rows_bfloat16, rows_float32, rows_float64;

}  // namespace quern::tier0
