#include "bindings/faces/shapes.h"

#include "bindings/faces/matrices.h"

#include "core/error.h"
#include "functions/parts.h"
#include "functions/steps.h"
#include "graph/memory_order.h"

#include <algorithm>

namespace quern::python::faces {

const char* parameter_of(const Reading& reading) {
  const Overload& overload = reading.face.overloads[0];
  for (size_t i = 0; i < overload.count; ++i)
    if (overload.parameters[i].slot + size_t{1} == reading.next) return overload.parameters[i].name;
  return "axis";
}

namespace {

// NumPy refuses a size beyond its type as one that is too large, PyTorch as a number that does not fit.
int64_t size_of(const Reading& reading, PyObject* given) {
  if (is_torch(reading)) return integer_in(given);
  Py_ssize_t size = PyNumber_AsSsize_t(given, PyExc_ValueError);
  if (size != -1 || !PyErr_Occurred()) return size;
  if (!PyErr_ExceptionMatches(PyExc_ValueError)) throw nb::python_error();
  PyErr_Clear();
  raise(ErrorKind::value, "Maximum allowed dimension exceeded, in {}()", reading.face.name);
}

// NumPy converts shifts as int() does, and they may be of any size: what counts is the rest.
int64_t shift_of(PyObject* given, int64_t elements) {
  nb::object whole = nb::steal(PyNumber_Long(given));
  if (!whole.is_valid()) throw nb::python_error();
  int overflows = 0;
  int64_t number = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflows);
  if (!overflows) return number;
  nb::object rest = nb::steal(PyNumber_Remainder(whole.ptr(), nb::int_(std::max<int64_t>(elements, 1)).ptr()));
  return integer_in(rest.ptr());
}

std::optional<size_t> place_among(int64_t axis, size_t rank, const FrontEnd& front_end) {
  int64_t count = static_cast<int64_t>(rank) + (rank == 0 && front_end.has_axis_without_dimensions);
  int64_t place = axis < 0 ? axis + count : axis;
  if (place < 0 || place >= count) return {};
  return static_cast<size_t>(place);
}

// Is it several integers? NumPy's functions accept other sequences than tuples and lists too, but arrays of one integer for that.
bool is_sequence(const Reading& reading, PyObject* given) {
  if (PyLong_CheckExact(given)) return false;
  if (PyTuple_Check(given)) return true;
  using F = quern::Function;
  const bool refuses_lists =
      reading.function == F::squeeze_ || reading.function == F::norm_ || reading.function == F::vector_norm_;
  if (PyList_Check(given)) return reading.front_end.takes_lists_of_axes || !refuses_lists;
  if (is_torch(reading)) return false;
  if (const Array* array = as_array(given)) return array->rank() > 0;
  if (!PySequence_Check(given)) return false;
  if (nb::object index = nb::steal(PyNumber_Index(given)); index.is_valid()) return false;
  PyErr_Clear();
  return true;
}

// The elements of a sequence, or the one object that is none.
template <class F>
void for_each(const Reading& reading, PyObject* given, F&& take) {
  if (!is_sequence(reading, given)) return take(given);
  nb::object all = nb::steal(PySequence_Tuple(given));  // a list may change while its elements are asked for numbers
  if (!all.is_valid()) throw nb::python_error();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(all.ptr()); ++i) take(PySequence_Fast_GET_ITEM(all.ptr(), i));
}

std::string in_brackets(const std::vector<size_t>& places) {
  std::string text;
  for (size_t place : places) text += (text.empty() ? "" : ", ") + std::to_string(place);
  return "[" + text + "]";
}

[[noreturn]] void refuse_repeated(const Reading& reading, const std::vector<size_t>& places, size_t place) {
  const auto function = reading.function;
  if (is_torch(reading) && function == quern::Function::moveaxis_)
    raise(ErrorKind::runtime, "movedim: repeated dim in `{}` ({})", parameter_of(reading), in_brackets(places));
  if (is_torch(reading) && function == quern::Function::rot90_)
    raise(ErrorKind::runtime, "expected rotation dims to be different, but got dim0 = {} and dim1 = {}", places[0], places[1]);
  if (is_torch(reading) && function == quern::Function::transpose_)
    raise(ErrorKind::runtime, "permute(): duplicate dims are not allowed.");
  if (is_torch(reading) || function == quern::Function::squeeze_)
    reading.front_end.refuse_repeated_axis(static_cast<int64_t>(place));
  if (function == quern::Function::rot90_) raise(ErrorKind::value, "Axes must be different.");
  if (function == quern::Function::moveaxis_) raise(ErrorKind::value, "repeated axis in `{}` argument", parameter_of(reading));
  raise(ErrorKind::value, "repeated axis");
}

}  // namespace

