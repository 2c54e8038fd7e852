// Arguments of sorts: methods, fields of records, places, keys; results of functions of sets; what peers refuse of them.
#include "bindings/faces/sets.h"

#include "bindings/faces/results.h"
#include "core/error.h"
#include "functions/steps.h"

#include <algorithm>

namespace quern::python::faces {

namespace {

bool holds(nb::handle names, nb::handle name) {
  int found = PySequence_Contains(names.ptr(), name.ptr());
  if (found < 0) throw nb::python_error();
  return found == 1;
}

}  // namespace

void check_sort(const Reading&, PyObject* kind, PyObject* stable) {
  if (is_given(kind) && is_given(stable))
    raise(ErrorKind::value, "`kind` and `stable` parameters can't be provided at the same time. Use only one of them.");
  if (!is_given(kind)) return;
  if (!PyUnicode_Check(kind)) raise(ErrorKind::type, "sort kind must be str, not {}", Py_TYPE(kind)->tp_name);
  const char* text = PyUnicode_AsUTF8(kind);
  if (!text) throw nb::python_error();
  if (std::string_view("qmhsQMHS").find(text[0]) == std::string_view::npos || !text[0])
    raise(ErrorKind::value, "sort kind must be one of 'quick', 'heap', or 'stable' (got '{}')", text);
}

void check_select(const Reading&, PyObject* kind) {
  if (!kind) return;  // Keras's has none
  const char* text = PyUnicode_Check(kind) ? PyUnicode_AsUTF8(kind) : "";
  if (!text) throw nb::python_error();
  if (std::string_view(text) != "introselect")
    raise(ErrorKind::value, "select kind must be 'introselect' (got {})", nb::repr(nb::handle(kind)).c_str());
}

// The records with the fields that `order` names before their others.
SortFields read_fields(const Reading& reading, PyObject* order) {
  if (!is_given(order)) return {};
  nb::object names = nb::handle(reading.beside).attr("dtype").attr("names");
  if (names.is_none()) raise(ErrorKind::value, "Cannot specify order when the array has no fields.");
  nb::list first;
  if (PyUnicode_Check(order))
    first.append(nb::handle(order));
  else
    first = nb::list(nb::handle(order));
  nb::list key;
  for (nb::handle name : first) {
    if (!holds(names, name)) raise(ErrorKind::value, "unknown field name: {}", nb::str(name).c_str());
    if (holds(key, name)) raise(ErrorKind::value, "duplicate field name: {}", nb::str(name).c_str());
    key.append(name);
  }
  for (nb::handle name : names)
    if (!holds(key, name)) key.append(name);
  nb::object made = nb::handle(reading.beside)[key];
  return {*as_array(made.ptr())};
}

std::vector<int64_t> read_kth(PyObject* given) {
  if (PyLong_CheckExact(given)) {
    int64_t place = PyLong_AsLongLong(given);
    if (place == -1 && PyErr_Occurred()) throw nb::python_error();
    return {place};
  }
  nb::object made = as_array(given) ? nb::borrow(given) : array_of(given, DeviceId::cpu());
  const Array& places = *as_array(made.ptr());
  if (!steps::is_whole(places.dtype())) raise(ErrorKind::type, "Partition index must be integer");
  if (places.rank() > 1) raise(ErrorKind::value, "kth array must have dimension <= 1, not {}", places.rank());
  return steps::values_of<int64_t>(places);
}

SortKeys read_keys(Reading& reading, PyObject* given) {
  if ((PyTuple_Check(given) || PyList_Check(given)) && PySequence_Fast_GET_SIZE(given) == 0)
    raise(ErrorKind::type, "need sequence of keys with len > 0 in lexsort");
  return {read_sequence(reading, given)};
}

static nb::object tuple_of(const Reading& reading, std::vector<Array>&& arrays) {
  nb::list out;
  for (Array& one : arrays) out.append(hand_back(reading, std::move(one)));
  return nb::tuple(out);
}
nb::object hand_back(const Reading& reading, OneOrMore&& result) {
  if (result.arrays.size() == 1) return hand_back(reading, std::move(result.arrays[0]));
  return tuple_of(reading, std::move(result.arrays));
}

nb::object hand_back(const Reading& reading, Named&& result) {
  PyObject* types = reading.front_end.tuples;
  PyObject* type = types ? PyDict_GetItemString(types, reading.face.name) : nullptr;
  nb::object made = tuple_of(reading, std::move(result.arrays));
  return type ? nb::handle(type).attr("_make")(made) : made;
}

// ---- what peers refuse

void check_has_axes(const Reading& reading, const Array& array, bool has_axis) {
  if (has_axis && array.rank() == 0) reading.front_end.refuse_axis(-1, 0);
}

void Check<distinct_in>::call(const Reading&, const Array& array, bool, bool, bool, std::optional<size_t> axis, bool) {
  if (!axis || array.rank() < 2) return;
  if (array.size() == 0 || array.size() / std::max<int64_t>(array.shape()[*axis], 1) > 64)
    throw Unserved{"slices of no elements or more than 64 elements are not compared natively"};
}

void Check<distinct_along>::call(const Reading&, const Array& array, bool, bool, std::optional<size_t> axis) {
  if (is_complex(array.dtype()))
    raise(ErrorKind::not_implemented, "\"unique\" not implemented for '{}'", torch_name_of(array.dtype()));
  if (!axis) return;
  if (array.rank() == 0) raise(ErrorKind::index, "Dimension specified as {} but tensor has no dimensions", *axis);
  for (size_t d = 0; d < array.rank(); ++d)
    if (d != *axis && array.shape()[d] == 0)
      raise(ErrorKind::runtime, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
}

}  // namespace quern::python::faces
