// The rest of cuda_fp16.h: directed conversions, results held between 0 and 1, and functions that only kernels' own texts use.
#pragma once

#include "quern/bfloat.cuh"
#include "quern/half.cuh"

extern "C++" {

// `up`, `down`: which way a number that no half is goes; neither: toward zero. `x` is odd where its source had more digits. One step in
// the bits is one away from zero.
__QUERN_DEVICE __half __quern_half_directed(float x, bool up, bool down) {
  unsigned short bits = __half(x).__x;
  float near = fabsf(__quern_half_to_float(bits)), size = fabsf(x);
  bool away = (__float_as_uint(x) >> 31) != 0 ? down : up;
  if (near > size && !away) --bits;
  if (near < size && away) ++bits;
  return __quern_half_of(bits);
}
#define __QUERN_TO_HALF(T, name, as_float)                                                                   \
  __QUERN_DEVICE __half __##name##2half_rz(T x) { return __quern_half_directed(as_float, false, false); }    \
  __QUERN_DEVICE __half __##name##2half_ru(T x) { return __quern_half_directed(as_float, true, false); }     \
  __QUERN_DEVICE __half __##name##2half_rd(T x) { return __quern_half_directed(as_float, false, true); }
__QUERN_TO_HALF(float, float, x)
__QUERN_TO_HALF(short, short, static_cast<float>(x))
__QUERN_TO_HALF(unsigned short, ushort, static_cast<float>(x))
__QUERN_TO_HALF(int, int, __quern_odd_float(static_cast<double>(x)))
__QUERN_TO_HALF(unsigned int, uint, __quern_odd_float(static_cast<double>(x)))
__QUERN_TO_HALF(long long, ll, __quern_odd_float(__quern_odd_double(x)))
__QUERN_TO_HALF(unsigned long long, ull, __quern_odd_float(__quern_odd_double(x)))
#undef __QUERN_TO_HALF
__QUERN_DEVICE signed char __half2char_rz(__half x) {
  return static_cast<signed char>(static_cast<int>(fminf(fmaxf(x != x ? 0.0f : __half2float(x), -128.0f), 127.0f)));
}
__QUERN_DEVICE unsigned char __half2uchar_rz(__half x) {
  return static_cast<unsigned char>(static_cast<int>(fminf(fmaxf(x != x ? 0.0f : __half2float(x), 0.0f), 255.0f)));
}

// ---- results between 0 and 1, or from 0 on; no number is 0 in the first

__QUERN_DEVICE __half __quern_half_sat(__half x) { return __half(fminf(fmaxf(__half2float(x), 0.0f), 1.0f)); }
__QUERN_DEVICE __half __hadd_sat(__half a, __half b) { return __quern_half_sat(__hadd(a, b)); }
__QUERN_DEVICE __half __hsub_sat(__half a, __half b) { return __quern_half_sat(__hsub(a, b)); }
__QUERN_DEVICE __half __hmul_sat(__half a, __half b) { return __quern_half_sat(__hmul(a, b)); }
__QUERN_DEVICE __half __hfma_sat(__half a, __half b, __half c) { return __quern_half_sat(__hfma(a, b, c)); }
__QUERN_DEVICE __half __hmax_nan(__half a, __half b) { return __hisnan(a) || __hisnan(b) ? __quern_half_of(0x7fff) : __hmax(a, b); }
__QUERN_DEVICE __half __hmin_nan(__half a, __half b) { return __hisnan(a) || __hisnan(b) ? __quern_half_of(0x7fff) : __hmin(a, b); }
__QUERN_DEVICE __half __hfma_relu(__half a, __half b, __half c) { return __hmax_nan(__hfma(a, b, c), __quern_half_of(0)); }
__QUERN_DEVICE __half htanh(__half a) { return __half(tanhf(__half2float(a))); }
__QUERN_DEVICE __half htanh_approx(__half a) { return htanh(a); }

__QUERN_PAIR_2(__half2, __hadd2_rn, __hadd)
__QUERN_PAIR_2(__half2, __hsub2_rn, __hsub)
__QUERN_PAIR_2(__half2, __hmul2_rn, __hmul)
__QUERN_PAIR_2(__half2, __hadd2_sat, __hadd_sat)
__QUERN_PAIR_2(__half2, __hsub2_sat, __hsub_sat)
__QUERN_PAIR_2(__half2, __hmul2_sat, __hmul_sat)
__QUERN_PAIR_2(__half2, __hmax2_nan, __hmax_nan)
__QUERN_PAIR_2(__half2, __hmin2_nan, __hmin_nan)
__QUERN_PAIR_3(__half2, __hfma2_sat, __hfma_sat)
__QUERN_PAIR_3(__half2, __hfma2_relu, __hfma_relu)
__QUERN_PAIR_1(__half2, h2tanh, htanh)
__QUERN_PAIR_1(__half2, h2tanh_approx, htanh_approx)
__QUERN_PAIR_COMPLEX(__half2)
__QUERN_DEVICE __half2 __hisnan2(__half2 a) { return __half2(__half(__hisnan(a.x) ? 1.0f : 0.0f), __half(__hisnan(a.y) ? 1.0f : 0.0f)); }

}  // extern "C++"
