// Tier 0's loops over rows of quern/ops.def: the 16-bit reals.
#include "graph/tier0/rows.h"

namespace quern::tier0 {

const LoopsOfLevels rows_float16 = rows_of_levels<DType::float16>();
const LoopsOfLevels rows_bfloat16 = rows_of_levels<DType::bfloat16>();

}  // namespace quern::tier0
