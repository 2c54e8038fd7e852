// CPU: texture and surface objects. A handle names an entry of the table that the device keeps (compile/cpu_module.h,
// device/cpu_textures.cpp): its number below, the entry's generation above, so that a handle of what was destroyed is known.
// Start at __quern_sample(), which is the CUDA programming guide's formulas; weights have 8 bits behind the point, as a GPU's have.
#pragma once

#include "quern/texel_types.cuh"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0c
#define cudaTextureType1DLayered 0xf1
#define cudaTextureType2DLayered 0xf2
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceType1DLayered 0xf1
#define cudaSurfaceType2DLayered 0xf2
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };
enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned,
  cudaChannelFormatKindUnsigned,
  cudaChannelFormatKindFloat,
  cudaChannelFormatKindNone
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};

// QuernCpuTexture
struct __quern_texture {
  char* data;
  long long pitch, slice;
  int extent[3];
  unsigned int generation;
  unsigned char what, code, channels, texel_bytes;
  unsigned char address[3];
  unsigned char is_linear, is_normalized;
  unsigned int border[4];
};

__device__ __attribute__((noinline, cold, noreturn)) inline void __quern_texture_trouble(const char* text) {
  quern_runtime->fail(__quern_launch(), text);
  __builtin_unreachable();
}

__QUERN_DEVICE const __quern_texture& __quern_texture_at(unsigned long long handle, unsigned char what) {
  const unsigned int number = static_cast<unsigned int>(handle);
  const __quern_texture* entry = quern_runtime->textures + number % __quern_texture_count;
  if (__builtin_expect(number >= __quern_texture_count || entry->generation != handle >> 32 || entry->what != what, 0))
    __quern_texture_trouble(handle == 0 ? "the kernel uses a texture or surface that nothing is bound to"
                            : what == 1 ? "the kernel reads a texture object that is none, or was destroyed"
                                        : "the kernel uses a surface object that is none, or was destroyed");
  return *entry;
}

// ---- one texel

// A component as the 32 bits that a GPU's register gets: an integer, or a float's bits.
__QUERN_DEVICE unsigned int __quern_component(const __quern_texture& t, const char* texel, int c) {
  const auto bits = [](float x) { return __builtin_bit_cast(unsigned int, x); };
  const auto no_less = [](float x) { return x < -1.0f ? -1.0f : x; };
  switch (t.code) {
    case 0:
      return reinterpret_cast<const unsigned int*>(texel)[c];
    case 1:
      return bits(static_cast<float>(reinterpret_cast<const _Float16*>(texel)[c]));
    case 2:
      return reinterpret_cast<const unsigned char*>(texel)[c];
    case 3:
      return static_cast<unsigned int>(static_cast<int>(reinterpret_cast<const signed char*>(texel)[c]));
    case 4:
      return reinterpret_cast<const unsigned short*>(texel)[c];
    case 5:
      return static_cast<unsigned int>(static_cast<int>(reinterpret_cast<const short*>(texel)[c]));
    case 6:
      return bits(static_cast<float>(reinterpret_cast<const unsigned char*>(texel)[c]) / 255.0f);
    case 7:
      return bits(no_less(static_cast<float>(reinterpret_cast<const signed char*>(texel)[c]) / 127.0f));
    case 8:
      return bits(static_cast<float>(reinterpret_cast<const unsigned short*>(texel)[c]) / 65535.0f);
    default:
      return bits(no_less(static_cast<float>(reinterpret_cast<const short*>(texel)[c]) / 32767.0f));
  }
}

// The first `count` components at a place, each index inside or -1: the border. Components that the texture lacks are zero.
template <int count>
__QUERN_DEVICE void __quern_texel_at(const __quern_texture& t, int x, int y, int z, unsigned int* out) {
  if ((x | y | z) < 0) {
    for (int c = 0; c < count; ++c) out[c] = t.border[c];
    return;
  }
  const char* texel = t.data + z * t.slice + y * t.pitch + static_cast<long long>(x) * t.texel_bytes;
  for (int c = 0; c < count; ++c) out[c] = c < t.channels ? __quern_component(t, texel, c) : 0u;
}

// ---- sampling

__QUERN_DEVICE int __quern_addressed(int i, int extent, unsigned char mode) {
  if (mode == cudaAddressModeWrap) {
    i %= extent;
    return i < 0 ? i + extent : i;
  }
  if (mode == cudaAddressModeMirror) {
    i %= 2 * extent;
    if (i < 0) i += 2 * extent;
    return i < extent ? i : 2 * extent - 1 - i;
  }
  if (mode == cudaAddressModeBorder) return i >= 0 && i < extent ? i : -1;
  return i < 0 ? 0 : i < extent ? i : extent - 1;
}

