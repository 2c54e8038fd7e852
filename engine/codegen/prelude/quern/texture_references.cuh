// Texture and surface references, `texture<float, 2> image;` at file scope, which CUDA 12 took away: variables of the device that hold
// a texture or surface object. The host binds them by writing that object (python/quern/pycuda/_textures.py knows the layout).
// For both compilers; the functions are those of objects.
#pragma once

#include "quern/texel_types.cuh"

extern "C++" {

// clang takes a variable of such a type for the device's, though nothing says __device__; NVRTC takes all of them so.
#ifdef __clang__
#define __QUERN_REFERENCE_TYPE(kind) __attribute__((device_builtin_##kind##_type))
#else
#define __QUERN_REFERENCE_TYPE(kind)
#endif

#ifndef cudaTextureType1D
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureType1DLayered 0xf1
#define cudaTextureType2DLayered 0xf2
#endif

template <class T, int type = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __QUERN_REFERENCE_TYPE(texture) texture {
  cudaTextureObject_t object;
  int offset;  // of the first texel, in memory that a texture object could not begin at
  int format, channels, dimensions, readMode;
  int normalized;
  cudaTextureFilterMode filterMode;
  cudaTextureAddressMode addressMode[3];

  __host__ __device__ constexpr texture(int is_normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                                        cudaTextureAddressMode address = cudaAddressModeClamp)
      : object(0),
        offset(0),
        format(__quern_texel<T>::format),
        channels(__quern_texel<T>::count),
        dimensions(type),
        readMode(mode),
        normalized(is_normalized),
        filterMode(filter),
        addressMode{address, address, address} {}
};

template <class T, int type = cudaTextureType1D>
struct __QUERN_REFERENCE_TYPE(surface) surface {
  cudaSurfaceObject_t object;
  __host__ __device__ constexpr surface() : object(0) {}
};

// What reading gives.
template <class T, cudaTextureReadMode mode>
struct __quern_read {
  typedef T type;
};
template <class T>
struct __quern_read<T, cudaReadModeNormalizedFloat> {
  typedef typename __quern_texel<T>::normalized type;
};

#define __QUERN_PARAMETERS(...) , __VA_ARGS__
#define __QUERN_REFERENCE(name, texture_type, parameters, ...)                                             \
  template <class T, cudaTextureReadMode mode>                                                             \
  __QUERN_DEVICE typename __quern_read<T, mode>::type name(const texture<T, texture_type, mode>& reference \
                                                               __QUERN_PARAMETERS parameters) {            \
    return name<typename __quern_read<T, mode>::type>(reference.object, __VA_ARGS__);                      \
  }
__QUERN_REFERENCE(tex1D, 1, (float x), x)
__QUERN_REFERENCE(tex2D, 2, (float x, float y), x, y)
__QUERN_REFERENCE(tex3D, 3, (float x, float y, float z), x, y, z)
__QUERN_REFERENCE(tex1DLayered, 0xf1, (float x, int layer), x, layer)
__QUERN_REFERENCE(tex2DLayered, 0xf2, (float x, float y, int layer), x, y, layer)
__QUERN_REFERENCE(tex1DLod, 1, (float x, float level), x, level)
__QUERN_REFERENCE(tex2DLod, 2, (float x, float y, float level), x, y, level)
__QUERN_REFERENCE(tex3DLod, 3, (float x, float y, float z, float level), x, y, z, level)
__QUERN_REFERENCE(tex1Dfetch, 1, (int x), x + reference.offset)
#undef __QUERN_REFERENCE

#define __QUERN_REFERENCE(name, surface_type, parameters, ...)                                                    \
  template <class V, class T>                                                                                     \
  __QUERN_DEVICE V name##read(const surface<T, surface_type>& reference __QUERN_PARAMETERS parameters,            \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                              \
    return name##read<V>(reference.object, __VA_ARGS__, mode);                                                    \
  }                                                                                                               \
  template <class V, class T>                                                                                     \
  __QUERN_DEVICE void name##read(V* to, const surface<T, surface_type>& reference __QUERN_PARAMETERS parameters,  \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                           \
    *to = name##read<V>(reference.object, __VA_ARGS__, mode);                                                     \
  }                                                                                                               \
  template <class V, class T>                                                                                     \
  __QUERN_DEVICE void name##write(V value, const surface<T, surface_type>& reference __QUERN_PARAMETERS parameters, \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                          \
    name##write<V>(value, reference.object, __VA_ARGS__, mode);                                                   \
  }
__QUERN_REFERENCE(surf1D, 1, (int x), x)
__QUERN_REFERENCE(surf2D, 2, (int x, int y), x, y)
__QUERN_REFERENCE(surf3D, 3, (int x, int y, int z), x, y, z)
__QUERN_REFERENCE(surf1DLayered, 0xf1, (int x, int layer), x, layer)
__QUERN_REFERENCE(surf2DLayered, 0xf2, (int x, int y, int layer), x, y, layer)
#undef __QUERN_REFERENCE
#undef __QUERN_PARAMETERS
#undef __QUERN_REFERENCE_TYPE

}  // extern "C++"
