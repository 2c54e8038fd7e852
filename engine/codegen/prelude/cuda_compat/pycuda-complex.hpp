// complex<T> under the names that PyCUDA's header gives it.
#pragma once
#include "quern/complex.cuh"
namespace pycuda {
using quern::complex;
}
