// Numbers of any of PyCUDA's types in textures: doubles and complex numbers lie there as integers and are put together again.
#pragma once
#include "pycuda-complex.hpp"
#include "quern/texture_references.cuh"

extern "C++" {

typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

template <class T>
__QUERN_DEVICE T __quern_plain(T x) {
  return x;
}
__QUERN_DEVICE double __quern_plain(int2 x) { return __hiloint2double(x.y, x.x); }
__QUERN_DEVICE pycuda::complex<float> __quern_plain(uint2 x) {
  return pycuda::complex<float>(__uint_as_float(x.x), __uint_as_float(x.y));
}
__QUERN_DEVICE pycuda::complex<double> __quern_plain(int4 x) {
  return pycuda::complex<double>(__hiloint2double(x.y, x.x), __hiloint2double(x.w, x.z));
}

#define __QUERN_FP_TEXTURE(name, axes, parameters, ...)                                               \
  template <class T, cudaTextureReadMode mode>                                                        \
  __QUERN_DEVICE auto fp_##name(const texture<T, axes, mode>& reference, __QUERN_UNPACKED parameters) \
      ->decltype(__quern_plain(typename __quern_read<T, mode>::type())) {                             \
    return __quern_plain(name(reference, __VA_ARGS__));                                               \
  }
#define __QUERN_UNPACKED(...) __VA_ARGS__
__QUERN_FP_TEXTURE(tex1Dfetch, 1, (int i), i)
__QUERN_FP_TEXTURE(tex1D, 1, (float x), x)
__QUERN_FP_TEXTURE(tex2D, 2, (float x, float y), x, y)
__QUERN_FP_TEXTURE(tex3D, 3, (float x, float y, float z), x, y, z)
__QUERN_FP_TEXTURE(tex1DLayered, 0xf1, (float x, int layer), x, layer)
__QUERN_FP_TEXTURE(tex2DLayered, 0xf2, (float x, float y, int layer), x, y, layer)
#undef __QUERN_FP_TEXTURE

// How such a number lies there.
template <class T>
__QUERN_DEVICE T __quern_texel_of(T x) {
  return x;
}
__QUERN_DEVICE int2 __quern_texel_of(double x) { return make_int2(__double2loint(x), __double2hiint(x)); }
__QUERN_DEVICE uint2 __quern_texel_of(pycuda::complex<float> x) {
  return make_uint2(__float_as_uint(x.real()), __float_as_uint(x.imag()));
}
__QUERN_DEVICE int4 __quern_texel_of(pycuda::complex<double> x) {
  const int2 re = __quern_texel_of(x.real()), im = __quern_texel_of(x.imag());
  return make_int4(re.x, re.y, im.x, im.y);
}

// Surfaces: here x counts numbers.
#define __QUERN_FP_SURFACE(name, axes, parameters, ...)                                                            \
  template <class T>                                                                                               \
  __QUERN_DEVICE void fp_##name##write(T value, const surface<void, axes>& reference, __QUERN_UNPACKED parameters, \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                      \
    name##write(__quern_texel_of(value), reference, __VA_ARGS__, mode);                                            \
  }                                                                                                                \
  template <class T>                                                                                               \
  __QUERN_DEVICE void fp_##name##read(T* to, const surface<void, axes>& reference, __QUERN_UNPACKED parameters,    \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                       \
    decltype(__quern_texel_of(T())) texel;                                                                         \
    name##read(&texel, reference, __VA_ARGS__, mode);                                                              \
    *to = __quern_plain(texel);                                                                                    \
  }
__QUERN_FP_SURFACE(surf1D, 1, (int x), x* int(sizeof(T)))
__QUERN_FP_SURFACE(surf2D, 2, (int x, int y), x* int(sizeof(T)), y)
__QUERN_FP_SURFACE(surf3D, 3, (int x, int y, int z), x* int(sizeof(T)), y, z)
__QUERN_FP_SURFACE(surf1DLayered, 0xf1, (int x, int layer), x* int(sizeof(T)), layer)
__QUERN_FP_SURFACE(surf2DLayered, 0xf2, (int x, int y, int layer), x* int(sizeof(T)), y, layer)
#undef __QUERN_UNPACKED
#undef __QUERN_FP_SURFACE

}  // extern "C++"
