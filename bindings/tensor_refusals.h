// What PyTorch refuses of the values in tensors.
#pragma once

#include <string_view>

#include "bindings/objects.h"
#include "run/calls/indexing.h"

namespace quern::python {

const OutOfRange* out_of_range(std::string_view rule);

// Are all classes from 0 to `classes` - 1, or `ignored`? False: it is not known; those of a GPU, and others that are not there
// yet, are not waited for. Raises ErrorKind::index for others.
bool are_classes(const Array& target, int64_t classes, int64_t ignored);

void init_tensor_refusals(nb::module_& m);

}  // namespace quern::python
