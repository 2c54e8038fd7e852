// Tensors: the engine's arrays with PyTorch's operators, types of results and errors. Their methods are Python's
// (python/quern/torch/); what stands here is what every step of a program goes through.
//
// A tensor's Python type has the bare array for its base, not NumPy's: PyTorch's sum(dim) and NumPy's sum(axis) do not meet.
#include <algorithm>
#include <array>
#include <cmath>

#include "bindings/arrays.h"
#include "bindings/autocast.h"
#include "bindings/functions.h"
#include "bindings/given.h"
#include "bindings/host_values.h"
#include "bindings/tensor_operations.h"
#include "bindings/tensor_refusals.h"
#include "bindings/tensor_steps.h"
#include "core/error.h"
#include "functions/parts.h"
#include "functions/powers.h"
#include "functions/reductions.h"
#include "functions/refusals.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/indexing.h"
#include "run/calls/matmul.h"
#include "run/tier0.h"
#include "run/transfer.h"

namespace quern::python {

namespace {

struct TensorArray : Array {
  ~TensorArray() {
    if (cell() && cell()->holder == this) cell()->holder = nullptr;
  }
};

PyTypeObject* tensor_base = nullptr;
PyTypeObject* tensor_type = nullptr;  // quern.torch.Tensor: of all results

// The operands of an operator, as torch.autocast has the function `name` take them.
class CastOperands {
 public:
  CastOperands(const char* name, PyObject*& left, PyObject*& right) {
    if (casting_regions == 0) return;
    std::array<PyObject**, 2> values{&left, &right};
    cast_operands(*cast_row(name), values, false, kept_);
  }

 private:
  std::vector<nb::object> kept_;
};

// What NumPy calls an axis is a dimension here.
std::string with_dimensions(std::string text) {
  constexpr std::string_view axis = " for axis ";
  size_t at = text.find(axis);
  return at == std::string::npos ? text : text.replace(at, axis.size(), " for dimension ");
}

// PyTorch raises RuntimeError where NumPy has ValueError and TypeError for shapes, types and devices.
Error as_torchs(const Error& e) {
  ErrorKind kind = e.kind();
  if (kind == ErrorKind::value || kind == ErrorKind::algebra) kind = ErrorKind::runtime;
  return Error(kind, kind == ErrorKind::index ? with_dimensions(e.what()) : e.what());
}

template <class F>
PyObject* as_torch(F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    try {
      throw as_torchs(e);
    } catch (...) {
      set_python_error();
    }
  } catch (...) {
    set_python_error();
  }
  return nullptr;
}

// An operand: a tensor, another array of ours, or a number, which is weak also where it is NumPy's.
class TensorOperand {
 public:
  bool read(PyObject* value) {
    array_ = as_array(value);
    if (array_) return true;
    if (!read_scalar(value, scalar_)) return false;
    refuse_huge(scalar_);
    if (!scalar_.is_weak && scalar_.is_natural)
      raise(ErrorKind::type,
            "a NumPy integer above 2**63 - 1 next to a tensor is not supported; convert it with float() or int()");
    scalar_.is_weak = true;
    return true;
  }
  void set(const Argument& argument) {
    array_ = argument.array();
    scalar_ = argument.scalar();
  }
  void wrap_to(DType type) {
    if (!array_) quern::python::wrap_to(scalar_, type);
  }
  // The number as an element of `type` takes it.
  void fit(DType type) {
    if (!array_) scalar_ = steps::fitted_as_torch(scalar_, type);
  }
  bool is_zero() const { return !array_ && scalar_.kind <= WeakScalar::integer && !scalar_.is_natural && scalar_.integer == 0; }
  bool is_negative() const {
    return !array_ && scalar_.kind == WeakScalar::integer && !scalar_.is_natural && scalar_.integer < 0;
  }
  void move_to(DeviceId device) {
    moved_ = moved_to(*array_, context_on(device));
    array_ = &moved_;
  }
  const Array* array() const { return array_; }
  const Scalar& scalar() const { return scalar_; }
  Argument argument() const { return array_ ? Argument(*array_) : Argument(scalar_); }
  OperandType type() const {
    if (array_) return {array_->dtype(), false, WeakScalar::boolean, array_->rank() == 0};
    return {DType::boolean, true, scalar_.kind};
  }

