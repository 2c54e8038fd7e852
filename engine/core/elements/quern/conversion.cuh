// The types of elements, what is known of each, and how one becomes another: to<T>(). Only for array.cuh.
#pragma once

namespace quern {
namespace op {

__QUERN_SHORT(typedef __half float16;)
__QUERN_SHORT(typedef __nv_bfloat16 bfloat16;)
typedef complex<float> complex64;
typedef complex<double> complex128;

// ---- what is known of a type

template <class T>
struct Type {  // an integer
  static constexpr bool is_integer = true, is_signed = T(-1) < T(0), is_complex = false;
  typedef T part;
};
template <>
struct Type<bool> {
  static constexpr bool is_integer = true, is_signed = false, is_complex = false;
  typedef bool part;
};
#define __QUERN_REAL(T)                                                               \
  template <>                                                                         \
  struct Type<T> {                                                                    \
    static constexpr bool is_integer = false, is_signed = true, is_complex = false;   \
    typedef T part;                                                                   \
  };
__QUERN_SHORT(__QUERN_REAL(float16))
__QUERN_SHORT(__QUERN_REAL(bfloat16))
__QUERN_REAL(float)
__QUERN_REAL(double)
#undef __QUERN_REAL
template <class P>
struct Type<complex<P>> {
  static constexpr bool is_integer = false, is_signed = true, is_complex = true;
  typedef P part;
};

// ---- conversion
//
// Reals as integers lose what comes after the point. What is beyond the integers, and NaN, becomes what NumPy makes of it on an
// x86-64 (docs/numerics.md), the same wherever the text runs: numbers of up to 16 bits and int32 by way of int32, uint32 by way of
// int64; what those do not hold is their least number.

#define __QUERN_WHOLE(T, size)                                                                               \
  __QUERN_DEVICE int whole_32(T x) {                                                                         \
    return size(x) < T(2147483648.0) ? __quern_int_of(x) : -2147483647 - 1;                                  \
  }                                                                                                          \
  __QUERN_DEVICE long long whole_64(T x) {                                                                   \
    return size(x) < T(9223372036854775808.0) ? __quern_long_of(x) : -9223372036854775807ll - 1;             \
  }
__QUERN_WHOLE(float, ::fabsf)
__QUERN_WHOLE(double, ::fabs)
#undef __QUERN_WHOLE
template <class To, class From>
__QUERN_DEVICE To whole(const From& x) {
  if constexpr (sizeof(To) < 4 || (sizeof(To) == 4 && Type<To>::is_signed)) {
    return static_cast<To>(whole_32(x));
  } else if constexpr (sizeof(To) == 4 || Type<To>::is_signed) {
    return static_cast<To>(whole_64(x));
  } else {
    // From 2 ** 63 on: the rest, and that bit.
    const From half = From(9223372036854775808.0);
    const bool upper = x >= half;
    return static_cast<To>(static_cast<unsigned long long>(whole_64(upper ? x - half : x)) ^ (upper ? 1ull << 63 : 0ull));
  }
}

template <class To>
struct Into {
  template <class From>
  __QUERN_DEVICE static To from(const From& x) {
    if constexpr (Type<To>::is_integer && !Type<From>::is_integer) {
      return whole<To>(x);
    } else {
      return static_cast<To>(x);
    }
  }
  template <class P>
  __QUERN_DEVICE static To from(const complex<P>& z) {
    return from(z.re);
  }
  __QUERN_SHORT(__QUERN_DEVICE static To from(const float16& x) { return from(static_cast<float>(x)); })
  __QUERN_SHORT(__QUERN_DEVICE static To from(const bfloat16& x) { return from(static_cast<float>(x)); })
};
template <>
struct Into<bool> {
  template <class From>
  __QUERN_DEVICE static bool from(const From& x) {
    return x != From(0);
  }
  template <class P>
  __QUERN_DEVICE static bool from(const complex<P>& z) {
    return z.re != P(0) || z.im != P(0);
  }
  __QUERN_SHORT(__QUERN_DEVICE static bool from(const float16& x) { return static_cast<float>(x) != 0; })
  __QUERN_SHORT(__QUERN_DEVICE static bool from(const bfloat16& x) { return static_cast<float>(x) != 0; })
};
template <class P>
struct Into<complex<P>> {
  template <class From>
  __QUERN_DEVICE static complex<P> from(const From& x) {
    return complex<P>(Into<P>::from(x));
  }
  template <class Q>
  __QUERN_DEVICE static complex<P> from(const complex<Q>& z) {
    return complex<P>(static_cast<P>(z.re), static_cast<P>(z.im));
  }
};
#ifndef QUERN_NO_SHORT_FLOATS
template <>
struct Into<float16> {
  template <class From>
  __QUERN_DEVICE static float16 from(const From& x) {
    return float16(static_cast<double>(x));
  }
  template <class P>
  __QUERN_DEVICE static float16 from(const complex<P>& z) {
    return float16(static_cast<double>(z.re));
  }
  __QUERN_DEVICE static float16 from(const float& x) { return float16(x); }
  __QUERN_DEVICE static float16 from(const bfloat16& x) { return float16(static_cast<float>(x)); }
  __QUERN_DEVICE static float16 from(const float16& x) { return x; }
};
template <>
struct Into<bfloat16> {
  template <class From>
  __QUERN_DEVICE static bfloat16 from(const From& x) {
    return bfloat16(static_cast<float>(x));
  }
  template <class P>
  __QUERN_DEVICE static bfloat16 from(const complex<P>& z) {
    return bfloat16(static_cast<float>(z.re));
  }
  __QUERN_DEVICE static bfloat16 from(const bfloat16& x) { return x; }
};
#endif

template <class To, class From>
__QUERN_DEVICE To to(const From& x) {
  return Into<To>::from(x);
}

}  // namespace op
}  // namespace quern
