// Readers of several arrays that are one argument, and of the type that they are put together in; what PyTorch refuses of them.
#include "bindings/faces/shapes.h"

#include "bindings/given.h"
#include "core/error.h"
#include "functions/parts.h"

#include <algorithm>

namespace quern::python::faces {

namespace {

bool is_of(const Reading& reading, quern::Function function) { return reading.function == function; }

[[noreturn]] void refuse_nothing(const Reading& reading) {
  if (is_torch(reading)) {
    bool is_cat = is_of(reading, quern::Function::concatenate_);
    PyErr_Format(is_cat ? PyExc_ValueError : PyExc_RuntimeError, "%s(): expected a non-empty list of Tensors",
                 is_cat ? "torch.cat" : reading.face.name);
    throw nb::python_error();
  }
  raise(ErrorKind::value, "need at least one array to {}", is_of(reading, quern::Function::stack_) ? "stack" : "concatenate");
}

// Does the function give something for no arrays at all?
bool takes_none(const Reading& reading) { return reading.family() == Family::views; }

void add(Reading& reading, PyObject* given, size_t place, Sequence& sequence) {
  if (is_torch(reading) && !as_array(given))
    raise(ErrorKind::type, "expected Tensor as element {} in argument 0, but got {}", place, Py_TYPE(given)->tp_name);
  if (&reading.front_end == &cupy && reading.family() == Family::moves && classified(given).what == Given::What::host_array &&
      nb::cast<int>(nb::handle(given).attr("ndim")) > 0)
    raise(ErrorKind::type, "Unsupported type {}; make an array of it with cupy.asarray()",
          nb::str(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(given)))).c_str());
  nb::object made;
  std::optional<Array> numbers;
  const Array& array = read_array(reading, given, made, numbers);
  Scalar number;
  OperandType type{array.dtype()};
  if (!as_array(given) && PyNumber_Check(given) && read_scalar(given, number) && number.is_weak) {
    type.is_weak = true;
    type.weak = number.kind;
  }
  sequence.types.push_back(type);
  sequence.arrays.push_back(array);
  sequence.objects.push_back(made.is_valid() ? std::move(made) : nb::borrow(given));
}

// Empty vectors go with every size. Their types count, and they have gradients.
void fit_empty_vectors(Sequence& sequence, int64_t axis) {
  auto is_other = [](const Array& array) { return array.rank() != 1 || array.size() != 0; };
  const auto other = std::ranges::find_if(sequence.arrays, is_other);
  if (other == sequence.arrays.end() || other->rank() < 2) return;
  Shape shape = other->shape();
  const auto rank = static_cast<int64_t>(shape.size());
  if (axis < -rank || axis >= rank) axis = 0;  // refused later
  shape[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 0;
  for (size_t i = sequence.arrays.size(); i-- > 0;) {
    if (is_other(sequence.arrays[i])) continue;
    if (wants_gradient(sequence.arrays[i])) {
      sequence.arrays[i] = reshape(sequence.arrays[i], shape);
      continue;
    }
    auto at = static_cast<ptrdiff_t>(i);
    sequence.arrays.erase(sequence.arrays.begin() + at);
    sequence.objects.erase(sequence.objects.begin() + at);
  }
}

}  // namespace

const std::vector<Array>& read_sequence(Reading& reading, PyObject* given) {
  Sequence& sequence = reading.sequence.emplace();
  // atleast_1d([a, b]) of PyTorch is atleast_1d(a, b)
  bool may_be_list = is_torch(reading) && takes_none(reading) && !is_of(reading, quern::Function::broadcast_arrays_);
  if (may_be_list && PyTuple_GET_SIZE(given) == 1) {
    PyObject* only = PyTuple_GET_ITEM(given, 0);
    sequence.is_list = PyTuple_Check(only) || PyList_Check(only);
    if (sequence.is_list) given = only;
  }
  bool is_stacked = reading.family() == Family::moves && !is_of(reading, quern::Function::concatenate_);
  if (!PySequence_Check(given) && !as_array(given))
    raise(ErrorKind::type, "{}",
          is_stacked ? "arrays to stack must be passed as a \"sequence\" type such as list or tuple."
                     : "The first input argument needs to be a sequence");
  nb::object all = nb::steal(PySequence_Tuple(given));  // a list may change while its elements are made arrays
  if (!all.is_valid()) throw nb::python_error();
  const auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(all.ptr()));
  sequence.arrays.reserve(count), sequence.objects.reserve(count), sequence.types.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    add(reading, PySequence_Fast_GET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i)), i, sequence);
    if (i == 0) reading.first = &sequence.arrays[0];
  }
  if (count == 0 && !takes_none(reading)) refuse_nothing(reading);
  if (is_torch(reading) && is_of(reading, quern::Function::concatenate_)) {
    fit_empty_vectors(sequence, integer_in(reading.slots[1]));
  }
  if (count == 0) return sequence.arrays;
  reading.first = &sequence.arrays[0];
  reading.beside = sequence.objects[0].ptr();
  for (const nb::object& one : sequence.objects)
    if (Py_TYPE(one.ptr()) != array_type) {
      reading.beside = one.ptr();
      break;
    }
  bool is_flat = is_of(reading, quern::Function::concatenate_) && reading.slots[1] != Py_None;
  if (is_flat && reading.first->rank() == 0)
    raise(is_torch(reading) ? ErrorKind::runtime : ErrorKind::value, "{}",
          is_torch(reading) ? "zero-dimensional tensor (at position 0) cannot be concatenated"
                            : "zero-dimensional arrays cannot be concatenated");
  return sequence.arrays;
}

