#include "bindings/faces/creation.h"

#include <cmath>
#include <limits>

#include "bindings/faces/keras_values.h"
#include "bindings/faces/statistics.h"
#include "bindings/functions.h"
#include "bindings/given.h"
#include "bindings/host_values.h"
#include "core/error.h"
#include "functions/parts.h"
#include "functions/steps.h"
#include "run/transfer.h"

namespace quern::python::faces {

namespace {

// The type that is asked for; in PyTorch a tensor that takes the result has it, too, or says it.
std::optional<DType> asked_type(const Reading& reading, PyObject* given) {
  std::optional<DType> asked = read_dtype(reading, given);
  const Array* out = is_torch(reading) && reading.out() ? as_array(reading.out()) : nullptr;
  if (asked && out && out->dtype() != *asked)
    raise(ErrorKind::runtime, "dtype torch.{} does not match dtype of out parameter (torch.{})", row(*asked).name,
          row(out->dtype()).name);
  return asked || !out ? asked : out->dtype();
}

bool repeats_elements(const Array& array) {
  for (size_t i = 0; i < array.rank(); ++i)
    if (array.layout().strides[i] == 0 && array.shape()[i] > 1) return true;
  return false;
}

// The axes from the outermost to the innermost in memory that a format of PyTorch's names; none: C order.
std::optional<std::vector<size_t>> axes_of_format(const Reading& reading, PyObject* given, size_t rank) {
  const auto name = nb::cast<std::string>(nb::str(nb::handle(given)));
  if (!name.starts_with("torch.") || !PyObject_HasAttrString(given, "_name"))
    raise(ErrorKind::type, "{}(): argument 'memory_format' must be torch.memory_format, not {}", reading.face.name,
          Py_TYPE(given)->tp_name);
  if (name == "torch.preserve_format") return {};
  std::vector<size_t> axes;
  if (name == "torch.channels_last") axes = {0, 2, 3, 1};
  if (name == "torch.channels_last_3d") axes = {0, 2, 3, 4, 1};
  if (!axes.empty() && axes.size() != rank)
    raise(ErrorKind::runtime, "required rank {} tensor to use {} format", axes.size(), name.substr(6));
  return axes;
}

}  // namespace

void check_sizes_as_torch(const Reading& reading, const Shape& shape) {
  if (!is_torch(reading)) return;
  int64_t count = 1;
  for (int64_t n : shape) {
    if (n < 0 && reading.function == quern::Function::zeros_)
      raise(ErrorKind::runtime, "zeros: Dimension size must be non-negative.");
    if (n < 0) raise(ErrorKind::runtime, "Trying to create tensor with negative dimension {}: {}", n, in_brackets(shape));
    if (__builtin_mul_overflow(count, n, &count) || count >= int64_t{1} << 46)
      raise(ErrorKind::out_of_memory, "[memory] out of memory: can't allocate memory for a tensor of size {}; make it smaller",
            in_brackets(shape));
  }
}

Making Read<const Making&>::read(Reading& reading, const Array* like, bool has_shape) {
  const bool is_numpys = !is_torch(reading) && &reading.front_end != &keras;
  Making how{asked_type(reading, reading.take())};
  using F = quern::Function;
  const F function = reading.function;
  const bool are_places = function == F::tril_indices_ || function == F::triu_indices_;
  const bool has_own_type =
      (function == F::full_ && &reading.front_end != &keras) || function == F::randint_ || function == F::randperm_ || are_places;
  if (!how.dtype && !like && !has_own_type) how.dtype = reading.front_end.real_type();
  if (like && (is_numpys || (is_torch(reading) && !has_shape && !repeats_elements(*like)))) how.order = Order::keep;
  if (PyObject* order = reading.take(); is_given(order)) how.order = order_of(order, how.order);
  PyObject* device = reading.take();
  how.device = like && !is_given(device) ? like->device() : read_device(reading, device);
  if (PyObject* format = reading.take(); is_given(format)) {
    const size_t rank = like ? like->rank() : read_integers(reading, reading.slots[0]).size();
    if (auto axes = axes_of_format(reading, format, rank)) how.axes = *axes, how.order = Order::c;
  }
  return how;
}

MakingLike Read<const MakingLike&>::read(Reading& reading) {
  MakingLike to{};
  PyObject* shape = reading.take();
  if (is_given(shape)) to.shape = read_shape(reading, shape);
  to.how = Read<const Making&>::read(reading, reading.first, to.shape.has_value());
  // The copy of an array of the host may be in another order where that says nothing.
  if (to.how.order == Order::any && classified(reading.slots[0]).what == Given::What::host_array)
    to.how.order = nb::cast<bool>(nb::handle(reading.slots[0]).attr("flags").attr("fnc")) ? Order::fortran : Order::c;
  return to;
}

namespace {

std::optional<bool> copies_asked(const Reading& reading, PyObject* copy) {
  if (is_torch(reading) && reading.function == quern::Function::array_) return true;
  if (!is_given(copy)) return {};
  if (is_torch(reading)) return read_flag(reading, copy);
  if (PyUnicode_Check(copy)) raise(ErrorKind::value, "strings are not allowed for 'copy' keyword. Use True/False/None instead.");
  return read_flag(reading, copy);
}

// Ones in front of a shape of fewer dimensions.
std::optional<Array> with_dimensions(MadeOfValue& made, int64_t least) {
  const Array& array = made.array ? *made.array : *as_array(made.beside.ptr());
  const auto missing = least - static_cast<int64_t>(array.rank());
  if (missing <= 0) return made.array;
  Shape shape(static_cast<size_t>(missing), 1);
  shape.insert(shape.end(), array.shape().begin(), array.shape().end());
  return reshaped(array, shape, Order::c);
}

// CuPy's go to the current device, and classes that programs derive are kept on demand. Memory of a GPU is shared.
MadeOfValue made_as_cupy(PyObject* given, HostRequest request, bool keeps_class) {
  const Array* array = as_array(given);
  const bool loses_parts =
      array && is_complex(array->dtype()) && request.dtype && !is_complex(*request.dtype) && *request.dtype != DType::boolean;
  if (loses_parts) nb::module_::import_("quern.cupy._array").attr("warn_of_reals")();
  const DeviceId here = current_context().id();
  const bool is_tensor_of_gpu = array && array->device().is_gpu() && is_tensor_type(Py_TYPE(given));
  const bool may_share = is_tensor_of_gpu || (!array && offers_array(given));
  const bool is_shared = !request.dtype && request.order == Order::keep && !request.copies && may_share;
  if (is_shared)
    request.copies = false;
  else
    request.device = here;
  MadeOfValue made = made_as_numpy(given, request);
  const Array& found = made.array ? *made.array : *as_array(made.beside.ptr());
  if (found.device() != here) made.array = moved_to(found, current_context());
  const bool is_derived = made.beside.is_valid() && Py_TYPE(made.beside.ptr()) != cupy.type;
  if (is_derived && !keeps_class) {
    if (!made.array) made.array = Array(*as_array(made.beside.ptr()));
    made.beside = {};
  }
  return made;
}

// What a function asks for by its name.
void ask_for_order(const Reading& reading, HostRequest& request, int64_t& least) {
  const bool is_in_rows = reading.function == quern::Function::ascontiguousarray_;
  if (!is_in_rows && reading.function != quern::Function::asfortranarray_) return;
  request.order = is_in_rows ? Order::c : Order::fortran;
  least = 1;
}

}  // namespace

MadeOfValues Read<const MadeOfValues&>::read(Reading& reading) {
  PyObject* given = reading.take();
  HostRequest request{.dtype_object = reading.take()};
  request.dtype = read_dtype(reading, request.dtype_object);
  if (PyObject* order = reading.take(); order) request.order = order_of(order, Order::keep);
  PyObject* device = reading.take();
  const bool is_tensor = is_torch(reading) && as_array(given) && is_tensor_type(Py_TYPE(given));
  if (is_given(device))
    request.device = read_device(reading, device);
  else if (is_torch(reading) && !is_tensor)
    request.otherwise = read_device(reading, nullptr);
  request.is_alias = is_torch(reading) && std::string_view(reading.face.name) == "asarray";
  request.copies = copies_asked(reading, reading.take());
  int64_t ndmin = read_integer(reading, reading.take());
  if (read_integer(reading, reading.take()) != 0) throw Unserved{"ndmax"};
  for (const char* kind : {"sparse", "ragged"})
    if (read_flag(reading, reading.take())) raise(ErrorKind::value, "`{}=True` is not supported with the quern backend", kind);
  const bool keeps_class = read_flag(reading, reading.take()) || std::string_view(reading.face.name) == "asanyarray";
  ask_for_order(reading, request, ndmin);
  // The copy of an array of the host may be in another order where that says nothing.
  if (request.copies == true && request.order == Order::any && classified(given).what == Given::What::host_array)
    request.order = nb::cast<bool>(nb::handle(given).attr("flags").attr("fnc")) ? Order::fortran : Order::c;
  MadeOfValue made = is_torch(reading)              ? made_as_torch(given, request)
                     : &reading.front_end == &keras ? made_as_keras(given, request.dtype)
                     : &reading.front_end == &cupy  ? made_as_cupy(given, request, keeps_class)
                                                    : made_as_numpy(given, request);
  if (made.array && &reading.front_end == &keras) reading.type = keras.type;
  std::optional<Array> array = with_dimensions(made, ndmin);
  reading.made = std::move(made.beside);
  reading.beside = reading.made.ptr();
  if (reading.beside) reading.first = as_array(reading.beside);
  return {std::move(array)};
}

// PyTorch's values are numbers, or tensors of one element.
void Check<filled_with>::check_value(const Reading& reading, const Argument& value) {
  const bool loses_parts = reading.first && !is_complex(reading.first->dtype()) && !value.array() && value.scalar().im != 0;
  if (&reading.front_end == &keras && loses_parts && !is_given(reading.slots[3]))
    raise(ErrorKind::type, "[{}] a complex value requires a complex `dtype`", reading.face.name);
  if (!is_torch(reading) || !value.array() || value.array()->size() == 1) return;
  raise(ErrorKind::type, "{}(): argument 'fill_value' (position 2) must be Number, not Tensor", reading.face.name);
}

Sides Read<Sides>::read(Reading& reading) {
  const auto size = [&](PyObject* given) {
    if (reading.function == quern::Function::tri_ && !PyLong_Check(given)) {  // NumPy counts up to any number
      if (const Array* array = as_array(given); array && array->size() != 1)
        raise(ErrorKind::value, "[tri] the numbers of rows and columns must be integers, not an array of shape {}",
              to_string(array->shape()));
      return static_cast<int64_t>(std::ceil(read_number(reading, given)));
    }
    const std::vector<int64_t> sizes = read_integers(reading, given);
    if (sizes.size() != 1) raise(ErrorKind::type, "[{}] the numbers of rows and columns must be integers", reading.face.name);
    return sizes[0];
  };
  const int64_t rows = size(reading.take());
  PyObject* given = reading.take();
  const int64_t columns = is_given(given) ? size(given) : rows;
  if (is_torch(reading))
    for (const auto& [name, n] : {std::pair("n", rows), std::pair("m", columns)})
      if (n < 0) raise(ErrorKind::runtime, "{} must be greater or equal to 0, got {}", name, n);
  check_sizes_as_torch(reading, {rows, columns});
  return {rows, columns};
}

// ---- numbers in even steps

namespace {

struct Bound {
  Scalar number;
  bool is_whole() const { return number.kind == WeakScalar::integer || number.kind == WeakScalar::boolean; }
  double real() const { return is_whole() ? static_cast<double>(number.integer) : number.re; }
};

// A number of 64 bits, or a real one that is not NaN.
std::optional<Bound> bound_in(PyObject* given, int64_t otherwise) {
  if (!given) return Bound{steps::whole(otherwise)};
  Scalar number;
  if (!read_scalar(given, number) || number.is_huge || number.is_natural) return {};
  const Bound bound{number};
  if (number.kind == WeakScalar::complex || std::isnan(bound.real())) return {};
  return bound;
}

struct Range {
  Bound start, stop, step;
  bool is_whole() const { return start.is_whole() && stop.is_whole() && step.is_whole(); }
  // Numbers from start to before stop. Raises ErrorKind::value for more than 63 bits count.
  int64_t count() const {
    double many = 0;
    if (is_whole()) {
      const __int128 width = static_cast<__int128>(stop.number.integer) - start.number.integer, by = step.number.integer;
      const __int128 parts = width / by + ((width % by != 0) && ((width < 0) == (by < 0)));
      if (parts <= std::numeric_limits<int64_t>::max()) return static_cast<int64_t>(std::max<__int128>(parts, 0));
      many = 0x1p63;
    } else {
      many = std::ceil((stop.real() - start.real()) / step.real());
    }
    if (!(many < 0x1p63)) raise(ErrorKind::value, "Maximum allowed size exceeded");
    return static_cast<int64_t>(std::max(many, 0.0));
  }
  Scalar second() const {
    if (start.is_whole() && step.is_whole())
      return steps::whole(
          static_cast<int64_t>(static_cast<uint64_t>(start.number.integer) + static_cast<uint64_t>(step.number.integer)));
    return steps::real_number(start.real() + step.real());
  }
};

Scalar cut(const Scalar& number) {
  return number.kind == WeakScalar::real ? steps::whole(static_cast<int64_t>(number.re)) : steps::whole(number.integer);
}

EvenNumbers in_steps(const Range& range, DType type, DeviceId device) {
  const bool is_half = type == DType::float16 || type == DType::bfloat16;
  const DType work = is_half ? DType::float32 : type == DType::uint64 ? DType::int64 : type;
  EvenNumbers out{cut(range.start.number), {}, range.count(), type, work, device};
  if (is_integer(type)) {
    out.step = steps::whole(cut(range.second()).integer - out.start.integer);
    return out;
  }
  const Scalar next = range.second();
  const double first = range.start.real(), second = next.kind == WeakScalar::real ? next.re : static_cast<double>(next.integer);
  const bool is_short = work == DType::float32;
  out.start = steps::real_number(is_short ? static_cast<double>(static_cast<float>(first)) : first);
  out.step =
      steps::real_number(is_short ? static_cast<double>(static_cast<float>(second) - static_cast<float>(first)) : second - first);
  return out;
}

// The types that are computed in even steps here, as NumPy computes them.
bool is_stepped(DType type) {
  return type == DType::float32 || type == DType::float64 || (is_integer(type) && type != DType::uint64);
}

// As NumPy makes it, on the host; it says what is wrong, too.
EvenNumbers of_host(const Reading& reading, PyObject* const (&bounds)[3], PyObject* dtype, DeviceId device) {
  nb::list given;
  for (PyObject* one : bounds) {
    if (!one) continue;
    if (const Array* array = as_array(one)) {
      refuse_derivative(reading, *array, "what it");
      given.append(nb::module_::import_("quern").attr("asnumpy")(nb::handle(one)));
    } else {
      given.append(nb::handle(one));
    }
  }
  nb::object type = is_given(dtype) ? nb::borrow(dtype) : nb::none();
  nb::object host = nb::module_::import_("numpy").attr("arange")(*given, nb::arg("dtype") = type);
  nb::object made = array_of(host.ptr(), device);
  EvenNumbers out{{}, {}, 0, DType::int64, DType::int64, device};
  out.made = *as_array(made.ptr());
  return out;
}

EvenNumbers read_as_numpy(Reading& reading, PyObject* start, PyObject* stop, PyObject* step, PyObject* dtype, PyObject* where) {
  if (!start && !stop) raise(ErrorKind::type, "arange() requires stop to be specified.");
  const DeviceId device = read_device(reading, where);
  PyObject* const one_bound[3] = {nullptr, start, step};
  PyObject* const bounds[3] = {start, stop, step};
  const auto& all = stop ? bounds : one_bound;
  std::optional<Bound> numbers[3] = {bound_in(all[0], 0), bound_in(all[1], 0), bound_in(all[2], 1)};
  const bool is_plain = numbers[0] && numbers[1] && numbers[2] && numbers[2]->real() != 0;
  if (!is_plain || (is_given(dtype) && !dtype_of_object(dtype))) {
    const nb::object zero = nb::int_(0);
    PyObject* const given[3] = {all[0] ? all[0] : zero.ptr(), all[1], all[2]};
    return of_host(reading, given, dtype, device);
  }
  const auto type_of = [](const Scalar& n) { return Argument(n).type(); };
  const OperandType types[] = {
      {DType::int64}, type_of(numbers[0]->number), type_of(numbers[1]->number), type_of(numbers[2]->number)};
  const DType type = is_given(dtype) ? *dtype_of_object(dtype) : common_type(types);
  if (!is_stepped(type)) {
    const nb::object zero = nb::int_(0);
    PyObject* const given[3] = {all[0] ? all[0] : zero.ptr(), all[1], all[2]};
    return of_host(reading, given, dtype, device);
  }
  return in_steps({*numbers[0], *numbers[1], *numbers[2]}, type, device);
}

// A bound of Keras's, and what it adds to the types of all.
Bound bound_of_keras(const Reading& reading, PyObject* given, int64_t otherwise, std::vector<OperandType>& types) {
  if (!given) return Bound{steps::whole(otherwise)};
  Scalar number;
  if (read_scalar(given, number)) {
    types.push_back(Argument(number).type());
  } else {
    const nb::object made = nb::handle(reading.front_end.convert)(nb::handle(given));
    const Array& array = *as_array(made.ptr());
    if (array.rank() > 0)
      raise(ErrorKind::value, "[arange] `start`, `stop` and `step` must be scalars, not an array of shape {}",
            to_string(array.shape()));
    refuse_derivative(reading, array, "what it");
    read_scalar(item_of(array).ptr(), number);
    types.push_back({array.dtype()});
  }
  if (number.kind == WeakScalar::complex) raise(ErrorKind::value, "[arange] complex numbers are not supported; pass real ones");
  if (number.is_huge || number.is_natural) raise(ErrorKind::overflow, "Python int too large to convert to C long");
  return Bound{number};
}

EvenNumbers read_as_keras(Reading& reading, PyObject* start, PyObject* stop, PyObject* step, PyObject* dtype, PyObject* where) {
  if (!start) raise(ErrorKind::type, "arange() requires `start` to be a number, not None");
  if (!stop) stop = start, start = nullptr;
  std::vector<OperandType> types;
  const Range range{bound_of_keras(reading, start, 0, types), bound_of_keras(reading, stop, 0, types),
                    bound_of_keras(reading, step, 1, types)};
  if (range.step.real() == 0) raise(ErrorKind::zero_division, "division by zero: the step of arange() is 0");
  const DType type = is_given(dtype) ? *read_dtype(reading, dtype) : type_together(types);
  if (type == DType::boolean || is_complex(type))
    raise(ErrorKind::type, "[arange] unsupported dtype {}; use an integer or a real dtype", row(type).name);
  return in_steps(range, type, read_device(reading, where));
}

Bound bound_of_torch(const Reading& reading, PyObject* given, int64_t otherwise) {
  if (!given) return Bound{steps::whole(otherwise)};
  nb::object item = as_array(given) ? item_of(*as_array(given)) : nb::borrow(given);
  Scalar number;
  const bool is_real = read_scalar(item.ptr(), number) && !number.is_huge && !number.is_natural;
  if (is_real && number.kind == WeakScalar::complex)
    raise(ErrorKind::runtime, "value cannot be converted to type double without overflow");
  if (!is_real) raise(ErrorKind::type, "{}(): arguments must be Numbers, not {}", reading.face.name, Py_TYPE(given)->tp_name);
  return Bound{number};
}

EvenNumbers read_as_torch(Reading& reading, PyObject* start, PyObject* stop, PyObject* step, PyObject* dtype, PyObject* where) {
  if (!start && !stop) {
    PyErr_SetString(PyExc_TypeError, "arange() missing 1 required positional arguments: \"end\"");
    throw nb::python_error();
  }
  if (!stop) stop = start, start = nullptr;
  const std::optional<DType> asked = asked_type(reading, dtype);
  const Range range{bound_of_torch(reading, start, 0), bound_of_torch(reading, stop, 0), bound_of_torch(reading, step, 1)};
  const double first = range.start.real(), last = range.stop.real(), by = range.step.real();
  if (!std::isfinite(first) || !std::isfinite(last) || !std::isfinite(by))
    raise(ErrorKind::runtime, "unsupported range: {:g} -> {:g}", first, last);
  if (by == 0) raise(ErrorKind::runtime, "step must be nonzero");
  if ((last - first) / by < 0) raise(ErrorKind::runtime, "upper bound and lower bound inconsistent with step sign");
  const bool has_end = reading.function == quern::Function::arange_to_end_;
  const DType type = asked.value_or(range.is_whole() && !has_end ? DType::int64 : torch_default());
  if (is_complex(type)) raise(ErrorKind::not_implemented, "\"arange_cpu\" not implemented for '{}'", torch_name_of(type));
  const int64_t count = has_end ? static_cast<int64_t>(std::floor((last - first) / by)) + 1 : range.count();
  check_sizes_as_torch(reading, {count});
  const DType work = steps::is_whole(type) ? DType::int64 : DType::float64;
  EvenNumbers out{range.start.number, range.step.number, count, type, work, read_device(reading, where)};
  out.start.is_weak = out.step.is_weak = true;
  if (work == DType::int64) out.start = cut(out.start), out.step = cut(out.step);
  return out;
}

}  // namespace

EvenNumbers Read<const EvenNumbers&>::read(Reading& reading) {
  PyObject* bounds[3];
  for (PyObject*& one : bounds) {
    one = reading.take();
    if (one == Py_None && is_torch(reading))
      raise(ErrorKind::type, "{}(): arguments 'start', 'end' and 'step' must be Number, not NoneType", reading.face.name);
    if (one == Py_None) one = nullptr;
  }
  PyObject* dtype = reading.take();
  PyObject* device = reading.take();
  const auto read = is_torch(reading) ? read_as_torch : &reading.front_end == &keras ? read_as_keras : read_as_numpy;
  return read(reading, bounds[0], bounds[1], bounds[2], dtype, device);
}

// ---- numbers spread between two ends

namespace {

// A number of Python's of any size as one that is computed with.
void make_real(Argument& end) {
  if (end.array()) return;
  const Scalar& number = end.scalar();
  if (number.kind == WeakScalar::complex || number.kind == WeakScalar::real) return;
  const double whole = number.is_natural ? static_cast<double>(number.natural) : static_cast<double>(number.integer);
  end = Argument(steps::real_number(number.is_huge ? number.re : whole));
}

bool is_of_complex(const Argument& end) {
  return end.array() ? is_complex(end.array()->dtype()) : end.scalar().kind == WeakScalar::complex;
}

// An end of PyTorch's: a number, or a tensor of one, which this waits for.
Argument end_of_torch(const Reading& reading, PyObject* given) {
  const Array* array = as_array(given);
  if (array && array->rank() > 0)
    raise(ErrorKind::runtime, "{} only supports 0-dimensional start and end tensors, but got one with {} dimension(s).",
          reading.face.name, array->rank());
  const nb::object item = array ? item_of(*array) : nb::borrow(given);
  Scalar number;
  if (!read_scalar(item.ptr(), number))
    raise(ErrorKind::type, "{}(): arguments 'start' and 'end' must be Numbers, not {}", reading.face.name,
          Py_TYPE(given)->tp_name);
  number.is_weak = true;
  return Argument(number);
}

// The type that ends of NumPy's and Keras's front ends make: real or complex numbers.
DType inexact_type(const Reading& reading, const Argument& start, const Argument& stop) {
  const OperandType types[] = {start.type(), stop.type()};
  if (&reading.front_end != &keras) {
    const DType type = common_type(types);
    return steps::is_whole(type) ? DType::float64 : type;
  }
  const DType type = common_type_as_keras(types);
  const bool is_weak = types[0].is_weak && types[1].is_weak;
  return steps::is_whole(type) || (is_weak && !is_complex(type)) ? reading.front_end.real_type() : type;
}

}  // namespace

void Read<const Ends&>::read(Reading& reading) {
  PyObject *first = reading.take(), *last = reading.take();
  if (is_torch(reading)) {
    value.start = end_of_torch(reading, first), value.stop = end_of_torch(reading, last);
    const bool has_parts = is_of_complex(value.start) || is_of_complex(value.stop);
    value.work = has_parts ? DType::complex128 : DType::float64;
    value.type = !has_parts ? torch_default() : torch_default() == DType::float64 ? DType::complex128 : DType::complex64;
    value.become_whole = true;
  } else {
    start.read(reading, first), stop.read(reading, last);
    value.start = start.argument, value.stop = stop.argument;
    value.work = value.type = inexact_type(reading, value.start, value.stop);
    const bool are_numbers = !value.start.array() && !value.stop.array();
    if (are_numbers && !is_complex(value.work)) value.work = DType::float64;
    if (reading.function == quern::Function::geomspace_) {
      value.work = steps::common(value.work, DType::float64);
      if (&reading.front_end != &keras) value.type = value.work;
    }
  }
  make_real(value.start), make_real(value.stop);
  PyObject* count = reading.take();
  const Py_ssize_t many = PyNumber_AsSsize_t(count, PyExc_OverflowError);
  if (many == -1 && PyErr_Occurred()) {
    if (is_torch(reading) || !PyErr_ExceptionMatches(PyExc_OverflowError)) throw nb::python_error();
    PyErr_Clear();
    raise(ErrorKind::value, "Maximum allowed size exceeded");
  }
  value.count = many;
  PyObject* endpoint = reading.take();
  value.endpoint = !endpoint || read_flag(reading, endpoint);
}

Spread Read<const Spread&>::read(Reading& reading) {
  Spread spread{read_integer(reading, reading.take()), {}, {}};
  spread.dtype = asked_type(reading, reading.take());
  PyObject* device = reading.take();
  if (!reading.first || is_given(device)) spread.device = read_device(reading, device);
  return spread;
}

void Check<multiples_spread>::check(const Reading& reading, const Ends& ends, const Spread& spread, const Argument* base) {
  const auto rank = static_cast<int64_t>(rank_of_spread(ends, base));
  if (spread.axis < -rank || spread.axis >= rank) reading.front_end.refuse_axis(spread.axis, static_cast<size_t>(rank));
  if (!is_torch(reading)) return;
  if (ends.count < 0) raise(ErrorKind::runtime, "number of steps must be non-negative");
  const bool is_plain = spread.dtype && !base;
  for (const Argument* end : {&ends.start, &ends.stop})
    if (is_plain && !end->array()) steps::fitted_as_torch(end->scalar(), *spread.dtype);
  check_sizes_as_torch(reading, {ends.count});
}

// ---- windows

WindowSize Read<const WindowSize&>::read(Reading& reading) {
  PyObject* points = reading.take();
  const bool is_periodic = read_flag(reading, reading.take());
  if (&reading.front_end == &keras && !is_given(points))
    raise(ErrorKind::value, "[{}] `x` must be a number, not None", reading.face.name);
  WindowSize size{read_number(reading, points), 0, DType::float64, {}};
  if (&reading.front_end == &keras) size.points = std::trunc(size.points);
  if (is_torch(reading) && size.points < 0)
    raise(ErrorKind::runtime, "{} requires non-negative window_length, got window_length={:g}", reading.face.name, size.points);
  size.count = size.points < 1 ? 0 : static_cast<int64_t>(std::ceil(size.points - 0.5));
  size.points += is_periodic && size.points > 1;
  size.dtype = read_dtype(reading, reading.take()).value_or(reading.front_end.real_type());
  if (row(size.dtype).kind != DTypeKind::real)
    raise(ErrorKind::runtime, "{} expects floating point dtypes, got: {}", reading.face.name, torch_name_of(size.dtype));
  size.device = read_device(reading, reading.take());
  if (is_torch(reading)) check_sizes_as_torch(reading, {size.count});
  return size;
}

// ---- places

void Check<lower_places>::call(const Reading& reading, int64_t rows, int64_t columns, int64_t, const Making&) {
  for (const auto& [name, n] : {std::pair("row", rows), std::pair("col", columns)})
    if (n < 0) raise(ErrorKind::runtime, "{} must be non-negative, got {}", name, n);
  check_sizes_as_torch(reading, {rows, columns});
}

void Check<grid_indices>::call(const Reading& reading, const Shape&, bool, const Making&) {
  if (PyLong_Check(reading.slots[0])) raise(ErrorKind::type, "'{}' object is not iterable", Py_TYPE(reading.slots[0])->tp_name);
}

void Check<grid_by_name>::call(const Reading& reading, const std::vector<Array>& arrays, bool, bool,
                               std::optional<std::string_view> name) {
  const bool has_lines = std::all_of(arrays.begin(), arrays.end(), [](const Array& one) { return one.rank() == 1; });
  if (&reading.front_end == &keras && !has_lines) raise(ErrorKind::value, "[meshgrid] the arguments must be 1-D");
  if (!is_torch(reading)) return;
  if (arrays.empty()) raise(ErrorKind::runtime, "meshgrid expects a non-empty TensorList");
  for (const Array& one : arrays) {
    if (one.rank() > 1)
      raise(ErrorKind::runtime, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}",
            in_brackets(one.shape()));
    if (one.dtype() != arrays[0].dtype()) raise(ErrorKind::runtime, "torch.meshgrid expects all tensors to have the same dtype");
  }
  if (name && name != "ij" && name != "xy")
    raise(ErrorKind::runtime, "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {}", *name);
}

}  // namespace quern::python::faces
