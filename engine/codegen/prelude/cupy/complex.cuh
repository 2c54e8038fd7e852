// complex<T> under the names that CuPy's header gives it.
#pragma once
#include "complex.cuh"
namespace thrust {
using quern::complex;
}
