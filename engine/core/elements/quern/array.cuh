// What the ops of arrays do to one element: the one text behind three compilers. Fused groups include it on the CPU and on a
// GPU, and tier 0 (graph/tier0.cpp) compiles it when quern is built; so the three agree.
//
// NumPy's meaning: integers wrap, integer division by zero gives 0, maximum() passes NaN on, remainder() takes the divisor's
// sign. Each function takes the op's type and gives it back (or bool); to<T>() converts between types.
#pragma once

#include "quern/complex.cuh"
// A text without float16 and bfloat16 may say so: then NVRTC has a third less to read.
#ifdef QUERN_NO_SHORT_FLOATS
#define __QUERN_SHORT(...)
#else
#include "quern/bfloat.cuh"
#include "quern/half.cuh"
#define __QUERN_SHORT(...) __VA_ARGS__
#endif

extern "C++" {

#include "quern/conversion.cuh"

namespace quern {
namespace op {

// ---- arithmetic

// Unsigned, and at least as wide as an int, so that nothing overflows.
template <class T, bool wide = (sizeof(T) > 4)>
struct Wrap {
  typedef unsigned int type;
};
template <class T>
struct Wrap<T, true> {
  typedef unsigned long long type;
};

#define __QUERN_ARITHMETIC(name, op, of_bool)                                                               \
  template <class T>                                                                                        \
  __QUERN_DEVICE T name(const T& a, const T& b) {                                                             \
    if constexpr (Type<T>::is_integer) {                                                                    \
      typedef typename Wrap<T>::type U;                                                                     \
      return static_cast<T>(static_cast<U>(a) op static_cast<U>(b));                                        \
    } else {                                                                                                \
      return a op b;                                                                                        \
    }                                                                                                       \
  }                                                                                                         \
  __QUERN_SHORT(__QUERN_DEVICE bfloat16 name(const bfloat16& a, const bfloat16& b) {                        \
    return bfloat16(static_cast<float>(a) op static_cast<float>(b));                                        \
  })                                                                                                        \
  __QUERN_DEVICE bool name(const bool& a, const bool& b) { return of_bool; }
__QUERN_ARITHMETIC(add, +, a || b)
__QUERN_ARITHMETIC(subtract, -, a != b)
__QUERN_ARITHMETIC(multiply, *, a && b)
#undef __QUERN_ARITHMETIC

template <class T>
__QUERN_DEVICE T true_divide(const T& a, const T& b) {
  return a / b;
}
__QUERN_SHORT(__QUERN_DEVICE bfloat16 true_divide(const bfloat16& a, const bfloat16& b) {
  return bfloat16(static_cast<float>(a) / static_cast<float>(b));
})
template <class T>
__QUERN_DEVICE T negative(const T& a) {
#if defined(__CUDACC_RTC__) && !defined(__QUERN_CPU__)
  // The assembler takes neg.s16 for exact: what is widened after it would be 32768 for -32768.
  if constexpr (Type<T>::is_integer && sizeof(T) == 2) {
    int out;
    asm("neg.s32 %0, %1;" : "=r"(out) : "r"(static_cast<int>(a)));
    return static_cast<T>(out);
  }
#endif
  if constexpr (Type<T>::is_integer) {
    typedef typename Wrap<T>::type U;
    return static_cast<T>(U(0) - static_cast<U>(a));
  } else {
    return -a;
  }
}
__QUERN_SHORT(__QUERN_DEVICE bfloat16 negative(const bfloat16& a) { return bfloat16(-static_cast<float>(a)); })

template <class T>
__QUERN_DEVICE T square(const T& a) {
  return multiply(a, a);
}
template <class T>
__QUERN_DEVICE T reciprocal(const T& a) {
  if constexpr (Type<T>::is_integer) {
    // Of 0: what a conversion from infinity gives.
    if (a == T(0)) return sizeof(T) >= 4 && Type<T>::is_signed ? static_cast<T>(1ull << (sizeof(T) * 8 - 1)) : T(0);
    return a == T(1) ? T(1) : Type<T>::is_signed && a == T(-1) ? T(-1) : T(0);
  } else if constexpr (Type<T>::is_complex) {
    return quern::of_complex::reciprocal(a);
  } else {
    return true_divide(to<T>(1.0f), a);
  }
}

// Are they less? For complex numbers lexicographically; a NaN is never less nor greater, in whichever part it is.
template <class T>
__QUERN_DEVICE bool less(const T& a, const T& b) {
  return a < b;
}
template <class P>
__QUERN_DEVICE bool less(const complex<P>& a, const complex<P>& b) {
  return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
}
template <class T>
__QUERN_DEVICE bool less_equal(const T& a, const T& b) {
  return a <= b;
}
template <class P>
__QUERN_DEVICE bool less_equal(const complex<P>& a, const complex<P>& b) {
  return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
}
template <class T>
__QUERN_DEVICE bool equal(const T& a, const T& b) {
  return a == b;
}
template <class T>
__QUERN_DEVICE bool is_nan(const T& a) {
  if constexpr (Type<T>::is_complex) {
    return a.re != a.re || a.im != a.im;
  } else if constexpr (Type<T>::is_integer) {
    return false;
  } else {
    return a != a;
  }
}

template <class T>
__QUERN_DEVICE T maximum(const T& a, const T& b) {
  return is_nan(a) | less_equal(b, a) ? a : b;  // without a branch, compilers make vectors of it
}
template <class T>
__QUERN_DEVICE T minimum(const T& a, const T& b) {
  return is_nan(a) | less_equal(a, b) ? a : b;
}
template <class T>
__QUERN_DEVICE T fmax(const T& a, const T& b) {
  return is_nan(b) || less_equal(b, a) ? a : b;
}
template <class T>
__QUERN_DEVICE T fmin(const T& a, const T& b) {
  return is_nan(b) || less_equal(a, b) ? a : b;
}

// ---- functions of reals, by way of the type they are computed in

template <class T>
struct Math {
  typedef T type;
};
#ifndef QUERN_NO_SHORT_FLOATS
template <>
struct Math<float16> {
  typedef float type;
};
template <>
struct Math<bfloat16> {
  typedef float type;
};
#endif

#define __QUERN_FUNCTION(name, of_float, of_double)               \
  __QUERN_DEVICE float name(const float& x) { return of_float; }  \
  __QUERN_DEVICE double name(const double& x) { return of_double; } \
  __QUERN_SHORT(__QUERN_DEVICE float16 name(const float16& h) {   \
    float x = static_cast<float>(h);                              \
    return float16(of_float);                                     \
  })                                                              \
  __QUERN_SHORT(__QUERN_DEVICE bfloat16 name(const bfloat16& h) { \
    float x = static_cast<float>(h);                              \
    return bfloat16(of_float);                                    \
  })
#define __QUERN_FUNCTION_1(name, real) __QUERN_FUNCTION(name, ::real##f(x), ::real(x))
#define __QUERN_FUNCTION_C(name, real, of_complex) \
  __QUERN_FUNCTION_1(name, real)                   \
  template <class P>                            \
  __QUERN_DEVICE complex<P> name(const complex<P>& x) { \
    return of_complex(x);                       \
  }
__QUERN_FUNCTION_C(sqrt, sqrt, quern::sqrt)
__QUERN_FUNCTION_C(exp, exp, quern::exp)
__QUERN_FUNCTION_C(log, log, quern::log)
__QUERN_FUNCTION_C(log2, log2, quern::log2)
__QUERN_FUNCTION_C(log10, log10, quern::log10)
__QUERN_FUNCTION_C(sin, sin, quern::sin)
__QUERN_FUNCTION_C(cos, cos, quern::cos)
__QUERN_FUNCTION_C(tan, tan, quern::tan)
__QUERN_FUNCTION_C(arcsin, asin, quern::asin)
__QUERN_FUNCTION_C(arccos, acos, quern::acos)
__QUERN_FUNCTION_C(arctan, atan, quern::atan)
__QUERN_FUNCTION_C(sinh, sinh, quern::sinh)
__QUERN_FUNCTION_C(cosh, cosh, quern::cosh)
__QUERN_FUNCTION_C(tanh, tanh, quern::tanh)
__QUERN_FUNCTION_C(arcsinh, asinh, quern::asinh)
__QUERN_FUNCTION_C(arccosh, acosh, quern::acosh)
__QUERN_FUNCTION_C(arctanh, atanh, quern::atanh)
__QUERN_FUNCTION_C(exp2, exp2, quern::of_complex::exp2)
__QUERN_FUNCTION_C(expm1, expm1, quern::of_complex::expm1)
__QUERN_FUNCTION_C(log1p, log1p, quern::of_complex::log1p)
__QUERN_FUNCTION_1(cbrt, cbrt)
__QUERN_FUNCTION_1(fabs, fabs)
__QUERN_FUNCTION_1(rint_of, rint)
__QUERN_FUNCTION_1(floor_of, floor)
__QUERN_FUNCTION_1(ceil_of, ceil)
__QUERN_FUNCTION_1(trunc_of, trunc)
__QUERN_FUNCTION(degrees, x * 57.29577951308232f, x * 57.29577951308232)
__QUERN_FUNCTION(radians, x * 0.017453292519943295f, x * 0.017453292519943295)

// Rounding leaves integers alone.
#define __QUERN_ROUNDING(name, of_real)          \
  template <class T>                             \
  __QUERN_DEVICE T name(const T& x) {            \
    if constexpr (Type<T>::is_complex) {         \
      return T(of_real(x.re), of_real(x.im));    \
    } else if constexpr (Type<T>::is_integer) {  \
      return x;                                  \
    } else {                                     \
      return of_real(x);                         \
    }                                            \
  }
__QUERN_ROUNDING(rint, rint_of)
__QUERN_ROUNDING(floor, floor_of)
__QUERN_ROUNDING(ceil, ceil_of)
__QUERN_ROUNDING(trunc, trunc_of)
#undef __QUERN_ROUNDING

#define __QUERN_FUNCTION_2(name, of_float, of_double)                                   \
  __QUERN_DEVICE float name(const float& a, const float& b) { return of_float(a, b); }    \
  __QUERN_DEVICE double name(const double& a, const double& b) { return of_double(a, b); } \
  __QUERN_SHORT(__QUERN_DEVICE float16 name(const float16& a, const float16& b) {       \
    return float16(of_float(static_cast<float>(a), static_cast<float>(b)));             \
  })                                                                                    \
  __QUERN_SHORT(__QUERN_DEVICE bfloat16 name(const bfloat16& a, const bfloat16& b) {    \
    return bfloat16(of_float(static_cast<float>(a), static_cast<float>(b)));            \
  })
__QUERN_FUNCTION_2(arctan2, ::atan2f, ::atan2)
__QUERN_FUNCTION_2(hypot, ::hypotf, ::hypot)
__QUERN_FUNCTION_2(copysign, ::copysignf, ::copysign)
__QUERN_FUNCTION_2(nextafter_of, ::nextafterf, ::nextafter)
__QUERN_FUNCTION_2(power_of, ::powf, ::pow)
__QUERN_FUNCTION_2(fmod_of, ::fmodf, ::fmod)

template <class T>
__QUERN_DEVICE T nextafter(const T& a, const T& b) {
  if constexpr (sizeof(T) == 2) {  // one step is a step of sixteen bits
    float x = static_cast<float>(a), y = static_cast<float>(b);
    if (x != x || y != y) return T(x + y);
    if (x == y) return b;
    T out = a;
    if (x == 0) {
      out.__x = y < 0 ? 0x8001 : 1;
    } else {
      out.__x = static_cast<unsigned short>((x < y) == (x > 0) ? a.__x + 1 : a.__x - 1);
    }
    return out;
  } else {
    return nextafter_of(a, b);
  }
}

// The distance to the next number away from zero; in sixteen bits, as NumPy has it, to the next one above.
template <class T>
__QUERN_DEVICE T spacing(const T& a) {
  typedef typename Math<T>::type M;
  M x = to<M>(a);
  if (x - x != M(0)) return to<T>(x - x);  // infinite or no number
  const M big = static_cast<M>(__uint_as_float(0x7f800000u));
  M away = x < M(0) && sizeof(T) != 2 ? -big : big;
  return to<T>(to<M>(nextafter(a, to<T>(away))) - x);
}

// The second operand is a whole number; beyond a few thousand every result is zero or infinite.
__QUERN_DEVICE float ldexp_of(float x, int by) { return ::ldexpf(x, by); }
__QUERN_DEVICE double ldexp_of(double x, int by) { return ::ldexp(x, by); }
template <class T>
__QUERN_DEVICE T ldexp(const T& a, const T& b) {
  typedef typename Math<T>::type M;
  M by = to<M>(b);
  int whole = by > M(10000) ? 10000 : by < M(-10000) ? -10000 : static_cast<int>(by);
  return to<T>(ldexp_of(to<M>(a), whole));
}

__QUERN_DEVICE float frexp_of(float x, int* exponent) { return ::frexpf(x, exponent); }
__QUERN_DEVICE double frexp_of(double x, int* exponent) { return ::frexp(x, exponent); }
template <class T>
__QUERN_DEVICE T frexp_mantissa(const T& a) {
  typedef typename Math<T>::type M;
  M x = to<M>(a);
  int exponent = 0;
  return x - x != M(0) ? a : to<T>(frexp_of(x, &exponent));
}
template <class T>
__QUERN_DEVICE T frexp_exponent(const T& a) {
  typedef typename Math<T>::type M;
  M x = to<M>(a);
  int exponent = 0;
  if (x - x == M(0)) frexp_of(x, &exponent);
  return to<T>(static_cast<M>(exponent));
}

template <class T>
__QUERN_DEVICE T logaddexp(const T& a, const T& b) {
  typedef typename Math<T>::type M;
  M x = to<M>(a), y = to<M>(b);
  if (x == y) return to<T>(x + M(0.69314718055994530942));
  M d = x - y;
  if (d > 0) return to<T>(x + log1p(exp(-d)));
  if (d <= 0) return to<T>(y + log1p(exp(d)));
  return to<T>(d);
}
template <class T>
__QUERN_DEVICE T logaddexp2(const T& a, const T& b) {
  typedef typename Math<T>::type M;
  M x = to<M>(a), y = to<M>(b), e = M(1.44269504088896340736);
  if (x == y) return to<T>(x + M(1));
  M d = x - y;
  if (d > 0) return to<T>(x + log1p(exp2(-d)) * e);
  if (d <= 0) return to<T>(y + log1p(exp2(d)) * e);
  return to<T>(d);
}

// ---- division, remainder, power

// Processors divide integers one by one. Products with 1 / b, put right by what is left over, are done in vectors, and where b stays
// the same a loop takes 1 / b out. b is not 0.
#if !defined(__CUDACC_RTC__) || defined(__QUERN_CPU__)
#define __QUERN_QUOTIENT_BY_PRODUCTS
// Of up to 32 bits: in F each step is exact but the product, which is wrong by one at most.
template <class T, class F>
__QUERN_DEVICE T floor_quotient_in(T a, T b) {
  const F x = static_cast<F>(a), y = static_cast<F>(b), product = x * (F(1) / y);
  F quotient;
  if constexpr (sizeof(T) < 4) {  // every processor has vectors of this
    quotient = static_cast<F>(__quern_int_of(product));
    quotient = product < quotient ? quotient - F(1) : quotient;
  } else {
    quotient = floor_of(product);
  }
  const F rest = x - quotient * y, towards = y > F(0) ? rest : -rest, most = y > F(0) ? y : -y;
  quotient = towards < F(0) ? quotient - F(1) : towards >= most ? quotient + F(1) : quotient;
  if constexpr (sizeof(T) == 4 && !Type<T>::is_signed) {
    return static_cast<T>(__quern_long_of(quotient));
  } else {
    const T found = static_cast<T>(__quern_int_of(quotient));
    return Type<T>::is_signed && b == T(-1) ? negative(a) : found;  // the lowest has no positive counterpart
  }
}

// Of 64 bits: twice from below, so that the rest is never negative; what is left is one at most.
__QUERN_DEVICE unsigned long long quotient_of_long(unsigned long long x, unsigned long long y, unsigned long long& rest) {
  typedef unsigned long long U;
  const double below = (1.0 / static_cast<double>(y)) * (1.0 - 8.881784197001252e-16);  // 2 ** -50
  const U first = static_cast<U>(__quern_long_of(static_cast<double>(y == 1 ? 0 : x) * below));
  U quotient = y == 1 ? x : first;  // which may have all 64 bits
  rest = x - quotient * y;
  const U more = static_cast<U>(__quern_long_of(static_cast<double>(rest) * below));
  rest -= more * y;
  const bool is_low = rest >= y;
  rest -= is_low ? y : 0;
  return quotient + more + is_low;
}
__QUERN_DEVICE unsigned long long floor_quotient_of_long(unsigned long long a, unsigned long long b) {
  unsigned long long rest;
  return quotient_of_long(a, b, rest);
}
__QUERN_DEVICE long long floor_quotient_of_long(long long a, long long b) {
  typedef unsigned long long U;
  U rest;
  const U quotient = quotient_of_long(a < 0 ? 0 - static_cast<U>(a) : static_cast<U>(a), b < 0 ? 0 - static_cast<U>(b) : static_cast<U>(b), rest);
  return static_cast<long long>((a < 0) != (b < 0) ? 0 - quotient - (rest != 0) : quotient);
}

// Is that how integers are divided? Without conversions of 64 bits one by one is faster.
template <class T>
__QUERN_DEVICE bool divides_by_products() {
  return sizeof(T) < 8 || __quern_converts_long();
}
template <class T>
__QUERN_DEVICE T floor_quotient(T a, T b) {
  if constexpr (sizeof(T) < 4) {
    return floor_quotient_in<T, float>(a, b);
  } else if constexpr (sizeof(T) == 4) {
    return floor_quotient_in<T, double>(a, b);
  } else {
    return floor_quotient_of_long(a, b);
  }
}
#endif

// What integers are divided by, where it stays the same: the upper half of a product with its inverse, of one bit more than T has,
// is the quotient (Granlund and Montgomery, 1994). Where the quotient is negative, that of the number behind a or of -a is, with all
// bits turned: floor(a / b) = ~((~a) / b) for a < 0 < b. Nothing divided by 0 is kept.
#ifdef __QUERN_QUOTIENT_BY_PRODUCTS
#ifdef __clang__  // whose vectors have lanes of an int otherwise
#define __QUERN_BITS(n, standard) unsigned _BitInt(n)
#else
#define __QUERN_BITS(n, standard) standard
#endif
template <class T, int size = sizeof(T)>
struct Unsigned {
  typedef unsigned long long type, product;
};
template <class T>
struct Unsigned<T, 4> {
  typedef unsigned int type;
  typedef unsigned long long product;
};
template <class T>
struct Unsigned<T, 2> {
  typedef __QUERN_BITS(16, unsigned short) type;
  typedef __QUERN_BITS(32, unsigned int) product;
};
template <class T>
struct Unsigned<T, 1> {
  typedef __QUERN_BITS(8, unsigned char) type;
  typedef __QUERN_BITS(16, unsigned short) product;
};
#undef __QUERN_BITS

template <class T>
struct Divisor {
  typedef typename Unsigned<T>::type U;
  typedef unsigned long long Long;
  static constexpr int bits = sizeof(T) * 8;

  T number, first_of_rising;  // from where on a quotient is that of a itself
  U inverse, sign, kept;
  U first_shift, second_shift;

  __QUERN_DEVICE explicit Divisor(T b) : number(b), first_of_rising(b < T(0)) {
    const Long size = b == T(0) ? 1 : static_cast<U>(b < T(0) ? 0 - static_cast<Long>(b) : static_cast<Long>(b));
    const int log = size == 1 ? 0 : 64 - __builtin_clzll(size - 1);  // rounded up
    sign = static_cast<U>(b < T(0) ? ~Long(0) : Long(0));
    kept = static_cast<U>(b == T(0) ? Long(0) : ~Long(0));
    first_shift = static_cast<U>(log != 0);
    second_shift = static_cast<U>(log - (log != 0));
    if constexpr (bits < 64) {
      inverse = static_cast<U>((((Long(1) << log) - size) << bits) / size + 1);
    } else {
      const int up = log == 0 ? 0 : 64 - log;
      const Long divisor = size << up;  // its first bit is set, but that of a power of two
      Long rest = log == 0 ? 0 : 0 - divisor, inverse_high = digit(rest, divisor);
      inverse = (size & (size - 1)) == 0 ? 1 : (inverse_high << 32 | digit(rest, divisor)) + 1;
    }
  }

  __QUERN_DEVICE T quotient(T a) const {
    U x = static_cast<U>(a), turned = 0;
    if constexpr (Type<T>::is_signed) {
      turned = static_cast<U>(a < first_of_rising ? ~Long(0) : Long(0));
      x = static_cast<U>(static_cast<U>(x + sign) ^ turned);
    }
    const U upper = upper_half(x);
    const U found = static_cast<U>(static_cast<U>(upper + (static_cast<U>(x - upper) >> first_shift)) >> second_shift);
    return static_cast<T>((found ^ turned ^ sign) & kept);
  }
  __QUERN_DEVICE T rest(T a) const {
    return static_cast<T>((static_cast<Long>(a) - static_cast<Long>(quotient(a)) * static_cast<Long>(number)) & kept);
  }

 private:
  __QUERN_DEVICE U upper_half(U x) const {
    if constexpr (bits == 64) {
      return static_cast<U>((static_cast<unsigned __int128>(x) * inverse) >> 64);
    } else {
      typedef typename Unsigned<T>::product Product;
      return static_cast<U>((static_cast<Product>(x) * static_cast<Product>(inverse)) >> bits);
    }
  }
  // The next 32 bits of rest / divisor, of which the rest is less; by way of the divisor's upper half, too large by two at most.
  __QUERN_DEVICE static Long digit(Long& rest, Long divisor) {
    const Long high = divisor >> 32, low = divisor & 0xffffffff, most = 0xffffffff;
    Long found = high ? rest / high : 0;
    found = found > most ? most : found;
    Long left = rest - found * high;
    for (int i = 0; i < 2; ++i) {
      const bool is_large = left <= most && found * low > left << 32;
      found -= is_large;
      left += is_large ? high : 0;
    }
    rest = (left << 32) - found * low;
    return found;
  }
};
template <class T>
__QUERN_DEVICE T floor_divide(const T& a, const Divisor<T>& b) { return b.quotient(a); }
template <class T>
__QUERN_DEVICE T remainder(const T& a, const Divisor<T>& b) { return b.rest(a); }
#else
template <class T>
struct Divisor {  // a GPU's compiler has ways of its own
  T number;
  __QUERN_DEVICE explicit Divisor(T b) : number(b) {}
};
#endif

template <class T>
__QUERN_DEVICE T remainder(const T& a, const T& b) {
  if constexpr (Type<T>::is_integer) {
    if (b == T(0)) return T(0);
#ifdef __QUERN_QUOTIENT_BY_PRODUCTS
    typedef typename Wrap<T>::type U;
    if (divides_by_products<T>()) return static_cast<T>(static_cast<U>(a) - static_cast<U>(floor_quotient(a, b)) * static_cast<U>(b));
#endif
    if constexpr (Type<T>::is_signed) {
      if (b == T(-1)) return T(0);
      T rest = static_cast<T>(a % b);
      return rest != T(0) && (rest < T(0)) != (b < T(0)) ? static_cast<T>(rest + b) : rest;
    } else {
      return static_cast<T>(a % b);
    }
  } else {
    typedef typename Math<T>::type M;
    M x = to<M>(a), y = to<M>(b), rest = fmod_of(x, y);
    if (y == M(0)) return to<T>(rest);
    if (rest != M(0)) return to<T>((y < M(0)) != (rest < M(0)) ? rest + y : rest);
    return to<T>(copysign(M(0), y));
  }
}
// As NumPy does it: from the remainder, so that a == floor_divide * b + remainder.
template <class T>
__QUERN_DEVICE T floor_divide(const T& a, const T& b) {
  if constexpr (Type<T>::is_integer) {
    if (b == T(0)) return T(0);
#ifdef __QUERN_QUOTIENT_BY_PRODUCTS
    if (divides_by_products<T>()) return floor_quotient(a, b);
#endif
    if constexpr (Type<T>::is_signed) {
      if (b == T(-1)) return negative(a);
      T quotient = static_cast<T>(a / b);
      return (a % b) != 0 && (a < T(0)) != (b < T(0)) ? static_cast<T>(quotient - 1) : quotient;
    } else {
      return static_cast<T>(a / b);
    }
  } else {
    typedef typename Math<T>::type M;
    M x = to<M>(a), y = to<M>(b);
    if (y == M(0)) return to<T>(x / y);
    M rest = fmod_of(x, y), quotient = (x - rest) / y;
    if (rest != M(0) && (y < M(0)) != (rest < M(0))) quotient -= M(1);
    if (quotient == M(0)) return to<T>(copysign(M(0), x / y));
    M whole = floor_of(quotient);
    return to<T>(quotient - whole > M(0.5) ? whole + M(1) : whole);
  }
}
#ifndef __QUERN_QUOTIENT_BY_PRODUCTS
template <class T>
__QUERN_DEVICE T floor_divide(const T& a, const Divisor<T>& b) { return floor_divide(a, b.number); }
template <class T>
__QUERN_DEVICE T remainder(const T& a, const Divisor<T>& b) { return remainder(a, b.number); }
#endif
__QUERN_DEVICE bool floor_divide(const bool& a, const bool& b) { return a && b; }
__QUERN_DEVICE bool remainder(const bool&, const bool&) { return false; }

template <class T>
__QUERN_DEVICE T fmod(const T& a, const T& b) {
  if constexpr (Type<T>::is_integer) {
    if (b == T(0)) return T(0);
    if (Type<T>::is_signed && b == T(-1)) return T(0);
    return static_cast<T>(a % b);
  } else {
    return fmod_of(a, b);
  }
}

template <class T>
__QUERN_DEVICE T power(const T& a, const T& b) {
  if constexpr (Type<T>::is_complex) {
    return quern::pow(a, b);
  } else if constexpr (Type<T>::is_integer) {
    T result = T(1), factor = a;
    if (Type<T>::is_signed && b < T(0)) return a == T(1) ? T(1) : a == T(-1) ? (b % 2 ? T(-1) : T(1)) : T(0);
    for (T left = b; left; left = static_cast<T>(left / 2)) {
      if (left % 2) result = multiply(result, factor);
      factor = multiply(factor, factor);
    }
    return result;
  } else {
    return power_of(a, b);
  }
}
__QUERN_DEVICE bool power(const bool& a, const bool& b) { return a || !b; }

template <class T>
__QUERN_DEVICE typename Wrap<T>::type magnitude(const T& a) {
  typedef typename Wrap<T>::type U;
  return a < T(0) ? U(0) - static_cast<U>(a) : static_cast<U>(a);
}
template <class U>
__QUERN_DEVICE U common_divisor(U x, U y) {
  while (y) {
    U rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}
template <class T>
__QUERN_DEVICE T gcd(const T& a, const T& b) {
  return static_cast<T>(common_divisor(magnitude(a), magnitude(b)));
}
template <class T>
__QUERN_DEVICE T lcm(const T& a, const T& b) {
  auto x = magnitude(a), y = magnitude(b), divisor = common_divisor(x, y);
  return divisor ? static_cast<T>(x / divisor * y) : T(0);  // too large a one wraps around, as NumPy's
}
__QUERN_DEVICE bool gcd(const bool& a, const bool& b) { return a || b; }
__QUERN_DEVICE bool lcm(const bool& a, const bool& b) { return a && b; }

// ---- parts and signs

template <class T>
__QUERN_DEVICE typename Type<T>::part absolute(const T& a) {
  if constexpr (Type<T>::is_complex) {
    return ::hypot(a.re, a.im);
  } else if constexpr (Type<T>::is_integer) {
    return a < T(0) ? negative(a) : a;
  } else {
    return fabs(a);
  }
}
__QUERN_DEVICE bool absolute(const bool& a) { return a; }
template <class T>
__QUERN_DEVICE T conjugate(const T& a) {
  if constexpr (Type<T>::is_complex) {
    return T(a.re, -a.im);
  } else {
    return a;
  }
}
template <class T>
__QUERN_DEVICE T sign(const T& a) {
  if constexpr (Type<T>::is_complex) {
    return quern::of_complex::sign(a);
  } else if constexpr (Type<T>::is_integer) {
    return static_cast<T>((a > T(0)) - (a < T(0)));
  } else {
    float zero = 0;
    if (is_nan(a)) return a;
    return to<T>(static_cast<float>((a > to<T>(zero)) - (a < to<T>(zero))));
  }
}
template <class T>
__QUERN_DEVICE bool signbit(const T& a) {
  if constexpr (Type<T>::is_integer) {
    return a < T(0);
  } else {
    typedef typename Math<T>::type M;
    return copysign(M(1), to<M>(a)) < M(0);
  }
}
template <class T>
__QUERN_DEVICE bool is_finite(const T& a) {
  if constexpr (Type<T>::is_complex) {
    return is_finite(a.re) && is_finite(a.im);
  } else if constexpr (Type<T>::is_integer) {
    return true;
  } else {
    typedef typename Math<T>::type M;
    M x = to<M>(a);
    return x - x == M(0);
  }
}
template <class T>
__QUERN_DEVICE bool is_inf(const T& a) {
  if constexpr (Type<T>::is_complex) {
    return is_inf(a.re) || is_inf(a.im);
  } else {
    return !is_finite(a) && !is_nan(a);
  }
}
template <class T>
__QUERN_DEVICE T heaviside(const T& a, const T& b) {
  float zero = 0, one = 1;
  if (is_nan(a)) return a;
  if (a == to<T>(zero)) return b;
  return a < to<T>(zero) ? to<T>(zero) : to<T>(one);
}

// ---- bits

template <class T>
__QUERN_DEVICE T bitwise_and(const T& a, const T& b) {
  return static_cast<T>(a & b);
}
template <class T>
__QUERN_DEVICE T bitwise_or(const T& a, const T& b) {
  return static_cast<T>(a | b);
}
template <class T>
__QUERN_DEVICE T bitwise_xor(const T& a, const T& b) {
  return static_cast<T>(a ^ b);
}
template <class T>
__QUERN_DEVICE T invert(const T& a) {
  return static_cast<T>(~a);
}
__QUERN_DEVICE bool invert(const bool& a) { return !a; }
template <class T>
__QUERN_DEVICE T left_shift(const T& a, const T& b) {
  typedef typename Wrap<T>::type U;
  bool inside = static_cast<U>(b) < sizeof(T) * 8;
  return inside ? static_cast<T>(static_cast<U>(a) << static_cast<U>(b)) : T(0);
}
template <class T>
__QUERN_DEVICE T right_shift(const T& a, const T& b) {
  typedef typename Wrap<T>::type U;
  if (static_cast<U>(b) < sizeof(T) * 8) return static_cast<T>(a >> b);
  return Type<T>::is_signed && a < T(0) ? static_cast<T>(-1) : T(0);
}
template <class T>
__QUERN_DEVICE unsigned char bitwise_count(const T& a) {
  typedef typename Wrap<T>::type U;
  U left = Type<T>::is_signed && a < T(0) ? U(0) - static_cast<U>(a) : static_cast<U>(a);
  unsigned char count = 0;
  for (; left; left &= left - 1) ++count;
  return count;
}

// Neighbours in memory, moved together.
template <class T, int n>
struct alignas(sizeof(T) * n) Pack {
  T v[n];
};

}  // namespace op
}  // namespace quern

#include "quern/reductions.cuh"
#include "quern/random.cuh"
#include "quern/special.cuh"
#include "quern/bessel.cuh"

}  // extern "C++"
