#include "bindings/faces/read.h"

#include "bindings/functions.h"
#include "bindings/given.h"
#include "core/error.h"
#include "functions/steps.h"
#include "graph/tape.h"

#include <algorithm>

namespace quern::python::faces {

int64_t integer_in(PyObject* given) {
  int overflow = 0;
  if (PyLong_CheckExact(given))
    if (int64_t number = PyLong_AsLongLongAndOverflow(given, &overflow); overflow == 0) return number;
  nb::object index = nb::steal(PyNumber_Index(given));
  if (!index.is_valid()) throw nb::python_error();
  int64_t number = PyLong_AsLongLong(index.ptr());
  if (number == -1 && PyErr_Occurred()) throw nb::python_error();  // OverflowError
  return number;
}

namespace {

int64_t axis_in(PyObject* given) {
  if (PyBool_Check(given)) raise(ErrorKind::type, "an integer is required for the axis");
  return integer_in(given);
}

}  // namespace

const Array& read_array(Reading& reading, PyObject* given, nb::object& made, std::optional<Array>& numbers) {
  PyObject* value = given;
  if (!as_array(given)) {
    if (reading.front_end.convert) {
      made = nb::handle(reading.front_end.convert)(nb::handle(given));
    } else {
      made = reading.first ? array_of(given, reading.first->device()) : array_of(given);
    }
    value = made.ptr();
  }
  const Family family = reading.family();
  if (family >= Family::views && family != Family::moves) return array_in(nb::handle(value));
  const bool moves = family == Family::moves || family == Family::converts || family == Family::creates ||
                     reading.function == quern::Function::where_;
  python::Use use = moves ? python::Use::moves : python::Use::computes;
  return array_in(value, Call{reading.face.name, use}, numbers);
}

static PyObject* later_array(const Reading& reading) {
  PyObject* const* end = reading.slots + out_slot;
  PyObject* const* found = std::find_if(reading.slots + reading.next, end, [](PyObject* one) { return one && as_array(one); });
  return found == end ? nullptr : *found;
}

const Array& read_first(Reading& reading, PyObject* given) {
  PyObject* later = as_array(given) && Py_TYPE(given) != array_type ? nullptr : later_array(reading);
  const bool goes_there = later && !as_array(given) && !reading.front_end.convert;
  nb::object there = goes_there ? array_of(given, as_array(later)->device()) : nb::borrow(given);
  const Array& array = read_array(reading, there.ptr(), reading.made, reading.numbers);
  if (goes_there) reading.made = std::move(there);
  reading.first = &array;
  reading.beside = reading.made.is_valid() ? reading.made.ptr() : given;
  if (later && Py_TYPE(reading.beside) == array_type && Py_TYPE(later) != array_type) reading.beside = later;
  if (reading.is_in_place()) return reading.numbers.emplace(unhooked(array));
  const Family family = reading.family();
  const bool is_of_reals = family == Family::layers || family == Family::algebra || family == Family::quantiles;
  if (is_of_reals && reading.front_end.layer_operand) {
    reading.numbers = reading.front_end.layer_operand(reading, Array(array));
    return *(reading.first = &*reading.numbers);
  }
  return array;
}

std::vector<bool> read_axes(const Reading& reading, PyObject* given, bool counts_elements) {
  const size_t rank = reading.first->rank();
  const FrontEnd& front_end = reading.front_end;
  if (!is_given(given)) return std::vector<bool>(rank, true);
  bool takes_lists =
      front_end.takes_lists_of_axes || reading.family() == Family::statistics || reading.family() == Family::quantiles;
  bool is_list = PyTuple_Check(given) || (takes_lists && PyList_Check(given));
  // PyTorch reduces over all dimensions where it is given none, but tests over none.
  if (is_list && front_end.has_axis_without_dimensions && PySequence_Fast_GET_SIZE(given) == 0)
    return std::vector<bool>(rank, reading.family() != Family::tests);
  std::vector<bool> goes(rank, false);
  bool has_one = rank == 0 && (front_end.has_axis_without_dimensions || (!counts_elements && !is_list));
  bool is_taken = false;  // the axis of an array that has none
  auto take = [&](PyObject* one) {
    int64_t axis = axis_in(one), place = axis, count = static_cast<int64_t>(rank) + has_one;
    if (place < 0) place += count;
    if (place < 0 || place >= count) front_end.refuse_axis(axis, rank);
    bool taken = has_one ? is_taken : goes[static_cast<size_t>(place)];
    if (taken) front_end.refuse_repeated_axis(place);
    if (has_one)
      is_taken = true;
    else
      goes[static_cast<size_t>(place)] = true;
  };
  if (!is_list) {
    take(given);
    return goes;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(given); ++i) take(PySequence_Fast_GET_ITEM(given, i));
  return goes;
}

// PyTorch refuses tensors without dimensions before it checks the one that is given.
static void check_may_be_split(const Reading& reading) {
  using F = quern::Function;
  if (!is_torch(reading)) return;
  if (reading.function == F::array_split_)
    raise(ErrorKind::runtime, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  if (reading.function == F::split_by_sizes_ || reading.function == F::chunk_)
    raise(ErrorKind::runtime, "{} expects at least a 1-dimensional tensor", reading.function == F::chunk_ ? "chunk" : "split");
}

size_t read_axis(const Reading& reading, PyObject* given) {
  const auto rank = static_cast<int64_t>(reading.first->rank());
  if (rank == 0) check_may_be_split(reading);
  const bool has_one = rank == 0 && reading.front_end.has_axis_without_dimensions;
  int64_t axis = axis_in(given), place = axis < 0 ? axis + rank + has_one : axis;
  if (place < 0 || place >= rank + has_one) reading.front_end.refuse_axis(axis, reading.first->rank());
  return static_cast<size_t>(place);
}

// NumPy takes axis 0 of an array without axes for the flattened array.
std::optional<size_t> read_axis_or_none(const Reading& reading, PyObject* given) {
  if (!is_given(given)) return {};
  if (reading.first->rank() == 0 && !reading.front_end.has_axis_without_dimensions) {
    int64_t axis = axis_in(given);
    if (axis != 0 && axis != -1) reading.front_end.refuse_axis(axis, 0);
    return {};
  }
  return read_axis(reading, given);
}

std::optional<DType> read_dtype(const Reading& reading, PyObject* given) {
  if (!is_given(given)) return {};
  const bool is_known = !(is_torch(reading) && PyUnicode_Check(given));  // names are types to NumPy alone
  if (const DType* known = is_known ? dtype_of_object(given) : nullptr) return *known;
  nb::object name = nb::handle(reading.front_end.name_of_dtype)(nb::handle(given));
  const Family family = reading.family();
  const bool moves = family == Family::converts || family == Family::creates;
  return dtype_in(name, Call{reading.face.name, moves ? python::Use::moves : python::Use::computes});
}

DeviceId read_device(const Reading& reading, PyObject* given) {
  if (!is_given(given))
    if (std::optional<DeviceId> known = reading.front_end.default_device()) return *known;
  if (given && nb::isinstance<PyDevice>(nb::handle(given))) return device_number(nb::cast<PyDevice>(nb::handle(given)));
  if (!is_torch(reading) && !PyUnicode_Check(given) && !PyObject_HasAttrString(given, "_engine_device"))
    raise(ErrorKind::type, "[{}] `device` must be a Device or a name such as 'cpu', 'cuda' or 'cuda:1', not {}",
          reading.face.name, Py_TYPE(given)->tp_name);
  PyObject* make = reading.front_end.device;
  if (!make) raise(ErrorKind::type, "[{}] `device` must be None or a quern device", reading.face.name);
  return device_number(nb::cast<PyDevice>(nb::handle(make)(nb::handle(given ? given : Py_None))));
}

bool read_flag(const Reading&, PyObject* given) {
  if (!given || given == Py_False || given == Py_None) return false;
  if (given == Py_True) return true;
  int truth = PyObject_IsTrue(given);
  if (truth < 0) throw nb::python_error();
  return truth == 1;
}

int64_t read_integer(const Reading&, PyObject* given) { return is_given(given) ? integer_in(given) : 0; }

double read_number(const Reading&, PyObject* given) {
  if (!is_given(given)) return 0;
  double number = PyFloat_AsDouble(given);
  if (number == -1 && PyErr_Occurred()) throw nb::python_error();
  return number;
}

const Array* read_mask(Reading& reading, PyObject* given, std::optional<Array>& room) {
  if (!given || given == Py_True) return nullptr;
  bool has_type = as_array(given) || classified(given).what == Given::What::host_array;
  DeviceId device = reading.first->device();
  nb::object made = has_type ? array_of(given, device) : array_of(given, device, DType::boolean);
  const Array& mask = array_in(made);
  if (mask.dtype() != DType::boolean)
    raise(ErrorKind::type, "Cannot cast array data from dtype('{}') to dtype('bool') according to the rule 'safe'",
          row(mask.dtype()).name);
  const Array& array = *reading.first;
  if (mask.rank() > array.rank()) raise(ErrorKind::value, "input operand has more dimensions than allowed by the axis remapping");
  for (size_t n = 1; n <= mask.rank(); ++n) {
    int64_t size = mask.shape()[mask.rank() - n];
    if (size != 1 && size != array.shape()[array.rank() - n])
      raise(ErrorKind::value, "non-broadcastable operand: a mask of shape {} for an array of shape {}", to_string(mask.shape()),
            to_string(array.shape()));
  }
  return &room.emplace(mask);
}

}  // namespace quern::python::faces
