// names: convolve<ResultOf, float, float>; convolve<InputOf, double, double>; convolve<WeightOf, __half, float>
// names: convolve<ResultOf, __nv_bfloat16, __nv_bfloat16>; convolve<WeightOf, complex<float>, complex<float>>
// names: sum_parts<float, __half>; sum_parts<complex<double>, complex<double>>
#include "quern/convolution.cuh"
using quern::complex;
using namespace quern::op;
