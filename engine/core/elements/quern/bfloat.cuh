// __nv_bfloat16 for both compilers: the upper half of a float, and conversions that round once. What cuda_bf16.h declares of
// functions is in quern/bfloat_functions.cuh.
#pragma once
#include "quern/only.cuh"

extern "C++" {

struct __nv_bfloat16_raw {
  unsigned short x;
};

// What has more digits than the next type on its way becomes odd there: rounding it to fewer digits then gives what one rounding
// of the whole would.
__QUERN_DEVICE float __quern_odd_float(double x) {
  float nearest = static_cast<float>(x);
  double back = static_cast<double>(nearest);
  unsigned int bits = __float_as_uint(nearest);
  if (x != x || back == x || (bits & 1) != 0) return nearest;
  return __uint_as_float((back < x) == (x > 0) ? bits + 1 : bits - 1);
}
__QUERN_DEVICE double __quern_odd_double(unsigned long long x) {
  if (x >> 53 != 0) x = (x & ~0x7ffull) | ((x & 0x7ffull) != 0 ? 0x800ull : 0ull);
  return static_cast<double>(x);
}
__QUERN_DEVICE double __quern_odd_double(long long x) {
  return x < 0 ? -__quern_odd_double(0ull - static_cast<unsigned long long>(x))
               : __quern_odd_double(static_cast<unsigned long long>(x));
}

struct __align__(2) __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  // Of a volatile one. A template is no copy constructor: the type stays trivial.
  template <class T, typename __quern_only<T, __nv_bfloat16>::type = 0>
  __QUERN_BOTH __nv_bfloat16(const volatile T& x) : __x(x.__x) {}
  __QUERN_DEVICE __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  // To nearest, ties to even; a NaN stays one.
  __QUERN_DEVICE __nv_bfloat16(float x) {
    unsigned int bits = __float_as_uint(x);
    __x = x != x ? (bits >> 16 | 0x40) : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  }
  __QUERN_DEVICE __nv_bfloat16(double x) : __nv_bfloat16(__quern_odd_float(x)) {}
  __QUERN_DEVICE __nv_bfloat16(short x) : __nv_bfloat16(static_cast<float>(x)) {}
  __QUERN_DEVICE __nv_bfloat16(unsigned short x) : __nv_bfloat16(static_cast<float>(x)) {}
  __QUERN_DEVICE __nv_bfloat16(int x) : __nv_bfloat16(static_cast<double>(x)) {}
  __QUERN_DEVICE __nv_bfloat16(unsigned int x) : __nv_bfloat16(static_cast<double>(x)) {}
  __QUERN_DEVICE __nv_bfloat16(long long x) : __nv_bfloat16(__quern_odd_double(x)) {}
  __QUERN_DEVICE __nv_bfloat16(unsigned long long x) : __nv_bfloat16(__quern_odd_double(x)) {}
  __QUERN_DEVICE __nv_bfloat16(long x) : __nv_bfloat16(static_cast<long long>(x)) {}
  __QUERN_DEVICE __nv_bfloat16(unsigned long x) : __nv_bfloat16(static_cast<unsigned long long>(x)) {}
  __QUERN_DEVICE operator float() const { return __uint_as_float(static_cast<unsigned int>(__x) << 16); }
};

}  // extern "C++"
