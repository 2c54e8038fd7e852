// The functions of __nv_bfloat16 by the names of cuda_bf16.h: conversions, arithmetic, comparisons, mathematics.
//
// A float has twice the digits and more, and the same exponents: rounding its sum, product, quotient or root to bfloat16 gives
// what one rounding would. A result that is no number is the one NaN that CUDA gives, 0x7fff.
#pragma once

#include "quern/bfloat.cuh"

extern "C++" {

__QUERN_DEVICE __nv_bfloat16 __quern_bfloat_of(unsigned short bits) {
  __nv_bfloat16_raw raw = {bits};
  return __nv_bfloat16(raw);
}
__QUERN_DEVICE __nv_bfloat16 __quern_bfloat(float x) { return x != x ? __quern_bfloat_of(0x7fff) : __nv_bfloat16(x); }
// Toward zero, and one step on where digits were left out and the number's sign asks for it.
__QUERN_DEVICE __nv_bfloat16 __quern_bfloat_cut(float x, bool up, bool down) {
  unsigned int bits = __float_as_uint(x);
  bool further = (bits & 0xffff) != 0 && (bits >> 31 != 0 ? down : up);
  return __quern_bfloat_of(x != x ? 0x7fff : static_cast<unsigned short>((bits >> 16) + further));
}

// ---- conversions

__QUERN_DEVICE float __bfloat162float(__nv_bfloat16 x) { return static_cast<float>(x); }
__QUERN_DEVICE __nv_bfloat16 __float2bfloat16(float x) { return __quern_bfloat(x); }
__QUERN_DEVICE __nv_bfloat16 __double2bfloat16(double x) { return __quern_bfloat(__quern_odd_float(x)); }
#define __QUERN_TO_BFLOAT(T, name, as_float)                                                                        \
  __QUERN_DEVICE __nv_bfloat16 __##name##2bfloat16_rn(T x) { return __quern_bfloat(as_float); }                     \
  __QUERN_DEVICE __nv_bfloat16 __##name##2bfloat16_rz(T x) { return __quern_bfloat_cut(as_float, false, false); }   \
  __QUERN_DEVICE __nv_bfloat16 __##name##2bfloat16_rd(T x) { return __quern_bfloat_cut(as_float, false, true); }    \
  __QUERN_DEVICE __nv_bfloat16 __##name##2bfloat16_ru(T x) { return __quern_bfloat_cut(as_float, true, false); }
__QUERN_TO_BFLOAT(float, float, x)
__QUERN_TO_BFLOAT(short, short, static_cast<float>(x))
__QUERN_TO_BFLOAT(unsigned short, ushort, static_cast<float>(x))
__QUERN_TO_BFLOAT(int, int, __quern_odd_float(static_cast<double>(x)))
__QUERN_TO_BFLOAT(unsigned int, uint, __quern_odd_float(static_cast<double>(x)))
__QUERN_TO_BFLOAT(long long, ll, __quern_odd_float(__quern_odd_double(x)))
__QUERN_TO_BFLOAT(unsigned long long, ull, __quern_odd_float(__quern_odd_double(x)))
#undef __QUERN_TO_BFLOAT

// Beyond an integer's ends its ends. No number is 0; of 64 bits, 1 << 63.
__QUERN_DEVICE float __quern_bfloat_within(float x, float least, float most) {
  return x != x ? 0.0f : x < least ? least : x > most ? most : x;
}
#define __QUERN_OF_BFLOAT_ROUNDED(T, name, mode, rounded, least, most)                                             \
  __QUERN_DEVICE T __bfloat162##name##_##mode(__nv_bfloat16 x) {                                                   \
    return static_cast<T>(__quern_bfloat_within(rounded(static_cast<float>(x)), least, most));                     \
  }
#define __QUERN_OF_BFLOAT_SMALL(T, name, least, most)                  \
  __QUERN_OF_BFLOAT_ROUNDED(T, name, rn, rintf, least, most)           \
  __QUERN_OF_BFLOAT_ROUNDED(T, name, rd, floorf, least, most)          \
  __QUERN_OF_BFLOAT_ROUNDED(T, name, ru, ceilf, least, most)           \
  __QUERN_OF_BFLOAT_ROUNDED(T, name, rz, truncf, least, most)
