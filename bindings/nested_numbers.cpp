#include "bindings/nested_numbers.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "bindings/arrays.h"
#include "bindings/given.h"
#include "core/error.h"

namespace quern::python {

namespace {

using What = Given::What;

constexpr size_t most_axes = 64;  // of NumPy's arrays

bool is_sequence(PyObject* value) { return PyList_CheckExact(value) || PyTuple_CheckExact(value); }

bool is_float(DType type) { return type == DType::float32 || type == DType::complex64; }

// Most numbers are reals, which a constant takes longer for.
void put(const Scalar& number, DType type, char* out) {
  if (number.kind == WeakScalar::real && type == DType::float64) {
    std::memcpy(out, &number.re, sizeof number.re);
  } else if (number.kind == WeakScalar::real && type == DType::float32) {
    const auto rounded = static_cast<float>(number.re);
    std::memcpy(out, &rounded, sizeof rounded);
  } else {
    std::memcpy(out, constant_of(number, type).bytes.data(), size_of(type));
  }
}

// Does a number become infinite as a float?
bool exceeds_floats(double value) { return std::isfinite(value) && !std::isfinite(static_cast<float>(value)); }

[[noreturn]] void refuse_overflow() { raise(ErrorKind::value, "Overflow when unpacking long long"); }

// PyTorch reads numbers for uint64 by Python's rules.
Scalar natural_as_torch(Scalar number) {
  if (number.kind == WeakScalar::real) raise(ErrorKind::type, "an integer is required");
  refuse_huge(number);
  if (!number.is_natural && number.integer < 0) raise(ErrorKind::overflow, "can't convert negative int to unsigned");
  return number;
}

// Real numbers are cut off. The type must hold the number; unsigned types take negative integers of their size, too.
Scalar integer_as_torch(Scalar number, DType type) {
  if (type == DType::uint64) return natural_as_torch(number);
  const int bits = 8 * static_cast<int>(size_of(type));
  const bool is_signed = row(type).kind == DTypeKind::integer, is_real = number.kind == WeakScalar::real;
  const auto refuse = [&] {
    raise(ErrorKind::runtime, "value cannot be converted to type {}_t without overflow", row(type).name);
  };
  if (is_real) {
    if (!(number.re >= -0x1p63 && number.re < 0x1p63)) refuse();
    number.kind = WeakScalar::integer;
    number.integer = static_cast<int64_t>(number.re);
  }
  if (number.is_huge || number.is_natural) refuse_overflow();
  const int64_t most = bits == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (bits - is_signed)) - 1;
  const int64_t least = is_signed ? -most - 1 : is_real ? 0 : -most;
  if (number.integer < least || number.integer > most) refuse();
  wrap_to(number, type);
  return number;
}

Scalar number_as_torch(Scalar number, DType type) {
  if (number.kind == WeakScalar::complex && type == DType::boolean) {
    number.kind = WeakScalar::boolean;
    number.integer = number.re != 0 || number.im != 0;
  }
  if (number.kind == WeakScalar::complex && !is_complex(type))
    raise(ErrorKind::type, "can't convert complex to {}", row(type).name);
  if (type == DType::float16 || type == DType::bfloat16) number.re = static_cast<float>(number.re);
  return is_integer(type) ? integer_as_torch(number, type) : number;
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

bool is_odd_to_numpy(const Scalar& number, DType type) {
  if (type == DType::boolean) return false;
  if (number.kind == WeakScalar::complex && !is_complex(type)) return true;
  if (number.kind == WeakScalar::real && is_integer(type)) return true;
  return is_float(type) && (exceeds_floats(number.re) || exceeds_floats(number.im));
}

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

std::vector<OperandType> NestedNumbers::types() const {
  std::vector<OperandType> out;
  const auto add = [&](bool is_there, WeakScalar kind) {
    if (is_there) out.push_back({DType::boolean, true, kind});
  };
  add(has_booleans_, WeakScalar::boolean), add(has_integers_, WeakScalar::integer);
  add(has_reals_, WeakScalar::real), add(has_complex_, WeakScalar::complex);
  for (uint32_t types = types_; types != 0; types &= types - 1) out.push_back({static_cast<DType>(std::countr_zero(types))});
  return out;
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
  const bool is_numpys = is_record(type) || type == DType::float16 || type == DType::bfloat16;
  if ((types_ != 0 || is_numpys) && !are_of_type) return {};
  std::vector<char> elements = room_for(shape_, type);
  char* out = elements.data();
  const bool is_done = each(value_, 0, out, size_of(type), [&](PyObject* object, const Scalar& number, char* place) {
    if (!asked && (number.is_natural || number.is_huge)) return false;
    if (!are_of_type && is_odd_to_numpy(number, type)) return false;
    nb::object room;
    if (are_of_type)
      std::memcpy(place, bytes_of(classified(object), object, room), size_of(type));
    else
      put(number, type, place);
    return true;
  });
  return is_done ? std::optional(std::move(elements)) : std::nullopt;
}

std::vector<char> NestedNumbers::torchs_elements(DType type) const {
  std::vector<char> elements = room_for(shape_, type);
  char* out = elements.data();
  const bool is_done = each(value_, 0, out, size_of(type), [&](PyObject*, const Scalar& number, char* place) {
    put(number_as_torch(number, type), type, place);
    return true;
  });
  if (!is_done) refuse_overflow();
  return elements;
}

}  // namespace quern::python
