#include "bindings/faces/operands.h"

#include "bindings/faces/matrices.h"
#include "bindings/faces/networks.h"

#include "bindings/faces/results.h"
#include "bindings/given.h"
#include "bindings/keras_operators.h"
#include "bindings/tensor_operations.h"
#include "core/error.h"
#include "functions/steps.h"
#include "graph/keras_types.h"
#include "graph/tape.h"

#include <algorithm>
#include <array>

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

bool is_real(DType type) { return row(type).kind == DTypeKind::real; }

[[noreturn]] void refuse_type(const char* name, DType type) {
  raise(ErrorKind::not_implemented, "\"{}\" not implemented for '{}'", name, torch_name_of(type));
}

bool is_of_complex(PyObject* operand) {
  if (!operand) return false;
  const Array* array = as_array(operand);
  return array ? is_complex(array->dtype()) : PyComplex_Check(operand);
}

void check_nearness(const Reading& reading) {
  const Array &a = *as_array(reading.slots[0]), &b = *as_array(reading.slots[1]);
  if (a.dtype() != b.dtype())
    raise(ErrorKind::runtime, "{} did not match {}", torch_name_of(a.dtype()), torch_name_of(b.dtype()));
  for (size_t slot : {size_t{2}, size_t{3}}) {
    nb::object number = nb::borrow(reading.slots[slot]);
    if (nb::cast<double>(nb::float_(number)) < 0)
      raise(ErrorKind::runtime, "{} must be greater than or equal to zero, but got {}", slot == 2 ? "rtol" : "atol",
            nb::str(number).c_str());
  }
}

void check_weight(const Reading& reading) {
  const Array *start = as_array(reading.slots[0]), *end = as_array(reading.slots[1]), *weight = as_array(reading.slots[2]);
  const bool is_number = !weight || (weight->rank() == 0 && weight->dtype() != start->dtype() &&
                                     rank(row(weight->dtype()).kind) <= rank(row(start->dtype()).kind));
  if (end->dtype() == start->dtype() && (is_number || weight->dtype() == start->dtype())) return;
  raise(ErrorKind::runtime, "expected dtype torch.{} for `end` and `weight`", row(start->dtype()).name);
}

}  // namespace

void Operand::read(Reading& reading, PyObject* given) {
  Scalar number;
  if (!as_array(given) && read_scalar(given, number) && (number.is_weak || reading.front_end.has_weak_numbers)) {
    if (is_torch(reading)) refuse_huge(number);
    number.is_weak = true;
    argument = Argument(number);
    PyObject* next = reading.slots[reading.next];
    if (reading.first || (next && as_array(next)) || reading.family() == Family::creates) return;
  }
  argument = Argument(reading.first ? read_array(reading, given, made, numbers) : read_first(reading, given));
}

void Operand::convert(DType type) {
  if (const Array* array = argument.array()) {
    if (array->dtype() != type) argument = Argument(numbers.emplace(astype(*array, type)));
    return;
  }
  const Scalar& number = argument.scalar();
  if (number.kind == WeakScalar::real && steps::is_whole(type))
    argument = Argument(steps::whole(static_cast<int64_t>(number.re)));
}

Array Operand::array(DType type, DeviceId device) const {
  return argument.array() ? steps::as_type(*argument.array(), type) : full({}, argument.scalar(), type, device);
}

// Integers and bools are correlated as real numbers.
static DType alike_type(const Reading& reading, std::span<OperandType> types) {
  using F = quern::Function;
  const OperandType real{DType::float32, true, WeakScalar::real};
  const DType type = keras_type_of(types);
  const bool are_reals = reading.function == F::cdist_alike_ || reading.function == F::psnr_;
  if (are_reals && type == DType::boolean)
    raise(ErrorKind::type, "{} does not accept dtype bool; convert with cast() before", reading.face.name);
  if (are_reals || reading.function == F::divide_no_nan_) return keras_type_of(std::array{types[0], types[1], real});
  if (reading.function == F::correlate_alike_ && steps::is_whole(type))
    return type == DType::int64 ? DType::float64 : DType::float32;
  const bool are_bytes = type == DType::int8 && types[0].dtype == type && types[1].dtype == type;
  return reading.function == F::matmul_alike_ && are_bytes ? DType::int32 : type;
}

Alike Read<const Alike&>::read(Reading& reading) {
  Operand a, b;
  a.read(reading, reading.take());
  b.read(reading, reading.take());
  OperandType types[] = {a.argument.type(), b.argument.type()};
  const DType type = alike_type(reading, types);
  const DeviceId device = reading.first->device();
  return {a.array(type, device), b.array(type, device)};
}

