// Tier 0's loops over rows of quern/ops.def: complex numbers.
#include "graph/tier0/rows.h"

namespace quern::tier0 {

const LoopsOfType rows_complex64 = rows_of<DType::complex64>();
const LoopsOfType rows_complex128 = rows_of<DType::complex128>();

}  // namespace quern::tier0
