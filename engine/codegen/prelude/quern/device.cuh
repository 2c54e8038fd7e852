// Read before every text, by both compilers. NVRTC has CUDA C++ built in and needs next to nothing; for the CPU the files
// below define it all. Their order matters: each uses the ones before it.
//
//   keywords.cuh      __global__ and related keywords, threadIdx, dim3, barriers, fences
//   vector_types.cuh  char1 ... double4, make_float4
//   math.cuh          sinf, sin, fmax ... in float and double; math_vector.cuh has bodies of some, math_special.cuh the rare ones
//   integer.cuh       __popc, __brev, __mulhi ...
//   casts.cuh         __float_as_int, __float2int_rn, __fadd_rz ...
//   runtime.cuh       printf, assert, clock, malloc
//   texture.cuh       tex2D, surf2Dwrite ...
//   atomics.cuh, warp.cuh
//   half.cuh, bfloat.cuh, complex.cuh, array.cuh, python_atomics.cuh and ptx.cuh are part of the precompiled header, where they cost
//   nothing; cuda_fp16.h and cupy/complex.cuh then only bring in the short names. Without it they are read when they are included.
#pragma once

#ifdef __clang__
// clang-format off
#include "quern/keywords.cuh"
#include "quern/vector_types.cuh"
#include "quern/math_vector.cuh"
#include "quern/math.cuh"
#include "quern/math_special.cuh"
#include "quern/integer.cuh"
#include "quern/casts.cuh"
#include "quern/runtime.cuh"
#include "quern/texture.cuh"
#include "quern/atomics.cuh"
#include "quern/warp.cuh"
#ifdef __QUERN_PRECOMPILING__
#include "quern/half.cuh"
#include "quern/complex.cuh"
#include "quern/array.cuh"
#include "quern/python_atomics.cuh"
#include "quern/ptx.cuh"
#endif
// clang-format on
#else
#define __QUERN_DEVICE __device__ __forceinline__
#define __QUERN_BOTH __host__ __device__ __forceinline__
// See casts.cuh.
template <class T>
__QUERN_DEVICE int __quern_int_of(T x) {
  return static_cast<int>(x);
}
template <class T>
__QUERN_DEVICE long long __quern_long_of(T x) {
  return static_cast<long long>(x);
}
#endif

// nvcc's host headers give these names, and kernels written for it use them.
typedef unsigned short ushort;
typedef unsigned int uint;
