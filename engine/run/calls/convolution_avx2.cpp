// The loops of direct convolutions at the level avx2.
#include "graph/tier0/levels.h"
#if QUERN_TIER0_LEVELS
#define QUERN_DIRECT_LEVEL level_avx2
#define QUERN_DIRECT_BYTES 32
#define QUERN_DIRECT_ROWS 4
#define QUERN_DIRECT_TARGET , gnu::target(QUERN_TIER0_AVX2)
#define QUERN_DIRECT_ATTRIBUTES gnu::target(QUERN_TIER0_AVX2)
#include "run/calls/convolution_loops.h"
namespace quern::direct {
const Loops<float>& float_loops_avx2 = loops_of_level<float>;
const Loops<double>& double_loops_avx2 = loops_of_level<double>;
}  // namespace quern::direct
#endif
