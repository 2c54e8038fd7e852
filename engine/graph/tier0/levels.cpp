#include "graph/tier0/levels.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "graph/tier0.h"

namespace quern {

namespace tier0 {

namespace {

constexpr std::string_view names[] = {"baseline", "avx2", "avx512"};

Level best_of_processor() {
#if QUERN_TIER0_LEVELS
  __builtin_cpu_init();
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)
  if (!(HAS("avx2") && HAS("fma") && HAS("bmi") && HAS("bmi2") && HAS("popcnt") && HAS("f16c"))) return Level::baseline;
  if (!(HAS("avx512f") && HAS("avx512bw") && HAS("avx512cd") && HAS("avx512dq") && HAS("avx512vl"))) return Level::avx2;
#undef HAS
  return Level::avx512;
#else
  return Level::baseline;
#endif
}

// A wish can only lower it.
Level choose() {
  Level level = best_of_processor();
  const char* wish = std::getenv("QUERN_TIER0_LEVEL");
  for (size_t i = 0; wish && i < std::size(names); ++i)
    if (names[i] == wish) level = std::min(level, static_cast<Level>(i));
  return level;
}

LoopsOfType at_level(const LoopsOfLevels& levels) {
  LoopsOfType out;
  for (size_t r = 0; r < row_count; ++r) out[r] = best<RunLoop>({levels[0][r], levels[1][r], levels[2][r]});
  return out;
}

}  // namespace

Level level() {
  static const Level chosen = choose();
  return chosen;
}

// In the order of DType.
const Loops loops{rows_boolean,
                  rows_int8,
                  rows_int16,
                  at_level(rows_int32),
                  at_level(rows_int64),
                  rows_uint8,
                  rows_uint16,
                  rows_uint32,
                  rows_uint64,
                  at_level(rows_float16),
                  at_level(rows_bfloat16),
                  at_level(rows_float32),
                  at_level(rows_float64),
                  rows_complex64,
                  rows_complex128};

bool is_in_vectors(Op op, DType compute) {
  const LoopsOfType& baseline = compute == DType::float32 ? rows_float32[0] : rows_float64[0];
  if (compute != DType::float32 && compute != DType::float64) return false;
  return row(op).cost == Cost::function && loop_of(op, compute) != baseline[static_cast<size_t>(op)];
}

}  // namespace tier0

std::string_view tier0_level() { return tier0::names[static_cast<size_t>(tier0::level())]; }

}  // namespace quern
