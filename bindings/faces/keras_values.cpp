#include "bindings/faces/keras_values.h"

#include "bindings/faces/operands.h"
#include "bindings/functions.h"
#include "bindings/given.h"
#include "bindings/nested_numbers.h"
#include "core/error.h"
#include "functions/creation.h"
#include "functions/steps.h"

#include <algorithm>

namespace quern::python::faces {

DType type_together(std::span<const OperandType> types) {
  if (types.empty()) return keras.real_type();
  const DType type = keras_type_of(types);
  const bool are_weak = std::all_of(types.begin(), types.end(), [](const OperandType& one) { return one.is_weak; });
  return are_weak && row(type).kind == DTypeKind::real ? keras.real_type() : type;
}

namespace {

using What = Given::What;

bool is_a(PyObject* value, PyTypeObject* type) { return type && PyType_IsSubtype(Py_TYPE(value), type); }
bool is_sequence(PyObject* value) { return PyList_Check(value) || PyTuple_Check(value); }
nb::object value_of(PyObject* variable) { return nb::handle(variable).attr("value"); }

// What nested sequences hold.
struct Held {
  std::vector<OperandType> types;  // each once; of Python's numbers weak ones
  bool has_tensors = false;

  void read(PyObject* value) {
    if (is_sequence(value)) {
      const Deeper deeper;
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) read(PySequence_Fast_GET_ITEM(value, i));
    } else if (const Array* array = as_array(value)) {
      has_tensors = true;
      add({array->dtype()});
    } else if (is_a(value, keras.variable)) {
      has_tensors = true;
      add({dtype_of(nb::cast<std::string>(nb::handle(value).attr("dtype")))});
    } else if (Scalar number; read_scalar(value, number)) {
      add(Argument(number).type());
    } else if (classified(value).what == What::host_array) {
      const nb::object type = nb::handle(value).attr("dtype");
      if (const DType* known = dtype_of_object(type.ptr())) add({*known});
    }
  }

 private:
  void add(OperandType type) {
    const auto is_same = [&](const OperandType& one) {
      return one.is_weak == type.is_weak && (type.is_weak ? one.weak == type.weak : one.dtype == type.dtype);
    };
    if (std::none_of(types.begin(), types.end(), is_same)) types.push_back(type);
  }
};

Array as_type(const Array& array, DType type) {
  if (array.dtype() == type) return array;
  const bool loses_parts = is_complex(array.dtype()) && !is_complex(type) && type != DType::boolean;
  return astype(loses_parts ? array.real() : array, type, Order::keep);
}

// The type is asked for by its name, so that NumPy reads what it does not know.
MadeOfValue made_of_host(PyObject* value, std::optional<DType> type) {
  const nb::object name = type ? nb::object(nb::str(std::string(quern::row(*type).name).c_str())) : nb::none();
  return made_as_numpy(value, {.dtype = type, .dtype_object = name.ptr()});
}

// A number of Python's is a constant, which no memory holds.
std::optional<Array> array_of_number(PyObject* value, std::optional<DType> dtype) {
  Scalar number;
  if (!read_scalar(value, number) || !number.is_weak) return {};
  const DType type = dtype ? *dtype : type_together(std::array{Argument(number).type()});
  if (is_odd_to_numpy(number, type)) return made_of_host(value, type).array;
  return full({}, number, type, current_context().id());
}

Array array_of_sequence(PyObject* value, std::optional<DType> dtype) {
  Held held;
  if (const NestedNumbers numbers(value); numbers.are_plain())
    held.types = numbers.types();
  else
    held.read(value);
  const DType type = dtype ? *dtype : type_together(held.types);
  if (!held.has_tensors) return *made_of_host(value, type).array;
  std::vector<Array> parts;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
    const MadeOfValue part = made_as_keras(PySequence_Fast_GET_ITEM(value, i), type);
    parts.push_back(part.array ? *part.array : *as_array(part.beside.ptr()));
  }
  return stacked(parts, 0);
}

}  // namespace

MadeOfValue made_as_keras(PyObject* value, std::optional<DType> dtype) {
  if (const Array* array = as_array(value)) {
    const bool is_itself = Py_TYPE(value) == keras.type && (!dtype || *dtype == array->dtype());
    if (is_itself) return {{}, nb::borrow(value)};
    return {dtype ? as_type(*array, *dtype) : Array(*array), {}};
  }
  if (is_a(value, keras.variable)) return made_as_keras(value_of(value).ptr(), dtype);
  if (is_a(value, keras.symbolic))
    raise(
        ErrorKind::value,
        "A KerasTensor cannot be used as input to a function of a backend. A KerasTensor is a symbolic placeholder for a shape "
        "and "
        "dtype, used when constructing Keras Functional models or Keras Functions. You can only use it as input to a Keras layer "
        "or a Keras operation (from the namespaces `keras.layers` and `keras.ops`).");
  if (value == Py_None) raise(ErrorKind::value, "None is not a tensor: a value is missing, such as the targets of a loss");
  if (auto made = array_of_number(value, dtype)) return {std::move(made), {}};
  if (is_sequence(value)) return {array_of_sequence(value, dtype), {}};
  const MadeOfValue made = made_of_host(value, {});
  const Array& array = made.array ? *made.array : *as_array(made.beside.ptr());
  return {dtype ? as_type(array, *dtype) : Array(array), {}};
}

}  // namespace quern::python::faces
