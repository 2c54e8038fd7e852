// File: quern/dtype.h
//
// The element types of arrays, under NumPy's names; dtype_of<T>() maps C++ types to them.
//
//   qn::DType::float32      qn::dtype_of<float>()      qn::name_of(qn::DType::boolean) == "bool"
//
// Type promotion is NumPy's (NEP 50): int32 with float32 gives float64, and a C++ scalar is converted to the array's dtype unless
// its kind is higher (bool < integer < real < complex).
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace quern {

// Values from 256 on are structured types, which are made when they are first seen (core/record.h).
enum class DType : uint16_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
};

}  // namespace quern

namespace qn {

using quern::DType;

std::string name_of(DType dtype);  // "float32"
size_t itemsize_of(DType dtype);   // bytes of an element

namespace detail {
template <class T>
inline constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
}

// C++ types of elements: bool, integers, float, double, std::complex<float>, std::complex<double>. Arrays of float16 and bfloat16
// are read as float.
template <class T>
concept Element = (std::is_arithmetic_v<T> && !std::is_same_v<T, long double>) || detail::is_complex<T>;

// Scalars that may be combined with an array.
template <class T>
concept Number = std::is_arithmetic_v<T> || detail::is_complex<T>;

template <Element T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return DType::boolean;
  if constexpr (std::is_same_v<T, float>) return DType::float32;
  if constexpr (std::is_same_v<T, double>) return DType::float64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return DType::complex64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return DType::complex128;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr DType with_sign[] = {DType::int8, DType::int16, DType::int32, DType::int64};
    constexpr DType without[] = {DType::uint8, DType::uint16, DType::uint32, DType::uint64};
    constexpr int power = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? with_sign[power] : without[power];
  }
}

}  // namespace qn
