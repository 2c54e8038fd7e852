// quern::complex<T> for both compilers, with the operators and functions that CuPy's and Thrust's complex types have. The short
// name complex comes with cupy/complex.cuh or complex.cuh; the functions are in complex_functions.cuh. PyCUDA's type is one of
// its own, with these functions: pycuda-complex.hpp.
#pragma once

extern "C++" {
namespace quern {

// Parts side by side and aligned as a pair, as NumPy's arrays hold them.
template <class T>
struct __align__(2 * sizeof(T)) complex {
  typedef T value_type;
  T re, im;

  complex() = default;
  __QUERN_BOTH constexpr complex(const T& real, const T& imaginary = T()) : re(real), im(imaginary) {}
  template <class U>
  __QUERN_BOTH constexpr complex(const complex<U>& other) : re(static_cast<T>(other.re)), im(static_cast<T>(other.im)) {}

  __QUERN_BOTH constexpr T real() const { return re; }
  __QUERN_BOTH constexpr T imag() const { return im; }
  __QUERN_BOTH void real(T value) { re = value; }
  __QUERN_BOTH void imag(T value) { im = value; }
  __QUERN_BOTH complex& operator=(const T& value) {
    re = value;
    im = T();
    return *this;
  }
  template <class U>
  __QUERN_BOTH complex& operator=(const complex<U>& other) {
    return *this = complex(other);
  }
  // Volatile numbers are read and written part by part. Templates, so that the type stays trivial to copy.
  template <class U>
  __QUERN_BOTH constexpr complex(const volatile complex<U>& other) : re(static_cast<T>(other.re)), im(static_cast<T>(other.im)) {}
  template <class U>
  __QUERN_BOTH complex& operator=(const volatile complex<U>& other) {
    return *this = complex(other);
  }
  template <class U>
  __QUERN_BOTH void operator=(const complex<U>& other) volatile {
    re = static_cast<T>(other.re);
    im = static_cast<T>(other.im);
  }
  template <class U>
  __QUERN_BOTH complex& operator+=(const U& other) {
    return *this = *this + complex(other);
  }
  template <class U>
  __QUERN_BOTH complex& operator-=(const U& other) {
    return *this = *this - complex(other);
  }
  template <class U>
  __QUERN_BOTH complex& operator*=(const U& other) {
    return *this = *this * complex(other);
  }
  template <class U>
  __QUERN_BOTH complex& operator/=(const U& other) {
    return *this = *this / complex(other);
  }

  // Not templates, so that a scalar on either side converts.
  friend __QUERN_BOTH complex operator+(const complex& a, const complex& b) { return complex(a.re + b.re, a.im + b.im); }
  friend __QUERN_BOTH complex operator-(const complex& a, const complex& b) { return complex(a.re - b.re, a.im - b.im); }
  friend __QUERN_BOTH complex operator*(const complex& a, const complex& b) {
    return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  }
  // Smith's way: scaled by the divisor's larger part, so that nothing overflows on the way.
  friend __QUERN_BOTH complex operator/(const complex& a, const complex& b) {
    T size_re = b.re < T() ? -b.re : b.re, size_im = b.im < T() ? -b.im : b.im;
    if (size_re >= size_im) {
      if (size_re == T()) return complex(a.re / (size_re + T()), a.im / (size_re + T()));  // + 0: of -0 it is 0
      T ratio = b.im / b.re, scale = T(1) / (b.re + b.im * ratio);
      return complex((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
    }
    T ratio = b.re / b.im, scale = T(1) / (b.re * ratio + b.im);
    return complex((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
  }
  friend __QUERN_BOTH complex operator+(const complex& a) { return a; }
  friend __QUERN_BOTH complex operator-(const complex& a) { return complex(-a.re, -a.im); }
  friend __QUERN_BOTH bool operator==(const complex& a, const complex& b) { return a.re == b.re && a.im == b.im; }
  friend __QUERN_BOTH bool operator!=(const complex& a, const complex& b) { return !(a == b); }
};

template <class T>
__QUERN_BOTH complex<T> operator+(const volatile complex<T>& a, const volatile complex<T>& b) {
  return complex<T>(a) + complex<T>(b);
}
template <class T>
__QUERN_BOTH complex<T> operator-(const volatile complex<T>& a, const volatile complex<T>& b) {
  return complex<T>(a) - complex<T>(b);
}
template <class T>
__QUERN_BOTH complex<T> operator*(const volatile complex<T>& a, const volatile complex<T>& b) {
  return complex<T>(a) * complex<T>(b);
}
template <class T>
__QUERN_BOTH complex<T> operator/(const volatile complex<T>& a, const volatile complex<T>& b) {
  return complex<T>(a) / complex<T>(b);
}

template <class T>
__QUERN_BOTH T real(const complex<T>& z) {
  return z.re;
}
template <class T>
__QUERN_BOTH T imag(const complex<T>& z) {
  return z.im;
}
template <class T>
__QUERN_BOTH complex<T> conj(const complex<T>& z) {
  return complex<T>(z.re, -z.im);
}
template <class T>
__QUERN_BOTH T norm(const complex<T>& z) {
  return z.re * z.re + z.im * z.im;
}
template <class T>
__QUERN_DEVICE T abs(const complex<T>& z) {
  return ::hypot(z.re, z.im);
}
template <class T>
__QUERN_DEVICE T arg(const complex<T>& z) {
  return ::atan2(z.im, z.re);
}
template <class T>
__QUERN_DEVICE complex<T> polar(const T& length, const T& angle) {
  return complex<T>(length * ::cos(angle), length * ::sin(angle));
}

}  // namespace quern
}  // extern "C++"

#include "quern/complex_functions.cuh"
