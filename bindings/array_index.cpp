// Indexing from Python: what stands between the brackets becomes parts (functions/parts.h), which say what it means.
#include <cstring>

#include "bindings/arrays.h"
#include "bindings/door.h"
#include "bindings/given.h"
#include "bindings/records.h"
#include "core/error.h"
#include "functions/parts.h"
#include "graph/records.h"

namespace quern::python {

namespace {

// The parts of a key, and the arrays that were made for them.
struct Key {
  std::vector<IndexPart> parts;
  std::vector<nb::object> made;
  bool wraps, as_torch;  // see Door
};

[[noreturn]] void refuse() {
  raise(ErrorKind::index, "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays are valid indices");
}

nb::object host_array(PyObject* value) {
  static nb::object* numpy = new nb::object(nb::module_::import_("numpy"));
  return numpy->attr("asarray")(nb::handle(value));
}

IndexPart array_part(const Array& array, DeviceId device, Key& key) {
  if (key.as_torch && array.dtype() == DType::uint8) {
    key.made.push_back(nb::steal(wrap(astype(array, DType::boolean))));
    return part_of(*as_array(key.made.back().ptr()), device);
  }
  if (!key.wraps || !is_integer(array.dtype()) || array.device() != device) return part_of(array, device);
  IndexPart out{IndexPart::Kind::array};
  out.array = &array;
  out.wraps = true;
  return out;
}

// What NumPy makes an array of. The values of such an index are known here, and checked at once.
IndexPart array_part(PyObject* given, DeviceId device, Key& key) {
  bool is_numpy = classified(given).what == Given::What::host_array;
  nb::object host = host_array(given);
  std::string kind = nb::cast<std::string>(nb::str(host.attr("dtype").attr("kind")));
  bool empty = nb::cast<int64_t>(host.attr("size")) == 0;
  if (key.as_torch && kind == "u" && nb::cast<int64_t>(host.attr("itemsize")) == 1) {
    host = host.attr("astype")("bool");
    kind = "b";
  }
  if (empty && !is_numpy) {
    host = host.attr("astype")("int64");
    kind = "i";
  } else if (kind != "b" && kind != "i" && kind != "u") {
    if (is_numpy) raise(ErrorKind::index, "arrays used as indices must be of integer (or boolean) type");
    refuse();
  }
  key.made.push_back(array_of(host.ptr(), device));
  IndexPart out = array_part(*as_array(key.made.back().ptr()), device, key);
  if (kind != "b" && !empty)
    out.limits = {nb::cast<int64_t>(host.attr("min")().attr("item")()), nb::cast<int64_t>(host.attr("max")().attr("item")())};
  return out;
}

IndexPart number_part(PyObject* given) {
  nb::object number = nb::steal(PyNumber_Index(given));
  if (!number.is_valid()) throw nb::python_error();
  IndexPart out{IndexPart::Kind::integer};
  out.integer = PyLong_AsSsize_t(number.ptr());
  if (out.integer == -1 && PyErr_Occurred()) throw nb::python_error();
  return out;
}

IndexPart part_from(PyObject* given, DeviceId device, Key& key) {
  if (given == Py_Ellipsis) return {IndexPart::Kind::dots};
  if (given == Py_None) return {IndexPart::Kind::axis};
  if (PySlice_Check(given)) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(given, &start, &stop, &step) != 0) throw nb::python_error();
    return {IndexPart::Kind::slice, start, stop, step};
  }
  Given part = classified(given);
  switch (part.what) {
    case Given::What::integer:
      return number_part(given);
    case Given::What::array:
      return array_part(*as_array(given), device, key);
    case Given::What::boolean:
    case Given::What::list:
    case Given::What::tuple:
    case Given::What::host_array:
      return array_part(given, device, key);
    default:
      break;
  }
  if (part.has_dtype && part.dtype == DType::boolean) {
    if (key.as_torch) refuse();  // a NumPy bool
    return array_part(given, device, key);
  }
  if (PyIndex_Check(given)) return number_part(given);
  if (!offers_array(given)) {  // a range, a deque
    if (!PySequence_Check(given) || PyUnicode_Check(given) || PyBytes_Check(given)) refuse();
    return array_part(given, device, key);
  }
  key.made.push_back(array_of(given, device));
  return array_part(*as_array(key.made.back().ptr()), device, key);
}

// PyTorch takes a list for a tuple when something in it is no number, and it is shorter than 32.
bool is_tuple_for_torch(PyObject* given) {
  if (!PyList_Check(given) || PyList_GET_SIZE(given) >= 32) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); ++i) {
    PyObject* one = PyList_GET_ITEM(given, i);
    if (one == Py_None || one == Py_Ellipsis || PySlice_Check(one) || PySequence_Check(one) || as_array(one)) return true;
  }
  return false;
}