std::vector<int64_t> read_integers(const Reading& reading, PyObject* given) {
  std::vector<int64_t> out;
  if (!is_given(given))
    raise(ErrorKind::type, "Use () rather than None for the shape of an array without dimensions, in {}()", reading.face.name);
  if (const Array* other = as_array(given); other && std::string_view(parameter_of(reading)) == "other") return other->shape();
  bool is_shift = reading.function == quern::Function::roll_ && !is_torch(reading);
  if (PyTuple_Check(given)) out.reserve(static_cast<size_t>(PyTuple_GET_SIZE(given)));
  for_each(reading, given,
           [&](PyObject* one) { out.push_back(is_shift ? shift_of(one, reading.first->size()) : size_of(reading, one)); });
  return out;
}

std::vector<int64_t> read_shape(const Reading& reading, PyObject* given) {
  std::vector<int64_t> sizes = read_integers(reading, given);
  if (reading.family() == Family::creates) check_sizes_as_torch(reading, sizes);
  return sizes;
}

static std::vector<size_t> places_of(const Reading& reading, PyObject* given, size_t rank, bool may_repeat) {
  std::vector<size_t> out;
  if (!given) given = Py_None;
  for_each(reading, given, [&](PyObject* one) {
    int64_t axis = integer_in(one);
    std::optional<size_t> place = place_among(axis, rank, reading.front_end);
    if (!place && reading.function == quern::Function::rot90_ && !is_torch(reading))
      raise(ErrorKind::value, "Axes={} out of range for array of ndim={}.", nb::repr(nb::handle(given)).c_str(), rank);
    if (!place) reading.front_end.refuse_axis(axis, rank);
    out.push_back(*place);
  });
  for (size_t i = 1; i < out.size() && !may_repeat; ++i)
    if (std::find(out.begin(), out.begin() + static_cast<ptrdiff_t>(i), out[i]) != out.begin() + static_cast<ptrdiff_t>(i))
      refuse_repeated(reading, out, out[i]);
  return out;
}

// Functions whose axes may repeat.
static bool is_rolled(const Reading& reading) {
  const auto function = reading.function;
  return function == quern::Function::roll_ || function == quern::Function::fftshift_ || function == quern::Function::ifftshift_;
}

