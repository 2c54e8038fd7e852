// Python's operators of Keras's tensors: the types of their results, and the operands that TensorFlow refuses.
#pragma once

#include "bindings/arrays.h"
#include "graph/op.h"
#include "graph/tape.h"

namespace quern::python {

// Whose derivatives Keras's functions have: TensorFlow's where a program imports it, else JAX's.
Slopes slopes_of_keras();
// The type of an operand; of values of the host's the one that Keras gives them.
OperandType type_as_keras(const GivenOperand& operand);

// The result of an operation of two operands by Keras's rules.
Array computed_as_keras(Op op, GivenOperand& a, GivenOperand& b);
// The result of an operator of two operands, of which `tensor` is one. Null: Python's error is set.
PyObject* operator_of_keras(Op op, GivenOperand& a, PyObject* left, GivenOperand& b, PyObject* right, PyObject* tensor);

// What strict operators say of a matrix product. Null: nothing, or Python's error is set.
PyObject* answer_of_strict_product(const Array& a, PyObject* left, const Array& b, PyObject* right);

void init_keras_operators(nb::module_& m);

}  // namespace quern::python
