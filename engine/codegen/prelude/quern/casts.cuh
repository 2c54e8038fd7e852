// CPU: bits as numbers, conversions with a rounding mode, and arithmetic with one.
//
// The hardware rounds to nearest; the directed modes compute that and its exact error, and step to the neighbour if needed.
#pragma once

// ---- the same bits as another type

__QUERN_BOTH int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__QUERN_BOTH unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__QUERN_BOTH float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__QUERN_BOTH float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__QUERN_BOTH long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__QUERN_BOTH double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__QUERN_BOTH int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
__QUERN_BOTH int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
__QUERN_BOTH double __hiloint2double(int high, int low) {
  return __longlong_as_double((static_cast<long long>(high) << 32) | static_cast<unsigned int>(low));
}

// ---- numbers to integers

#define __QUERN_TO_INTEGER(from, T, builtin_suffix, name, R)                                                  \
  __QUERN_DEVICE R __##from##2##name##_rz(T x) { return static_cast<R>(x); }                                  \
  __QUERN_DEVICE R __##from##2##name##_rn(T x) { return static_cast<R>(__builtin_rint##builtin_suffix(x)); }  \
  __QUERN_DEVICE R __##from##2##name##_rd(T x) { return static_cast<R>(__builtin_floor##builtin_suffix(x)); } \
  __QUERN_DEVICE R __##from##2##name##_ru(T x) { return static_cast<R>(__builtin_ceil##builtin_suffix(x)); }
__QUERN_TO_INTEGER(float, float, f, int, int)
__QUERN_TO_INTEGER(float, float, f, uint, unsigned int)
__QUERN_TO_INTEGER(float, float, f, ll, long long)
__QUERN_TO_INTEGER(float, float, f, ull, unsigned long long)
__QUERN_TO_INTEGER(double, double, , int, int)
__QUERN_TO_INTEGER(double, double, , uint, unsigned int)
__QUERN_TO_INTEGER(double, double, , ll, long long)
__QUERN_TO_INTEGER(double, double, , ull, unsigned long long)
#undef __QUERN_TO_INTEGER

// Of numbers whose whole part the integer holds, and of nothing else: the lowering makes one instruction of them, without what it
// puts around the casts above.
extern "C" {
__device__ __attribute__((const, nothrow)) int __quern_float_to_int(float x);
__device__ __attribute__((const, nothrow)) int __quern_double_to_int(double x);
__device__ __attribute__((const, nothrow)) long long __quern_float_to_long(float x);
__device__ __attribute__((const, nothrow)) long long __quern_double_to_long(double x);
}
__QUERN_DEVICE int __quern_int_of(float x) { return __quern_float_to_int(x); }
__QUERN_DEVICE int __quern_int_of(double x) { return __quern_double_to_int(x); }
__QUERN_DEVICE long long __quern_long_of(float x) { return __quern_float_to_long(x); }
__QUERN_DEVICE long long __quern_long_of(double x) { return __quern_double_to_long(x); }

// ---- directed rounding: `value` rounded to nearest, and the sign of what it lacks

enum __quern_rounding { __quern_toward_zero, __quern_upward, __quern_downward };
template <class T>
__QUERN_DEVICE T __quern_directed(T value, double error, __quern_rounding mode) {
  bool up = error > 0 && (mode == __quern_upward || (mode == __quern_toward_zero && value < 0));
  bool down = error < 0 && (mode == __quern_downward || (mode == __quern_toward_zero && value > 0));
  if (up) return nextafter(value, static_cast<T>(__builtin_inf()));
  if (down) return nextafter(value, static_cast<T>(-__builtin_inf()));
  return value;
}
__QUERN_DEVICE float __quern_narrow(double x, __quern_rounding mode) {
  float nearest = static_cast<float>(x);
  if (__builtin_isinf(nearest) && !__builtin_isinf(x)) {
    // Beyond the largest float: the modes that turn back stay there.
    bool back = mode == __quern_toward_zero || (mode == __quern_downward) == (x > 0);
    return back ? __builtin_copysignf(3.402823466e38f, nearest) : nearest;
  }
  return __quern_directed(nearest, x - static_cast<double>(nearest), mode);
}

