// Tier 0's loops over rows of quern/ops.def: the reals.
#include "graph/tier0/rows.h"

namespace quern::tier0 {

const LoopsOfLevels rows_float32 = rows_of_levels<DType::float32>();
const LoopsOfLevels rows_float64 = rows_of_levels<DType::float64>();

}  // namespace quern::tier0