// Numbers of Python's have weak types, also where arrays stand for them.
static OperandType type_beside_arrays(PyObject* given, const Array& array) {
  Scalar number;
  const bool is_number = !as_array(given) && PyNumber_Check(given) && read_scalar(given, number) && number.is_weak;
  return is_number ? Argument(number).type() : OperandType{array.dtype()};
}

AlikeArrays Read<const AlikeArrays&>::read(Reading& reading) {
  using F = quern::Function;
  const bool are_reals = reading.function == F::average_alike_ || reading.function == F::trapezoid_alike_;
  const Array& a = read_first(reading, reading.take());
  PyObject* given = reading.take();
  nb::object made;
  std::optional<Array> numbers;
  std::vector<OperandType> types{type_beside_arrays(reading.slots[reading.next - 2], a)};
  std::optional<Array> b;
  if (is_given(given)) types.push_back(type_beside_arrays(given, b.emplace(read_array(reading, given, made, numbers))));
  if (are_reals) types.push_back({DType::float32, true, WeakScalar::real});
  if (reading.function == F::trapezoid_alike_ && !b) {  // the step counts, too
    PyObject* step = reading.slots[reading.next];
    types.push_back(type_beside_arrays(step, read_array(reading, step, made, numbers)));
  }
  const DType type = keras_type_of(types);
  if (b) b = steps::as_type(*b, type);
  return {steps::as_type(a, type), std::move(b)};
}

std::optional<std::string_view> Read<std::optional<std::string_view>>::read_text(PyObject* given) {
  if (!is_given(given)) return {};
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(given, &size);
  if (!text) throw nb::python_error();
  return std::string_view(text, static_cast<size_t>(size));
}

void check_operands_as_torch(const Reading& reading) {
  if (reading.family() == Family::layers) return check_layers_as_torch(reading);
  if (reading.family() != Family::elementwise) return check_matrices_as_torch(reading);
  const DType type = reading.first->dtype();
  switch (reading.function) {
    case quern::Function::isclose_:
    case quern::Function::allclose_:
      return check_nearness(reading);
    case quern::Function::isposinf_:
    case quern::Function::isneginf_:
      if (is_complex(type)) raise(ErrorKind::type, "{} does not support complex inputs.", reading.face.name);
      return;
    case quern::Function::step_:
      if (is_complex(type) || is_of_complex(reading.slots[1]))
        raise(ErrorKind::not_implemented, "heaviside is not yet implemented for complex tensors.");
      if (type != as_array(reading.slots[1])->dtype())
        raise(ErrorKind::runtime, "heaviside is not yet implemented for tensors with different dtypes.");
      return;
    case quern::Function::lerp_:
      return check_weight(reading);
    case quern::Function::logit_:
      if (is_complex(type)) refuse_type("logit", type);
      return;
    case quern::Function::clamp_:
      for (size_t slot : {size_t{0}, size_t{1}, size_t{2}})
        if (is_of_complex(reading.slots[slot])) raise(ErrorKind::not_implemented, "clamp is not supported for complex types");
      if (!reading.slots[1] && !reading.slots[2])
        raise(ErrorKind::runtime, "torch.clamp: At least one of 'min' or 'max' must not be None");
      return;
    case quern::Function::real_sign_:
      if (is_complex(type))
        raise(ErrorKind::not_implemented,
              "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.");
      return;
    case quern::Function::round_:
      if (!is_real(type) && (!is_integer(type) || (reading.slots[1] && PyObject_IsTrue(reading.slots[1]) == 1)))
        refuse_type("round", type);
      return;
    case quern::Function::addcdiv_:
      for (size_t slot : {size_t{1}, size_t{2}}) {
        const DType one = as_array(reading.slots[slot])->dtype();
        if (is_real(one) || is_complex(one)) return;
      }
      raise(
          ErrorKind::runtime,
          "Integer division with addcdiv is no longer supported, and in a future release addcdiv will perform a true division of "
          "tensor1 and tensor2.");
    default:
      return;
  }
}

void check_operands_as_keras(const Reading& reading) {
  using F = quern::Function;
  if (reading.function != F::glu_ && reading.function != F::qr_ && reading.function != F::matrix_rank_) return;
  const Shape& shape = reading.first->shape();
  if (reading.function == F::matrix_rank_ && shape.size() < 2)
    raise(ErrorKind::value, "Expected input to have rank >= 2. Received input with shape {}.", to_string(shape));
  if (reading.function == F::qr_ && is_given(reading.slots[1]))
    if (const std::string mode = nb::cast<std::string>(nb::str(reading.slots[1])); mode != "reduced" && mode != "complete")
      raise(ErrorKind::value, "`mode` argument value not supported. Expected one of {{'reduced', 'complete'}}. Received: mode={}",
            mode);
  if (reading.function == F::glu_ && shape[read_axis(reading, reading.slots[1])] % 2)
    raise(ErrorKind::value, "axis size must be divisible by 2. Received: x.shape={} with axis={}", to_string(shape),
          nb::cast<std::string>(nb::str(reading.slots[1])));
}

