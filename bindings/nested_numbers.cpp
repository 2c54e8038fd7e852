#include "bindings/nested_numbers.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>

#include "core/error.h"

namespace quern::python {

namespace {

using What = Given::What;

constexpr size_t most_axes = 64;  // of NumPy's arrays

bool is_sequence(PyObject* value) { return PyList_CheckExact(value) || PyTuple_CheckExact(value); }

double real_of(const Scalar& number) {
  if (number.kind == WeakScalar::real || number.kind == WeakScalar::complex || number.is_huge) return number.re;
  return number.is_natural ? static_cast<double>(number.natural) : static_cast<double>(number.integer);
}

bool is_nonzero(const Scalar& number) {
  return number.is_natural || number.is_huge || number.integer != 0 || number.re != 0 || number.im != 0;
}

template <class T>
bool put(T value, char* out) {
  std::memcpy(out, &value, sizeof value);
  return true;
}

// NumPy warns of numbers that become infinite.
bool put_float_as_numpy(double value, char* out) {
  const auto rounded = static_cast<float>(value);
  return (std::isfinite(value) && !std::isfinite(rounded)) ? false : put(rounded, out);
}

template <class T>
bool put_integer_as_numpy(const Scalar& number, char* out) {
  if (number.is_huge || (number.kind != WeakScalar::integer && number.kind != WeakScalar::boolean)) return false;
  if (number.is_natural) return std::is_same_v<T, uint64_t> && put(number.natural, out);
  return std::in_range<T>(number.integer) && put(static_cast<T>(number.integer), out);
}

bool put_as_numpy(const Scalar& number, DType type, char* out) {
  const bool is_complex = number.kind == WeakScalar::complex;
  switch (type) {
    case DType::boolean:
      return put(is_nonzero(number), out);
    case DType::int8:
      return put_integer_as_numpy<int8_t>(number, out);
    case DType::int16:
      return put_integer_as_numpy<int16_t>(number, out);
    case DType::int32:
      return put_integer_as_numpy<int32_t>(number, out);
    case DType::int64:
      return put_integer_as_numpy<int64_t>(number, out);
    case DType::uint8:
      return put_integer_as_numpy<uint8_t>(number, out);
    case DType::uint16:
      return put_integer_as_numpy<uint16_t>(number, out);
    case DType::uint32:
      return put_integer_as_numpy<uint32_t>(number, out);
    case DType::uint64:
      return put_integer_as_numpy<uint64_t>(number, out);
    case DType::float32:
      return !is_complex && put_float_as_numpy(real_of(number), out);
    case DType::float64:
      return !is_complex && put(real_of(number), out);
    case DType::complex64:
      return put_float_as_numpy(real_of(number), out) && put_float_as_numpy(number.im, out + sizeof(float));
    case DType::complex128:
      return put(std::complex<double>(real_of(number), number.im), out);
    default:
      return false;
  }
}

[[noreturn]] void refuse_overflow() { raise(ErrorKind::value, "Overflow when unpacking long long"); }

int64_t cut(double value) {
  return value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min();
}

// Of 64 bits: real numbers are cut off, unsigned ones take negative numbers.
uint64_t wide_integer(const Scalar& number, bool is_signed) {
  if (number.kind == WeakScalar::real) {
    const bool is_above = !is_signed && number.re >= 0x1p63 && number.re < 0x1p64;
    return is_above ? static_cast<uint64_t>(number.re) : static_cast<uint64_t>(cut(number.re));
  }
  if (number.is_huge || (number.is_natural && is_signed)) refuse_overflow();
  return number.is_natural ? number.natural : static_cast<uint64_t>(number.integer);
}

// Smaller integers must hold the number; unsigned ones take negative numbers of their size, too.
template <class T>
bool put_integer_as_torch(const Scalar& number, DType type, char* out) {
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (sizeof(T) == sizeof(int64_t)) return put(static_cast<T>(wide_integer(number, is_signed)), out);
  const int64_t most = std::numeric_limits<T>::max(), least = is_signed ? -most - 1 : -most;
  const bool is_real = number.kind == WeakScalar::real;
  const bool is_wide = number.is_huge || number.is_natural || (is_real && !(std::abs(number.re) < 0x1p62));
  const int64_t whole = is_wide ? 0 : is_real ? static_cast<int64_t>(number.re) : number.integer;
  if (is_wide || whole < least || whole > most)
    raise(ErrorKind::runtime, "value cannot be converted to type {}_t without overflow", row(type).name);
  return put(static_cast<T>(whole), out);
}

bool put_as_torch(const Scalar& number, DType type, DType asked, char* out) {
  if (number.kind == WeakScalar::complex && !is_complex(type))
    raise(ErrorKind::type, "can't convert complex to {}", row(asked).name);
  switch (type) {
    case DType::boolean:
      return put(is_nonzero(number), out);
    case DType::int8:
      return put_integer_as_torch<int8_t>(number, type, out);
    case DType::int16:
      return put_integer_as_torch<int16_t>(number, type, out);
    case DType::int32:
      return put_integer_as_torch<int32_t>(number, type, out);
    case DType::int64:
      return put_integer_as_torch<int64_t>(number, type, out);
    case DType::uint8:
      return put_integer_as_torch<uint8_t>(number, type, out);
    case DType::uint16:
      return put_integer_as_torch<uint16_t>(number, type, out);
    case DType::uint32:
      return put_integer_as_torch<uint32_t>(number, type, out);
    case DType::uint64:
      return put_integer_as_torch<uint64_t>(number, type, out);
    case DType::float32:
      return put(static_cast<float>(real_of(number)), out);
    case DType::float64:
      return put(real_of(number), out);
    case DType::complex64:
      return put(std::complex<float>(static_cast<float>(real_of(number)), static_cast<float>(number.im)), out);
    case DType::complex128:
      return put(std::complex<double>(real_of(number), number.im), out);
    default:
      bug("elements are not stored as {}", row(type).name);
  }
}

// False: an integer that not even a float holds.
bool read_number(PyObject* value, Scalar& number) {
  try {
    if (!read_scalar(value, number)) raise(ErrorKind::runtime, "[asarray] another thread changed the list");
    return true;
  } catch (const nb::python_error&) {
    return false;
  }
}

}  // namespace

NestedNumbers::NestedNumbers(PyObject* value) : value_(value), is_plain_(false) {
  PyObject* first = value;
  while (is_sequence(first) && shape_.size() <= most_axes) {
    shape_.push_back(PySequence_Fast_GET_SIZE(first));
    if (shape_.back() == 0) break;
    first = PySequence_Fast_GET_ITEM(first, 0);
  }
  is_plain_ = shape_.size() <= most_axes && measure(value, 0);
}

// No code of Python's runs here, nor below in each(): the lists stay as they are.
bool NestedNumbers::measure(PyObject* value, size_t depth) {
  if (depth == shape_.size()) return note(value);
  if (!is_sequence(value) || PySequence_Fast_GET_SIZE(value) != shape_[depth]) return false;
  PyObject** items = PySequence_Fast_ITEMS(value);
  for (int64_t i = 0; i < shape_[depth]; ++i)
    if (!measure(items[i], depth + 1)) return false;
  return true;
}

bool NestedNumbers::note(PyObject* number) {
  if (PyFloat_CheckExact(number)) return has_reals_ = true;
  if (PyLong_CheckExact(number)) return has_integers_ = true;
  const Given given = classified(number);
  switch (given.what) {
    case What::boolean:
      return has_booleans_ = true;
    case What::integer:
      return !given.is_derived && (has_integers_ = true);  // a class of a program's may be an array, too
    case What::real:
      return !given.is_derived && (has_reals_ = true);
    case What::complex:
      return !given.is_derived && (has_complex_ = true);
    case What::number:
      if (!given.has_dtype || given.size == 0) return false;
      types_ |= uint32_t{1} << static_cast<int>(given.dtype);
      return true;
    default:
      return false;
  }
}

template <class Store>
bool NestedNumbers::each(PyObject* value, size_t depth, char*& out, size_t size, const Store& store) const {
  if (depth < shape_.size()) {
    if (!is_sequence(value) || PySequence_Fast_GET_SIZE(value) != shape_[depth])
      raise(ErrorKind::runtime, "[asarray] another thread changed the list");
    for (int64_t i = 0; i < shape_[depth]; ++i)
      if (!each(PySequence_Fast_GET_ITEM(value, i), depth + 1, out, size, store)) return false;
    return true;
  }
  Scalar number;
  if (PyFloat_CheckExact(value))
    number.kind = WeakScalar::real, number.re = PyFloat_AS_DOUBLE(value);
  else if (!read_number(value, number))
    return false;
  char* place = out;
  out += size;
  return store(value, number, place);
}

std::optional<DType> NestedNumbers::numpys_type() const {
  const bool has_pythons = has_booleans_ || has_integers_ || has_reals_ || has_complex_;
  if (types_ != 0)
    return has_pythons || (types_ & (types_ - 1)) != 0 ? std::nullopt
                                                       : std::optional(static_cast<DType>(std::countr_zero(types_)));
  if (has_complex_) return DType::complex128;
  if (has_reals_ || !has_pythons) return DType::float64;
  return has_integers_ ? DType::int64 : DType::boolean;
}

DType NestedNumbers::torchs_type() const {
  const DType real = torch_default();
  std::optional<DType> common;
  const auto join = [&](DType type) { common = common ? promote_as_torch(*common, type) : type; };
  if (has_booleans_) join(DType::boolean);
  if (has_integers_) join(DType::int64);
  if (has_reals_) join(real);
  if (has_complex_) join(real == DType::float64 ? DType::complex128 : DType::complex64);
  for (uint32_t types = types_; types != 0; types &= types - 1) join(static_cast<DType>(std::countr_zero(types)));
  return common.value_or(real);
}

DType NestedNumbers::stored_as(DType type) {
  return type == DType::float16 || type == DType::bfloat16 ? DType::float32 : type;
}

static std::vector<char> room_for(const Shape& shape, DType type) {
  size_t count = size_of(type);
  for (int64_t n : shape) count *= static_cast<size_t>(n);
  return std::vector<char>(count);
}

std::optional<std::vector<char>> NestedNumbers::numpys_elements(std::optional<DType> asked) const {
  if (!asked && !numpys_type()) return {};
  const DType type = asked ? *asked : *numpys_type();
  const bool are_of_type = types_ == uint32_t{1} << static_cast<int>(type) && numpys_type() == type;
  if ((types_ != 0 || type == DType::float16 || type == DType::bfloat16) && !are_of_type) return {};
  std::vector<char> elements = room_for(shape_, type);
  char* out = elements.data();
  const bool is_done = each(value_, 0, out, size_of(type), [&](PyObject* object, const Scalar& number, char* place) {
    if (!asked && (number.is_natural || number.is_huge)) return false;
    if (!are_of_type) return put_as_numpy(number, type, place);
    nb::object room;
    const Given given = classified(object);
    std::memcpy(place, bytes_of(given, object, room), size_of(type));
    return true;
  });
  return is_done ? std::optional(std::move(elements)) : std::nullopt;
}

std::vector<char> NestedNumbers::torchs_elements(DType asked) const {
  const DType type = stored_as(asked);
  std::vector<char> elements = room_for(shape_, type);
  char* out = elements.data();
  const bool is_done = each(value_, 0, out, size_of(type), [&](PyObject*, const Scalar& number, char* place) {
    return put_as_torch(number, type, asked, place);
  });
  if (!is_done) refuse_overflow();
  return elements;
}

}  // namespace quern::python