Places read(PyObject* self, const Array& array, PyObject* given) {
  const Door& door = door_of(self);
  nb::object tuple;
  if (door.indexes_as_torch && is_tuple_for_torch(given)) given = (tuple = nb::steal(PyList_AsTuple(given))).ptr();
  PyObject* one[] = {given};
  std::span<PyObject*> each(one);
  if (PyTuple_Check(given))
    each = {reinterpret_cast<PyTupleObject*>(given)->ob_item, static_cast<size_t>(PyTuple_GET_SIZE(given))};
  Key key{{}, {}, door.wraps_indices, door.indexes_as_torch};
  key.parts.reserve(each.size());
  for (PyObject* part : each) key.parts.push_back(part_from(part, array.device(), key));
  if (door.indexes_as_torch)
    for (IndexPart& part : key.parts) part.selects = true;
  Places places = places_of(array, key.parts);
  for (Pick& pick : places.picks) pick.refused = door.out_of_range;
  return places;
}

}  // namespace

// "x", or a list of names.
static bool names_fields(PyObject* key) {
  return PyUnicode_Check(key) || (PyList_CheckExact(key) && PyList_GET_SIZE(key) > 0 && PyUnicode_Check(PyList_GET_ITEM(key, 0)));
}

static nb::object named(PyObject* self, const Array& array, PyObject* key) {
  if (!is_record(array.dtype()) || record_of(array.dtype()).fields.empty()) refuse();
  if (!PyUnicode_Check(key)) return fields_by_names(self, key);
  Array part = field(array, nb::cast<std::string>(nb::handle(key)));
  if (part.rank() == 0 && door_of(self).has_numbers && !has_records(part.dtype())) {
    part = copied(part, part.dtype());
    part.set_value(true);
  }
  return like(self, std::move(part));
}

// The value in the array's type: a record as a tuple, NumPy's, numbers for all fields.
static nb::object in_type_of(const Array& array, PyObject* value) {
  if (as_array(value)) return nb::borrow(value);
  Given given = classified(value);
  return given.is_number() ? nb::borrow(value) : array_of(value, array.device(), array.dtype());
}

PyObject* get_array_item(PyObject* self, PyObject* key) {
  return guarded([&] {
    const Array& array = *as_array(self);
    if (names_fields(key)) return named(self, array, key).release().ptr();
    if (const Array* places = as_array(key); places && !(places->dtype() == DType::uint8 && door_of(self).indexes_as_torch)) {
      if (std::optional<Array> picked = take_now(array, *places)) return wrap_beside(std::move(*picked), self);
    }
    if (PySlice_Check(key) && array.rank() > 0) {
      Py_ssize_t start, stop, step;
      if (PySlice_Unpack(key, &start, &stop, &step) != 0) throw nb::python_error();
      Py_ssize_t count = PySlice_AdjustIndices(array.shape()[0], &start, &stop, step);
      return wrap_beside(array.view(array.layout().sliced(0, start, count, step)), self);
    }
    Places places = read(self, array, key);
    bool is_item = places.all_integers;
    Array out = at(array, std::move(places));
    // Where NumPy gives a scalar: a value of its own, that later writes do not change. CuPy gives a view.
    if (is_item && door_of(self).has_numbers && !is_record(array.dtype())) {  // a record is a view, as NumPy's
      out = astype(out, out.dtype());
      out.set_value(true);
    }
    return view_of(self, std::move(out)).release().ptr();
  });
}

// PyTorch's rule: NumPy and CuPy write the last value.
static void check_apart(const Layout& written) {
  for (size_t i = 0; i < written.rank(); ++i)
    if (written.strides[i] == 0 && written.shape[i] > 1 && written.size() > 0)
      raise(ErrorKind::runtime,
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
            "clone() the tensor before performing the operation.");
}

int set_array_item(PyObject* self, PyObject* key, PyObject* value) {
  try {
    if (!value) raise(ErrorKind::value, "cannot delete array elements");
    const Array& array = *as_array(self);
    if (names_fields(key)) {
      const Array part = PyUnicode_Check(key) && is_record(array.dtype()) ? field(array, nb::cast<std::string>(nb::handle(key)))
                                                                          : *as_array(named(self, array, key).ptr());
      nb::object given = is_record(part.dtype()) ? in_type_of(part, value) : nb::borrow(value);
      GivenOperand operand;
      operand.read(given.ptr(), true, self);
      assign(part, operand.argument());
      return 0;
    }
    nb::object record;
    if (is_record(array.dtype())) value = (record = in_type_of(array, value)).ptr();
    Places places = read(self, array, key);
    if (array.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
    nb::object list;
    if (PyList_Check(value) || PyTuple_Check(value)) {
      list = array_of(value, array.device(), array.dtype());
      value = list.ptr();
      if (places.is_view() && as_array(value)->rank() > places.layout.rank())
        raise(ErrorKind::value, "setting an array element with a sequence: more than {} dimensions", places.layout.rank());
    }
    GivenOperand operand;
    operand.read(value, true, self);
    if (!operand.is_scalar() && places.is_view() && is_tensor_type(Py_TYPE(self))) check_apart(places.layout);
    assign_at(array, std::move(places), operand.argument());
    return 0;
  } catch (...) {
    set_python_error();
    return -1;
  }
}

}  // namespace quern::python
