// What each step of a training loop goes through, in one call: layers, losses and updates of optimizers.
#pragma once

#include "bindings/objects.h"

namespace quern::python {

void init_tensor_steps(nb::module_& m);

}  // namespace quern::python
