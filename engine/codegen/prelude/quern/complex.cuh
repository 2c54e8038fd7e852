// quern::complex<T> for both compilers, with the operators and functions that CuPy's, PyCUDA's and Thrust's complex types have.
// The short name complex comes with cupy/complex.cuh, pycuda-complex.hpp or complex.cuh.
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
      if (size_re == T()) return complex(a.re / size_re, a.im / size_im);
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
template <class T>
__QUERN_BOTH complex<T> proj(const complex<T>& z) {
  return z;
}

template <class T>
__QUERN_DEVICE complex<T> exp(const complex<T>& z) {
  return polar(::exp(z.re), z.im);
}
template <class T>
__QUERN_DEVICE complex<T> log(const complex<T>& z) {
  return complex<T>(::log(abs(z)), arg(z));
}
template <class T>
__QUERN_DEVICE complex<T> log2(const complex<T>& z) {
  return log(z) * complex<T>(T(1.44269504088896340736));
}
template <class T>
__QUERN_DEVICE complex<T> log10(const complex<T>& z) {
  return log(z) * complex<T>(T(0.43429448190325182765));
}
template <class T>
__QUERN_DEVICE complex<T> sqrt(const complex<T>& z) {
  T length = abs(z);
  if (length == T()) return complex<T>(T(), z.im);
  T half = ::sqrt((length + (z.re < T() ? -z.re : z.re)) * T(0.5));
  T other = z.im / (T(2) * half);
  if (z.re >= T()) return complex<T>(half, other);
  return complex<T>(other < T() ? -other : other, ::copysign(half, z.im));
}
template <class T>
__QUERN_DEVICE complex<T> pow(const complex<T>& z, const complex<T>& w) {
  if (z == complex<T>(T())) return complex<T>(w == complex<T>(T()) ? T(1) : T());
  return exp(w * log(z));
}
template <class T>
__QUERN_DEVICE complex<T> pow(const complex<T>& z, const T& w) {
  return pow(z, complex<T>(w));
}
template <class T>
__QUERN_DEVICE complex<T> pow(const T& z, const complex<T>& w) {
  return pow(complex<T>(z), w);
}
template <class T>
__QUERN_DEVICE complex<T> pow(const complex<T>& z, int n) {
  complex<T> power(T(1)), square = z;
  for (unsigned int left = n < 0 ? 0u - static_cast<unsigned int>(n) : static_cast<unsigned int>(n); left; left >>= 1) {
    if (left & 1) power = power * square;
    square = square * square;
  }
  return n < 0 ? complex<T>(T(1)) / power : power;
}
template <class T>
__QUERN_DEVICE complex<T> sin(const complex<T>& z) {
  return complex<T>(::sin(z.re) * ::cosh(z.im), ::cos(z.re) * ::sinh(z.im));
}
template <class T>
__QUERN_DEVICE complex<T> cos(const complex<T>& z) {
  return complex<T>(::cos(z.re) * ::cosh(z.im), -::sin(z.re) * ::sinh(z.im));
}
template <class T>
__QUERN_DEVICE complex<T> sinh(const complex<T>& z) {
  return complex<T>(::sinh(z.re) * ::cos(z.im), ::cosh(z.re) * ::sin(z.im));
}
template <class T>
__QUERN_DEVICE complex<T> cosh(const complex<T>& z) {
  return complex<T>(::cosh(z.re) * ::cos(z.im), ::sinh(z.re) * ::sin(z.im));
}
template <class T>
__QUERN_DEVICE complex<T> tanh(const complex<T>& z) {
  if (::fabs(z.re) > T(20)) return complex<T>(::copysign(T(1), z.re), T());
  T below = ::sinh(z.re) * ::sinh(z.re) + ::cos(z.im) * ::cos(z.im);
  return complex<T>(::sinh(z.re) * ::cosh(z.re) / below, ::sin(z.im) * ::cos(z.im) / below);
}
template <class T>
__QUERN_DEVICE complex<T> tan(const complex<T>& z) {
  complex<T> w = tanh(complex<T>(-z.im, z.re));  // tan z = -i tanh(i z)
  return complex<T>(w.im, -w.re);
}
template <class T>
__QUERN_DEVICE complex<T> asinh(const complex<T>& z) {
  complex<T> one(T(1));
  complex<T> w = log((z.re < T() ? -z : z) + sqrt(z * z + one));
  return z.re < T() ? -w : w;
}
template <class T>
__QUERN_DEVICE complex<T> asin(const complex<T>& z) {
  complex<T> w = asinh(complex<T>(-z.im, z.re));
  return complex<T>(w.im, -w.re);
}
template <class T>
__QUERN_DEVICE complex<T> acos(const complex<T>& z) {
  return complex<T>(T(1.57079632679489661923)) - asin(z);
}
template <class T>
__QUERN_DEVICE complex<T> acosh(const complex<T>& z) {
  complex<T> one(T(1));
  return log(z + sqrt(z + one) * sqrt(z - one));
}
template <class T>
__QUERN_DEVICE complex<T> atanh(const complex<T>& z) {
  complex<T> one(T(1));
  return (log(one + z) - log(one - z)) * complex<T>(T(0.5));
}
template <class T>
__QUERN_DEVICE complex<T> atan(const complex<T>& z) {
  complex<T> w = atanh(complex<T>(-z.im, z.re));
  return complex<T>(w.im, -w.re);
}

}  // namespace quern
}  // extern "C++"
