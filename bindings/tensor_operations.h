// Elementwise operations by PyTorch's rules: types of results, which operands stand together, errors (tensor.cpp).
#pragma once

#include "bindings/objects.h"
#include "functions/elementwise.h"

namespace quern::python {

// An operation of these tensors and numbers; `into`: the tensor that takes the result, or None. A new reference; null: Python's
// error is set.
PyObject* call_torch_op(Op op, PyObject* const* values, size_t count, PyObject* into);

PyObject* wrap_tensor(Array&& array);  // a new reference

// The same within bodies of functions.
extern const Rules torchs_rules;
// Raises PyTorch's errors for the operands of a product of matrices.
void check_product_as_torch(const Array& a, const Array& b);
// Writes a result into a tensor in place. Raises PyTorch's errors for shapes and types that do not fit.
void write_as_torch(const Array& into, const Array& result);

}  // namespace quern::python
