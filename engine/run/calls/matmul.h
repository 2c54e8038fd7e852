// Matrix products.
#pragma once

#include "graph/call.h"

namespace quern {

// NumPy's matmul: the last two axes are matrices, the others broadcast; a vector counts as a row on the left, a column on the
// right. In the operands' common type. Raises ErrorKind::value for shapes that do not fit.
Array matmul(const Array& a, const Array& b);

}  // namespace quern
