// The device functions of arrays (core/elements/quern/array.cuh) as host functions, and the C++ type of each DType.
//
// Only for files that CMakeLists.txt compiles with the arithmetic of kernels.
#pragma once

#include "core/dtype.h"

#include <math.h>  // with the overloads for float in the global namespace

#include <cmath>

#define __QUERN_CPU__ 1
#define __QUERN_BOTH inline
#define __QUERN_DEVICE inline
#define __align__(n) alignas(n)
struct float2 {
  float x, y;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
inline float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
unsigned int atomicCAS(unsigned int* address, unsigned int compare, unsigned int value);  // never called here
template <class T>
inline int __quern_int_of(T x) {
  return static_cast<int>(x);
}
template <class T>
inline long long __quern_long_of(T x) {
  return static_cast<long long>(x);
}
inline constexpr bool __quern_converts_long() {
#ifdef __AVX512DQ__
  return true;
#else
  return false;
#endif
}
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
#include "core/elements/quern/array.cuh"

namespace quern {

template <DType>
struct HostType;
#define TYPE(dtype, T)            \
  template <>                     \
  struct HostType<DType::dtype> { \
    using type = T;               \
  };
TYPE(boolean, bool)
TYPE(int8, signed char)
TYPE(int16, short)
TYPE(int32, int)
TYPE(int64, long long)
TYPE(uint8, unsigned char)
TYPE(uint16, unsigned short)
TYPE(uint32, unsigned int)
TYPE(uint64, unsigned long long)
TYPE(float16, op::float16)
TYPE(bfloat16, op::bfloat16)
TYPE(float32, float)
TYPE(float64, double)
TYPE(complex64, complex<float>)
TYPE(complex128, complex<double>)
#undef TYPE
// What is read as a T: a view may have made bools of any bytes, and all but 0 are true.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

}  // namespace quern