 private:
  const Array* array_ = nullptr;
  Array moved_;
  Scalar scalar_;
};

Loop loop_for(Op op, std::span<const OperandType> types) {
  struct Known {
    uint64_t key = 0;
    Loop loop;
  };
  static std::array<Known, 1024> known;
  uint64_t key = static_cast<uint64_t>(op) + 1;
  for (const OperandType& t : types)
    key = key << 10 | (t.is_weak ? 0x100u | static_cast<unsigned>(t.weak) : static_cast<unsigned>(t.dtype)) |
          (t.is_0d ? 0x200u : 0u);
  key = key << 4 | static_cast<unsigned>(torch_default());
  Known& slot = known[(key * 0x9e3779b97f4a7c15ull) >> 54];
  if (slot.key != key) slot = {key, resolve_as_torch(op, types)};
  return slot.loop;
}

void check_shapes(std::span<const TensorOperand> operands, const Array* into) {
  const Shape* first = nullptr;
  for (const TensorOperand& o : operands) {
    if (!o.array()) continue;
    const Shape& shape = o.array()->shape();
    if (!first) {
      first = &shape;
      continue;
    }
    size_t rank = std::min(first->size(), shape.size());
    for (size_t i = 1; i <= rank; ++i) {
      int64_t a = (*first)[first->size() - i], b = shape[shape.size() - i];
      if (a != b && a != 1 && b != 1)
        raise(ErrorKind::runtime, "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}",
              a, b, std::max(first->size(), shape.size()) - i);
    }
  }
  if (!into) return;
  std::vector<Shape> shapes;
  for (const TensorOperand& o : operands)
    if (o.array()) shapes.push_back(o.array()->shape());
  Shape all = broadcast_shapes(shapes);
  if (all != into->shape())
    raise(ErrorKind::runtime, "output with shape {} doesn't match the broadcast shape {}", in_brackets(into->shape()),
          in_brackets(all));
}

void check_devices(std::span<const TensorOperand> operands) {
  const Array* first = nullptr;
  for (const TensorOperand& o : operands) {
    if (!o.array()) continue;
    if (first && first->device() != o.array()->device())
      raise(ErrorKind::runtime, "Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
            context_on(first->device()).name(), context_on(o.array()->device()).name());
    first = o.array();
  }
}

void check_result(DType result, const Array& into) {
  if (!can_write_as_torch(result, into.dtype()))
    raise(ErrorKind::runtime, "result type {} can't be cast to the desired output type {}", torch_name_of(result),
          torch_name_of(into.dtype()));
  for (size_t i = 0; i < into.rank(); ++i)
    if (into.layout().strides[i] == 0 && into.shape()[i] > 1 && into.size() > 0)
      raise(ErrorKind::runtime,
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
            "clone() the tensor before performing the operation.");
}

// Numbers without dimensions on the CPU may stand beside tensors of a GPU.
void bring_numbers(std::span<TensorOperand> operands) {
  const Array* there = nullptr;
  for (const TensorOperand& o : operands)
    if (o.array() && o.array()->device().is_gpu()) there = o.array();
  if (!there) return;
  for (TensorOperand& o : operands)
    if (o.array() && o.array()->rank() == 0 && o.array()->device().is_cpu()) o.move_to(there->device());
}

bool divides(Op op) { return op == Op::floor_divide || op == Op::remainder || op == Op::fmod; }

// A number above what int64 has.
void check_natural(std::span<const TensorOperand> operands) {
  for (const TensorOperand& o : operands)
    if (o.array() && o.array()->dtype() == DType::boolean)
      raise(ErrorKind::runtime,
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote UInt64 and Bool");
}

// Numbers beside tensors of integers. A division by the number 0 raises on the CPU, as PyTorch's does.
void wrap_numbers(Op op, std::span<TensorOperand> operands, std::array<Argument, 3>& arguments, DType type) {
  const Array* tensor = nullptr;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].array()) {
      tensor = operands[i].array();
      continue;
    }
    if (op == Op::where) {
      operands[i].fit(type);
    } else {
      if (operands[i].scalar().is_natural) check_natural(operands);
      operands[i].wrap_to(type);
    }
    arguments[i] = operands[i].argument();
  }
  if (divides(op) && tensor && tensor->device().is_cpu() && operands[1].is_zero()) raise(ErrorKind::runtime, "ZeroDivisionError");
}

