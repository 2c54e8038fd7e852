// complex<T> and its functions under the names that PyCUDA's header gives them.
#pragma once
#include "quern/complex.cuh"

// The parts, which PyCUDA's kernels set by these names: its real() and imag() are only read.
#define _M_re re
#define _M_im im

extern "C++" {
namespace pycuda {
using quern::abs;
using quern::arg;
using quern::complex;
using quern::conj;
using quern::cos;
using quern::cosh;
using quern::exp;
using quern::imag;
using quern::log;
using quern::log10;
using quern::norm;
using quern::polar;
using quern::pow;
using quern::real;
using quern::sin;
using quern::sinh;
using quern::sqrt;
using quern::tan;
using quern::tanh;
template <class T>
__QUERN_DEVICE complex<T> polar(const T& length) {
  return complex<T>(length);
}
}  // namespace pycuda
}  // extern "C++"
