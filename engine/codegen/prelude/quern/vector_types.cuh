// CPU: CUDA's vector types and their make_ functions, with CUDA's alignments.
#pragma once

#define __QUERN_VECTOR_1(V, T)         \
  struct V##1 {                        \
    T x;                               \
  };                                   \
  __QUERN_BOTH V##1 make_##V##1(T x) { \
    V##1 v = {x};                      \
    return v;                          \
  }
#define __QUERN_VECTOR_2(V, T, alignment)   \
  struct __align__(alignment) V##2 {        \
    T x, y;                                 \
  };                                        \
  __QUERN_BOTH V##2 make_##V##2(T x, T y) { \
    V##2 v = {x, y};                        \
    return v;                               \
  }
#define __QUERN_MAKE_3(V, T)                     \
  __QUERN_BOTH V##3 make_##V##3(T x, T y, T z) { \
    V##3 v = {x, y, z};                          \
    return v;                                    \
  }
#define __QUERN_VECTOR_3(V, T) \
  struct V##3 {                \
    T x, y, z;                 \
  };                           \
  __QUERN_MAKE_3(V, T)
#define __QUERN_VECTOR_4(V, T, alignment)             \
  struct __align__(alignment) V##4 {                  \
    T x, y, z, w;                                     \
  };                                                  \
  __QUERN_BOTH V##4 make_##V##4(T x, T y, T z, T w) { \
    V##4 v = {x, y, z, w};                            \
    return v;                                         \
  }
#define __QUERN_VECTORS(V, T, alignment2, alignment4) \
  __QUERN_VECTOR_1(V, T)                              \
  __QUERN_VECTOR_2(V, T, alignment2)                  \
  __QUERN_VECTOR_3(V, T)                              \
  __QUERN_VECTOR_4(V, T, alignment4)

__QUERN_VECTORS(char, signed char, 2, 4)
__QUERN_VECTORS(uchar, unsigned char, 2, 4)
__QUERN_VECTORS(short, short, 4, 8)
__QUERN_VECTORS(ushort, unsigned short, 4, 8)
__QUERN_VECTORS(int, int, 8, 16)
__QUERN_VECTOR_1(uint, unsigned int)
__QUERN_VECTOR_2(uint, unsigned int, 8)
__QUERN_MAKE_3(uint, unsigned int)
__QUERN_VECTOR_4(uint, unsigned int, 16)
__QUERN_VECTORS(long, long, 16, 16)
__QUERN_VECTORS(ulong, unsigned long, 16, 16)
__QUERN_VECTORS(longlong, long long, 16, 16)
__QUERN_VECTORS(ulonglong, unsigned long long, 16, 16)
__QUERN_VECTORS(float, float, 8, 16)
__QUERN_VECTORS(double, double, 16, 16)

#undef __QUERN_VECTORS
#undef __QUERN_VECTOR_1
#undef __QUERN_VECTOR_2
#undef __QUERN_VECTOR_3
#undef __QUERN_VECTOR_4
#undef __QUERN_MAKE_3
