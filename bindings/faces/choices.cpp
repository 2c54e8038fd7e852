#include "bindings/faces/choices.h"

#include "bindings/functions.h"
#include "bindings/given.h"
#include "core/error.h"
#include "functions/steps.h"

namespace quern::python::faces {

namespace {

// CuPy's functions accept no arrays of the host but those without axes.
void check_is_own(const Reading& reading, PyObject* given) {
  if (&reading.front_end != &cupy || !given || classified(given).what != Given::What::host_array) return;
  if (nb::cast<int>(nb::handle(given).attr("ndim")) == 0) return;
  raise(ErrorKind::type, "Unsupported type {}; make an array of it with cupy.asarray()",
        nb::repr(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(given)))).c_str());
}

bool is_text(PyObject* given, const char* text) {
  return PyUnicode_Check(given) && PyUnicode_CompareWithASCIIString(given, text) == 0;
}
// Before NumPy 2.5 a Python integer becomes one of the other's type, and what does not fit goes round.
void wrap_beside(Operand& operand, PyObject* given, const Operand& other) {
  if (operand.argument.array() || !PyLong_CheckExact(given)) return;
  Scalar number = operand.argument.scalar();
  if (!number.is_huge && !number.is_natural && number.integer >= 0 && number.integer < 128) return;
  const OperandType beside = other.argument.type();
  const bool is_number = !other.argument.array();
  const bool is_of_integers = is_number ? beside.weak <= WeakScalar::integer : steps::is_whole(beside.dtype);
  if (!is_of_integers) {
    if (number.is_huge) operand.argument = Argument(steps::real_number(number.re));
    return;
  }
  if (nb::cast<bool>(nb::module_::import_("quern.arrays.core").attr("NUMPY_2_5"))) return;
  if (number.is_huge) raise(ErrorKind::overflow, "Python int too large to convert to C long");
  number.dtype = is_number || beside.dtype == DType::boolean ? DType::int64 : beside.dtype;
  wrap_to(number, number.dtype);
  number.is_weak = false;
  operand.argument = Argument(number);
}

// Both in the type that Keras's functions have for them.
void bring_together(Operand& x, Operand& y) {
  const OperandType types[] = {x.argument.type(), y.argument.type()};
  const DType type = keras_type_of(types);
  const bool has_array = x.argument.array() || y.argument.array();
  for (Operand* one : {&x, &y}) {
    if (has_array) {
      one->convert(type);
    } else {
      Scalar number = one->argument.scalar();
      if (!steps::is_whole(type) && number.kind != WeakScalar::real)
        number = steps::real_number(static_cast<double>(number.integer));
      number.dtype = type;
      number.is_weak = false;
      one->argument = Argument(number);
    }
  }
}

nb::object numpys_type(DType type) {
  return nb::module_::import_("quern.arrays.core").attr("_numpy_dtype")(nb::str(std::string(row(type).name).c_str()));
}

void check_casting(const Reading& reading, DType type, PyObject* rule) {
  if (!is_given(rule) || is_text(rule, "unsafe")) return;
  nb::object from = numpys_type(reading.first->dtype()), to = numpys_type(type);
  if (nb::cast<bool>(nb::module_::import_("numpy").attr("can_cast")(from, to, nb::handle(rule)))) return;
  raise(ErrorKind::type, "Cannot cast array data from {} to {} according to the rule '{}'", nb::repr(from).c_str(),
        nb::repr(to).c_str(), nb::str(nb::handle(rule)).c_str());
}

}  // namespace

void Read<const Choices&>::read(Reading& reading) {
  PyObject *first = reading.take(), *second = reading.take();
  if (!first || !second) return;  // the body says what is wrong
  x.read(reading, first);
  y.read(reading, second);
  if (&reading.front_end == &keras) {
    bring_together(x, y);
  } else if (!is_torch(reading)) {
    const Operand before = {{}, {}, x.argument};
    wrap_beside(x, first, y);
    wrap_beside(y, second, before);
  }
  value = {x.argument, y.argument};
}

void Check<chosen>::call(const Reading& reading, const Rules&, const Array& condition, const Choices& choices) {
  if (!is_torch(reading)) return;
  if (condition.dtype() != DType::boolean && condition.dtype() != DType::uint8)
    raise(ErrorKind::runtime, "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
          torch_name_of(condition.dtype()));
  if (!is_given(reading.out())) return;
  for (const auto* one : {&choices.x, &choices.y})
    if (!(*one)->array())
      raise(ErrorKind::type, "where(): argument '{}' must be Tensor, not a number, where out= is given",
            one == &choices.x ? "input" : "other");
}