// A number, or a tensor without dimensions of another type, keeps its float32 beside 16-bit reals, which are computed in float32
// anyway.
bool keeps_number(Op op, DType compute, std::span<const OperandType> types) {
  if (compute != DType::float16 && compute != DType::bfloat16) return false;
  if (op != Op::multiply && op != Op::true_divide && op != Op::floor_divide) return false;
  const auto has_digits = [&](const OperandType& one) { return one.is_weak || one.dtype != compute; };
  return has_digits(types[1]) || (op == Op::multiply && has_digits(types[0]));
}

Array in_float32(Op op, std::span<Argument> arguments, DType result) {
  std::array<Array, 3> wide;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const Array* array = arguments[i].array()) arguments[i] = Argument(wide[i] = astype(*array, DType::float32));
  return astype(elementwise(op, arguments, nullptr, Loop{DType::float32, DType::float32}), result);
}

Array computed(Op op, std::span<TensorOperand> operands, const Array* into) {
  const TorchOrder torch_order;
  std::array<OperandType, 3> types;
  std::array<Argument, 3> arguments{Argument(Scalar{}), Argument(Scalar{}), Argument(Scalar{})};
  for (size_t i = 0; i < operands.size(); ++i) types[i] = operands[i].type(), arguments[i] = operands[i].argument();
  Loop loop = loop_for(op, {types.data(), operands.size()});
  if (into) check_result(loop.result, *into);
  if (is_integer(loop.compute) || (op == Op::where && loop.compute == DType::float32))
    wrap_numbers(op, operands, arguments, loop.compute);
  bool many = false;
  const Array* first = nullptr;
  for (const TensorOperand& o : operands) {
    if (!o.array()) continue;
    many |= first && (first->shape() != o.array()->shape() || first->device() != o.array()->device());
    first = o.array();
  }
  if (many) {
    bring_numbers(operands);
    for (size_t i = 0; i < operands.size(); ++i) arguments[i] = operands[i].argument();
    check_devices(operands);
  }
  if (many || into) check_shapes(operands, into);
  if (keeps_number(op, loop.compute, {types.data(), operands.size()})) {
    Array value = in_float32(op, {arguments.data(), operands.size()}, loop.result);
    const Argument only(value);
    return into ? elementwise(Op::cast, {&only, 1}, into, Loop{into->dtype(), into->dtype()}) : value;
  }
  std::optional<Array> divisors;
  if (divides(op) && is_integer(loop.compute) && operands[1].array() && operands[1].array()->device().is_cpu())
    arguments[1] = Argument(divisors.emplace(without_zeros(*operands[1].array())));
  if (into && into->dtype() != loop.result && row(loop.result).kind != DTypeKind::boolean) {
    // In place PyTorch computes in the common type and casts; the engine's rule for the cast is NumPy's, which is narrower.
    Array value = elementwise(op, {arguments.data(), operands.size()}, nullptr, loop);
    const Argument only(value);
    return elementwise(Op::cast, {&only, 1}, into, Loop{into->dtype(), into->dtype()});
  }
  return elementwise(op, {arguments.data(), operands.size()}, into, loop);
}

PyObject* not_implemented() { return Py_NewRef(Py_NotImplemented); }

int number_is_true(const Array& array) {
  try {
    return PyObject_IsTrue(item_of(array).ptr());
  } catch (...) {
    set_python_error();
    return -1;
  }
}

Array product_of(const Array& a, const Array& b) {
  check_product_as_torch(a, b);
  const TorchOrder torch_order;
  return matmul(a, b);
}

PyObject* binary(Op op, PyObject* left, PyObject* right) {
  return as_torch([&]() -> PyObject* {
    std::array<TensorOperand, 2> operands;
    if (!operands[0].read(left) || !operands[1].read(right)) return not_implemented();
    return wrap_tensor(computed(op, operands, nullptr));
  });
}

PyObject* in_place(Op op, PyObject* left, PyObject* right) {
  return as_torch([&]() -> PyObject* {
    std::array<TensorOperand, 2> operands;
    if (!operands[0].read(left) || !operands[1].read(right)) return not_implemented();
    computed(op, operands, as_array(left));
    return Py_NewRef(left);
  });
}

// Does the power want the derivatives of number_power()?
bool is_number_power(std::span<TensorOperand> operands, const Array* into) {
  const Array* base = operands[0].array();
  const Scalar& number = operands[1].scalar();
  return base && !operands[1].array() && !into && !number.is_natural && number.kind != WeakScalar::complex &&
         GradientMode::is_on() && wants_gradient(*base);
}