nb::object operate_as_torch(Reading& reading, Op op) {
  const size_t count = row(op).operands;
  PyObject* operands[3] = {};
  std::copy_n(reading.slots, count, operands);
  PyObject* into = Py_None;
  if (reading.is_in_place()) {
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

// Functions of real numbers, 1 / x, floor and ceil make integers and bools what keras.config.floatx() says.
static bool gives_reals(Op op) {
  const Typing typing = row(op).typing;
  const bool is_round = typing == Typing::round && op != Op::trunc;
  return op == Op::reciprocal || typing == Typing::real_of || typing == Typing::real_only || is_round;
}

// An operand of Keras's functions: a number of Python's, or a tensor, which all else becomes.
struct KerasOperand {
  GivenOperand given;
  nb::object made;
  PyObject* object;

  KerasOperand(const Reading& reading, PyObject* value, bool is_tensor) : object(value) {
    const bool is_number = PyFloat_Check(value) || PyLong_Check(value);  // of NumPy's, float64 is one of them
    if (!as_array(value) && (is_tensor || !is_number)) {
      made = nb::handle(reading.front_end.convert)(nb::handle(value));
      object = made.ptr();
    }
    given.read(object, true);
    if (given.is_scalar()) given.scalar().is_weak = true;
  }
};

// The type that Keras's functions compute those of 64 bits in: its own table says it, which TensorFlow's front end changes.
static DType width_of_functions(DType type) {
  if (host_type_as_keras(type) == type) return type;
  nb::object widths = nb::module_::import_("keras.src.backend.common.dtypes").attr("BIT64_TO_BIT32_DTYPE");
  const nb::str name(std::string(row(type).name).c_str());
  return dtype_of(nb::cast<std::string>(widths.attr("get")(name, name)));
}

static bool is_wide(const OperandType& operand) { return !operand.is_weak && host_type_as_keras(operand.dtype) != operand.dtype; }

DType keras_type_of(std::span<const OperandType> types) {
  const DType common = common_type_as_keras(types);
  return std::any_of(types.begin(), types.end(), is_wide) ? width_of_functions(common) : common;
}

static nb::object operate_on_two_as_keras(Reading& reading, Op op) {
  PyObject *left = reading.take(), *right = reading.take();
  KerasOperand b(reading, right, false);
  KerasOperand a(reading, left, b.given.is_scalar());
  reading.beside = a.given.is_scalar() ? b.object : a.object;
  reading.first = as_array(reading.beside);
  OperandType types[] = {type_as_keras(a.given), type_as_keras(b.given)};
  const DType common = common_type_as_keras(types);
  std::optional<DType> wanted;  // of both
  if (gives_reals(op) && steps::is_whole(common))
    wanted = dtype_of(nb::cast<std::string>(nb::handle(reading.front_end.default_real)()));
  else if (is_wide(types[0]) || is_wide(types[1]))
    wanted = width_of_functions(common);
  std::optional<Array> converted[2];
  for (KerasOperand* one : {&a, &b})
    if (const Array* array = as_array(one->object); array && wanted && array->dtype() != *wanted)
      one->given.replace(converted[one == &b].emplace(astype(*array, *wanted)));
  return hand_back(reading, computed_as_keras(op, a.given, b.given));
}

nb::object operate_as_keras(Reading& reading, Op op) {
  const WithSlopes slopes(slopes_of_keras());
  if (row(op).operands == 2) return operate_on_two_as_keras(reading, op);
  if (row(op).operands != 1) bug("{} has {} operands", row(op).name, row(op).operands);
  PyObject* given = reading.take();
  const Array& array = read_array(reading, given, reading.made, reading.numbers);
  reading.first = &array;
  reading.beside = reading.made.is_valid() ? reading.made.ptr() : given;
  Array x = array;
  if (steps::is_whole(x.dtype())) {
    if (op == Op::conjugate) return hand_back(reading, std::move(x));
    if (gives_reals(op)) x = astype(x, dtype_of(nb::cast<std::string>(nb::handle(reading.front_end.default_real)())));
    if ((op == Op::square || op == Op::relu) && x.dtype() == DType::boolean) x = astype(x, DType::int32);
  }
  return hand_back(reading, steps::compute(op, x));
}

}  // namespace quern::python::faces
