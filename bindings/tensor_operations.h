// Elementwise operations by PyTorch's rules: types of results, which operands stand together, errors (tensor.cpp).
#pragma once

#include "bindings/objects.h"
#include "graph/op.h"

namespace quern::python {

// An operation of these tensors and numbers; `into`: the tensor that takes the result, or None. A new reference; null: Python's
// error is set.
PyObject* call_torch_op(Op op, PyObject* const* values, size_t count, PyObject* into);

}  // namespace quern::python
