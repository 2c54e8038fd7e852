// The loops over rows of attention's scores at the level avx2.
#include "graph/tier0/levels.h"
#if QUERN_TIER0_LEVELS
#define QUERN_ATTENTION_LEVEL level_avx2
#define QUERN_ATTENTION_BYTES 32
#define QUERN_ATTENTION_TARGET , gnu::target(QUERN_TIER0_AVX2)
#define QUERN_ATTENTION_ATTRIBUTES gnu::target(QUERN_TIER0_AVX2)
#include "run/calls/attention_loops.h"
namespace quern::attention {
const Loops<float>& float_loops_avx2 = loops_of_level<float>;
const Loops<double>& double_loops_avx2 = loops_of_level<double>;
}  // namespace quern::attention
#endif