// By 2 and by 0.5 it is a product or a root, as in raised() of the engine.
Array raised_to(std::span<TensorOperand> operands, const Array* into) {
  const Array* base = operands[0].array();
  if (is_number_power(operands, into)) {
    const Scalar& number = operands[1].scalar();
    const double by = number.kind == WeakScalar::real ? number.re : static_cast<double>(number.integer);
    return number_power(*base, by, [&] { return raised_to(operands, nullptr); });
  }
  const Array* by = operands[1].array();
  if (base && !by && !into) {
    DType type = base->dtype();
    const Scalar& number = operands[1].scalar();
    bool is_real = row(type).kind == DTypeKind::real || is_complex(type);
    bool whole = number.kind == WeakScalar::integer && !number.is_natural;
    if (is_real && ((whole && number.integer == 2) || (number.kind == WeakScalar::real && number.re == 2)))
      return computed(Op::square, operands.first(1), nullptr);
    if (is_real && number.kind == WeakScalar::real && number.re == 0.5) return computed(Op::sqrt, operands.first(1), nullptr);
  }
  if (base && operands[1].is_negative() && is_integer(base->dtype()))
    raise(ErrorKind::runtime, "Integers to negative integer powers are not allowed.");
  // Of float32 and float64 an exponent beyond the type is infinite.
  if (base && !by && (row(base->dtype()).kind == DTypeKind::real || operands[1].scalar().kind == WeakScalar::integer) &&
      base->dtype() != DType::boolean && base->dtype() != DType::float32 && base->dtype() != DType::float64 &&
      operands[1].scalar().kind != WeakScalar::complex)
    operands[1].fit(base->dtype());
  TruncatedPowers truncated(by != nullptr);
  return computed(Op::power, operands, into);
}

PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) return not_implemented();
  return as_torch([&]() -> PyObject* {
    const CastOperands casts("pow", left, right);
    std::array<TensorOperand, 2> operands;
    if (!operands[0].read(left) || !operands[1].read(right)) return not_implemented();
    return wrap_tensor(raised_to(operands, nullptr));
  });
}

PyObject* in_place_power(PyObject* left, PyObject* right, PyObject*) {
  return as_torch([&]() -> PyObject* {
    std::array<TensorOperand, 2> operands;
    if (!operands[0].read(left) || !operands[1].read(right)) return not_implemented();
    raised_to(operands, as_array(left));
    return Py_NewRef(left);
  });
}

