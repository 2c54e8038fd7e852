#include "bindings/faces/signals.h"

#include "bindings/given.h"
#include "core/error.h"

namespace quern::python::faces {

SampledAxis read_sampled_axis(const Reading& reading, PyObject* given) {
  const bool torchs = is_torch(reading), is_diff = reading.function == quern::Function::diff_;
  if (is_diff && !torchs && read_integer(reading, reading.slots[1]) == 0) return {0};  // NumPy gives the array back
  if (reading.first->rank() > 0) return {read_axis(reading, given)};
  if (torchs && is_diff) raise(ErrorKind::runtime, "diff expects input to be at least one-dimensional");
  if (torchs)
    raise(ErrorKind::index, "Dimension specified as {} but tensor has no dimensions", nb::str(nb::handle(given)).c_str());
  if (is_diff) raise(ErrorKind::value, "diff requires input that is at least one dimensional");
  return {read_axis(reading, given)};
}

// A tuple of one axis stands for it.
RunningAxis read_running_axis(const Reading& reading, PyObject* given) {
  const bool is_tuple = given && PyTuple_Check(given);
  if (is_tuple && PyTuple_GET_SIZE(given) != 1) raise(ErrorKind::value, "accumulate does not allow multiple axes");
  return {read_axis_or_none(reading, is_tuple ? PyTuple_GET_ITEM(given, 0) : given)};
}

static Spacing read_spacing(Reading& reading, PyObject* given) {
  Scalar number;
  const bool is_number = !as_array(given) && read_scalar(given, number) && (number.is_weak || reading.front_end.has_weak_numbers);
  if (is_number && number.kind <= WeakScalar::integer) return {static_cast<double>(number.integer), {}};
  if (is_number && number.kind == WeakScalar::real) return {number.re, {}};
  if (is_number && is_torch(reading)) {
    const DType type = reading.first->dtype();
    const bool is_wide = type == DType::float64 || type == DType::complex128;
    return {1, full({}, number, is_wide ? DType::complex128 : DType::complex64, reading.first->device())};
  }
  nb::object made;
  std::optional<Array> numbers;
  return {1, read_array(reading, given, made, numbers)};
}

// PyTorch's distances are numbers, its coordinates a tensor of one dimension for each axis.
static void check_spacings_as_torch(const nb::object& all, bool is_list) {
  size_t place = 0, numbers = 0;
  for (nb::handle one : all) numbers += !as_array(one.ptr()) && PyNumber_Check(one.ptr());
  if (numbers == nb::len(all)) return;
  for (nb::handle one : all) {
    const Array* array = as_array(one.ptr());
    const char* name = Py_TYPE(one.ptr())->tp_name;
    if (!is_list && array && (array->rank() > 0 || wants_gradient(*array)))
      raise(ErrorKind::type, "gradient(): argument 'spacing' must be Number, tuple of Numbers or tuple of Tensors, not {}", name);
    if (!is_list) return;
    if (!array) raise(ErrorKind::type, "expected Tensor as element {} in argument 1, but got {}", place, name);
    if (array->rank() != 1)
      raise(ErrorKind::runtime,
            "torch.gradient expected each element of spacing to have one dimension, but got an element with {} dimensions!",
            array->rank());
    ++place;
  }
}

Spacings read_spacings(Reading& reading, PyObject* given) {
  if (!is_given(given)) return {};
  const bool is_list = PyTuple_Check(given) || PyList_Check(given);
  Spacings out{.of_axes = {}, .is_one = false, .is_given = true};
  nb::object all = is_list ? nb::steal(PySequence_Tuple(given)) : nb::object(nb::make_tuple(nb::handle(given)));
  if (is_torch(reading)) check_spacings_as_torch(all, is_list);
  for (nb::handle one : all) out.of_axes.push_back(read_spacing(reading, one.ptr()));
  const bool is_one = out.of_axes.size() == 1 && (!out.of_axes[0].array || out.of_axes[0].array->rank() == 0);
  out.is_one = is_torch(reading) ? !is_list : is_one;
  return out;
}

Overlap read_overlap(PyObject* given) {
  const bool is_text = given && PyUnicode_Check(given);
  const std::string_view text = is_text ? std::string_view(PyUnicode_AsUTF8(given)) : std::string_view();
  int number = given && PyLong_Check(given) ? static_cast<int>(PyLong_AsLong(given)) : -1;
  if (text == "valid" || number == 0) return Overlap::valid;
  if (text == "same" || number == 1) return Overlap::same;
  if (text == "full" || number == 2) return Overlap::full;
  PyErr_Clear();
  raise(ErrorKind::value, "Use one of 'valid', 'same', or 'full' for convolve/correlate mode, not {}",
        nb::repr(nb::handle(given ? given : Py_None)).c_str());
}

}  // namespace quern::python::faces
