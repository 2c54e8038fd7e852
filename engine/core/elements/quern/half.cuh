// __half and __half2 for both compilers: storage of 16 bits, conversions, arithmetic rounded after each operation. What
// cuda_fp16.h declares, as far as kernels use it. The names half and half2 come with cuda_fp16.h.
#pragma once
#include "quern/only.cuh"
#include "quern/pairs.cuh"

extern "C++" {

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

// ---- the operations, on bits: one set for each compiler

#ifdef __QUERN_CPU__
__QUERN_BOTH float __quern_half_to_float(unsigned short x) { return static_cast<float>(__builtin_bit_cast(_Float16, x)); }
__QUERN_BOTH unsigned short __quern_half_from_float(float x) {
  return __builtin_bit_cast(unsigned short, static_cast<_Float16>(x));
}
__QUERN_BOTH unsigned short __quern_half_from_double(double x) {
  return __builtin_bit_cast(unsigned short, static_cast<_Float16>(x));
}
// Twice the digits and more: rounding a float's sum, product, quotient or root to half gives what one rounding would.
#define __QUERN_HALF_ARITHMETIC(name, expression)                                       \
  __QUERN_BOTH unsigned short __quern_half_##name(unsigned short x, unsigned short y) { \
    float a = __quern_half_to_float(x), b = __quern_half_to_float(y);                   \
    return __quern_half_from_float(expression);                                         \
  }
__QUERN_HALF_ARITHMETIC(add, a + b)
__QUERN_HALF_ARITHMETIC(sub, a - b)
__QUERN_HALF_ARITHMETIC(mul, a* b)
#undef __QUERN_HALF_ARITHMETIC
__QUERN_BOTH unsigned short __quern_half_fma(unsigned short x, unsigned short y, unsigned short z) {
  double a = __quern_half_to_float(x), b = __quern_half_to_float(y), c = __quern_half_to_float(z);
  return __quern_half_from_double(__builtin_fma(a, b, c));
}
#else
__QUERN_BOTH float __quern_half_to_float(unsigned short x) {
  float out;
  asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(x));
  return out;
}
__QUERN_BOTH unsigned short __quern_half_from_float(float x) {
  unsigned short out;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out) : "f"(x));
  return out;
}
__QUERN_BOTH unsigned short __quern_half_from_double(double x) {
  unsigned short out;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(out) : "d"(x));
  return out;
}
// .rn keeps the assembler from contracting them.
#define __QUERN_HALF_ARITHMETIC(name, instruction)                                      \
  __QUERN_BOTH unsigned short __quern_half_##name(unsigned short x, unsigned short y) { \
    unsigned short out;                                                                 \
    asm(instruction " %0, %1, %2;" : "=h"(out) : "h"(x), "h"(y));                       \
    return out;                                                                         \
  }
__QUERN_HALF_ARITHMETIC(add, "add.rn.f16")
__QUERN_HALF_ARITHMETIC(sub, "sub.rn.f16")
__QUERN_HALF_ARITHMETIC(mul, "mul.rn.f16")
#undef __QUERN_HALF_ARITHMETIC
__QUERN_BOTH unsigned short __quern_half_fma(unsigned short x, unsigned short y, unsigned short z) {
  unsigned short out;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(out) : "h"(x), "h"(y), "h"(z));
  return out;
}
#endif

// ---- the type

struct __align__(2) __half {
  unsigned short __x;

