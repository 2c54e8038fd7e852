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

// What lies beyond an integer becomes its end, and no number what PTX says: compile/clang/lowering/arithmetic.cpp.
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
// Are there vectors of conversions between double and 64-bit integers? The compiler answers for the CPU at hand.
extern "C" __device__ __attribute__((const, nothrow)) bool __quern_converts_long();
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

// ---- double: the result to nearest, and the sign of what it lacks, found where nothing overflows or underflows

__QUERN_DEVICE bool __quern_finite(double x) { return __builtin_fabs(x) < __builtin_inf(); }
// Beyond the largest number: the modes that turn back stay there.
__QUERN_DEVICE double __quern_within(double value, double error, __quern_rounding mode, bool finite) {
  if (finite && !__quern_finite(value)) {
    bool back = mode == __quern_toward_zero || (mode == __quern_downward) == (value > 0);
    return back ? __builtin_copysign(1.7976931348623157e308, value) : value;
  }
  return __quern_directed(value, error, mode);
}
// Numbers that cancel leave -0 where rounding is downward.
__QUERN_DEVICE double __quern_zero_of_sum(double sum, double x, double y, __quern_rounding mode) {
  bool zeros = !__builtin_signbit(x) && !__builtin_signbit(y);
  return sum == 0.0 && mode == __quern_downward && !zeros ? -0.0 : sum;
}
struct __quern_two {
  double sum, lost;
};
__QUERN_DEVICE __quern_two __quern_two_sum(double x, double y) {
#pragma clang fp contract(off)
  double sum = x + y, of_y = sum - x;
  return {sum, (x - (sum - of_y)) + (y - of_y)};
}
__QUERN_DEVICE double __quern_add(double x, double y, __quern_rounding mode) {
  __quern_two s = __quern_two_sum(x, y);
  double sum = __quern_within(s.sum, s.lost, mode, __quern_finite(x) && __quern_finite(y));
  return s.lost == 0.0 ? __quern_zero_of_sum(sum, x, y, mode) : sum;
}
__QUERN_DEVICE double __quern_mul(double x, double y, __quern_rounding mode) {
  double product = x * y;
  int of_x = 0, of_y = 0;
  double a = __builtin_frexp(x, &of_x), b = __builtin_frexp(y, &of_y), high = a * b;
  double error = (high - __builtin_ldexp(product, -of_x - of_y)) + __builtin_fma(a, b, -high);
  return __quern_within(product, error, mode, __quern_finite(x) && __quern_finite(y));
}
__QUERN_DEVICE double __quern_div(double x, double y, __quern_rounding mode) {
  double quotient = x / y;
  int of_x = 0, of_y = 0;
  double a = __builtin_frexp(x, &of_x), b = __builtin_frexp(y, &of_y);
  double rest = __builtin_fma(-__builtin_ldexp(quotient, of_y - of_x), b, a);
  return __quern_within(quotient, y < 0 ? -rest : rest, mode, __quern_finite(x) && __quern_finite(y) && y != 0.0);
}
__QUERN_DEVICE double __quern_root(double x, __quern_rounding mode) {
  double scale = x < 1e-200 ? 0x1p600 : 1.0, half_scale = x < 1e-200 ? 0x1p300 : 1.0;
  double root = __builtin_sqrt(x), scaled = root * half_scale;
  return x > 0.0 && __quern_finite(x) ? __quern_directed(root, __builtin_fma(-scaled, scaled, x * scale), mode) : root;
}
// The product is two numbers, the sum three; what the nearest number lacks of them has their sign. Where the product is tiny, all
// are made larger; beside a z that is not, its sign is all that counts.
__QUERN_DEVICE double __quern_fused(double x, double y, double z, __quern_rounding mode) {
#pragma clang fp contract(off)
  double value = __builtin_fma(x, y, z), nearest = value, product = x * y;
  if (__builtin_fabs(product) < 0x1p-800 && x != 0.0 && y != 0.0) {
    if (z == 0.0) return __quern_mul(x, y, mode);
    int of_x = 0, of_y = 0;
    double scale = __builtin_fabs(z) < 0x1p-100 ? 0x1p900 : 1.0;
    x = __builtin_frexp(x, &of_x);
    y = __builtin_frexp(y, &of_y);
    int exponent = scale == 1.0 ? -800 : of_x + of_y + 900;
    x = __builtin_ldexp(x, exponent > -800 ? exponent : -800);
    z *= scale;
    nearest *= scale;
    product = x * y;
  }
  __quern_two s = __quern_two_sum(product, z), rest = __quern_two_sum(s.lost, __builtin_fma(x, y, -product));
  __quern_two error = __quern_two_sum(s.sum - nearest, rest.sum);
  double lost = error.sum + (error.lost + rest.lost);
  bool finite = __quern_finite(x) && __quern_finite(y) && __quern_finite(z);
  double sum = __quern_within(value, lost, mode, finite);
  return lost == 0.0 ? __quern_zero_of_sum(sum, product, z, mode) : sum;
}

// ---- float: by way of a double whose last bit says that digits are missing, which leaves a float's rounding as it was

__QUERN_DEVICE float __quern_narrow(double x, double lost, __quern_rounding mode) {
  long long bits = __double_as_longlong(x);
  if ((lost > 0.0 || lost < 0.0) && __quern_finite(x) && (bits & 1) == 0) bits += (lost > 0) == (x > 0) ? 1 : -1;
  return __quern_narrow(__longlong_as_double(bits), mode);
}
__QUERN_DEVICE float __quern_add(float x, float y, __quern_rounding mode) {
  __quern_two s = __quern_two_sum(x, y);
  return __quern_narrow(__quern_zero_of_sum(s.sum, x, y, mode), s.lost, mode);
}
__QUERN_DEVICE float __quern_mul(float x, float y, __quern_rounding mode) {
  return __quern_narrow(static_cast<double>(x) * y, mode);
}
__QUERN_DEVICE float __quern_div(float x, float y, __quern_rounding mode) {
  double quotient = static_cast<double>(x) / y, rest = __builtin_fma(-quotient, static_cast<double>(y), static_cast<double>(x));
  return __quern_narrow(quotient, y < 0 ? -rest : rest, mode);
}
__QUERN_DEVICE float __quern_root(float x, __quern_rounding mode) {
  double root = __builtin_sqrt(static_cast<double>(x));
  return __quern_narrow(root, __builtin_fma(-root, root, static_cast<double>(x)), mode);
}
__QUERN_DEVICE float __quern_fused(float x, float y, float z, __quern_rounding mode) {
  double product = static_cast<double>(x) * y;
  __quern_two s = __quern_two_sum(product, z);
  return __quern_narrow(__quern_zero_of_sum(s.sum, product, z, mode), s.lost, mode);
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
  __QUERN_DEVICE double __fma_##suffix(double x, double y, double z) { return __quern_fused(x, y, z, mode); } \
  __QUERN_DEVICE float __fmaf_ieee_##suffix(float x, float y, float z) { return __quern_fused(x, y, z, mode); }
__QUERN_DIRECTED(rz, __quern_toward_zero)
__QUERN_DIRECTED(ru, __quern_upward)
__QUERN_DIRECTED(rd, __quern_downward)
#undef __QUERN_DIRECTED