__QUERN_OF_BFLOAT_ROUNDED(signed char, char, rz, truncf, -128.0f, 127.0f)
__QUERN_OF_BFLOAT_ROUNDED(unsigned char, uchar, rz, truncf, 0.0f, 255.0f)
__QUERN_OF_BFLOAT_SMALL(short, short, -32768.0f, 32767.0f)
__QUERN_OF_BFLOAT_SMALL(unsigned short, ushort, 0.0f, 65535.0f)
#undef __QUERN_OF_BFLOAT_SMALL
#undef __QUERN_OF_BFLOAT_ROUNDED
// `end`: the first float above; `least`: the lowest of the integers, `most` the highest one.
#define __QUERN_OF_BFLOAT_ROUNDED(T, name, mode, rounded, below, end, least, most, none)                        \
  __QUERN_DEVICE T __bfloat162##name##_##mode(__nv_bfloat16 x) {                                                \
    float y = rounded(static_cast<float>(x));                                                                   \
    return y != y ? none : y <= below ? least : y >= end ? most : static_cast<T>(y);                            \
  }
#define __QUERN_OF_BFLOAT(T, name, ...)                            \
  __QUERN_OF_BFLOAT_ROUNDED(T, name, rn, rintf, __VA_ARGS__)       \
  __QUERN_OF_BFLOAT_ROUNDED(T, name, rd, floorf, __VA_ARGS__)      \
  __QUERN_OF_BFLOAT_ROUNDED(T, name, ru, ceilf, __VA_ARGS__)       \
  __QUERN_OF_BFLOAT_ROUNDED(T, name, rz, truncf, __VA_ARGS__)
__QUERN_OF_BFLOAT(int, int, -2147483648.0f, 2147483648.0f, -2147483647 - 1, 2147483647, 0)
__QUERN_OF_BFLOAT(unsigned int, uint, 0.0f, 4294967296.0f, 0u, 0xffffffffu, 0u)
__QUERN_OF_BFLOAT(long long, ll, -9223372036854775808.0f, 9223372036854775808.0f, -9223372036854775807LL - 1,
                  9223372036854775807LL, -9223372036854775807LL - 1)
__QUERN_OF_BFLOAT(unsigned long long, ull, 0.0f, 18446744073709551616.0f, 0ull, ~0ull, 1ull << 63)
#undef __QUERN_OF_BFLOAT
#undef __QUERN_OF_BFLOAT_ROUNDED

__QUERN_DEVICE short __bfloat16_as_short(__nv_bfloat16 x) { return static_cast<short>(x.__x); }
__QUERN_DEVICE unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
__QUERN_DEVICE __nv_bfloat16 __short_as_bfloat16(short x) { return __quern_bfloat_of(static_cast<unsigned short>(x)); }
__QUERN_DEVICE __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __quern_bfloat_of(x); }

// ---- comparisons; those with u are true where a number is none

__QUERN_DEVICE bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
__QUERN_DEVICE int __hisinf(__nv_bfloat16 a) { return (a.__x & 0x7fff) != 0x7f80 ? 0 : (a.__x & 0x8000) != 0 ? -1 : 1; }
#define __QUERN_BFLOAT_COMPARE(name, op)                                                                          \
  __QUERN_DEVICE bool __h##name##u(__nv_bfloat16 a, __nv_bfloat16 b) {                                            \
    return __hisnan(a) || __hisnan(b) || static_cast<float>(a) op static_cast<float>(b);                          \
  }                                                                                                               \
  __QUERN_DEVICE bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) {                                               \
    return !__hisnan(a) && !__hisnan(b) && static_cast<float>(a) op static_cast<float>(b);                        \
  }
__QUERN_BFLOAT_COMPARE(eq, ==)
__QUERN_BFLOAT_COMPARE(ne, !=)
__QUERN_BFLOAT_COMPARE(lt, <)
__QUERN_BFLOAT_COMPARE(le, <=)
__QUERN_BFLOAT_COMPARE(gt, >)
__QUERN_BFLOAT_COMPARE(ge, >=)
#undef __QUERN_BFLOAT_COMPARE
// Of two that are equal the bits differ in the sign of zero alone; 0.0 is the larger one.
__QUERN_DEVICE __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
  if (__hisnan(a) || __hisnan(b)) return __quern_bfloat_of(0x7fff);
  return __heq(a, b) ? __quern_bfloat_of(a.__x & b.__x) : __hgt(a, b) ? a : b;
}
__QUERN_DEVICE __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
  if (__hisnan(a) || __hisnan(b)) return __quern_bfloat_of(0x7fff);
  return __heq(a, b) ? __quern_bfloat_of(a.__x | b.__x) : __hlt(a, b) ? a : b;
}
__QUERN_DEVICE __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hmax_nan(__hisnan(a) ? b : a, __hisnan(b) ? a : b);
}
__QUERN_DEVICE __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hmin_nan(__hisnan(a) ? b : a, __hisnan(b) ? a : b);
}