// What PyTorch says of the number of axes, before it checks the axes.
static void check_counts_as_torch(const Reading& reading, size_t rank, size_t count) {
  using F = quern::Function;
  auto count_in = [&](PyObject* one) { return one && is_sequence(reading, one) ? nb::len(nb::handle(one)) : 1; };
  auto text_of = [&](PyObject* one) {
    return is_sequence(reading, one) ? std::string(nb::str(nb::list(nb::handle(one))).c_str()) : nb::str(nb::handle(one)).c_str();
  };
  PyObject* const* slots = reading.slots;
  if (reading.function == F::moveaxis_ && count_in(slots[1]) != count_in(slots[2]))
    raise(
        ErrorKind::runtime,
        "movedim: Invalid source or destination dims: source ({} dims) should contain the same number of dims as destination ({} "
        "dims)",
        text_of(slots[1]), text_of(slots[2]));
  if (reading.function == F::roll_ && count > 0 && count_in(slots[1]) != count)
    raise(ErrorKind::runtime, "shifts and dimensions must align. shifts: {}, dims:{}", count_in(slots[1]), count);
  if (reading.function == F::roll_ && rank == 0 && count > 0)
    raise(ErrorKind::index, "Dimension specified as {} but tensor has no dimensions", text_of(slots[2]));
  if (reading.function == F::norm_of_tensor_ && count != 1 && count != 2)
    raise(ErrorKind::runtime, "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {}", text_of(slots[2]));
  const bool is_of_matrices = reading.function == F::matrix_norm_of_tensor_;
  if (is_of_matrices && (slots[1] == Py_None || !is_sequence(reading, slots[2])))
    raise(ErrorKind::type, "linalg_matrix_norm() received an invalid combination of arguments: ord={}, dim={}", text_of(slots[1]),
          text_of(slots[2]));
  if (rank < 2 && (is_of_matrices || (reading.function == F::norm_of_tensor_ && count == 2)))
    raise(ErrorKind::runtime, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.");
  if (is_of_matrices && count != 2) {
    std::string given = text_of(slots[2]);
    std::erase_if(given, [](char c) { return c == ',' || c == '[' || c == ']'; });
    raise(ErrorKind::runtime, "linalg.matrix_norm: dim must be a 2-tuple. Got {}", given);
  }
}

std::vector<size_t> read_places(const Reading& reading, PyObject* given, size_t rank) {
  if (is_torch(reading) && reading.function == quern::Function::rot90_ && rank < 2)
    raise(ErrorKind::runtime, "expected total dims >= 2, but got total dims = {}", rank);
  if (is_torch(reading)) check_counts_as_torch(reading, rank, is_sequence(reading, given) ? nb::len(nb::handle(given)) : 1);
  return places_of(reading, given, rank, is_rolled(reading));
}

std::optional<Axes> read_some_places(const Reading& reading, PyObject* given) {
  if (!is_given(given)) return {};
  Axes places;
  if (is_torch(reading) && reading.function == quern::Function::roll_ && reading.first->size() == 0)  // whatever the axes are
    places.resize(is_sequence(reading, given) ? nb::len(nb::handle(given)) : 1);
  else
    places = read_places(reading, given, reading.first->rank());
  bool is_flattened = is_torch(reading) && reading.function == quern::Function::roll_ && places.empty();
  return is_flattened ? std::optional<Axes>() : places;
}

// One axis of the result: an integer, no sequence.
size_t read_new_place(const Reading& reading, PyObject* given) {
  const size_t rank = reading.first->rank() + 1;
  int64_t axis = integer_in(given ? given : Py_None);
  std::optional<size_t> place = place_among(axis, rank, reading.front_end);
  if (!place) reading.front_end.refuse_axis(axis, rank);
  return *place;
}

std::vector<size_t> read_new_places(const Reading& reading, PyObject* given) {
  size_t count = given && is_sequence(reading, given) ? static_cast<size_t>(nb::len(nb::handle(given))) : 1;
  return places_of(reading, given, reading.first->rank() + count, false);
}

std::optional<bool> read_copies(const Reading&, PyObject* given) {
  if (!is_given(given)) return {};
  if (PyUnicode_Check(given)) raise(ErrorKind::value, "strings are not allowed for 'copy' keyword. Use True/False/None instead.");
  int truth = PyObject_IsTrue(given);
  if (truth < 0) throw nb::python_error();
  return truth == 1;
}

Permutation read_permutation(const Reading& reading, PyObject* given) {
  const size_t rank = reading.first->rank();
  if (!is_given(given)) return {};
  size_t count = is_sequence(reading, given) ? static_cast<size_t>(nb::len(nb::handle(given))) : 1;
  if (count != rank && is_torch(reading))
    raise(ErrorKind::runtime,
          "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of "
          "dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
          rank, count);
  if (count != rank) raise(ErrorKind::value, "axes don't match array");
  return {places_of(reading, given, rank, false)};
}

Division read_division(const Reading& reading, PyObject* given) {
  if (!is_given(given)) {
    PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional arguments: \"indices_or_sections\"", reading.face.name);
    throw nb::python_error();
  }
  if (const Array* array = as_array(given)) {
    if (is_torch(reading) && std::string_view(reading.face.name) == "split") {  // as int() has it
      if (array->size() != 1)
        raise(ErrorKind::type, "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not Tensor");
      return {steps::values_of<int64_t>(astype(detached(*array), DType::int64))[0], {}};
    }
    if (is_torch(reading) && (array->dtype() != DType::int64 || array->rank() > 1))
      raise(ErrorKind::runtime, "tensor_split expected tensor_indices_or_sections to be a long tensor of 0 or 1 dimensions");
    if (!is_integer(array->dtype()) || array->rank() > 1)
      raise(ErrorKind::type, "{}(): indices_or_sections must be an integer or a 1-D sequence of integers", reading.face.name);
    std::vector<int64_t> values = steps::values_of<int64_t>(*array);
    return array->rank() == 0 ? Division{values[0], {}} : Division{{}, std::move(values)};
  }
  if (is_sequence(reading, given)) return {{}, read_integers(reading, given)};
  if (PyIndex_Check(given) || is_torch(reading)) return {integer_in(given), {}};
  nb::object whole = nb::steal(PyNumber_Long(given));
  if (!whole.is_valid()) throw nb::python_error();
  return {integer_in(whole.ptr()), {}};
}

