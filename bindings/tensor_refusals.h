// What PyTorch refuses of the values in tensors.
#pragma once

#include <string_view>

#include "bindings/objects.h"
#include "run/calls/indexing.h"

namespace quern::python {

const OutOfRange* out_of_range(std::string_view rule);

void init_tensor_refusals(nb::module_& m);

}  // namespace quern::python