  __half() = default;
  // Of a volatile one. A template is no copy constructor: the type stays trivial.
  template <class T, typename __quern_only<T, __half>::type = 0>
  __QUERN_BOTH __half(const volatile T& x) : __x(x.__x) {}
  __QUERN_BOTH __half(const __half_raw& raw) : __x(raw.x) {}
  __QUERN_BOTH __half(float x) : __x(__quern_half_from_float(x)) {}
  __QUERN_BOTH __half(double x) : __x(__quern_half_from_double(x)) {}
  __QUERN_BOTH __half(int x) : __x(__quern_half_from_float(static_cast<float>(x))) {}
  __QUERN_BOTH __half(unsigned int x) : __x(__quern_half_from_float(static_cast<float>(x))) {}
  __QUERN_BOTH __half(long x) : __x(__quern_half_from_double(static_cast<double>(x))) {}
  __QUERN_BOTH __half(unsigned long x) : __x(__quern_half_from_double(static_cast<double>(x))) {}
  __QUERN_BOTH __half(long long x) : __x(__quern_half_from_double(static_cast<double>(x))) {}
  __QUERN_BOTH __half(unsigned long long x) : __x(__quern_half_from_double(static_cast<double>(x))) {}
  __QUERN_BOTH __half(short x) : __x(__quern_half_from_float(x)) {}
  __QUERN_BOTH __half(unsigned short x) : __x(__quern_half_from_float(x)) {}
  __QUERN_BOTH operator float() const { return __quern_half_to_float(__x); }
  __QUERN_BOTH operator __half_raw() const {
    __half_raw raw = {__x};
    return raw;
  }
  __QUERN_BOTH explicit operator bool() const { return (__x & 0x7fff) != 0; }
#define __QUERN_HALF_TO(T) \
  __QUERN_BOTH explicit operator T() const { return static_cast<T>(__quern_half_to_float(__x)); }
  __QUERN_HALF_TO(double)
  __QUERN_HALF_TO(char)
  __QUERN_HALF_TO(signed char)
  __QUERN_HALF_TO(unsigned char)
  __QUERN_HALF_TO(short)
  __QUERN_HALF_TO(unsigned short)
  __QUERN_HALF_TO(int)
  __QUERN_HALF_TO(unsigned int)
  __QUERN_HALF_TO(long)
  __QUERN_HALF_TO(unsigned long)
  __QUERN_HALF_TO(long long)
  __QUERN_HALF_TO(unsigned long long)
#undef __QUERN_HALF_TO
};

struct __align__(4) __half2 {
  __half x, y;

  __half2() = default;
  __QUERN_BOTH __half2(const __half& a, const __half& b) : x(a), y(b) {}
};

__QUERN_BOTH __half __quern_half_of(unsigned short bits) {
  __half_raw raw = {bits};
  return __half(raw);
}

// ---- conversions

__QUERN_BOTH __half __float2half(float x) { return __half(x); }
__QUERN_BOTH __half __float2half_rn(float x) { return __half(x); }
__QUERN_BOTH __half __double2half(double x) { return __half(x); }
__QUERN_BOTH float __half2float(__half x) { return __quern_half_to_float(x.__x); }
__QUERN_BOTH __half2 __float2half2_rn(float x) { return __half2(__half(x), __half(x)); }
__QUERN_BOTH __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
__QUERN_BOTH __half2 __float22half2_rn(float2 x) { return __half2(__half(x.x), __half(x.y)); }
__QUERN_BOTH float2 __half22float2(__half2 x) { return make_float2(__half2float(x.x), __half2float(x.y)); }
__QUERN_BOTH __half2 __half2half2(__half x) { return __half2(x, x); }
__QUERN_BOTH __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
__QUERN_BOTH __half2 make_half2(__half x, __half y) { return __half2(x, y); }
__QUERN_BOTH __half __low2half(__half2 x) { return x.x; }
__QUERN_BOTH __half __high2half(__half2 x) { return x.y; }
__QUERN_BOTH float __low2float(__half2 x) { return __half2float(x.x); }
__QUERN_BOTH float __high2float(__half2 x) { return __half2float(x.y); }
__QUERN_BOTH __half2 __low2half2(__half2 x) { return __half2(x.x, x.x); }
__QUERN_BOTH __half2 __high2half2(__half2 x) { return __half2(x.y, x.y); }
__QUERN_BOTH __half2 __lowhigh2highlow(__half2 x) { return __half2(x.y, x.x); }
__QUERN_BOTH __half2 __lows2half2(__half2 x, __half2 y) { return __half2(x.x, y.x); }
__QUERN_BOTH __half2 __highs2half2(__half2 x, __half2 y) { return __half2(x.y, y.y); }
__QUERN_BOTH unsigned short __half_as_ushort(__half x) { return x.__x; }
__QUERN_BOTH short __half_as_short(__half x) { return static_cast<short>(x.__x); }
__QUERN_BOTH __half __ushort_as_half(unsigned short x) { return __quern_half_of(x); }
__QUERN_BOTH __half __short_as_half(short x) { return __quern_half_of(static_cast<unsigned short>(x)); }
// A short's ends are within a half's reach; casts go by way of 32 bits, which has others.
template <class T>
__QUERN_DEVICE T __quern_half_to(float x) {
  if (sizeof(T) < 4) {
    float least = T(-1) < T(0) ? -32768.0f : 0.0f, most = least + 65535.0f;
    x = x != x ? 0.0f : x < least ? least : x > most ? most : x;
  }
  return static_cast<T>(x);
}
#define __QUERN_HALF_INTEGER(T, name)                                                                    \
  __QUERN_BOTH __half __##name##2half_rn(T x) { return __half(x); }                                      \
  __QUERN_DEVICE T __half2##name##_rn(__half x) { return __quern_half_to<T>(rintf(__half2float(x))); }   \
  __QUERN_DEVICE T __half2##name##_rz(__half x) { return __quern_half_to<T>(__half2float(x)); }          \
  __QUERN_DEVICE T __half2##name##_rd(__half x) { return __quern_half_to<T>(floorf(__half2float(x))); }  \
  __QUERN_DEVICE T __half2##name##_ru(__half x) { return __quern_half_to<T>(ceilf(__half2float(x))); }