SqueezedAxes read_squeezed(const Reading& reading, PyObject* given) {
  const Array& array = *reading.first;
  if (!is_given(given)) return {};
  SqueezedAxes out;
  if (array.rank() == 0 && !is_sequence(reading, given)) {
    int64_t axis = integer_in(given);
    if (axis == 0 || axis == -1) return {};
  }
  out.axes = places_of(reading, given, array.rank(), false);
  // PyTorch's leaves axes of other lengths where they are.
  if (is_torch(reading)) std::erase_if(*out.axes, [&](size_t axis) { return axis < array.rank() && array.shape()[axis] != 1; });
  return out;
}

// ---- what PyTorch refuses in other words

void refuse_shapes(const Reading& reading, const Error& error) {
  if (is_torch(reading) && error.kind() == ErrorKind::algebra) refuse_algebra_as_torch(reading, error);
  const Family family = reading.family();
  const bool is_worded = family >= Family::samples && family != Family::elementwise && family != Family::creates;
  const bool is_value = error.kind() == ErrorKind::value || error.kind() == ErrorKind::zero_division;
  if (is_torch(reading) && is_worded && is_value) raise_text(ErrorKind::runtime, error.what());
}

void Check<turned>::call(const Reading& reading, const Array&, int64_t, const Axes& plane) {
  if (is_torch(reading) && plane.size() != 2)
    raise(ErrorKind::runtime, "expected total rotation dims == 2, but got dims = {}", plane.size());
}

static void check_sizes(const Array& array, const Shape& shape) {
  int64_t elements = 1;
  bool fits = true;
  for (int64_t size : shape)
    if (size != -1) fits = !__builtin_mul_overflow(elements, size, &elements) && fits;
  auto unknown = std::count(shape.begin(), shape.end(), -1);
  if (unknown > 1) raise(ErrorKind::runtime, "only one dimension can be inferred");
  if (unknown && elements == 0)
    raise(ErrorKind::runtime,
          "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size -1 can be any value and is "
          "ambiguous",
          quern::in_brackets(shape));
  for (int64_t size : shape)
    if (size < -1) raise(ErrorKind::runtime, "invalid shape dimension {}", size);
  if (!fits || (unknown ? array.size() % elements != 0 : elements != array.size()))
    raise(ErrorKind::runtime, "shape '{}' is invalid for input of size {}", quern::in_brackets(shape), array.size());
}

void Check<reshaped_as>::call(const Reading& reading, const Array& array, const Shape& shape, Order, std::optional<bool>) {
  if (is_torch(reading)) check_sizes(array, shape);
}

void Check<reshaped_as>::call(const Reading&, const Array& array, const std::optional<Shape>& shape, std::optional<DType>) {
  if (shape) check_sizes(array, *shape);
}

void check_expanded_as_torch(const Array& array, const Shape& sizes) {
  const size_t rank = array.rank();
  if (sizes.size() < rank)
    raise(ErrorKind::runtime,
          "expand({}, size={}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the "
          "tensor "
          "({})",
          quern::in_brackets(array.shape()), quern::in_brackets(sizes), sizes.size(), rank);
  size_t more = sizes.size() - rank;
  int64_t elements = 1;
  for (size_t n = 0; n < sizes.size(); ++n) {
    int64_t size = sizes[n], old = n < more ? 1 : array.shape()[n - more];
    if (size < -1 || (size == -1 && n < more))
      raise(ErrorKind::runtime, "The expanded size of the tensor must not be negative: {}", quern::in_brackets(sizes));
    if (size == -1) size = old;
    if (size > 0 && (__builtin_mul_overflow(elements, size, &elements) || elements >= int64_t{1} << 62))
      raise(ErrorKind::runtime, "expand: a size of {} has too many elements", quern::in_brackets(sizes));
    if (n >= more && old != 1 && old != size)
      raise(ErrorKind::runtime,
            "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension {}.  Target "
            "sizes: {}.  "
            "Tensor sizes: {}",
            size, old, n, quern::in_brackets(sizes), quern::in_brackets(array.shape()));
  }
}

void Check<broadcast_view>::call(const Reading& reading, const Array& array, const Shape& shape) {
  if (is_torch(reading)) return check_expanded_as_torch(array, shape);
  if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; }))
    raise(ErrorKind::value, "all elements of broadcast shape must be non-negative");
}

void Check<split_columns>::call(const Reading& reading, const Array& array, const Division& by) {
  if (!is_torch(reading)) return;
  const auto function = reading.function;
  size_t least = function == quern::Function::hsplit_ ? 1 : function == quern::Function::vsplit_ ? 2 : 3;
  if (array.rank() < least)
    raise(ErrorKind::runtime, "torch.{} requires a tensor with at least {} dimension, but got a tensor with {} dimensions!",
          reading.face.name, least, array.rank());
  size_t axis = least == 2 || array.rank() == 1 ? 0 : least == 1 ? 1 : 2;
  if (by.number && *by.number > 0 && array.shape()[axis] % *by.number != 0)
    raise(ErrorKind::runtime,
          "torch.{} attempted to split along dimension {}, but the size of the dimension {} is not divisible by the "
          "split_size {}!",
          reading.face.name, axis, array.shape()[axis], *by.number);
}