// ---- arithmetic

__QUERN_DEVICE __nv_bfloat16 __habs(__nv_bfloat16 a) { return __quern_bfloat_of(__hisnan(a) ? 0x7fff : a.__x & 0x7fff); }
__QUERN_DEVICE __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __quern_bfloat_of(__hisnan(a) ? 0x7fff : a.__x ^ 0x8000); }
// Into 0 to 1; no number is 0.
__QUERN_DEVICE __nv_bfloat16 __quern_bfloat_sat(__nv_bfloat16 a) {
  return __hmin(__hmax(a, __quern_bfloat_of(0)), __quern_bfloat_of(0x3f80));
}
#define __QUERN_BFLOAT_2(name, op)                                                                                        \
  __QUERN_DEVICE __nv_bfloat16 __h##name(__nv_bfloat16 a, __nv_bfloat16 b) {                                              \
    return __quern_bfloat(static_cast<float>(a) op static_cast<float>(b));                                                \
  }                                                                                                                       \
  __QUERN_DEVICE __nv_bfloat16 __h##name##_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __h##name(a, b); }               \
  __QUERN_DEVICE __nv_bfloat16 __h##name##_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __quern_bfloat_sat(__h##name(a, b)); }
__QUERN_BFLOAT_2(add, +)
__QUERN_BFLOAT_2(sub, -)
__QUERN_BFLOAT_2(mul, *)
#undef __QUERN_BFLOAT_2
__QUERN_DEVICE __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __quern_bfloat(static_cast<float>(a) / static_cast<float>(b));
}
__QUERN_DEVICE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if !defined(__QUERN_CPU__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned short out;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(out) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return __quern_bfloat_of(out);
#else
  // The product is exact; what the sum lacks makes it odd.
  double product = static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b));
  double more = static_cast<double>(static_cast<float>(c)), sum = product + more;
  double of_more = sum - product, lacks = (product - (sum - of_more)) + (more - of_more);
  long long bits = __double_as_longlong(sum);
  if (sum - sum == 0.0 && lacks != 0.0 && (bits & 1) == 0) bits += (lacks > 0) == (sum > 0) ? 1 : -1;
  sum = __longlong_as_double(bits);
  return __double2bfloat16(sum);
#endif
}
__QUERN_DEVICE __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __quern_bfloat_sat(__hfma(a, b, c));
}
__QUERN_DEVICE __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __hmax_nan(__hfma(a, b, c), __quern_bfloat_of(0));
}

// ---- functions, by way of float

#define __QUERN_BFLOAT_FUNCTION(name, function) \
  __QUERN_DEVICE __nv_bfloat16 h##name(__nv_bfloat16 a) { return __quern_bfloat(function(static_cast<float>(a))); }
__QUERN_BFLOAT_FUNCTION(sqrt, sqrtf)
__QUERN_BFLOAT_FUNCTION(rsqrt, rsqrtf)
__QUERN_BFLOAT_FUNCTION(rcp, 1.0f /)
__QUERN_BFLOAT_FUNCTION(exp, expf)
__QUERN_BFLOAT_FUNCTION(exp2, exp2f)
__QUERN_BFLOAT_FUNCTION(exp10, exp10f)
__QUERN_BFLOAT_FUNCTION(log, logf)
__QUERN_BFLOAT_FUNCTION(log2, log2f)
__QUERN_BFLOAT_FUNCTION(log10, log10f)
__QUERN_BFLOAT_FUNCTION(sin, sinf)
__QUERN_BFLOAT_FUNCTION(cos, cosf)
__QUERN_BFLOAT_FUNCTION(tanh, tanhf)
__QUERN_BFLOAT_FUNCTION(tanh_approx, tanhf)
__QUERN_BFLOAT_FUNCTION(ceil, ceilf)
__QUERN_BFLOAT_FUNCTION(floor, floorf)
__QUERN_BFLOAT_FUNCTION(rint, rintf)
__QUERN_BFLOAT_FUNCTION(trunc, truncf)
#undef __QUERN_BFLOAT_FUNCTION

}  // extern "C++"