template <Op op>
PyObject* binary_slot(PyObject* left, PyObject* right) {
  return binary(op, left, right);
}
template <Op op>
PyObject* in_place_slot(PyObject* left, PyObject* right) {
  return in_place(op, left, right);
}
template <Op op>
PyObject* unary_slot(PyObject* value) {
  return as_torch([&] {
    TensorOperand operand;
    operand.read(value);
    DType type = operand.array()->dtype();
    if (op == Op::invert && !is_integer(type) && type != DType::boolean)
      raise(ErrorKind::type, "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    return wrap_tensor(computed(op, {&operand, 1}, nullptr));
  });
}

PyObject* matrix_product(PyObject* left, PyObject* right) {
  return as_torch([&]() -> PyObject* {
    const CastOperands casts("matmul", left, right);
    const Array *a = as_array(left), *b = as_array(right);
    if (!a || !b) return not_implemented();
    return wrap_tensor(product_of(*a, *b));
  });
}

bool is_of_numpy(PyObject* value) { return std::string_view(Py_TYPE(value)->tp_name) == "numpy.ndarray"; }

// A tensor of a NumPy array's values; null where there is none, of text say.
nb::object tensor_of_numpy(PyObject* value) {
  try {
    return nb::module_::import_("quern.torch").attr("as_tensor")(nb::handle(value));
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    return {};
  }
}

// NumPy leaves == to the tensor, as to PyTorch's; of the other comparisons PyTorch takes no arrays of NumPy's.
PyObject* equal_to_numpy(PyObject* tensor, PyObject* array) {
  try {
    nb::object other = tensor_of_numpy(array);
    return other.is_valid() ? binary(Op::equal, tensor, other.ptr()) : not_implemented();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// A NumPy array divided by a tensor is the product with its reciprocal, as in PyTorch; NumPy computes it and gives a tensor.
// What is no tensor is multiplied by the reciprocal of one: this is where PyTorch rounds.
PyObject* divide(PyObject* left, PyObject* right) {
  if (as_array(left)) return binary(Op::true_divide, left, right);
  if (Scalar number; !is_of_numpy(left) && !read_scalar(left, number)) return not_implemented();
  return as_torch([&]() -> PyObject* {
    PyObject* number = left;
    const CastOperands casts("reciprocal", number, right);
    PyObject* inverse = unary_slot<Op::reciprocal>(right);
    PyObject* out = inverse ? PyNumber_Multiply(inverse, left) : nullptr;
    Py_XDECREF(inverse);
    return out;
  });
}

PyObject* compare(PyObject* left, PyObject* right, int how) {
  if (how == Py_EQ && is_of_numpy(right)) return equal_to_numpy(left, right);
  constexpr Op ops[] = {Op::less, Op::less_equal, Op::equal, Op::not_equal, Op::greater, Op::greater_equal};
  return binary(ops[how], left, right);
}

Py_hash_t hash(PyObject* value) { return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(value) >> 4); }

int to_bool(PyObject* value) {
  const Array& array = *as_array(value);
  if (array.size() == 1) return number_is_true(array);
  PyErr_SetString(PyExc_RuntimeError, array.size() == 0 ? "Boolean value of Tensor with no values is ambiguous"
                                                        : "Boolean value of Tensor with more than one value is ambiguous");
  return -1;
}

PyObject* number_of(PyObject* value, PyObject* (*as)(PyObject*)) {
  return as_torch([&]() -> PyObject* {
    const Array& array = *as_array(value);
    if (array.size() != 1) {
      PyErr_SetString(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
      return nullptr;
    }
    nb::object number = item_of(array);
    if (PyComplex_Check(number.ptr())) {
      if (PyComplex_ImagAsDouble(number.ptr()) != 0)
        raise(ErrorKind::runtime, "value cannot be converted to type {} without overflow",
              as == PyNumber_Float ? "double" : "int64_t");
      number = nb::float_(PyComplex_RealAsDouble(number.ptr()));
    }
    return as(number.ptr());
  });
}
PyObject* to_float(PyObject* value) { return number_of(value, PyNumber_Float); }
PyObject* to_integer(PyObject* value) { return number_of(value, PyNumber_Long); }
PyObject* to_index(PyObject* value) {
  const Array& array = *as_array(value);
  if (array.size() == 1 && (is_integer(array.dtype()) || array.dtype() == DType::boolean)) return to_integer(value);
  PyErr_SetString(PyExc_TypeError, "only integer tensors of a single element can be converted to an index");
  return nullptr;
}

Py_ssize_t length(PyObject* self) {
  const Array& array = *as_array(self);
  if (array.rank() > 0) return static_cast<Py_ssize_t>(array.shape()[0]);
  PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
  return -1;
}

// Raises TypeError for str and bytes, also inside lists and tuples.
void check_text(PyObject* key) {
  if (PyUnicode_Check(key) || PyBytes_Check(key)) raise(ErrorKind::type, "new(): invalid data type '{}'", Py_TYPE(key)->tp_name);
  if (!PyList_Check(key) && !PyTuple_Check(key)) return;
  const Deeper deeper;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(key); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(key, i);
    if (!PyLong_CheckExact(item)) check_text(item);
  }
}

// What PyTorch refuses as an index; NumPy's rules serve for the rest.
void check_one_key(PyObject* key) {
  check_text(key);
  if (PyFloat_Check(key))
    raise(ErrorKind::index,
          "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got float)");
  if (PySlice_Check(key)) {
    PyObject* step = reinterpret_cast<PySliceObject*>(key)->step;
    if (PyLong_Check(step) && PyLong_AsLong(step) <= 0) {
      PyErr_SetString(PyExc_ValueError, "step must be greater than zero");
      throw nb::python_error();
    }
  }
  if (const Array* places = as_array(key)) {
    DType type = places->dtype();
    if (places->rank() == 0 && is_integer(type)) return;
    if (type != DType::int64 && type != DType::int32 && type != DType::uint8 && type != DType::boolean)
      raise(ErrorKind::index, "tensors used as indices must be long, int, byte or bool tensors");
  }
}
void check_key(PyObject* key) {
  if (!PyTuple_Check(key)) return check_one_key(key);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i) check_one_key(PyTuple_GET_ITEM(key, i));
}

// An IndexError that is set speaks of axes; here they are dimensions.
void speak_of_dimensions() {
  if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_IndexError)) return;
  nb::python_error error;
  PyErr_SetString(PyExc_IndexError, with_dimensions(nb::cast<std::string>(nb::str(error.value()))).c_str());
}

