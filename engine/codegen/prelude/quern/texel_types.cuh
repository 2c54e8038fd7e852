// What a texel of a texture may be: an integer of 8, 16 or 32 bits or a float, or a vector of 1, 2 or 4 of them. For both compilers.
// Numbers are enumerators: NVRTC would make variables of the device of constants.
#pragma once

extern "C++" {

template <class T>
struct __quern_texel {
  static_assert(sizeof(T) == 0,
                "[texture] a texel is an integer of 8, 16 or 32 bits, a float, or a vector of 1, 2 or 4 of them; read a double as an int2");
};
struct __quern_no_float {};  // of 32 bits: they are not read as normalised floats

// `format` is the driver's number of a component's type, `Float` what a texel is read as by cudaReadModeNormalizedFloat.
#define __QUERN_TEXEL(T, Component, components, number, Float)    \
  template <>                                                     \
  struct __quern_texel<T> {                                       \
    typedef Component component;                                  \
    typedef Float normalized;                                     \
    enum { count = components, format = number };                 \
  };
#define __QUERN_TEXELS(T, V, number, F)       \
  __QUERN_TEXEL(T, T, 1, number, F)           \
  __QUERN_TEXEL(V##1, T, 1, number, F##1)     \
  __QUERN_TEXEL(V##2, T, 2, number, F##2)     \
  __QUERN_TEXEL(V##4, T, 4, number, F##4)
#define __quern_no_float1 __quern_no_float
#define __quern_no_float2 __quern_no_float
#define __quern_no_float4 __quern_no_float
__QUERN_TEXEL(char, signed char, 1, 0x08, float)
__QUERN_TEXELS(signed char, char, 0x08, float)
__QUERN_TEXELS(unsigned char, uchar, 0x01, float)
__QUERN_TEXELS(short, short, 0x09, float)
__QUERN_TEXELS(unsigned short, ushort, 0x02, float)
__QUERN_TEXELS(int, int, 0x0a, __quern_no_float)
__QUERN_TEXELS(unsigned int, uint, 0x03, __quern_no_float)
__QUERN_TEXELS(float, float, 0x20, __quern_no_float)
#undef __QUERN_TEXELS
#undef __QUERN_TEXEL
#undef __quern_no_float1
#undef __quern_no_float2
#undef __quern_no_float4

}  // extern "C++"
