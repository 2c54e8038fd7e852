// Tier 0's loops over rows of quern/ops.def: the integers without a sign.
#include "graph/tier0/rows.h"

namespace quern::tier0 {

const LoopsOfType rows_uint8 = rows_of<DType::uint8>();
const LoopsOfType rows_uint16 = rows_of<DType::uint16>();
const LoopsOfType rows_uint32 = rows_of<DType::uint32>();
const LoopsOfType rows_uint64 = rows_of<DType::uint64>();

}  // namespace quern::tier0
