// complex<T> under the names that CuPy's header gives it.
#pragma once
#include "quern/complex.cuh"
using quern::complex;
namespace thrust {
using quern::complex;
}
