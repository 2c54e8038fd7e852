// Numbers of the host as constants of a data type: what fits, and how it is stored.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/error.h"
#include "graph/array.h"
#include "graph/tier0.h"

namespace quern {

template <class T>
static void store(Constant& constant, T value) {
  std::memcpy(constant.bytes.data(), &value, sizeof(T));
}

void check_is_real(const Scalar& s, DType dtype) {
  if (s.is_weak && s.kind == WeakScalar::complex && !is_complex(dtype) && dtype != DType::boolean)
    raise(ErrorKind::type, "a complex number cannot be assigned to an array of {}; take its real part first", row(dtype).name);
}

void check_fits(const Scalar& s, DType dtype) {
  check_is_real(s, dtype);
  if (!is_integer(dtype) || (!s.is_weak && row(dtype).kind == DTypeKind::natural)) return;
  if (s.kind != WeakScalar::real) {
    if (s.kind == WeakScalar::integer) constant_of(s, dtype);
    return;
  }
  if (std::isnan(s.re)) raise(ErrorKind::value, "cannot convert float NaN to integer");
  if (std::isinf(s.re)) raise(ErrorKind::overflow, "cannot convert float infinity to integer");
  bool has_sign = row(dtype).kind == DTypeKind::integer;
  double limit = std::ldexp(1.0, 8 * static_cast<int>(size_of(dtype)) - has_sign), whole = std::trunc(s.re);
  if (whole >= limit || whole < (has_sign ? -limit : 0))
    raise(ErrorKind::overflow, "Python integer {:.0f} out of bounds for {}", whole, row(dtype).name);
}

Constant constant_of(const Scalar& s, DType dtype) {
  double re = (s.kind == WeakScalar::integer && !s.is_huge) || s.kind == WeakScalar::boolean
                  ? (s.is_natural ? static_cast<double>(s.natural) : static_cast<double>(s.integer))
                  : s.re;
  Constant out;
  bool whole = s.kind == WeakScalar::integer || s.kind == WeakScalar::boolean;
  auto integer = [&](auto zero) {
    using T = decltype(zero);
    if (!whole) {
      tier0_convert(re, dtype, out.bytes.data());
      return out;
    }
    if (s.is_huge) raise(ErrorKind::overflow, "Python integer {:.0f} out of bounds for {}", s.re, row(dtype).name);
    bool fits = s.is_natural ? s.natural <= static_cast<uint64_t>(std::numeric_limits<T>::max()) : std::in_range<T>(s.integer);
    if (!fits) {
      raise(ErrorKind::overflow, "Python integer {} out of bounds for {}",
            s.is_natural ? std::to_string(s.natural) : std::to_string(s.integer), row(dtype).name);
    }
    store(out, s.is_natural ? static_cast<T>(s.natural) : static_cast<T>(s.integer));
    return out;
  };
  auto stored = [&](auto value) {
    store(out, value);
    return out;
  };
  switch (dtype) {
    case DType::boolean:
      return stored(whole ? s.integer != 0 || s.is_natural || s.is_huge : re != 0 || s.im != 0);
    case DType::int8:
      return integer(int8_t{});
    case DType::int16:
      return integer(int16_t{});
    case DType::int32:
      return integer(int32_t{});
    case DType::int64:
      return integer(int64_t{});
    case DType::uint8:
      return integer(uint8_t{});
    case DType::uint16:
      return integer(uint16_t{});
    case DType::uint32:
      return integer(uint32_t{});
    case DType::uint64:
      return integer(uint64_t{});
    case DType::float16:
    case DType::bfloat16:
      tier0_convert(re, dtype, out.bytes.data());
      return out;
    case DType::float32:
      return stored(static_cast<float>(re));
    case DType::float64:
      return stored(re);
    case DType::complex64:
      return stored(std::array<float, 2>{static_cast<float>(re), static_cast<float>(s.im)});
    case DType::complex128:
      return stored(std::array<double, 2>{re, s.im});
  }
  return out;
}

}  // namespace quern
