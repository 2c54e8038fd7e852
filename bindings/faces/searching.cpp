// Arguments of searches and counts: sides, edges and numbers of bins, limits; what peers refuse of them.
#include "bindings/faces/searching.h"

#include "bindings/functions.h"
#include "core/error.h"
#include "graph/tape.h"

namespace quern::python::faces {

namespace {

[[noreturn]] void refuse_bins() { raise(ErrorKind::type, "`bins` must be an integer, a string, or an array"); }

void check_counted(const Reading& reading, const Array& array, const Array* weights) {
  refuse_derivative(reading, array, "its elements");
  if (weights) refuse_derivative(reading, *weights, "its weights");
  if (is_complex(array.dtype())) throw Unserved{"histograms of complex numbers are not native"};
  if (weights && weights->shape() != array.shape()) raise(ErrorKind::value, "weights should have the same shape as a.");
  if (weights && is_complex(weights->dtype())) throw Unserved{"complex weights are not native"};
}

}  // namespace

std::string_view read_name(const Reading& reading, PyObject* given) {
  if (!given || !PyUnicode_Check(given))
    raise(ErrorKind::type, "{} side must be str, not {}",
          std::string_view(reading.face.name) == "searchsorted" ? "search" : "the", given ? Py_TYPE(given)->tp_name : "NoneType");
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(given, &size);
  if (!text) throw nb::python_error();
  return {text, static_cast<size_t>(size)};
}

BinEdges read_edges(Reading& reading, PyObject* given) {
  nb::object made;
  std::optional<Array> numbers;
  const Array& values = read_array(reading, given, made, numbers);
  refuse_derivative(reading, values, "its bins");
  BinEdges out = bin_edges(values);
  if (out.has_nan_within) throw Unserved{"edges with NaN between numbers are not native"};
  return out;
}

Bins read_bins(Reading& reading, PyObject* given) {
  if (PyUnicode_Check(given)) {
    if (is_torch(reading)) refuse_bins();
    throw Unserved{"numbers of bins found by a rule are not native"};
  }
  Bins out;
  if (!PyIndex_Check(given) || as_array(given)) {
    nb::object made;
    std::optional<Array> numbers;
    const Array& edges = read_array(reading, given, made, numbers);
    if (edges.rank() > 0) {
      refuse_derivative(reading, edges, "its bins");
      out.edges = edges;
      return out;
    }
    if (!as_array(given)) refuse_bins();
  }
  nb::object count = nb::steal(PyNumber_Index(given));
  if (!count.is_valid()) {
    PyErr_Clear();
    refuse_bins();
  }
  out.count = PyLong_AsLongLong(count.ptr());
  if (out.count == -1 && PyErr_Occurred()) throw nb::python_error();
  return out;
}

Limits read_limits(const Reading&, PyObject* given) {
  if (!is_given(given)) return {};
  nb::object both = nb::steal(PySequence_Tuple(given));
  if (!both.is_valid()) throw nb::python_error();
  if (PyTuple_GET_SIZE(both.ptr()) != 2)
    raise(ErrorKind::value, "range must be a pair (low, high), not {} numbers", PyTuple_GET_SIZE(both.ptr()));
  return {std::pair(number_in(both[0]), number_in(both[1]))};
}

// ---- what peers refuse

void Check<both_extremes>::call(const Reading&, const Array& array, std::optional<size_t> axis, bool) {
  if (is_complex(array.dtype())) raise(ErrorKind::type, "aminmax not implemented for {}", torch_name_of(array.dtype()));
  if (array.size() > 0) return;
  if (!axis)
    raise(ErrorKind::runtime, "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
  if (array.shape()[*axis] == 0) raise(ErrorKind::index, "aminmax: Expected reduction dim {} to have non-zero size.", *axis);
}

void Check<is_in_either>::call(const Reading& reading, const Argument&, const Argument&, bool) {
  if (!as_array(reading.slots[0]) && !as_array(reading.slots[1]))
    raise(ErrorKind::type, "isin(): one of the arguments must be a Tensor");
}

void Check<histogram_in>::call(const Reading& reading, const Array& array, const Bins&, const Limits&, bool,
                               const Array* weights) {
  if (&reading.front_end == &cupy && weights && !as_array(reading.slots[4]))
    raise(ErrorKind::value, "weights must be a cupy.ndarray, not {}; make one with cupy.asarray()",
          Py_TYPE(reading.slots[4])->tp_name);
  check_counted(reading, array, weights);
  if (&reading.front_end == &cupy && array.dtype() == DType::boolean)
    warn(PyExc_RuntimeWarning, "Converting input from bool to uint8 for compatibility.");
}

void Check<histogram_in>::call(const Reading& reading, const Array& array, const Bins&, const Limits&, const Array* weights) {
  check_counted(reading, array, weights);
}

}  // namespace quern::python::faces
