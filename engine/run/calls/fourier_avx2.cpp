// The transforms' loops at the level avx2.
#include "graph/tier0/levels.h"
#if QUERN_TIER0_LEVELS
#define QUERN_FOURIER_LEVEL level_avx2
#define QUERN_FOURIER_BYTES 32
#define QUERN_FOURIER_TARGET , gnu::target(QUERN_TIER0_AVX2)
#define QUERN_FOURIER_LAMBDA __attribute__((always_inline, target(QUERN_TIER0_AVX2)))
#include "run/calls/fourier_kernels.h"
namespace quern::fft {
const Loops<float>& float_loops_avx2 = loops_of_level<float>;
const Loops<double>& double_loops_avx2 = loops_of_level<double>;
}  // namespace quern::fft
#endif
