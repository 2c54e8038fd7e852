#include "bindings/faces/distributions.h"

#include "bindings/faces/shapes.h"
#include "bindings/functions.h"
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
  if (!into) raise(ErrorKind::type, "[{}] out must be a quern array", reading.face.name);
  if (size && *size != into->shape()) raise(ErrorKind::value, "size must match out.shape when used together");
  if (&reading.front_end == &cupy) {
    nb::object flags = nb::handle(out).attr("flags");
    bool is_row_major = nb::cast<bool>(flags.attr("c_contiguous"));
    bool is_column_major = reading.function != quern::Function::standard_gamma_ && nb::cast<bool>(flags.attr("f_contiguous"));
    if (!is_row_major && !is_column_major)
      raise(ErrorKind::value, "Supplied output array is not contiguous, writable or aligned.");
  }
  return into->shape();
}

}  // namespace

random::Stream read_stream(Reading& reading, PyObject* given, nb::object& made) {
  if (&reading.front_end == &keras) {  // the numbers of a seed start with each call
    made = nb::handle(reading.front_end.generator)(nb::handle(given ? given : Py_None));
    auto& stream = nb::cast<PyStream&>(made);
    return {stream.key, stream.place};
  }
  if (!is_given(given)) given = reading.front_end.generator;
  nb::handle generator(given);
  if (is_torch(reading)) {
    if (!PyObject_HasAttrString(given, "_stream"))
      raise(ErrorKind::type, "{}(): argument 'generator' must be torch.Generator, not {}", reading.face.name,
            Py_TYPE(given)->tp_name);
    auto& stream = nb::cast<PyStream&>(generator.attr("_stream"));
    return {stream.key, stream.place};
  }
  reading.type = reading.front_end.type;  // of NumPy's there is none: parameters say it
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

static Array real_values(const Reading& reading, const Array& array) {
  if (is_complex(array.dtype()))
    raise(ErrorKind::type, "[{}] parameters must be real, not {}", reading.face.name, row(array.dtype()).name);
  return steps::as_type(array, DType::float64);
}

// Of what is no number, what the front end makes of it, where it makes arrays in its own way.
static nb::object converted(const Reading& reading, PyObject* given) {
  const bool is_ready = as_array(given) || PyFloat_Check(given) || PyLong_Check(given);
  if (&reading.front_end != &keras || is_ready) return {};
  return nb::handle(reading.front_end.convert)(nb::handle(given));
}

random::Parameter read_parameter(Reading& reading, PyObject* given) {
  const bool are_tries = reading.function == quern::Function::binomial_ && reading.next == 2;
  const bool takes_reals = &reading.front_end == &cupy || &reading.front_end == &keras;
  if (const nb::object made = converted(reading, given); made.is_valid()) return read_parameter(reading, made.ptr());
  if (const Array* array = as_array(given)) {
    if (!reading.beside) reading.beside = given;
    if (are_tries) return tries_in(*array, takes_reals);  // CuPy takes them all
    return {0, real_values(reading, *array)};
  }
  if (is_several(given)) {
    const Array* beside = array_beside(reading);
    nb::object made = beside ? array_of(given, beside->device()) : array_of(given);
    if (are_tries) return tries_in(*as_array(made.ptr()), PyList_Check(given) || PyTuple_Check(given));
    return {0, real_values(reading, *as_array(made.ptr()))};
  }
  double number = PyFloat_AsDouble(given);
  if (number == -1 && PyErr_Occurred()) throw nb::python_error();
  return {number, {}};
}

namespace {

// Which types the numbers of a function may have besides the one that they are drawn in.
enum class Types : uint8_t { of_bits, reals, numbers, integers };
Types types_of(const Reading& reading) {
  using F = quern::Function;
  switch (reading.function) {
    case F::integers_:
    case F::integers_to_end_:
      return Types::integers;
    case F::poisson_:
    case F::binomial_:
    case F::negative_binomial_:
    case F::geometric_:
    case F::logseries_:
    case F::zipf_:
    case F::hypergeometric_:
    case F::hypergeometric_at_most_:
      return Types::numbers;
    case F::random_:
    case F::standard_normal_:
    case F::standard_exponential_:
    case F::uniform_:
    case F::normal_:
    case F::exponential_:
      return Types::of_bits;
    default:
      return &reading.front_end == &cupy ? Types::reals : Types::of_bits;
  }
}

bool are_drawn_in(Types types, DType type) {
  const bool is_real = row(type).kind == DTypeKind::real;
  switch (types) {
    case Types::of_bits:
      return type == DType::float32 || type == DType::float64;
    case Types::reals:
      return is_real;
    case Types::numbers:
      return is_real || is_integer(type);
    case Types::integers:
      return steps::is_whole(type);
  }
  return false;
}

bool is_native(PyObject* dtype) {
  return nb::cast<bool>(nb::module_::import_("numpy").attr("dtype")(nb::handle(dtype)).attr("isnative"));
}

// Keras's functions that draw real numbers.
bool are_real_draws(const Reading& reading) {
  using F = quern::Function;
  const F all[] = {F::scaled_normal_, F::truncated_normal_, F::scaled_unit_, F::standard_gamma_, F::beta_, F::binomial_};
  return std::ranges::find(all, reading.function) != std::end(all);
}

std::optional<DType> read_type(const Reading& reading, PyObject* given) {
  if (&reading.front_end == &keras) {
    const DType type = read_dtype(reading, given).value_or(keras.real_type());
    if (are_real_draws(reading) && row(type).kind != DTypeKind::real)
      raise(ErrorKind::value, "[{}] `dtype` must be a floating dtype. Received: dtype={}", reading.face.name, row(type).name);
    return type;
  }
  const Types types = types_of(reading);
  if (types == Types::integers && is_given(given) && !PyType_Check(given) && !is_native(given))
    raise(ErrorKind::value, "Providing a dtype with a non-native byteorder is not supported; convert it with newbyteorder('=')");
  const std::optional<DType> type = read_dtype(reading, given);
  if (type && !are_drawn_in(types, *type))
    raise(ErrorKind::type, "Unsupported dtype dtype('{}') for {}{}", row(*type).name, reading.face.name,
          types == Types::of_bits ? "; ask for float64 or float32" : "");
  PyObject* out = reading.out();
  if (const Array* into = out ? as_array(out) : nullptr; type && into && into->dtype() != *type)
    raise(ErrorKind::type, "Supplied output array has the wrong type. Expected {}, got {}", row(*type).name,
          row(into->dtype()).name);
  return type;
}

}  // namespace

random::Size read_size(const Reading& reading, PyObject* given, PyObject* dtype) {
  random::Size size{{}, device_number(PyDevice{&current_context()}), read_type(reading, dtype)};
  if (is_given(given)) size.shape = read_integers(reading, given);
  PyObject* out = reading.out();
  if (is_given(out)) {
    size.shape = shape_of_out(reading, out, size.shape);
    size.device = as_array(out)->device();
  }
  return size;
}

// ---- integers

namespace {

// Numbers beyond all types become such that are refused.
__int128 whole_in(PyObject* given) {
  const nb::object number = nb::steal(PyNumber_Long(given));
  if (!number.is_valid()) throw nb::python_error();
  int is_beyond = 0;
  const long long above = PyLong_AsLongLongAndOverflow((number >> nb::int_(64)).ptr(), &is_beyond);
  if (is_beyond || std::abs(static_cast<double>(above)) > 1e9)
    return (above < 0 || is_beyond < 0 ? -1 : 1) * (__int128{1} << 100);
  return static_cast<__int128>(above) * (__int128{1} << 64) + PyLong_AsUnsignedLongLongMask(number.ptr());
}

// Integers of 64 bits: real numbers are cut.
Array whole_numbers(const Array& array) {
  const DType type = array.dtype();
  if (steps::is_whole(type)) return steps::as_type(array, type == DType::uint64 ? type : DType::int64);
  if (row(type).kind != DTypeKind::real) raise(ErrorKind::type, "Cannot cast {} to integers", row(type).name);
  const std::vector<double> values = steps::values_of<double>(array);
  double least = 0, most = 0;
  for (double one : values) {
    if (std::isnan(one)) raise(ErrorKind::value, "cannot convert float NaN to integer");
    if (std::isinf(one)) raise(ErrorKind::overflow, "cannot convert float infinity to integer");
    least = std::min(least, one), most = std::max(most, one);
  }
  if (least < -0x1p63 || most >= (least < 0 ? 0x1p63 : 0x1p64)) raise(ErrorKind::value, "limits of integers are out of bounds");
  return steps::as_type(array, most >= 0x1p63 ? DType::uint64 : DType::int64);
}

// Python's integers, of which 64 bits do not hold all.
std::optional<random::Whole> of_objects(const nb::object& host, DeviceId device) {
  if (nb::cast<std::string>(host.attr("dtype").attr("kind")) != "O") return {};
  const __int128 most = whole_in(host.attr("max")().ptr()), least = whole_in(host.attr("min")().ptr());
  const bool has_more = most == __int128{1} << 64;
  const nb::object held = has_more ? host - nb::int_(1) : host;
  if (least < 0 || most > __int128{1} << 64) return random::Whole{least < 0 ? least : most, {}};
  const nb::object made = array_of(held.attr("astype")("uint64").ptr(), device);
  return random::Whole{0, *as_array(made.ptr()), has_more};
}

bool is_number(PyObject* given) {
  if (PyLong_Check(given) || PyFloat_Check(given)) return true;
  const Given what = classified(given);
  return what.is_number() || (what.what == Given::What::host_array && nb::cast<int>(nb::handle(given).attr("ndim")) == 0);
}

DeviceId device_beside(const Reading& reading) {
  const Array* beside = array_beside(reading);
  return beside ? beside->device() : device_number(PyDevice{&current_context()});
}

}  // namespace

random::Whole read_whole(Reading& reading, PyObject* given) {
  if (const nb::object made = converted(reading, given); made.is_valid()) return read_whole(reading, made.ptr());
  if (const Array* array = as_array(given)) {
    if (!reading.beside) reading.beside = given;
    return {0, whole_numbers(*array)};
  }
  if (is_number(given)) return {whole_in(given), {}};
  const nb::object host = nb::module_::import_("numpy").attr("asarray")(nb::handle(given));
  if (std::optional<random::Whole> made = of_objects(host, device_beside(reading))) return *made;
  const nb::object made = array_of(host.ptr(), device_beside(reading));
  return {0, whole_numbers(*as_array(made.ptr()))};
}

// ---- picks

random::Population read_population(Reading& reading, PyObject* given, PyObject* axis) {
  if (!as_array(given) && (is_number(given) || PyUnicode_Check(given) || given == Py_None)) {
    if (PyIndex_Check(given))
      if (const nb::object count = nb::steal(PyNumber_Index(given)); count.is_valid()) return {integer_in(count.ptr()), {}};
    PyErr_Clear();
    if (reading.function != quern::Function::choice_) reading.front_end.refuse_axis(0, 0);
    raise(ErrorKind::value, "a must be a sequence or an integer, not {}",
          nb::repr(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(given)))).c_str());
  }
  const Array& array = read_first(reading, given);
  random::Population from{0, array, axis ? read_axis(reading, axis) : 0};
  if (array.rank() == 0) reading.front_end.refuse_axis(0, 0);
  from.count = array.shape()[from.axis];
  return from;
}

