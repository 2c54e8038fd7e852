// thrust::complex is the prelude's.
#pragma once
#include "cupy/complex.cuh"
