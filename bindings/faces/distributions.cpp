#include "bindings/faces/distributions.h"

#include "bindings/faces/shapes.h"
#include "bindings/given.h"
#include "core/error.h"
#include "functions/steps.h"

namespace quern::python::faces {

namespace {

// The stream of a generator.
struct PyStream {
  uint64_t key;
  std::atomic<uint64_t> place;
};

// Several numbers: they become an array.
bool is_several(PyObject* given) {
  if (PyFloat_Check(given) || PyLong_Check(given)) return false;
  if (PyTuple_Check(given) || PyList_Check(given)) return true;
  return classified(given).what == Given::What::host_array && nb::cast<int>(nb::handle(given).attr("ndim")) > 0;
}

const Array* array_beside(const Reading& reading) { return reading.beside ? as_array(reading.beside) : nullptr; }

// An array that takes the numbers says how many; CuPy's must be contiguous.
Shape shape_of_out(const Reading& reading, PyObject* out, const std::optional<Shape>& size) {
  const Array* into = as_array(out);
  if (!into) raise(ErrorKind::type, "[{}] out must be an array of quern's", reading.face.name);
  if (size && *size != into->shape()) raise(ErrorKind::value, "size must match out.shape when used together");
  if (reading.type) {
    nb::object flags = nb::handle(out).attr("flags");
    bool is_row_major = nb::cast<bool>(flags.attr("c_contiguous"));
    bool is_column_major = reading.function != quern::Function::standard_gamma_ && nb::cast<bool>(flags.attr("f_contiguous"));
    if (!is_row_major && !is_column_major)
      raise(ErrorKind::value, "Supplied output array is not contiguous, writable or aligned.");
  }
  return into->shape();
}

}  // namespace

random::Stream read_stream(Reading& reading, PyObject* given) {
  if (!is_given(given)) given = reading.front_end.generator;
  nb::handle generator(given);
  if (is_torch(reading)) {
    if (!PyObject_HasAttrString(given, "_stream"))
      raise(ErrorKind::type, "{}(): argument 'generator' must be torch.Generator, not {}", reading.face.name,
            Py_TYPE(given)->tp_name);
    auto& stream = nb::cast<PyStream&>(generator.attr("_stream"));
    return {stream.key, stream.place};
  }
  nb::object type = generator.attr("_kind");  // CuPy's generators give CuPy's arrays
  if (!type.is_none()) reading.type = reinterpret_cast<PyTypeObject*>(type.ptr());
  auto& stream = nb::cast<PyStream&>(generator.attr("_bits").attr("_stream"));
  return {stream.key, stream.place};
}

// How many tries there are. NumPy takes arrays of integers alone, and cuts the numbers of a list.
static random::Parameter tries_in(const Array& array, bool may_be_real) {
  if (!may_be_real && !steps::is_whole(array.dtype()))
    raise(ErrorKind::type, "Cannot cast array data from dtype('{}') to dtype('int64') according to the rule 'safe'",
          row(array.dtype()).name);
  return {0, steps::as_type(steps::as_type(array, DType::int64), DType::float64)};
}

random::Parameter read_parameter(Reading& reading, PyObject* given) {
  const bool are_tries = reading.function == quern::Function::binomial_ && reading.next == 2;
  if (const Array* array = as_array(given)) {
    if (!reading.beside) reading.beside = given;
    if (are_tries) return tries_in(*array, reading.type != nullptr);  // CuPy takes them all
    return {0, steps::as_type(*array, DType::float64)};
  }
  if (is_several(given)) {
    const Array* beside = array_beside(reading);
    nb::object made = beside ? array_of(given, beside->device()) : array_of(given);
    if (are_tries) return tries_in(*as_array(made.ptr()), PyList_Check(given) || PyTuple_Check(given));
    return {0, steps::as_type(*as_array(made.ptr()), DType::float64)};
  }
  double number = PyFloat_AsDouble(given);
  if (number == -1 && PyErr_Occurred()) throw nb::python_error();
  return {number, {}};
}

random::Size read_size(const Reading& reading, PyObject* given) {
  random::Size size{{}, device_number(PyDevice{&current_context()})};
  if (is_given(given)) size.shape = read_integers(reading, given);
  PyObject* out = reading.out();
  if (out && out != Py_None) {
    size.shape = shape_of_out(reading, out, size.shape);
    size.device = as_array(out)->device();
  }
  return size;
}

random::RealType read_real_type(const Reading& reading, PyObject* given) {
  const DType type = read_dtype(reading, given).value_or(DType::float64);
  if (type != DType::float32 && type != DType::float64)
    raise(ErrorKind::type, "Unsupported dtype dtype('{}') for {}; ask for float64 or float32", row(type).name, reading.face.name);
  PyObject* out = reading.out();
  if (const Array* into = out ? as_array(out) : nullptr; into && into->dtype() != type)
    raise(ErrorKind::type, "Supplied output array has the wrong type. Expected {}, got {}", row(type).name,
          row(into->dtype()).name);
  return {type};
}

random::Bounds Read<const random::Bounds&>::read(Reading& reading) {
  PyObject *first = reading.take(), *end = reading.take();
  if (reading.function == quern::Function::random_for_ && (!end || end == Py_None)) {
    if (!first || first == Py_None) return {0, 0, true};
    end = first, first = nullptr;
  }
  if (first == Py_None) first = nullptr;
  const int64_t low = first ? integer_in(first) : 0;
  const nb::object high = nb::steal(PyNumber_Index(end));
  if (!high.is_valid()) throw nb::python_error();
  const nb::object count = high - nb::int_(low);
  if (count < nb::int_(1))
    raise(ErrorKind::runtime, "random_ expects 'from' to be less than 'to', but got from={} >= to={}", low,
          nb::str(high).c_str());
  const uint64_t many = PyLong_AsUnsignedLongLongMask(count.ptr());
  if (count > nb::int_(std::numeric_limits<uint64_t>::max()) && many != 0)
    raise(ErrorKind::runtime, "to - 1 is out of bounds for int64");
  return {low, many};
}

void define_streams(nb::module_& m) {
  nb::class_<PyStream>(m, "RandomStream")
      .def(
          "__init__", [](PyStream* self, uint64_t key, uint64_t place) { new (self) PyStream{key, {place}}; }, nb::arg("key"),
          nb::arg("place") = 0)
      .def_rw("key", &PyStream::key)
      .def_prop_rw(
          "place", [](const PyStream& self) { return self.place.load(); }, [](PyStream& self, uint64_t to) { self.place = to; })
      .def("take", [](PyStream& self, uint64_t count) { return self.place.fetch_add(count); });
}

}  // namespace quern::python::faces
