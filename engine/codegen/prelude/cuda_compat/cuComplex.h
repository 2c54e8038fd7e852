// CUDA's C interface to complex numbers.
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_
#include "quern/complex.cuh"
extern "C++" {
typedef float2 cuFloatComplex;
__QUERN_BOTH float cuCrealf(cuFloatComplex z) { return z.x; }
__QUERN_BOTH float cuCimagf(cuFloatComplex z) { return z.y; }
__QUERN_BOTH cuFloatComplex make_cuFloatComplex(float real, float imag) { return make_float2(real, imag); }
__QUERN_BOTH cuFloatComplex cuConjf(cuFloatComplex z) { return make_float2(z.x, -z.y); }
__QUERN_BOTH cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return make_float2(a.x + b.x, a.y + b.y); }
__QUERN_BOTH cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return make_float2(a.x - b.x, a.y - b.y); }
__QUERN_BOTH cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__QUERN_BOTH cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
  quern::complex<float> quotient = quern::complex<float>(a.x, a.y) / quern::complex<float>(b.x, b.y);
  return make_float2(quotient.re, quotient.im);
}
__QUERN_DEVICE float cuCabsf(cuFloatComplex z) { return hypot(z.x, z.y); }
__QUERN_DEVICE cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  return make_float2(fma(a.x, b.x, fma(-a.y, b.y, c.x)), fma(a.x, b.y, fma(a.y, b.x, c.y)));
}

typedef double2 cuDoubleComplex;
__QUERN_BOTH double cuCreal(cuDoubleComplex z) { return z.x; }
__QUERN_BOTH double cuCimag(cuDoubleComplex z) { return z.y; }
__QUERN_BOTH cuDoubleComplex make_cuDoubleComplex(double real, double imag) { return make_double2(real, imag); }
__QUERN_BOTH cuDoubleComplex cuConj(cuDoubleComplex z) { return make_double2(z.x, -z.y); }
__QUERN_BOTH cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) { return make_double2(a.x + b.x, a.y + b.y); }
__QUERN_BOTH cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) { return make_double2(a.x - b.x, a.y - b.y); }
__QUERN_BOTH cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) {
  return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__QUERN_BOTH cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
  quern::complex<double> quotient = quern::complex<double>(a.x, a.y) / quern::complex<double>(b.x, b.y);
  return make_double2(quotient.re, quotient.im);
}
__QUERN_DEVICE double cuCabs(cuDoubleComplex z) { return hypot(z.x, z.y); }
__QUERN_DEVICE cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return make_double2(fma(a.x, b.x, fma(-a.y, b.y, c.x)), fma(a.x, b.y, fma(a.y, b.x, c.y)));
}

typedef cuFloatComplex cuComplex;
__QUERN_BOTH cuComplex make_cuComplex(float real, float imag) { return make_float2(real, imag); }
__QUERN_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_double2(z.x, z.y); }
__QUERN_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_float2(static_cast<float>(z.x), static_cast<float>(z.y));
}
}  // extern "C++"
#endif
