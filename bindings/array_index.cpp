// Indexing from Python: what stands between the brackets becomes parts (functions/parts.h), which say what it means.
#include <cstring>

#include "bindings/arrays.h"
#include "bindings/door.h"
#include "bindings/given.h"
#include "bindings/records.h"
#include "core/error.h"
#include "device/check/checker.h"
#include "functions/parts.h"
#include "graph/records.h"
#include "graph/tape.h"
#include "run/calls/indexing.h"
#include "run/tier0.h"

namespace quern::python {

namespace {

// The parts of a key, and the arrays that were made for them.
struct Key {
  std::vector<IndexPart> parts;
  std::vector<nb::object> made;
  bool wraps, as_torch;  // see Door::wraps_indices, Door::indexes_as_torch
  bool copies = false;   // a number came as an array: NumPy copies what it would have a view of
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
  key.copies |= array.rank() == 0;
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
  out.integer = PyNumber_AsSsize_t(number.ptr(), PyExc_IndexError);
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

// The arrays among the parts of an index.
struct Advanced {
  int masks = 0, integers = 0;
  bool copies = false;  // see Key::copies
};

Places read(PyObject* self, const Array& array, PyObject* given, Advanced* advanced = nullptr) {
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
  if (advanced) advanced->copies = key.copies;
  for (const IndexPart& part : key.parts)
    if (advanced && part.kind == IndexPart::Kind::array)
      ++(part.array->dtype() == DType::boolean && part.array->rank() > 0 ? advanced->masks : advanced->integers);
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

// A value of its own, that later writes do not change.
static Array as_number(const Array& element) {
  Array number;
  {
    GraphLock lock;
    const char* in = is_taping() ? nullptr : at_hand(element, 1);
    if (in && !tracing() && !check::on()) {  // a trace and a check see the operation
      char* out;
      number = made_now(contiguous_layout({}), element.dtype(), out);
      std::memcpy(out, in, size_of(element.dtype()));
    }
  }
  if (!number) number = astype(element, element.dtype());
  number.set_value(true);
  return number;
}

// The place along the first axis, of an int that is in range.
static std::optional<int64_t> place_of(PyObject* key, const Array& array) {
  if (!PyLong_CheckExact(key) || array.rank() == 0) return {};
  int overflow = 0;
  const int64_t size = array.shape()[0], given = PyLong_AsLongLongAndOverflow(key, &overflow);
  const int64_t place = given < 0 ? given + size : given;
  return overflow == 0 && place >= 0 && place < size ? std::optional(place) : std::nullopt;
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
    if (std::optional<int64_t> place = place_of(key, array);
        place && !door_of(self).indexes_as_torch && !is_record(array.dtype())) {
      Array out = array.view(array.layout().without(0, *place));
      return view_of(self, out.rank() == 0 && door_of(self).has_numbers ? as_number(out) : std::move(out)).release().ptr();
    }
    Advanced advanced;
    Places places = read(self, array, key, &advanced);
    const bool is_copied = advanced.copies && places.is_view() && !door_of(self).indexes_as_torch;
    const bool is_whole = array.rank() == 0 && PyTuple_Check(key) && PyTuple_GET_SIZE(key) == 0;  // x[()]
    const bool is_item = places.all_integers || is_whole;
    Array out = at(array, std::move(places));
    // Where NumPy gives a scalar: a value of its own, that later writes do not change. CuPy gives a view.
    if (is_item && door_of(self).has_numbers && !is_record(array.dtype()))
      out = as_number(out);  // a record is a view, as NumPy's
    else if (is_copied)
      out = copied(out, out.dtype());
    return view_of(self, std::move(out)).release().ptr();
  });
}

// What PyTorch has of its own: NumPy and CuPy write the last value of those that share memory, and take everything that makes an
// array. The writing itself is the engine's.
namespace as_torch {

void check_apart(const Layout& written) {
  for (size_t i = 0; i < written.rank(); ++i)
    if (written.strides[i] == 0 && written.shape[i] > 1 && written.size() > 0)
      raise(ErrorKind::runtime,
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
            "clone() the tensor before performing the operation.");
}

std::string element_name(nb::handle tensor) {
  return nb::cast<std::string>(nb::module_::import_("quern.torch._types").attr("scalar_name")(tensor.attr("dtype")));
}

void check_value(PyObject* self, PyObject* value) {
  if (as_array(value)) return;
  const Given given = classified(value);
  const bool is_python =
      given.is_number() && (given.what != Given::What::number || PyFloat_Check(value) || PyComplex_Check(value));
  const bool is_integer_of_numpy = given.what == Given::What::number && given.has_dtype && is_integer(given.dtype);
  if (!is_python && !is_integer_of_numpy)
    raise(ErrorKind::type, "can't assign a {} to a {}", Py_TYPE(value)->tp_name,
          nb::cast<std::string>(nb::str(nb::handle(self).attr("type")())));
}

// The value without the axes of one element in front of it.
Array without_ones(const Array& value) {
  Layout layout = value.layout();
  while (layout.rank() > 0 && layout.shape[0] == 1) layout = layout.without(0, 0);
  return layout.rank() == value.rank() ? value : value.view(std::move(layout));
}

// `to`: the sizes of what is written to.
void check_sizes(nb::handle self, const Array& value, const Shape& to, bool is_view) {
  const Shape& from = value.shape();
  const size_t missing = to.size() - std::min(to.size(), from.size());
  size_t wrong = to.size();
  for (size_t i = missing; i < to.size() && from.size() <= to.size(); ++i)
    if (from[i - missing] != 1 && from[i - missing] != to[i]) wrong = i;
  if (from.size() <= to.size() && wrong == to.size()) return;
  if (!is_view)
    raise(ErrorKind::runtime, "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}",
          in_brackets(from), in_brackets(to));
  if (from.size() > to.size())
    raise(ErrorKind::runtime,
          "expand({}{{{}}}, size={}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in "
          "the tensor ({})",
          nb::cast<std::string>(nb::str(self.attr("type")())), in_brackets(from), in_brackets(to), to.size(), from.size());
  raise(
      ErrorKind::runtime,
      "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {}.  Target sizes: {}.  "
      "Tensor sizes: {}",
      to[wrong], from[wrong - missing], wrong, in_brackets(to), in_brackets(from));
}

void set_item(PyObject* self, const Array& array, PyObject* key, PyObject* value) {
  const AllHaveGradients as_torch;
  check_value(self, value);
  Advanced advanced;
  Places places = read(self, array, key, &advanced);
  const Array* given = as_array(value);
  if (places.is_view() && given) check_apart(places.layout);
  if (!given) {
    GivenOperand operand;
    operand.read(value, true, self);
    return assign_at(array, std::move(places), operand.argument());
  }
  const bool is_filled = given->size() == 1 && advanced.masks == 1 && advanced.integers == 0;
  if (!places.is_view() && !is_filled && given->dtype() != array.dtype())
    raise(ErrorKind::runtime,
          "Index put requires the source and destination dtypes match, got {} for the destination and {} for "
          "the source.",
          element_name(self), element_name(value));
  Array plain = without_ones(*given);
  if (places.mask && plain.size() != 1) find_true(array, places);
  if (!places.mask) check_sizes(self, plain, shape_of(places), places.is_view());
  assign_at(array, std::move(places), Argument(plain));
}

}  // namespace as_torch

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
    if (door_of(self).indexes_as_torch) return as_torch::set_item(self, array, key, value), 0;
    nb::object record;
    if (is_record(array.dtype())) value = (record = in_type_of(array, value)).ptr();
    Places places = read(self, array, key);
    if (array.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
    nb::object list;
    if (PyList_Check(value) || PyTuple_Check(value)) {
      list = array_of(value, array.device(), array.dtype());
      value = list.ptr();
      if (places.is_view() && as_array(value)->rank() > places.layout.rank())
        raise(places.all_integers && is_integer(array.dtype()) ? ErrorKind::type : ErrorKind::value,
              "setting an array element with a sequence: more than {} dimensions", places.layout.rank());
    }
    GivenOperand operand;
    operand.read(value, true, self);
    assign_at(array, std::move(places), operand.argument());
    return 0;
  } catch (...) {
    set_python_error();
    return -1;
  }
}

}  // namespace quern::python