template <int count, int axes>
__QUERN_DEVICE void __quern_sample(const __quern_texture& t, const float* at, int layer, unsigned int* out) {
  int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  float weight[3] = {0, 0, 0};  // of `high`
  if (axes < 3) {  // a GPU takes a negative layer for a large one
    unsigned int last = static_cast<unsigned int>(t.extent[2] - 1), which = static_cast<unsigned int>(layer);
    low[2] = high[2] = static_cast<int>(which < last ? which : last);
  }
  for (int a = 0; a < axes; ++a) {
    float x = t.is_normalized ? at[a] * static_cast<float>(t.extent[a]) : at[a];
    if (t.is_linear) x -= 0.5f;
    x = x > -1e9f ? x < 1e9f ? x : 1e9f : -1e9f;  // an int's range, and no NaN
    const float whole = __builtin_floorf(x);
    const int i = static_cast<int>(whole);
    low[a] = __quern_addressed(i, t.extent[a], t.address[a]);
    if (t.is_linear) {
      high[a] = __quern_addressed(i + 1, t.extent[a], t.address[a]);
      weight[a] = __builtin_rintf((x - whole) * 256.0f) * (1.0f / 256.0f);
    }
  }
  if (!t.is_linear) return __quern_texel_at<count>(t, low[0], low[1], low[2], out);
  float sum[count];
  for (int c = 0; c < count; ++c) sum[c] = 0;
  for (int corner = 0; corner < 1 << axes; ++corner) {
    int place[3] = {low[0], low[1], low[2]};
    float part = 1;
    for (int a = 0; a < axes; ++a) {
      const bool is_high = (corner >> a) & 1;
      if (is_high) place[a] = high[a];
      part *= is_high ? weight[a] : 1 - weight[a];
    }
    unsigned int texel[count];
    __quern_texel_at<count>(t, place[0], place[1], place[2], texel);
    for (int c = 0; c < count; ++c) sum[c] += part * __builtin_bit_cast(float, texel[c]);
  }
  for (int c = 0; c < count; ++c) out[c] = __builtin_bit_cast(unsigned int, sum[c]);
}

// ---- what kernels call

// The register's bits as a component: integers are cut off.
template <class C>
__QUERN_DEVICE void __quern_put_component(C& to, unsigned int bits) {
  to = static_cast<C>(bits);
}
__QUERN_DEVICE void __quern_put_component(float& to, unsigned int bits) { to = __builtin_bit_cast(float, bits); }
template <class T>
__QUERN_DEVICE T __quern_made_of(const unsigned int* words) {
  typedef typename __quern_texel<T>::component C;
  C components[__quern_texel<T>::count];
  for (int c = 0; c < __quern_texel<T>::count; ++c) __quern_put_component(components[c], words[c]);
  T out;
  __builtin_memcpy(&out, components, sizeof out);
  return out;
}
template <class T, int axes>
__QUERN_DEVICE T __quern_sampled(cudaTextureObject_t texture, const float* at, int layer) {
  unsigned int words[__quern_texel<T>::count];
  __quern_sample<__quern_texel<T>::count, axes>(__quern_texture_at(texture, 1), at, layer, words);
  return __quern_made_of<T>(words);
}
template <class T>
__QUERN_DEVICE T __quern_fetched(cudaTextureObject_t texture, int x) {
  const __quern_texture& t = __quern_texture_at(texture, 1);
  unsigned int words[__quern_texel<T>::count];
  for (unsigned int& word : words) word = 0;
  if (x >= 0 && x < t.extent[0]) __quern_texel_at<__quern_texel<T>::count>(t, x, 0, 0, words);
  return __quern_made_of<T>(words);
}

// Both forms of a function: one gives the texel, one stores it. There is one level, so a level of detail or gradients change nothing.
#define __QUERN_PARAMETERS(...) , __VA_ARGS__
#define __QUERN_TEXTURE(name, parameters, axes, layer, ...)                              \
  template <class T>                                                                     \
  __QUERN_DEVICE T name(cudaTextureObject_t texture __QUERN_PARAMETERS parameters) {     \
    const float at[] = {__VA_ARGS__};                                                    \
    return __quern_sampled<T, axes>(texture, at, layer);                                 \
  }                                                                                      \
  template <class T>                                                                     \
  __QUERN_DEVICE void name(T* to, cudaTextureObject_t texture __QUERN_PARAMETERS parameters) { \
    const float at[] = {__VA_ARGS__};                                                    \
    *to = __quern_sampled<T, axes>(texture, at, layer);                                  \
  }