// RandomState's, and CuPy's, have no axis.
void Check<random::choice>::call(const Reading& reading, const random::Stream&, const random::Population& from,
                                 const std::optional<random::Odds>&, const random::Size&, bool) {
  if (!reading.slots[2] && from.array && from.array->rank() != 1) raise(ErrorKind::value, "a must be 1-dimensional");
}

// An argument as an array whose values the host reads, and the device that it is on already.
static std::pair<Array, std::optional<DeviceId>> read_on_host(PyObject* given) {
  if (const Array* array = as_array(given)) return {*array, array->device()};
  const nb::object made = array_of(given, DeviceId::cpu());
  return {*as_array(made.ptr()), {}};
}

random::Odds read_odds(const Reading& reading, PyObject* given) {
  const auto [array, device] = read_on_host(given);
  const DType type = array.dtype();
  if (is_complex(type)) raise(ErrorKind::type, "[{}] probabilities must be real, not {}", reading.face.name, row(type).name);
  const double precision = type == DType::float16 ? 0x1p-10 : type == DType::float32 ? 0x1p-23 : 0x1p-52;
  return {array.shape(), steps::values_of<double>(array), device, precision};
}

random::Counts read_counts(const Reading& reading, PyObject* given) {
  if (!as_array(given) && is_number(given)) {
    const __int128 number = whole_in(given);
    if (number != static_cast<int64_t>(number))
      raise(ErrorKind::value, "[{}] the counts do not fit into int64", reading.face.name);
    return {{}, {static_cast<int64_t>(number)}};
  }
  const auto [array, device] = read_on_host(given);
  if (reading.function == quern::Function::multivariate_hypergeometric_ && array.size() > 0 && !is_integer(array.dtype()))
    raise(ErrorKind::value, "colors must be a one-dimensional sequence of nonnegative integers");
  return {array.shape(), steps::values_of<int64_t>(whole_numbers(array)), device};
}

