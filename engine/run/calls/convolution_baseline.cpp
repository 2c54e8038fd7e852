// The loops of direct convolutions at the level baseline.
#include "graph/tier0/levels.h"
#define QUERN_DIRECT_LEVEL level_baseline
#define QUERN_DIRECT_BYTES 16
#define QUERN_DIRECT_ROWS 4
#define QUERN_DIRECT_TARGET
#define QUERN_DIRECT_ATTRIBUTES
#include "run/calls/convolution_loops.h"
namespace quern::direct {
const Loops<float>& float_loops_baseline = loops_of_level<float>;
const Loops<double>& double_loops_baseline = loops_of_level<double>;
}  // namespace quern::direct
