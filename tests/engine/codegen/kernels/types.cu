#include "quern/array.cuh"
using namespace quern;
typedef int I;

extern "C" __global__ void group(const quern::complex<float>* a0, const __half* a1, const int* a2, quern::complex<double>* o0, float c0, float c0i, I n0) {
  const I i0 = (I)blockIdx.x * blockDim.x + threadIdx.x;
  if (i0 >= n0) return;
  const quern::complex<float> k0(c0, c0i);
  const quern::complex<float> x0 = a0[i0];
  const __half x1 = a1[i0];
  const int x2 = a2[i0];
  quern::complex<float> v0;
  { const quern::complex<float> a = x0; const quern::complex<float> b = k0; v0 = op::add(a, b); }
  double v1;
  { const double a = op::to<double>(x1); const double b = op::to<double>(x2); v1 = op::add(a, b); }
  quern::complex<double> v2;
  { const quern::complex<double> a = op::to<quern::complex<double>>(v1); const quern::complex<double> b = op::to<quern::complex<double>>(v0); v2 = op::multiply(a, b); }
  o0[i0] = v2;
}
