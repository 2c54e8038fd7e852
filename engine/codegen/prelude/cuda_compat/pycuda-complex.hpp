// pycuda::complex<T>: the arithmetic of quern::complex<T>, but aligned as its parts are and with the parts' names that PyCUDA's
// header has, so that structures with complex numbers lie as its users' dtypes say.
#pragma once
#include "quern/complex.cuh"

extern "C++" {
namespace pycuda {

template <class T>
struct complex {
  typedef T value_type;
  T _M_re, _M_im;  // PyCUDA's kernels set them by these names: real() and imag() are only read

  complex() = default;
  __QUERN_BOTH constexpr complex(const T& real, const T& imaginary = T()) : _M_re(real), _M_im(imaginary) {}
  template <class U>
  __QUERN_BOTH constexpr complex(const complex<U>& other)
      : _M_re(static_cast<T>(other._M_re)), _M_im(static_cast<T>(other._M_im)) {}
  // Volatile numbers are read and written part by part. Templates, so that the type stays trivial to copy.
  template <class U>
  __QUERN_BOTH constexpr complex(const volatile complex<U>& other)
      : _M_re(static_cast<T>(other._M_re)), _M_im(static_cast<T>(other._M_im)) {}
  template <class U>
  __QUERN_BOTH constexpr complex(const quern::complex<U>& other)
      : _M_re(static_cast<T>(other.re)), _M_im(static_cast<T>(other.im)) {}
  template <class U>
  __QUERN_BOTH explicit constexpr operator quern::complex<U>() const {
    return quern::complex<U>(static_cast<U>(_M_re), static_cast<U>(_M_im));
  }
  __QUERN_BOTH constexpr quern::complex<T> aligned() const { return quern::complex<T>(_M_re, _M_im); }

  __QUERN_BOTH constexpr T real() const { return _M_re; }
  __QUERN_BOTH constexpr T imag() const { return _M_im; }
  __QUERN_BOTH complex& operator=(const T& value) {
    _M_re = value;
    _M_im = T();
    return *this;
  }
  template <class U>
  __QUERN_BOTH complex& operator=(const complex<U>& other) {
    return *this = complex(other);
  }
  template <class U>
  __QUERN_BOTH complex& operator=(const volatile complex<U>& other) {
    return *this = complex(other);
  }
  template <class U>
  __QUERN_BOTH void operator=(const complex<U>& other) volatile {
    _M_re = static_cast<T>(other._M_re);
    _M_im = static_cast<T>(other._M_im);
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
  friend __QUERN_BOTH complex operator+(const complex& a, const complex& b) { return a.aligned() + b.aligned(); }
  friend __QUERN_BOTH complex operator-(const complex& a, const complex& b) { return a.aligned() - b.aligned(); }
  friend __QUERN_BOTH complex operator*(const complex& a, const complex& b) { return a.aligned() * b.aligned(); }
  friend __QUERN_BOTH complex operator/(const complex& a, const complex& b) { return a.aligned() / b.aligned(); }
  friend __QUERN_BOTH complex operator+(const complex& a) { return a; }
  friend __QUERN_BOTH complex operator-(const complex& a) { return -a.aligned(); }
  friend __QUERN_BOTH bool operator==(const complex& a, const complex& b) { return a.aligned() == b.aligned(); }
  friend __QUERN_BOTH bool operator!=(const complex& a, const complex& b) { return a.aligned() != b.aligned(); }
};

#define __QUERN_OPERATOR(sign)                                                                        \
  template <class T>                                                                                  \
  __QUERN_BOTH complex<T> operator sign(const volatile complex<T>& a, const volatile complex<T>& b) { \
    return complex<T>(a).aligned() sign complex<T>(b).aligned();                                      \
  }
__QUERN_OPERATOR(+)
__QUERN_OPERATOR(-)
__QUERN_OPERATOR(*)
__QUERN_OPERATOR(/)
#undef __QUERN_OPERATOR

#define __QUERN_FUNCTION(result, name)              \
  template <class T>                                \
  __QUERN_DEVICE result name(const complex<T>& z) { \
    return quern::name(z.aligned());                \
  }
__QUERN_FUNCTION(T, real)
__QUERN_FUNCTION(T, imag)
__QUERN_FUNCTION(T, abs)
__QUERN_FUNCTION(T, arg)
__QUERN_FUNCTION(T, norm)
__QUERN_FUNCTION(complex<T>, conj)
__QUERN_FUNCTION(complex<T>, exp)
__QUERN_FUNCTION(complex<T>, log)
__QUERN_FUNCTION(complex<T>, log10)
__QUERN_FUNCTION(complex<T>, sqrt)
__QUERN_FUNCTION(complex<T>, sin)
__QUERN_FUNCTION(complex<T>, cos)
__QUERN_FUNCTION(complex<T>, tan)
__QUERN_FUNCTION(complex<T>, sinh)
__QUERN_FUNCTION(complex<T>, cosh)
__QUERN_FUNCTION(complex<T>, tanh)
#undef __QUERN_FUNCTION

template <class T>
__QUERN_DEVICE complex<T> pow(const complex<T>& z, int n) {
  return quern::pow(z.aligned(), n);
}
template <class T>
__QUERN_DEVICE complex<T> pow(const complex<T>& z, const T& w) {
  return quern::pow(z.aligned(), w);
}
template <class T>
__QUERN_DEVICE complex<T> pow(const complex<T>& z, const complex<T>& w) {
  return quern::pow(z.aligned(), w.aligned());
}
template <class T>
__QUERN_DEVICE complex<T> pow(const T& z, const complex<T>& w) {
  return quern::pow(z, w.aligned());
}
template <class T>
__QUERN_DEVICE complex<T> polar(const T& length, const T& angle) {
  return quern::polar(length, angle);
}
template <class T>
__QUERN_DEVICE complex<T> polar(const T& length) {
  return complex<T>(length);
}

}  // namespace pycuda
}  // extern "C++"