void Read<const ClipLimits&>::read(Reading& reading) {
  PyObject *first = reading.take(), *second = reading.take(), *least = reading.take(), *most = reading.take();
  if (!first && !second) {
    first = least, second = most;
  } else if (!first || !second) {
    raise(ErrorKind::type, "clip() missing 1 required positional argument: '{}'", first ? "a_max" : "a_min");
  } else if (least || most) {
    raise(ErrorKind::value, "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.");
  }
  PyObject *mask = reading.take(), *casting = reading.take(), *order = reading.take(), *signature = reading.take();
  if (mask && mask != Py_True) throw Unserved{"where"};
  if (casting && !is_text(casting, "same_kind")) throw Unserved{"casting"};
  if (order) value.order = order_of(order, Order::keep);
  if (is_given(signature)) throw Unserved{"signature"};
  for (PyObject* one : {first, second}) check_is_own(reading, one);
  if (is_given(first)) low.read(reading, first), value.low = low.argument;
  if (is_given(second)) high.read(reading, second), value.high = high.argument;
  if (&reading.front_end != &keras) return;
  std::vector<OperandType> types{{reading.first->dtype()}};
  for (const std::optional<Argument>* limit : {&value.low, &value.high})
    if (*limit) types.push_back((*limit)->type());
  const DType common = keras_type_of(types), type = common == DType::boolean ? DType::int32 : common;
  value.type = type;
  for (auto [limit, shown] : {std::pair(&low, &value.low), std::pair(&high, &value.high)})
    if (*shown) limit->convert(type), *shown = limit->argument;
}

void Check<between_limits>::call(const Reading&, const Rules&, const Array& x, const ClipLimits& limits,
                                 std::optional<DType> dtype) {
  if (!dtype || limits.type) return;
  const auto refuse = [&](int operand, std::string_view type) {
    raise(ErrorKind::type, "Cannot cast ufunc 'clip' input {} from dtype('{}') to dtype('{}') with casting rule 'same_kind'",
          operand, type, row(*dtype).name);
  };
  if (!can_cast_same_kind(x.dtype(), *dtype)) refuse(0, row(x.dtype()).name);
  for (int n : {1, 2}) {
    const std::optional<Argument>& limit = n == 1 ? limits.low : limits.high;
    if (!limit) continue;
    const OperandType type = limit->type();
    const DType from = !type.is_weak                      ? type.dtype
                       : type.weak == WeakScalar::complex ? DType::complex128
                       : type.weak == WeakScalar::real    ? DType::float64
                                                          : DType::boolean;
    if (!can_cast_same_kind(from, *dtype)) refuse(n, row(from).name);
  }
}

namespace {

nb::object sequence_of(PyObject* given) {
  nb::object made = nb::steal(PySequence_List(given ? given : Py_None));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

// Conditions of other types than bool hold where they are not 0, but NumPy takes none.
Array condition_in(Reading& reading, PyObject* given, size_t place, nb::object& made, std::optional<Array>& numbers) {
  const Array& condition = reading.first ? read_array(reading, given, made, numbers) : read_first(reading, given);
  if (condition.dtype() != DType::boolean && &reading.front_end != &keras)
    raise(ErrorKind::type, "invalid entry {} in condlist: should be boolean ndarray", place);
  return steps::as_type(condition, DType::boolean);
}

// A choice in the type of all; integers of Python's that do not fit go round.
Array choice_of(const Operand& operand, DType type, DeviceId device) {
  if (operand.argument.array()) return operand.array(type, device);
  Scalar number = operand.argument.scalar();
  if (is_integer(type) && !number.is_huge) {
    wrap_to(number, type);
    number.dtype = type;
    number.is_weak = false;
  }
  return full({}, number, type, device);
}

}  // namespace

void Read<const Cases&>::read(Reading& reading) {
  const nb::object conditions = sequence_of(reading.take()), choices = sequence_of(reading.take());
  PyObject* otherwise = reading.take();
  const size_t count = nb::len(conditions);
  if (count != nb::len(choices)) raise(ErrorKind::value, "list of cases must be same length as list of conditions");
  if (count == 0) raise(ErrorKind::value, "select with an empty condition list is not possible");
  std::optional<Array> numbers;
  for (size_t n = 0; n < count; ++n) {
    value.conditions.push_back(condition_in(reading, nb::object(conditions[n]).ptr(), n, made.emplace_back(), numbers));
    made.push_back(nb::object(conditions[n]));
  }
  std::vector<Operand> operands(count + 1);
  std::vector<OperandType> types;
  for (size_t n = 0; n <= count; ++n) {
    operands[n].read(reading, n < count ? nb::object(choices[n]).ptr() : otherwise);
    types.push_back(operands[n].argument.type());
  }
  const DType type = &reading.front_end == &keras ? keras_type_of(types) : common_type(types);
  const DeviceId device = reading.first->device();
  for (size_t n = 0; n < count; ++n) value.choices.push_back(choice_of(operands[n], type, device));
  value.otherwise = choice_of(operands[count], type, device);
}

Conversion Read<const Conversion&>::read(Reading& reading) {
  Conversion to{read_dtype(reading, reading.take()).value_or(DType::float64)};
  if (PyObject* order = reading.take()) to.order = order_of(order, Order::keep);
  check_casting(reading, to.dtype, reading.take());
  PyObject* copy = reading.take();
  to.copies = !copy || read_flag(reading, copy);
  if (PyObject* device = reading.take(); is_given(device)) to.device = read_device(reading, device);
  PyObject* subok = reading.take();
  if (&reading.front_end == &cupy) {
    if (is_given(subok)) raise(ErrorKind::type, "subok is not supported yet");
    const bool loses_parts = is_complex(reading.first->dtype()) && !is_complex(to.dtype) && to.dtype != DType::boolean;
    if (loses_parts) nb::module_::import_("quern.cupy._array").attr("warn_of_reals")();
  }
  return to;
}

}  // namespace quern::python::faces
