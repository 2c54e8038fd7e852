#include "bindings/faces/operands.h"

#include "bindings/faces/results.h"
#include "bindings/tensor_operations.h"
#include "core/error.h"

namespace quern::python::faces {

namespace {

// What PyTorch refuses in place, besides results of types that do not fit.
void check_in_place(const Array& tensor, Op op) {
  if (op == Op::absolute && is_complex(tensor.dtype()))
    raise(ErrorKind::runtime, "In-place abs is not supported for complex tensors.");
  if (op != Op::float_power || tensor.dtype() == DType::float64 || tensor.dtype() == DType::complex128) return;
  raise(ErrorKind::runtime,
        "the base given to float_power_ has dtype torch.{} but the operation's result requires dtype torch.{}",
        row(tensor.dtype()).name, is_complex(tensor.dtype()) ? "complex128" : "float64");
}

}  // namespace

nb::object operate_as_torch(Reading& reading, Op op) {
  const size_t count = row(op).operands;
  PyObject* operands[3] = {};
  std::copy_n(reading.slots, count, operands);
  PyObject* into = Py_None;
  if (reading.face.is_in_place) {
    into = operands[0];
    check_in_place(*as_array(into), op);
  }
  bool has_tensor = std::any_of(operands, operands + count, [](PyObject* one) { return as_array(one) != nullptr; });
  if (!has_tensor) {  // numbers alone: the first becomes a tensor
    reading.made = nb::handle(reading.front_end.convert)(nb::handle(operands[0]));
    operands[0] = reading.made.ptr();
  }
  PyObject* made = call_torch_op(op, operands, count, into);
  if (!made) throw nb::python_error();
  return written(reading, nb::steal(made));
}

}  // namespace quern::python::faces
