// Values of the host as Keras's tensors: numbers, sequences, arrays, variables.
#pragma once

#include "bindings/host_values.h"

namespace quern::python::faces {

// Python's numbers are of int32, bool, complex64 or the front end's real type; those of sequences are of what Keras computes them
// in together. Raises ValueError for None and for placeholders.
MadeOfValue made_as_keras(PyObject* value, std::optional<DType> dtype);

// What Keras computes operands in together; that of Python's real numbers alone is the front end's.
DType type_together(std::span<const OperandType> types);

}  // namespace quern::python::faces
