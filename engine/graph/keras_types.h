// What operators of Keras's tensors need beside resolve_as_keras() (op.h).
#pragma once

#include "core/dtype.h"

namespace quern {

// The type as which an array or a number of the host's counts: JAX takes it with 32 bits where it has 64.
DType host_type_as_keras(DType type);

}  // namespace quern
