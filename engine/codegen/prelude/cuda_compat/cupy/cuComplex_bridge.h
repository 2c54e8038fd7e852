// cuComplex.h over complex<T>: what RawKernel(translate_cucomplex=True) puts in front. cuComplex values are complex<T> then, so
// that their operators work, and each function takes both precisions, with or without the `f`, mixed with real numbers too.
#pragma once
#define CU_COMPLEX_H_
#include "cupy/complex.cuh"
extern "C++" {

typedef quern::complex<float> cuFloatComplex;
typedef quern::complex<float> cuComplex;
typedef quern::complex<double> cuDoubleComplex;

#define __QUERN_BRIDGE_1(name, result, value)   \
  template <class T>                            \
  __device__ result name(quern::complex<T> z) { \
    return value;                               \
  }
#define __QUERN_BRIDGE_2(name, op)                                   \
  template <class A, class B>                                        \
  __device__ auto name(const A& a, const B& b) -> decltype(a op b) { \
    return a op b;                                                   \
  }

__device__ inline cuFloatComplex make_cuFloatComplex(float x, float y) { return cuFloatComplex(x, y); }
__device__ inline cuComplex make_cuComplex(float x, float y) { return cuComplex(x, y); }
__device__ inline cuDoubleComplex make_cuDoubleComplex(double x, double y) { return cuDoubleComplex(x, y); }
__device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return cuDoubleComplex(z.real(), z.imag()); }
__device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return cuFloatComplex(float(z.real()), float(z.imag()));
}

__QUERN_BRIDGE_1(cuCreal, T, z.real())
__QUERN_BRIDGE_1(cuCrealf, T, z.real())
__QUERN_BRIDGE_1(cuCimag, T, z.imag())
__QUERN_BRIDGE_1(cuCimagf, T, z.imag())
__QUERN_BRIDGE_1(cuConj, quern::complex<T>, quern::complex<T>(z.real(), -z.imag()))
__QUERN_BRIDGE_1(cuConjf, quern::complex<T>, quern::complex<T>(z.real(), -z.imag()))
__QUERN_BRIDGE_1(cuCabs, T, hypot(z.real(), z.imag()))
__QUERN_BRIDGE_1(cuCabsf, T, hypot(z.real(), z.imag()))
__QUERN_BRIDGE_2(cuCadd, +)
__QUERN_BRIDGE_2(cuCaddf, +)
__QUERN_BRIDGE_2(cuCsub, -)
__QUERN_BRIDGE_2(cuCsubf, -)
__QUERN_BRIDGE_2(cuCmul, *)
__QUERN_BRIDGE_2(cuCmulf, *)
__QUERN_BRIDGE_2(cuCdiv, /)
__QUERN_BRIDGE_2(cuCdivf, /)
template <class A, class B, class C>
__device__ auto cuCfma(const A& a, const B& b, const C& c) -> decltype(a * b + c) {
  return a * b + c;
}
template <class A, class B, class C>
__device__ auto cuCfmaf(const A& a, const B& b, const C& c) -> decltype(a * b + c) {
  return a * b + c;
}
#undef __QUERN_BRIDGE_1
#undef __QUERN_BRIDGE_2
}
