#include "bindings/faces/transforms.h"

#include "bindings/tensor_operations.h"
#include "core/error.h"
#include "functions/steps.h"

#include <algorithm>

namespace quern::python::faces {

namespace {

using quern::fft::Norm;
using F = quern::Function;

bool is_among(F function, std::initializer_list<F> functions) {
  return std::find(functions.begin(), functions.end(), function) != functions.end();
}

Norm read_norm(const Reading& reading, PyObject* given) {
  if (!is_given(given)) return Norm::backward;
  std::string name = nb::str(nb::handle(given)).c_str();
  if (name == "backward") return Norm::backward;
  if (name == "ortho") return Norm::ortho;
  if (name == "forward") return Norm::forward;
  if (is_torch(reading))
    raise(ErrorKind::runtime, "Invalid normalization mode: \"{}\"; use \"backward\", \"ortho\" or \"forward\"", name);
  raise(ErrorKind::value, "Invalid norm value {}; should be \"backward\", \"ortho\" or \"forward\".", name);
}

void check_operand(const Reading& reading) {
  const DType type = reading.first->dtype();
  if (!is_torch(reading)) return;
  if (type == DType::float16 || type == DType::bfloat16)
    raise(ErrorKind::not_implemented, "Unsupported dtype {}", torch_name_of(type));
  if (is_complex(type) && is_among(reading.function, {F::rfft_, F::rfftn_, F::ihfft_, F::ihfftn_}))
    raise(ErrorKind::type, "{} expects a real input tensor, but got {}", reading.face.name, torch_name_of(type));
}

// NumPy's front ends leave this to the body.
void check_length(const Reading& reading, int64_t length) {
  if (is_torch(reading) && length < 1) raise(ErrorKind::runtime, "Invalid number of data points ({}) specified", length);
}

size_t read_place(const Reading& reading, PyObject* given) {
  if (is_torch(reading) && reading.first->rank() == 0)
    raise(ErrorKind::index, "Dimension specified as {} but tensor has no dimensions", nb::str(nb::handle(given)).c_str());
  return read_axis(reading, given);
}

// The elements of a sequence; PyTorch takes an integer for a sequence of one.
nb::object elements_of(const Reading& reading, PyObject* given) {
  if (is_torch(reading) && PyIndex_Check(given)) return nb::make_tuple(nb::handle(given));
  nb::object all = nb::steal(PySequence_Tuple(given));
  if (!all.is_valid()) throw nb::python_error();
  return all;
}

std::vector<size_t> read_places_of(const Reading& reading, PyObject* given, std::optional<size_t> lengths) {
  const size_t rank = reading.first->rank();
  std::vector<size_t> places;
  if (is_given(given)) {
    for (nb::handle one : elements_of(reading, given)) places.push_back(read_place(reading, one.ptr()));
    std::vector<size_t> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    if (is_torch(reading) && std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      raise(ErrorKind::runtime, "FFT dims must be unique");
    return places;
  }
  size_t count = lengths.value_or(rank);
  if (count > rank && is_torch(reading))
    raise(ErrorKind::runtime, "Got shape with {} values but input tensor only has {} dimensions.", count, rank);
  if (count > rank) reading.front_end.refuse_axis(-static_cast<int64_t>(count), rank);
  for (size_t place = rank - count; place < rank; ++place) places.push_back(place);
  return places;
}

// The length along one of several axes; -1: the axis' own.
std::optional<int64_t> read_length(const Reading& reading, nb::handle given, size_t place) {
  if (given.is_none()) return {};
  int64_t length = read_integer(reading, given.ptr());
  if (length == -1) return is_torch(reading) ? std::nullopt : std::optional(reading.first->shape()[place]);
  check_length(reading, length);
  return length;
}

}  // namespace

fft::Line read_line(const Reading& reading, PyObject* const* given) {
  fft::Line line{.axis = 0, .length = {}, .norm = read_norm(reading, given[2]), .of_whole = reading.front_end.real_type()};
  check_operand(reading);
  line.axis = read_place(reading, given[1]);
  if (is_given(given[0])) line.length = read_integer(reading, given[0]);
  check_length(reading, line.length.value_or(reading.first->shape()[line.axis]));
  return line;
}

fft::Lines read_lines(const Reading& reading, PyObject* const* given) {
  fft::Lines lines{.axes = {}, .lengths = {}, .norm = read_norm(reading, given[2]), .of_whole = reading.front_end.real_type()};
  lines.is_always_complex = is_torch(reading);
  check_operand(reading);
  nb::object lengths = !is_given(given[0]) ? nb::none() : elements_of(reading, given[0]);
  std::optional<size_t> count = lengths.is_none() ? std::nullopt : std::optional(nb::len(lengths));
  lines.axes = read_places_of(reading, given[1], count);
  if (count && *count != lines.axes.size())
    raise(is_torch(reading) ? ErrorKind::runtime : ErrorKind::value, "{}: {} lengths for {} axes",
          is_torch(reading) ? "When given, dim and shape arguments must have the same length"
                            : "Shape and axes have different lengths.",
          *count, lines.axes.size());
  for (size_t i = 0; i < lines.axes.size(); ++i)
    lines.lengths.push_back(count ? read_length(reading, lengths[i], lines.axes[i]) : std::nullopt);
  if (is_torch(reading) && lines.axes.empty() && !is_among(reading.function, {F::fftn_, F::ifftn_}))
    raise(ErrorKind::runtime, "{} must transform at least one axis", reading.face.name);
  for (size_t i = 0; i < lines.axes.size(); ++i)
    check_length(reading, lines.lengths[i].value_or(reading.first->shape()[lines.axes[i]]));
  return lines;
}

fft::Samples read_samples(const Reading& reading, PyObject* given) {
  if (!is_torch(reading) && (!PyIndex_Check(given) || as_array(given))) raise(ErrorKind::value, "n should be an integer");
  const int64_t count = read_integer(reading, given);
  if (!is_torch(reading)) return {count};
  const int64_t size = reading.function == F::rfftfreq_ ? count / 2 + 1 : count;
  if (size < 0) raise(ErrorKind::runtime, "Trying to create tensor with negative dimension {0}: [{0}]", size);
  return {count, true};
}

fft::Parts read_parts(Reading& reading, PyObject* given) {
  static constexpr const char* wanted = "Input `x` should be a tuple of two tensors - real and imaginary.";
  const bool is_pair = (PyTuple_Check(given) || PyList_Check(given)) && PySequence_Fast_GET_SIZE(given) == 2;
  if (!is_pair) raise(ErrorKind::value, "{} Received: x={}", wanted, nb::repr(nb::handle(given)).c_str());
  const Array real = read_first(reading, PySequence_Fast_GET_ITEM(given, 0));
  nb::object made;
  std::optional<Array> numbers;
  const Array imaginary = read_array(reading, PySequence_Fast_GET_ITEM(given, 1), made, numbers);
  if (real.shape() != imaginary.shape())
    raise(ErrorKind::value, "{} Both the real and imaginary parts should have the same shape. Received: {} and {}", wanted,
          to_string(real.shape()), to_string(imaginary.shape()));
  for (const Array* one : {&real, &imaginary})
    if (row(one->dtype()).kind != DTypeKind::real)
      raise(ErrorKind::value, "At least one tensor in input `x` is not of type float. Received: {} and {}",
            row(real.dtype()).name, row(imaginary.dtype()).name);
  return {real, imaginary};
}

fft::PieceWeights read_weights(Reading& reading, PyObject* given) {
  if (!is_given(given)) return {};
  if (PyUnicode_Check(given)) {
    const char* name = PyUnicode_AsUTF8(given);
    if (!name) throw nb::python_error();
    return {name, {}};
  }
  nb::object made;
  std::optional<Array> numbers;
  return {{}, read_array(reading, given, made, numbers)};
}

}  // namespace quern::python::faces