void Check<tiled>::call(const Reading& reading, const Array& array, const std::vector<int64_t>& times) {
  if (!is_torch(reading)) return;
  if (times.size() < array.rank() && std::string_view(reading.face.name) == "repeat")
    raise(ErrorKind::runtime, "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  int64_t elements = array.size();
  for (int64_t count : times) {
    if (count < 0)
      raise(ErrorKind::runtime, "Trying to create tensor with negative dimension {}: {}", count, quern::in_brackets(times));
    if (__builtin_mul_overflow(elements, count, &elements) || elements >= int64_t{1} << 46)
      raise(ErrorKind::out_of_memory,
            "[memory] out of memory: can't allocate memory for a tensor {} times as large; make it smaller",
            quern::in_brackets(times));
  }
}

void Check<rolled>::call(const Reading& reading, const Array&, const std::vector<int64_t>& shifts,
                         const std::optional<Axes>& axes) {
  if (!is_torch(reading)) return;
  if (shifts.empty()) raise(ErrorKind::runtime, "`shifts` required");
  size_t dims = axes ? axes->size() : 0;
  if (shifts.size() != std::max<size_t>(dims, 1))
    raise(ErrorKind::runtime, "shifts and dimensions must align. shifts: {}, dims:{}", shifts.size(), dims);
}

void Check<imaginary_part>::call(const Reading& reading, const Array& array) {
  if (is_torch(reading) && !is_complex(array.dtype()))
    raise(ErrorKind::type, "imag is not implemented for tensors with non-complex dtypes.");
}

// ---- borders

namespace {

// Values of the host as (before, after) of each of `rank` axes.
Array pairs_in(PyObject* given, const char* name, size_t rank) {
  const nb::object made = array_of(given, DeviceId::cpu());
  const Array& values = *as_array(made.ptr());
  const Shape wanted{static_cast<int64_t>(rank), 2}, &shape = values.shape();
  const bool fits = shape.empty() || shape == wanted || shape == Shape{1, 2} || shape == Shape{2} || shape == Shape{1};
  if (!fits) raise(ErrorKind::value, "`{}` must be a number, a pair or {} pairs, not of shape {}", name, rank, to_string(shape));
  const Array detached_values = detached(values);
  return copied(detached_values.view(detached_values.layout().broadcast_to(wanted)), values.dtype(), Order::c);
}

}  // namespace

Bordering Read<const Bordering&>::read(Reading& reading) {
  const size_t rank = reading.first->rank();
  PyObject *widths = reading.take(), *mode = reading.take(), *constants = reading.take();
  Bordering out;
  const std::string name = mode && PyUnicode_Check(mode) ? nb::cast<std::string>(nb::handle(mode)) : "";
  if (is_given(constants) && name != "constant")
    raise(ErrorKind::value, "Argument `constant_values` can only be provided when `mode == 'constant'`. Received: mode={}", name);
  const std::optional<Border> known = border_named(name);
  if (!known) raise(ErrorKind::not_implemented, "Unimplemented padding mode {} for np.pad.", nb::repr(nb::handle(mode)).c_str());
  out.mode = *known;
  const Array pairs = pairs_in(widths, "pad_width", rank);
  if (!is_integer(pairs.dtype())) raise(ErrorKind::type, "`pad_width` must be of integral type.");
  const std::vector<int64_t> numbers = steps::values_of<int64_t>(pairs);
  for (size_t n = 0; n < rank; ++n) {
    out.widths.emplace_back(numbers[2 * n], numbers[2 * n + 1]);
    if (numbers[2 * n] < 0 || numbers[2 * n + 1] < 0) raise(ErrorKind::value, "index can't contain negative values");
  }
  if (!is_given(constants)) return out;
  const Array values = steps::as_type(pairs_in(constants, "constant_values", rank), reading.first->dtype());
  const auto value = [&](size_t n, int64_t side) {
    return steps::scalar_in(steps::element(steps::element(values, 0, static_cast<int64_t>(n)), 0, side));
  };
  for (size_t n = 0; n < rank; ++n) out.options.constants.emplace_back(value(n, 0), value(n, 1));
  return out;
}

}  // namespace quern::python::faces
