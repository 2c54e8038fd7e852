// The transforms' loops at the level avx512.
#include "graph/tier0/levels.h"
#if QUERN_TIER0_LEVELS
#define QUERN_FOURIER_LEVEL level_avx512
#define QUERN_FOURIER_BYTES 64
#define QUERN_FOURIER_TARGET , gnu::target(QUERN_TIER0_AVX512)
#define QUERN_FOURIER_LAMBDA __attribute__((always_inline, target(QUERN_TIER0_AVX512)))
#include "run/calls/fourier_kernels.h"
namespace quern::fft {
const Loops<float>& float_loops_avx512 = loops_of_level<float>;
const Loops<double>& double_loops_avx512 = loops_of_level<double>;
}  // namespace quern::fft
#endif
