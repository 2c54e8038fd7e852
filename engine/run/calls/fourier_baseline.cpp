// The transforms' loops at the level baseline.
#include "graph/tier0/levels.h"
#define QUERN_FOURIER_LEVEL level_baseline
#define QUERN_FOURIER_BYTES 16
#define QUERN_FOURIER_TARGET
#define QUERN_FOURIER_LAMBDA __attribute__((always_inline))
#include "run/calls/fourier_kernels.h"
namespace quern::fft {
const Loops<float>& float_loops_baseline = loops_of_level<float>;
const Loops<double>& double_loops_baseline = loops_of_level<double>;
}  // namespace quern::fft