__QUERN_HALF_INTEGER(int, int)
__QUERN_HALF_INTEGER(unsigned int, uint)
__QUERN_HALF_INTEGER(short, short)
__QUERN_HALF_INTEGER(unsigned short, ushort)
__QUERN_HALF_INTEGER(long long, ll)
__QUERN_HALF_INTEGER(unsigned long long, ull)
#undef __QUERN_HALF_INTEGER

// ---- arithmetic and comparison, on one and on two

#define __QUERN_HALF_2(name, expression)                              \
  __QUERN_BOTH __half name(__half a, __half b) { return expression; } \
  __QUERN_BOTH __half2 name##2(__half2 a, __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); }
__QUERN_HALF_2(__hadd, __quern_half_of(__quern_half_add(a.__x, b.__x)))
__QUERN_HALF_2(__hsub, __quern_half_of(__quern_half_sub(a.__x, b.__x)))
__QUERN_HALF_2(__hmul, __quern_half_of(__quern_half_mul(a.__x, b.__x)))
__QUERN_HALF_2(__hadd_rn, __quern_half_of(__quern_half_add(a.__x, b.__x)))
__QUERN_HALF_2(__hsub_rn, __quern_half_of(__quern_half_sub(a.__x, b.__x)))
__QUERN_HALF_2(__hmul_rn, __quern_half_of(__quern_half_mul(a.__x, b.__x)))
#undef __QUERN_HALF_2
__QUERN_BOTH __half __hdiv(__half a, __half b) { return __half(__half2float(a) / __half2float(b)); }
__QUERN_BOTH __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__QUERN_BOTH __half __hneg(__half a) { return __quern_half_of(a.__x ^ 0x8000); }
__QUERN_BOTH __half __habs(__half a) { return __quern_half_of(a.__x & 0x7fff); }
__QUERN_BOTH __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
__QUERN_BOTH __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
__QUERN_BOTH __half __hfma(__half a, __half b, __half c) { return __quern_half_of(__quern_half_fma(a.__x, b.__x, c.__x)); }
__QUERN_BOTH __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }

// Of x and y, as floats. Those with u are true where one is no number, the others false; the operators are CUDA's: != is neu.
#define __QUERN_HALF_COMPARE(name, expression)                      \
  __QUERN_BOTH bool __h##name(__half a, __half b) {                 \
    float x = __half2float(a), y = __half2float(b);                 \
    return expression;                                              \
  }
