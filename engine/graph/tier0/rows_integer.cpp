// Tier 0's loops over rows of quern/ops.def: the integers that have a sign, and bools.
#include "graph/tier0/rows.h"

namespace quern::tier0 {

const LoopsOfType rows_boolean = rows_of<DType::boolean>();
const LoopsOfType rows_int8 = rows_of<DType::int8>();
const LoopsOfType rows_int16 = rows_of<DType::int16>();
const LoopsOfLevels rows_int32 = rows_of_levels<DType::int32>();
const LoopsOfLevels rows_int64 = rows_of_levels<DType::int64>();

}  // namespace quern::tier0