random::NormalVectors Read<const random::NormalVectors&>::read(Reading& reading) {
  const auto real_array = [&](PyObject* given) {
    const Array* own = as_array(given);
    if (own && !reading.beside) reading.beside = given;
    const nb::object made = own ? nb::borrow(given) : array_of(given, device_beside(reading));
    return real_values(reading, *as_array(made.ptr()));
  };
  PyObject *mean = reading.take(), *covariance = reading.take();
  if (as_array(covariance)) reading.beside = as_array(mean) ? mean : covariance;
  const auto word = [&](const char* otherwise) {
    PyObject* given = reading.take();
    return given ? nb::cast<std::string>(nb::str(nb::handle(given))) : std::string(otherwise);
  };
  const std::string check = word("warn");
  const double tolerance = read_number(reading, reading.take());
  const std::string method = word("svd");
  if (check != "warn" && check != "raise" && check != "ignore")
    raise(ErrorKind::value, "check_valid must equal 'warn', 'raise', or 'ignore'");
  if (method != "svd" && method != "eigh" && method != "cholesky")
    raise(ErrorKind::value, "method must be one of {{'eigh', 'svd', 'cholesky'}}");
  const bool by_cholesky = method == "cholesky";
  const Array middle = real_array(mean), spread = real_array(covariance);
  random::NormalVectors made =
      random::normal_vectors(middle, spread, by_cholesky ? random::FactorBy::cholesky : random::FactorBy::eigenvalues);
  if (by_cholesky || check == "ignore" || random::has_covariance(made, spread, tolerance)) return made;
  const char* text = "covariance is not symmetric positive-semidefinite.";
  if (check == "raise") raise(ErrorKind::value, "{}", text);
  nb::module_::import_("quern.user_files").attr("warn_user")(text, nb::handle(PyExc_RuntimeWarning));
  return made;
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