PyObject* get_item(PyObject* self, PyObject* key) {
  PyObject* found = as_torch([&]() -> PyObject* {
    check_key(key);
    return get_array_item(self, key);
  });
  if (!found) speak_of_dimensions();
  return found;
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "Tensor does not support deleting items");
    return -1;
  }
  int overflow = 0;
  if (PyLong_CheckExact(value)) PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0 && as_array(self)->dtype() != DType::uint64) {
    PyErr_SetString(PyExc_ValueError, "Overflow when unpacking long long");
    return -1;
  }
  nb::object number;
  PyObject* checked = as_torch([&]() -> PyObject* {
    check_key(key);
    if (as_array(self)->rank() == 0 && (PySlice_Check(key) || (PyLong_Check(key) && !PyBool_Check(key))))
      raise(ErrorKind::index, "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert it to a number");
    TensorOperand operand;
    const bool is_python = PyFloat_Check(value) || PyComplex_Check(value);  // NumPy's of that kind, too
    const bool is_float_of_numpy =
        !is_python && classified(value).what == Given::What::number && !PyIndex_Check(value);  // refused
    if (!as_array(value) && !is_float_of_numpy && operand.read(value)) {
      operand.fit(as_array(self)->dtype());
      const Scalar& fitting = operand.scalar();
      if (fitting.kind == WeakScalar::integer)
        number = fitting.is_natural ? nb::object(nb::int_(fitting.natural)) : nb::object(nb::int_(fitting.integer));
      if (fitting.kind == WeakScalar::real) number = nb::float_(fitting.re);
    }
    return Py_NewRef(Py_None);
  });
  if (!checked) return -1;
  Py_DECREF(checked);
  int done = set_array_item(self, key, number.is_valid() ? number.ptr() : value);
  if (done != 0 && PyErr_ExceptionMatches(PyExc_ValueError)) {
    nb::python_error error;
    PyErr_SetString(PyExc_RuntimeError, nb::cast<std::string>(nb::str(error.value())).c_str());
  }
  return done;
}

#define IN_PLACE_TOO(name, op)                                           \
  {Py_nb_##name, reinterpret_cast<void*>(binary_slot<Op::op>)}, {        \
    Py_nb_inplace_##name, reinterpret_cast<void*>(in_place_slot<Op::op>) \
  }
PyType_Slot slots[] = {
    IN_PLACE_TOO(add, add),
    IN_PLACE_TOO(subtract, subtract),
    IN_PLACE_TOO(multiply, multiply),
    {Py_nb_true_divide, reinterpret_cast<void*>(divide)},
    {Py_nb_inplace_true_divide, reinterpret_cast<void*>(in_place_slot<Op::true_divide>)},
    IN_PLACE_TOO(floor_divide, floor_divide),
    IN_PLACE_TOO(remainder, remainder),
    IN_PLACE_TOO(and, bitwise_and),
    IN_PLACE_TOO(or, bitwise_or),
    IN_PLACE_TOO(xor, bitwise_xor),
    IN_PLACE_TOO(lshift, left_shift),
    IN_PLACE_TOO(rshift, right_shift),
    {Py_nb_power, reinterpret_cast<void*>(power)},
    {Py_nb_inplace_power, reinterpret_cast<void*>(in_place_power)},
    {Py_nb_matrix_multiply, reinterpret_cast<void*>(matrix_product)},
    {Py_nb_negative, reinterpret_cast<void*>(unary_slot<Op::negative>)},
    {Py_nb_positive, reinterpret_cast<void*>(unary_slot<Op::positive>)},
    {Py_nb_absolute, reinterpret_cast<void*>(unary_slot<Op::absolute>)},
    {Py_nb_invert, reinterpret_cast<void*>(unary_slot<Op::invert>)},
    {Py_nb_float, reinterpret_cast<void*>(to_float)},
    {Py_nb_int, reinterpret_cast<void*>(to_integer)},
    {Py_nb_index, reinterpret_cast<void*>(to_index)},
    {Py_nb_bool, reinterpret_cast<void*>(to_bool)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_mp_subscript, reinterpret_cast<void*>(get_item)},
    {Py_mp_ass_subscript, reinterpret_cast<void*>(set_item)},
    {Py_mp_length, reinterpret_cast<void*>(length)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {0, nullptr},
};

}  // namespace