// ---- the type of what is put together

namespace {

nb::object numpys_type(DType type) { return nb::module_::import_("numpy").attr("dtype")(nb::str(row(type).name.data())); }

// NumPy's rule says whether each array may be converted.
void check_casting(const Reading& reading, nb::handle target, PyObject* casting) {
  nb::object numpy = nb::module_::import_("numpy");
  nb::object rule = casting ? nb::borrow(casting) : nb::object(nb::str("same_kind"));
  bool loses_parts = false;
  for (const nb::object& one : reading.sequence->objects) {
    nb::object origin = one.attr("dtype");
    if (!nb::cast<bool>(numpy.attr("can_cast")(origin, target, rule)))
      raise(ErrorKind::type, "Cannot cast array data from {} to {} according to the rule '{}'", nb::repr(origin).c_str(),
            nb::repr(target).c_str(), nb::str(rule).c_str());
    loses_parts |= is_complex(as_array(one.ptr())->dtype());
  }
  if (loses_parts && &reading.front_end == &cupy &&
      nb::cast<std::string>(target.attr("kind")).find_first_of("cb") == std::string::npos)
    nb::module_::import_("quern.cupy._array").attr("warn_of_reals")();
}

}  // namespace

JoinedType read_joined(const Reading& reading, PyObject* given, PyObject* casting) {
  const Sequence& sequence = *reading.sequence;
  PyObject* out = reading.out() != Py_None ? reading.out() : nullptr;
  std::optional<DType> asked = read_dtype(reading, given);
  if (out && asked)
    raise(ErrorKind::type, "{}() only takes `out` or `dtype` as an argument, but both were provided.", reading.face.name);
  if (out && !is_torch(reading) && nb::hasattr(nb::handle(out), "dtype"))
    check_casting(reading, nb::handle(out).attr("dtype"), casting);
  if (asked) {
    check_casting(reading, numpys_type(*asked), casting);
    return {asked};
  }
  bool is_mixed = std::any_of(sequence.types.begin(), sequence.types.end(),
                              [&](const OperandType& one) { return one.dtype != sequence.types[0].dtype; });
  if (!is_mixed) return {};
  std::vector<OperandType> types = sequence.types;
  if (is_torch(reading)) return {common_type_as_torch(types)};
  if (&reading.front_end == &keras) return {common_type_as_keras(types)};
  // Where all is flattened, numbers have no type of their own.
  bool is_flattened = is_of(reading, quern::Function::concatenate_) && reading.slots[1] == Py_None;
  for (OperandType& type : types) type.is_weak &= is_flattened;
  return {common_type(types)};
}

// ---- what PyTorch refuses in other words

namespace {

std::string name_of(DeviceId device) {
  return device.number() < 0 ? std::string("cpu") : "cuda:" + std::to_string(device.number());
}

void check_joined(const std::vector<Array>& arrays, size_t axis) {
  for (size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].device() != arrays[0].device())
      raise(ErrorKind::runtime, "Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
            name_of(arrays[0].device()), name_of(arrays[i].device()));
  std::optional<Unfit> wrong = unfit(arrays, axis);
  if (!wrong) return;
  const Array &first = arrays[0], &other = arrays[wrong->array];
  if (first.rank() != other.rank())
    raise(ErrorKind::runtime, "Tensors must have same number of dimensions: got {} and {}", first.rank(), other.rank());
  raise(ErrorKind::runtime,
        "Sizes of tensors must match except in dimension {}. Expected size {} but got size {} for tensor number {} in the list.",
        axis, first.shape()[wrong->axis], other.shape()[wrong->axis], wrong->array);
}

}  // namespace

void Check<concatenated>::call(const Reading& reading, const std::vector<Array>& arrays, std::optional<size_t> axis, JoinedType) {
  if (is_torch(reading) && axis) check_joined(arrays, *axis);
}
void Check<stacked_along>::call(const Reading& reading, const std::vector<Array>& arrays, NewAxis, JoinedType) {
  if (!is_torch(reading)) return;
  for (size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].shape() != arrays[0].shape())
      raise(ErrorKind::runtime, "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}",
            quern::in_brackets(arrays[0].shape()), quern::in_brackets(arrays[i].shape()), i);
}
void Check<stacked_columns>::call(const Reading& reading, const std::vector<Array>& arrays, JoinedType) {
  if (!is_torch(reading)) return;
  const bool are_rows = reading.function == Function::vstack_;
  std::vector<Array> wide = with_rank(arrays, are_rows ? 2 : 1);
  check_joined(wide, are_rows || wide[0].rank() == 1 ? 0 : 1);
}

void check_broadcast_as_torch(const Shape& a, const Shape& b, size_t kept) {
  for (size_t d = 1 + kept; d <= std::min(a.size(), b.size()); ++d) {
    int64_t one = a[a.size() - d], other = b[b.size() - d];
    if (one == other || one == 1 || other == 1) continue;
    raise(ErrorKind::runtime, "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}", one,
          other, std::max(a.size(), b.size()) - d);
  }
}

void Check<broadcast_together>::call(const Reading& reading, const std::vector<Array>& arrays) {
  if (!is_torch(reading)) return;
  for (size_t i = 0; i < arrays.size(); ++i)
    for (size_t j = 0; j < i; ++j) check_broadcast_as_torch(arrays[j].shape(), arrays[i].shape());
}

}  // namespace quern::python::faces