__QUERN_DEVICE float __double2float_rn(double x) { return static_cast<float>(x); }
__QUERN_DEVICE float __double2float_rz(double x) { return __quern_narrow(x, __quern_toward_zero); }
__QUERN_DEVICE float __double2float_ru(double x) { return __quern_narrow(x, __quern_upward); }
__QUERN_DEVICE float __double2float_rd(double x) { return __quern_narrow(x, __quern_downward); }
__QUERN_DEVICE double __int2double_rn(int x) { return static_cast<double>(x); }
__QUERN_DEVICE double __uint2double_rn(unsigned int x) { return static_cast<double>(x); }

// The error of an integer's conversion is a whole number; 128 bits hold every value that can arise.
#define __QUERN_FROM_INTEGER(from, T, to, R)                                                                                \
  __QUERN_DEVICE R __quern_##from##2##to(T x, __quern_rounding mode) {                                                      \
    R nearest = static_cast<R>(x);                                                                                          \
    return __quern_directed(nearest, static_cast<double>(static_cast<__int128>(x) - static_cast<__int128>(nearest)), mode); \
  }                                                                                                                         \
  __QUERN_DEVICE R __##from##2##to##_rn(T x) { return static_cast<R>(x); }                                                  \
  __QUERN_DEVICE R __##from##2##to##_rz(T x) { return __quern_##from##2##to(x, __quern_toward_zero); }                      \
  __QUERN_DEVICE R __##from##2##to##_ru(T x) { return __quern_##from##2##to(x, __quern_upward); }                           \
  __QUERN_DEVICE R __##from##2##to##_rd(T x) { return __quern_##from##2##to(x, __quern_downward); }
__QUERN_FROM_INTEGER(int, int, float, float)
__QUERN_FROM_INTEGER(uint, unsigned int, float, float)
__QUERN_FROM_INTEGER(ll, long long, float, float)
__QUERN_FROM_INTEGER(ull, unsigned long long, float, float)
__QUERN_FROM_INTEGER(ll, long long, double, double)
__QUERN_FROM_INTEGER(ull, unsigned long long, double, double)
#undef __QUERN_FROM_INTEGER

// ---- arithmetic that is never contracted, to nearest

__QUERN_DEVICE float __fadd_rn(float x, float y) {
#pragma clang fp contract(off)
  return x + y;
}
__QUERN_DEVICE float __fsub_rn(float x, float y) {
#pragma clang fp contract(off)
  return x - y;
}
__QUERN_DEVICE float __fmul_rn(float x, float y) {
#pragma clang fp contract(off)
  return x * y;
}
__QUERN_DEVICE double __dadd_rn(double x, double y) {
#pragma clang fp contract(off)
  return x + y;
}
__QUERN_DEVICE double __dsub_rn(double x, double y) {
#pragma clang fp contract(off)
  return x - y;
}
__QUERN_DEVICE double __dmul_rn(double x, double y) {
#pragma clang fp contract(off)
  return x * y;
}
__QUERN_DEVICE float __fdiv_rn(float x, float y) { return x / y; }
__QUERN_DEVICE double __ddiv_rn(double x, double y) { return x / y; }
__QUERN_DEVICE float __frcp_rn(float x) { return 1.0f / x; }
__QUERN_DEVICE double __drcp_rn(double x) { return 1.0 / x; }
__QUERN_DEVICE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
__QUERN_DEVICE double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
__QUERN_DEVICE float __frsqrt_rn(float x) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x))); }
__QUERN_DEVICE float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__QUERN_DEVICE double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
__QUERN_DEVICE float __fmaf_ieee_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

// ---- the exact errors (x + y - fl(x + y) and so on)

