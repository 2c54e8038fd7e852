// complex<T> under the names that CuPy's header gives it.
#pragma once
#include "quern/complex.cuh"
using quern::complex;
namespace thrust {
using quern::complex;
using quern::abs;
using quern::acos;
using quern::acosh;
using quern::arg;
using quern::asin;
using quern::asinh;
using quern::atan;
using quern::atanh;
using quern::conj;
using quern::cos;
using quern::cosh;
using quern::exp;
using quern::log;
using quern::log10;
using quern::norm;
using quern::polar;
using quern::pow;
using quern::proj;
using quern::sin;
using quern::sinh;
using quern::sqrt;
using quern::tan;
using quern::tanh;
}  // namespace thrust
