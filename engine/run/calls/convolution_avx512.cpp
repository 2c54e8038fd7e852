// The loops of direct convolutions at the level avx512.
#include "graph/tier0/levels.h"
#if QUERN_TIER0_LEVELS
#define QUERN_DIRECT_LEVEL level_avx512
#define QUERN_DIRECT_BYTES 64
#define QUERN_DIRECT_ROWS 8
#define QUERN_DIRECT_TARGET , gnu::target(QUERN_TIER0_AVX512)
#define QUERN_DIRECT_ATTRIBUTES gnu::target(QUERN_TIER0_AVX512)
#include "run/calls/convolution_loops.h"
namespace quern::direct {
const Loops<float>& float_loops_avx512 = loops_of_level<float>;
const Loops<double>& double_loops_avx512 = loops_of_level<double>;
}  // namespace quern::direct
#endif
