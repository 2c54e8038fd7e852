#include "bindings/keras_operators.h"

#include <utility>

#include "bindings/faces/face.h"
#include "core/error.h"
#include "functions/steps.h"
#include "graph/keras_types.h"
#include "run/eval.h"

namespace quern::python {

// TensorFlow's operators take operands of one type. Its Python function, (operator, left, right), answers for all others; it
// returns NotImplemented where Keras's rules hold, as in Keras itself.
static PyObject* strict_operator = nullptr;

Slopes slopes_of_keras() { return strict_operator ? Slopes::tensorflow : Slopes::jax; }

OperandType type_as_keras(const GivenOperand& operand) {
  OperandType type = operand.argument().type();
  if (operand.is_of_host()) type.dtype = host_type_as_keras(type.dtype);
  return type;
}

namespace {

int rank_of(const OperandType& type) { return type.is_weak ? static_cast<int>(type.weak) : rank(row(type.dtype).kind); }

// Reals of one type and Python's real numbers beside them: every rule keeps their type.
bool are_plain_reals(const OperandType& a, const OperandType& b) {
  if (a.is_weak || b.is_weak) return rank_of(a.is_weak ? b : a) == 2 && rank_of(a.is_weak ? a : b) <= 2;
  return a.dtype == b.dtype && rank_of(a) == 2;
}

// JAX takes Python's integers of up to 32 bits as what is left of them in the tensor's type.
void wrap_small(GivenOperand& operand, DType type) {
  if (!operand.is_scalar() || !operand.scalar().is_weak || operand.scalar().is_natural) return;
  if (std::in_range<int32_t>(operand.scalar().integer)) wrap_to(operand.scalar(), type);
}

// Operands for which TensorFlow and Keras have one result: reals of one type, integers of one type, and Python's numbers that
// the tensor's type holds.
bool are_alike(Op op, const GivenOperand& a, const GivenOperand& b) {
  if (a.is_made() || b.is_made()) return false;
  const OperandType x = a.argument().type(), y = b.argument().type();
  if (are_plain_reals(x, y)) return op != Op::floor_divide;  // TensorFlow rounds the quotient down
  const DType type = x.is_weak ? y.dtype : x.dtype;
  if (!is_integer(type)) return false;
  // Integers divided by zero, or raised to negative powers, are errors in TensorFlow; unsigned ones have no powers there.
  const bool refuses_values = op == Op::power || op == Op::floor_divide || op == Op::remainder;
  if (refuses_values && !b.is_scalar()) return false;
  if (op == Op::power && row(type).kind == DTypeKind::natural) return false;
  if (!x.is_weak && !y.is_weak) return x.dtype == y.dtype;
  const Scalar& number = (a.is_scalar() ? a : b).scalar();
  return number.is_weak && number.kind == WeakScalar::integer && !number.is_huge && !number.is_natural &&
         number.integer >= (refuses_values ? 1 : 0) && number.integer <= 127;
}

// A new reference; null: Python's error is set.
PyObject* ask(std::string_view name, PyObject* left, PyObject* right) {
  nb::str said(name.data(), name.size());
  return PyObject_CallFunctionObjArgs(strict_operator, said.ptr(), left, right, nullptr);
}

bool is_no_answer(PyObject* made) {
  if (made != Py_NotImplemented) return false;
  Py_DECREF(made);
  return true;
}

[[noreturn]] void refuse_exponent() {
  raise(ErrorKind::type, "[power] integers cannot be raised to negative powers; convert them to reals");
}

// Integers to the power of an array of integers, whose values are not known without a wait: negative ones count modulo 64, as in
// JAX. One that is known to be a negative number is refused, but not in a step that is recorded.
Array power_of_integers(const Argument& base, const Array& exponents, Loop loop) {
  using steps::compute;
  const Array of = steps::as_type(exponents, loop.compute);
  if (of.rank() == 0 && !faces::keras.noter && is_there(exponents) && steps::values_of<int64_t>(exponents)[0] < 0)
    refuse_exponent();
  const Array bases = base.array() ? *base.array() : full({}, base.scalar(), loop.compute, of.device());
  const Array is_negative = compute(Op::less, of, 0), is_zero = compute(Op::equal, bases, 0);
  const Array counted = compute(Op::where, is_negative, compute(Op::bitwise_and, of, 63), of);
  Argument both[] = {base, counted};
  const Array made = elementwise(Op::power, both, nullptr, loop);
  return compute(Op::where, compute(Op::logical_and, is_negative, is_zero), 0, made);
}

}  // namespace

Array computed_as_keras(Op op, GivenOperand& a, GivenOperand& b) {
  const WithSlopes slopes(slopes_of_keras());
  auto computed = [&](std::optional<Loop> loop) {
    Argument arguments[] = {a.argument(), b.argument()};
    return op == Op::power && !loop ? raised(arguments[0], arguments[1]) : elementwise(op, arguments, nullptr, loop);
  };
  if (op == Op::power && b.is_scalar() && b.scalar().kind == WeakScalar::integer) b.scalar().is_weak = true;  // NumPy's, too
  if (are_plain_reals(a.argument().type(), b.argument().type())) return computed({});
  OperandType types[] = {type_as_keras(a), type_as_keras(b)};
  bool are_integers = rank_of(types[0]) < 2 && rank_of(types[1]) < 2;
  if (are_integers && row(op).typing == Typing::compare) return computed({});  // exact, whatever their types
  Loop loop = resolve_as_keras(op, types);
  if (is_integer(loop.compute)) {
    const Scalar& by = b.scalar();
    if (op == Op::power && b.is_scalar() && by.kind == WeakScalar::integer && !by.is_natural) {
      if (by.integer < 0) refuse_exponent();
      // An exponent that the type may not hold: the last bits of a power are those of a wider one.
      if (by.integer > 127) return astype(computed(Loop{DType::int64, DType::int64}), loop.result);
    }
    wrap_small(a, loop.compute);
    wrap_small(b, loop.compute);
  }
  if (op == Op::power && row(loop.compute).kind == DTypeKind::integer && !b.is_scalar())
    return power_of_integers(a.argument(), *b.argument().array(), loop);
  bool is_numpys = !types[0].is_weak && types[0].dtype == loop.compute && types[1].is_weak;  // squares and roots among powers
  return computed(op == Op::power && is_numpys ? std::nullopt : std::optional(loop));
}

PyObject* operator_of_keras(Op op, GivenOperand& a, PyObject* left, GivenOperand& b, PyObject* right, PyObject* tensor) {
  const bool is_asked = strict_operator && !are_alike(op, a, b);
  if (is_asked) {
    PyObject* made = ask(name_of(op), left, right);
    if (!is_no_answer(made)) return made;
  }
  try {
    return wrap_beside(computed_as_keras(op, a, b), tensor);
  } catch (const Error& e) {
    if (!strict_operator || is_asked || e.kind() != ErrorKind::value) throw;
    PyObject* made = ask(name_of(op), left, right);  // shapes that do not broadcast: the error is of TensorFlow's type
    if (!is_no_answer(made)) return made;
    throw;
  }
}

PyObject* answer_of_strict_product(const Array& a, PyObject* left, const Array& b, PyObject* right) {
  if (!strict_operator) return nullptr;
  const bool is_plain = a.dtype() == b.dtype() && row(a.dtype()).kind == DTypeKind::real && a.rank() > 1 && b.rank() > 1 &&
                        a.shape().back() == b.shape()[b.rank() - 2];
  if (is_plain) return nullptr;
  PyObject* made = ask("matmul", left, right);
  return is_no_answer(made) ? nullptr : made;
}

void init_keras_operators(nb::module_& m) {
  m.def("set_strict_operator", [](nb::object f) { strict_operator = f.release().ptr(); });
}

}  // namespace quern::python