__QUERN_TEXTURE(tex1D, (float x), 1, 0, x)
__QUERN_TEXTURE(tex2D, (float x, float y), 2, 0, x, y)
__QUERN_TEXTURE(tex3D, (float x, float y, float z), 3, 0, x, y, z)
__QUERN_TEXTURE(tex1DLayered, (float x, int layer), 1, layer, x)
__QUERN_TEXTURE(tex2DLayered, (float x, float y, int layer), 2, layer, x, y)
__QUERN_TEXTURE(tex1DLod, (float x, float), 1, 0, x)
__QUERN_TEXTURE(tex2DLod, (float x, float y, float), 2, 0, x, y)
__QUERN_TEXTURE(tex3DLod, (float x, float y, float z, float), 3, 0, x, y, z)
__QUERN_TEXTURE(tex1DLayeredLod, (float x, int layer, float), 1, layer, x)
__QUERN_TEXTURE(tex2DLayeredLod, (float x, float y, int layer, float), 2, layer, x, y)
__QUERN_TEXTURE(tex1DGrad, (float x, float, float), 1, 0, x)
__QUERN_TEXTURE(tex2DGrad, (float x, float y, float2, float2), 2, 0, x, y)
__QUERN_TEXTURE(tex3DGrad, (float x, float y, float z, float4, float4), 3, 0, x, y, z)
__QUERN_TEXTURE(tex1DLayeredGrad, (float x, int layer, float, float), 1, layer, x)
__QUERN_TEXTURE(tex2DLayeredGrad, (float x, float y, int layer, float2, float2), 2, layer, x, y)
#undef __QUERN_TEXTURE
template <class T>
__QUERN_DEVICE T tex1Dfetch(cudaTextureObject_t texture, int x) {
  return __quern_fetched<T>(texture, x);
}
template <class T>
__QUERN_DEVICE void tex1Dfetch(T* to, cudaTextureObject_t texture, int x) {
  *to = __quern_fetched<T>(texture, x);
}

// ---- surfaces: x counts bytes

// Where a value lies; null: outside, to be read as zero and not written.
template <class T>
__QUERN_DEVICE T* __quern_surface_place(cudaSurfaceObject_t surface, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  const __quern_texture& s = __quern_texture_at(surface, 2);
  const int last = s.extent[0] * s.texel_bytes - static_cast<int>(sizeof(T));
  if (x & static_cast<int>(sizeof(T) - 1))
    __quern_texture_trouble("the kernel uses a surface at an x that is no multiple of the value's bytes; x counts bytes");
  if (x < 0 || x > last || y < 0 || y >= s.extent[1] || z < 0 || z >= s.extent[2]) {
    if (mode == cudaBoundaryModeTrap)
      __quern_texture_trouble("the kernel uses a surface outside its array; x counts bytes, and cudaBoundaryModeZero allows it");
    if (mode == cudaBoundaryModeZero || last < 0) return nullptr;
    x = __quern_addressed(x, last + 1, cudaAddressModeClamp);
    y = __quern_addressed(y, s.extent[1], cudaAddressModeClamp);
    z = __quern_addressed(z, s.extent[2], cudaAddressModeClamp);
  }
  return reinterpret_cast<T*>(s.data + z * s.slice + y * s.pitch + x);
}

#define __QUERN_SURFACE(name, parameters, ...)                                                                              \
  template <class T>                                                                                                        \
  __QUERN_DEVICE T name##read(cudaSurfaceObject_t surface __QUERN_PARAMETERS parameters,                                    \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                        \
    const T* place = __quern_surface_place<T>(surface, __VA_ARGS__, mode);                                                  \
    return place ? *place : T{};                                                                                            \
  }                                                                                                                         \
  template <class T>                                                                                                        \
  __QUERN_DEVICE void name##read(T* to, cudaSurfaceObject_t surface __QUERN_PARAMETERS parameters,                          \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                     \
    const T* place = __quern_surface_place<T>(surface, __VA_ARGS__, mode);                                                  \
    *to = place ? *place : T{};                                                                                             \
  }                                                                                                                         \
  template <class T>                                                                                                        \
  __QUERN_DEVICE void name##write(T value, cudaSurfaceObject_t surface __QUERN_PARAMETERS parameters,                       \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                    \
    if (T* place = __quern_surface_place<T>(surface, __VA_ARGS__, mode)) *place = value;                                    \
  }
__QUERN_SURFACE(surf1D, (int x), x, 0, 0)
__QUERN_SURFACE(surf2D, (int x, int y), x, y, 0)
__QUERN_SURFACE(surf3D, (int x, int y, int z), x, y, z)
__QUERN_SURFACE(surf1DLayered, (int x, int layer), x, 0, layer)
__QUERN_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
#undef __QUERN_SURFACE
#undef __QUERN_PARAMETERS