template <class T>
__QUERN_DEVICE T __quern_add_error(T x, T y, T sum) {
#pragma clang fp contract(off)
  T from_y = sum - x;
  return (x - (sum - from_y)) + (y - from_y);
}
__QUERN_DEVICE float __quern_fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__QUERN_DEVICE double __quern_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__QUERN_DEVICE float __quern_sqrt(float x) { return __builtin_sqrtf(x); }
__QUERN_DEVICE double __quern_sqrt(double x) { return __builtin_sqrt(x); }
template <class T>
__QUERN_DEVICE T __quern_add(T x, T y, __quern_rounding mode) {
#pragma clang fp contract(off)
  T sum = x + y;
  return __quern_directed(sum, static_cast<double>(__quern_add_error(x, y, sum)), mode);
}
template <class T>
__QUERN_DEVICE T __quern_mul(T x, T y, __quern_rounding mode) {
#pragma clang fp contract(off)
  T product = x * y;
  return __quern_directed(product, static_cast<double>(__quern_fma(x, y, -product)), mode);
}
template <class T>
__QUERN_DEVICE T __quern_div(T x, T y, __quern_rounding mode) {
  T quotient = x / y;
  T rest = __quern_fma(-quotient, y, x);
  return __quern_directed(quotient, static_cast<double>(y < 0 ? -rest : rest), mode);
}
template <class T>
__QUERN_DEVICE T __quern_root(T x, __quern_rounding mode) {
  T root = __quern_sqrt(x);
  return __quern_directed(root, static_cast<double>(__quern_fma(-root, root, x)), mode);
}
template <class T>
__QUERN_DEVICE T __quern_fused(T x, T y, T z, __quern_rounding mode) {
#pragma clang fp contract(off)
  T product = x * y, product_error = __quern_fma(x, y, -product);
  T sum = product + z, sum_error = __quern_add_error(product, z, sum);
  T nearest = __quern_fma(x, y, z);
  return __quern_directed(nearest, static_cast<double>((sum - nearest) + (sum_error + product_error)), mode);
}
#define __QUERN_DIRECTED(suffix, mode)                                                                     \
  __QUERN_DEVICE float __fadd_##suffix(float x, float y) { return __quern_add(x, y, mode); }               \
  __QUERN_DEVICE float __fsub_##suffix(float x, float y) { return __quern_add(x, -y, mode); }              \
  __QUERN_DEVICE float __fmul_##suffix(float x, float y) { return __quern_mul(x, y, mode); }               \
  __QUERN_DEVICE float __fdiv_##suffix(float x, float y) { return __quern_div(x, y, mode); }               \
  __QUERN_DEVICE float __frcp_##suffix(float x) { return __quern_div(1.0f, x, mode); }                     \
  __QUERN_DEVICE float __fsqrt_##suffix(float x) { return __quern_root(x, mode); }                         \
  __QUERN_DEVICE float __fmaf_##suffix(float x, float y, float z) { return __quern_fused(x, y, z, mode); } \
  __QUERN_DEVICE double __dadd_##suffix(double x, double y) { return __quern_add(x, y, mode); }            \
  __QUERN_DEVICE double __dsub_##suffix(double x, double y) { return __quern_add(x, -y, mode); }           \
  __QUERN_DEVICE double __dmul_##suffix(double x, double y) { return __quern_mul(x, y, mode); }            \
  __QUERN_DEVICE double __ddiv_##suffix(double x, double y) { return __quern_div(x, y, mode); }            \
  __QUERN_DEVICE double __drcp_##suffix(double x) { return __quern_div(1.0, x, mode); }                    \
  __QUERN_DEVICE double __dsqrt_##suffix(double x) { return __quern_root(x, mode); }                       \
  __QUERN_DEVICE double __fma_##suffix(double x, double y, double z) { return __quern_fused(x, y, z, mode); }
__QUERN_DIRECTED(rz, __quern_toward_zero)
__QUERN_DIRECTED(ru, __quern_upward)
__QUERN_DIRECTED(rd, __quern_downward)
#undef __QUERN_DIRECTED
