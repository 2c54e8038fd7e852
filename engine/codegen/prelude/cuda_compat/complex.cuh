// complex<float> and complex<double> under their short name.
#pragma once
#include "quern/complex.cuh"
using quern::complex;