__QUERN_HALF_COMPARE(eq, x == y)
__QUERN_HALF_COMPARE(ne, x < y || x > y)
__QUERN_HALF_COMPARE(lt, x < y)
__QUERN_HALF_COMPARE(le, x <= y)
__QUERN_HALF_COMPARE(gt, x > y)
__QUERN_HALF_COMPARE(ge, x >= y)
__QUERN_HALF_COMPARE(equ, !(x < y || x > y))
__QUERN_HALF_COMPARE(neu, x != y)
__QUERN_HALF_COMPARE(ltu, !(x >= y))
__QUERN_HALF_COMPARE(leu, !(x > y))
__QUERN_HALF_COMPARE(gtu, !(x <= y))
__QUERN_HALF_COMPARE(geu, !(x < y))
#undef __QUERN_HALF_COMPARE
__QUERN_PAIR_COMPARES(__QUERN_BOTH, __half2, __half)
__QUERN_BOTH bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
__QUERN_BOTH int __hisinf(__half a) { return (a.__x & 0x7fff) != 0x7c00 ? 0 : a.__x & 0x8000 ? -1 : 1; }
__QUERN_DEVICE __half __hmax(__half a, __half b) { return __half(fmaxf(__half2float(a), __half2float(b))); }
__QUERN_DEVICE __half __hmin(__half a, __half b) { return __half(fminf(__half2float(a), __half2float(b))); }
__QUERN_DEVICE __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__QUERN_DEVICE __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }

__QUERN_PAIR_OPERATORS(__QUERN_BOTH, __half2, __half)

// ---- functions, by way of float

#define __QUERN_HALF_FUNCTION(name, function)                                           \
  __QUERN_DEVICE __half h##name(__half a) { return __half(function(__half2float(a))); } \
  __QUERN_DEVICE __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
__QUERN_HALF_FUNCTION(sqrt, sqrtf)
__QUERN_HALF_FUNCTION(rsqrt, rsqrtf)
__QUERN_HALF_FUNCTION(rcp, 1.0f /)
__QUERN_HALF_FUNCTION(exp, expf)
__QUERN_HALF_FUNCTION(exp2, exp2f)
__QUERN_HALF_FUNCTION(exp10, exp10f)
__QUERN_HALF_FUNCTION(log, logf)
__QUERN_HALF_FUNCTION(log2, log2f)
__QUERN_HALF_FUNCTION(log10, log10f)
__QUERN_HALF_FUNCTION(sin, sinf)
__QUERN_HALF_FUNCTION(cos, cosf)
__QUERN_HALF_FUNCTION(ceil, ceilf)
__QUERN_HALF_FUNCTION(floor, floorf)
__QUERN_HALF_FUNCTION(rint, rintf)
__QUERN_HALF_FUNCTION(trunc, truncf)
#undef __QUERN_HALF_FUNCTION

// ---- atomics and shuffles

// Both compilers can exchange 32 bits; a half is one end of an aligned word.
__QUERN_DEVICE __half __quern_half_atomic_add(__half* address, __half value) {
  unsigned long long place = reinterpret_cast<unsigned long long>(address);
  unsigned int* word = reinterpret_cast<unsigned int*>(place & ~3ull);
  unsigned int shift = place & 2 ? 16 : 0;
  unsigned int old = *word, seen;
  do {
    seen = old;
    __half sum = __hadd(__quern_half_of(static_cast<unsigned short>(seen >> shift)), value);
    unsigned int next = (seen & ~(0xffffu << shift)) | (static_cast<unsigned int>(sum.__x) << shift);
    old = atomicCAS(word, seen, next);
  } while (old != seen);
  return __quern_half_of(static_cast<unsigned short>(old >> shift));
}
__QUERN_DEVICE __half atomicAdd(__half* address, __half value) { return __quern_half_atomic_add(address, value); }
__QUERN_DEVICE __half2 atomicAdd(__half2* address, __half2 value) {
  return __half2(__quern_half_atomic_add(&address->x, value.x), __quern_half_atomic_add(&address->y, value.y));
}
__QUERN_PAIR_SHUFFLES(__half2, __half, __quern_half_of)

}  // extern "C++"
