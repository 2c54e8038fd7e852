// The operations that fastmath() lets the CPU's compiler reorder, and fuse with their neighbours: it may do so with the functions
// of this namespace, and with no others (allow_any_order()). Functions such as log1p rely on the rounding of each step.
#pragma once

#include "quern/array.cuh"

namespace quern {
namespace fast {

template <class T>
__QUERN_DEVICE T add(const T& a, const T& b) {
  return a + b;
}
template <class T>
__QUERN_DEVICE T subtract(const T& a, const T& b) {
  return a - b;
}
template <class T>
__QUERN_DEVICE T multiply(const T& a, const T& b) {
  return a * b;
}
template <class T>
__QUERN_DEVICE T negative(const T& a) {
  return -a;
}

// Of complex numbers by their parts, so that the arithmetic is here.
template <class T>
__QUERN_DEVICE complex<T> add(const complex<T>& a, const complex<T>& b) {
  return complex<T>(a.real() + b.real(), a.imag() + b.imag());
}
template <class T>
__QUERN_DEVICE complex<T> subtract(const complex<T>& a, const complex<T>& b) {
  return complex<T>(a.real() - b.real(), a.imag() - b.imag());
}
template <class T>
__QUERN_DEVICE complex<T> multiply(const complex<T>& a, const complex<T>& b) {
  return complex<T>(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}
template <class T>
__QUERN_DEVICE complex<T> negative(const complex<T>& a) {
  return complex<T>(-a.real(), -a.imag());
}

template <class T>
__QUERN_DEVICE T square(const T& a) {
  return multiply(a, a);
}

}  // namespace fast
}  // namespace quern
