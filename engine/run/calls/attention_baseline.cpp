// The loops over rows of attention's scores at the level baseline.
#include "graph/tier0/levels.h"
#define QUERN_ATTENTION_LEVEL level_baseline
#define QUERN_ATTENTION_BYTES 16
#define QUERN_ATTENTION_TARGET
#define QUERN_ATTENTION_ATTRIBUTES
#include "run/calls/attention_loops.h"
namespace quern::attention {
const Loops<float>& float_loops_baseline = loops_of_level<float>;
const Loops<double>& double_loops_baseline = loops_of_level<double>;
}  // namespace quern::attention
