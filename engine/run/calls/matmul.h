// Matrix products.
#pragma once

#include "graph/call.h"

namespace quern {

// NumPy's matmul: the last two axes are matrices, the others broadcast; a vector counts as a row on the left, a column on the
// right. In the operands' common type. Raises ErrorKind::value for shapes that do not fit.
Array matmul(const Array& a, const Array& b);

// Whether products of float32 that are recorded from here on may round their factors to TF32 (10 bits of fraction) on a GPU that
// has it. Of the process; off until set.
void allow_tf32(bool allowed);
bool allows_tf32();

}  // namespace quern