const Rules torchs_rules{TypeRules::torch, [](Op op, std::span<const Argument> arguments) {
                           std::array<TensorOperand, 3> operands;
                           for (size_t i = 0; i < arguments.size(); ++i) operands[i].set(arguments[i]);
                           try {
                             return computed(op, {operands.data(), arguments.size()}, nullptr);
                           } catch (const Error& e) {
                             throw as_torchs(e);
                           }
                         }};

void write_as_torch(const Array& into, const Array& result) {
  if (result.shape() != into.shape())
    raise(ErrorKind::runtime, "output with shape {} doesn't match the broadcast shape {}", in_brackets(into.shape()),
          in_brackets(result.shape()));
  check_result(result.dtype(), into);
  assign(into, Argument(result));
}

PyObject* call_torch_op(Op op, PyObject* const* values, size_t count, PyObject* into) {
  return as_torch([&]() -> PyObject* {
    std::array<TensorOperand, 3> operands;
    if (count > operands.size()) bug("an op of {} operands", count);
    for (size_t i = 0; i < count; ++i) {
      if (!operands[i].read(values[i]))
        raise(ErrorKind::type, "{}(): argument must be Tensor or Number, not {}", row(op).name, Py_TYPE(values[i])->tp_name);
    }
    std::span<TensorOperand> given(operands.data(), count);
    const Array* target = into == Py_None ? nullptr : as_array(into);
    if (op == Op::square) operands[1].set(Argument(steps::whole(2)));
    const bool is_power = op == Op::power || (op == Op::square && is_number_power({operands.data(), 2}, target));
    Array result = is_power ? raised_to({operands.data(), 2}, target) : computed(op, given, target);
    return target ? Py_NewRef(into) : wrap_tensor(std::move(result));
  });
}

bool is_tensor_type(PyTypeObject* type) { return type == tensor_type || (tensor_base && PyType_IsSubtype(type, tensor_base)); }

PyTypeObject* result_type(PyTypeObject* type) {
  if (!type) return array_type;
  if (type == array_type || type == tensor_type || !tensor_type) return type;
  return PyType_IsSubtype(type, tensor_base) ? tensor_type : type;
}

static void define_types(nb::module_& m) {
  m.def("tensor_op_types", [](const std::string& name, nb::args values) {
    std::vector<OperandType> types;
    for (nb::handle value : values) {
      TensorOperand one;
      one.read(value.ptr());
      types.push_back(one.type());
    }
    Loop loop = resolve_as_torch(op_named(name), types);
    return std::make_pair(std::string(row(loop.compute).name), std::string(row(loop.result).name));
  });
  m.def("tensor_common_type", [](nb::args values) {
    std::vector<OperandType> types;
    for (nb::handle value : values) {
      TensorOperand one;
      if (!one.read(value.ptr())) raise(ErrorKind::type, "result_type(): arguments must be tensors or numbers");
      types.push_back(one.type());
    }
    return std::string(row(common_type_as_torch(types)).name);
  });
  m.def("torch_promoted", [](const std::string& a, const std::string& b) {
    return std::string(row(promote_as_torch(dtype_of(a), dtype_of(b))).name);
  });
  m.def("torch_can_write",
        [](const std::string& a, const std::string& b) { return can_write_as_torch(dtype_of(a), dtype_of(b)); });
  m.def("set_torch_default", [](const std::string& name) { set_torch_default(dtype_of(name)); });
  m.def("torch_default", [] { return std::string(row(torch_default()).name); });
}

static void define_writes(nb::module_& m) {
  // Writes values to places, one index array for each of these axes; or adds them there. The functions of PyTorch name a rule
  // too: which index may be out of range (-1: each), and what is said then (tensor_refusals.cpp).
  auto put_with = [&m](const std::string& name, auto body) {
    auto put = [body](nb::handle given, const std::vector<int>& axes, int ruled, const OutOfRange* rule, nb::handle value,
                      const nb::args& indices) {
      PyObject* done = as_torch([&]() -> PyObject* {
        if (axes.size() != indices.size()) raise(ErrorKind::index, "put(): {} axes and {} indices", axes.size(), indices.size());
        std::vector<Pick> picks;
        for (size_t k = 0; k < axes.size(); ++k) {
          if (axes[k] < 0 || static_cast<size_t>(axes[k]) >= array_in(given).rank())
            raise(ErrorKind::index, "put(): dimension {} is out of range", axes[k]);
          picks.push_back({static_cast<size_t>(axes[k]), array_in(indices[k])});
          if (ruled < 0 || static_cast<size_t>(ruled) == k) picks[k].refused = rule;
        }
        TensorOperand operand;
        if (!operand.read(value.ptr()))
          raise(ErrorKind::type, "put(): values must be a Tensor or Number, not {}", Py_TYPE(value.ptr())->tp_name);
        operand.fit(array_in(given).dtype());
        body(array_in(given), picks, operand.argument());
        return Py_NewRef(Py_None);
      });
      if (!done) throw nb::python_error();
      return nb::steal(done);
    };
    m.def(("array_" + name).c_str(), [put](nb::handle given, const std::vector<int>& axes, nb::handle value,
                                           const nb::args& indices) { return put(given, axes, -1, nullptr, value, indices); });
    m.def(("tensor_" + name).c_str(),
          [put](nb::handle given, const std::vector<int>& axes, const std::pair<int, std::string>& rule, nb::handle value,
                const nb::args& indices) { return put(given, axes, rule.first, out_of_range(rule.second), value, indices); });
  };
  put_with("put", [](const Array& array, std::span<const Pick> picks, const Argument& value) {
    const AllHaveGradients as_torch;
    put(array, picks, value);
  });
  put_with("put_add",
           [](const Array& array, std::span<const Pick> picks, const Argument& value) { put_add(array, picks, value); });
}

PyObject* wrap_tensor(Array&& array) { return wrap_as(std::move(array), tensor_type); }

void init_tensors(nb::module_& m) {
  auto base = nb::class_<TensorArray, Array>(m, "TensorBase", nb::type_slots(slots), nb::is_weak_referenceable());
  base.def("_is_view", [](const Array& tensor) { return is_view_of_other(tensor); });
  tensor_base = reinterpret_cast<PyTypeObject*>(base.ptr());
  m.def("set_tensor_type", [](nb::handle type) { tensor_type = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr()); });
  // An op of the table by PyTorch's rules; `into`: the tensor that takes the result.
  m.def(
      "tensor_op",
      [](const std::string& name, nb::args values, nb::handle into) {
        PyObject* out = call_torch_op(op_named(name), &PyTuple_GET_ITEM(values.ptr(), 0), values.size(), into.ptr());
        if (!out) throw nb::python_error();
        return nb::steal(out);
      },
      nb::arg("name"), nb::arg("values"), nb::kw_only(), nb::arg("into").none() = nb::none());
  // The same for arrays over the same memory, while one of them lives.
  m.def("memory_key", [](nb::handle given) { return reinterpret_cast<uintptr_t>(array_in(given).cell().get()); });
  // The bytes of the memory that a tensor is a view of.
  m.def("memory_bytes", [](nb::handle given) {
    const Array& array = array_in(given);
    GraphLock lock;
    return array.cell()->node->size() * static_cast<int64_t>(size_of(array.cell()->node->dtype));
  });
  m.def("tensor_as", [](nb::handle given, nb::handle type) {
    Array same(array_in(given));
    if (!PyType_Check(type.ptr()) || !is_tensor_type(reinterpret_cast<PyTypeObject*>(type.ptr())))
      raise(ErrorKind::type, "as_subclass(): the class must be a subclass of Tensor, not {}", Py_TYPE(type.ptr())->tp_name);
    if (InferenceMode::is_on() && !is_tensor_type(Py_TYPE(given.ptr()))) {
      same = same.view(same.layout());  // a tensor of its own: the other front end's array is no inference tensor
      mark_inference(same);
    }
    return nb::steal(wrap_as(std::move(same), reinterpret_cast<PyTypeObject*>(type.ptr())));
  });
  m.def("array_assign", [](nb::handle given, nb::handle value) {
    PyObject* done = as_torch([&]() -> PyObject* {
      TensorOperand operand;
      if (!operand.read(value.ptr()))
        raise(ErrorKind::type, "copy_(): argument must be Tensor or Number, not {}", Py_TYPE(value.ptr())->tp_name);
      operand.fit(array_in(given).dtype());
      assign(array_in(given), operand.argument());
      return Py_NewRef(Py_None);
    });
    if (!done) throw nb::python_error();
    return nb::steal(done);
  });
  define_types(m);
  define_writes(m);
  init_tensor_refusals(m);
  init_tensor_steps(m);
  init_gradients(m);
}

}  // namespace quern::python
