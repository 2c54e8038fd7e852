// The rest of cuda_bf16.h: two __nv_bfloat16 at a time, operators, atomics and shuffles.
#pragma once

#include "quern/bfloat_functions.cuh"
#include "quern/pairs.cuh"

extern "C++" {

struct __nv_bfloat162_raw {
  unsigned short x, y;
};
struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  __QUERN_DEVICE __nv_bfloat162(const __nv_bfloat16& a, const __nv_bfloat16& b) : x(a), y(b) {}
};

// ---- conversions

__QUERN_DEVICE __nv_bfloat162 __float2bfloat162_rn(float x) { return __nv_bfloat162(__float2bfloat16(x), __float2bfloat16(x)); }
__QUERN_DEVICE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __nv_bfloat162(__float2bfloat16(x), __float2bfloat16(y));
}
__QUERN_DEVICE __nv_bfloat162 __float22bfloat162_rn(float2 x) { return __floats2bfloat162_rn(x.x, x.y); }
__QUERN_DEVICE float2 __bfloat1622float2(__nv_bfloat162 x) { return make_float2(x.x, x.y); }
__QUERN_DEVICE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return __nv_bfloat162(x, x); }
__QUERN_DEVICE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
__QUERN_DEVICE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
__QUERN_DEVICE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 x) { return x.x; }
__QUERN_DEVICE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 x) { return x.y; }
__QUERN_DEVICE float __low2float(__nv_bfloat162 x) { return x.x; }
__QUERN_DEVICE float __high2float(__nv_bfloat162 x) { return x.y; }
__QUERN_DEVICE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 x) { return __nv_bfloat162(x.x, x.x); }
__QUERN_DEVICE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 x) { return __nv_bfloat162(x.y, x.y); }
__QUERN_DEVICE __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 x) { return __nv_bfloat162(x.y, x.x); }
__QUERN_DEVICE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 x, __nv_bfloat162 y) { return __nv_bfloat162(x.x, y.x); }
__QUERN_DEVICE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 x, __nv_bfloat162 y) { return __nv_bfloat162(x.y, y.y); }

// ---- arithmetic, comparisons, functions

#define __QUERN_BFLOAT_PAIRS(name)                                          \
  __QUERN_PAIR_2(__nv_bfloat162, __h##name##2, __h##name)                   \
  __QUERN_PAIR_2(__nv_bfloat162, __h##name##2_rn, __h##name)                \
  __QUERN_PAIR_2(__nv_bfloat162, __h##name##2_sat, __h##name##_sat)
__QUERN_BFLOAT_PAIRS(add)
__QUERN_BFLOAT_PAIRS(sub)
__QUERN_BFLOAT_PAIRS(mul)
#undef __QUERN_BFLOAT_PAIRS
__QUERN_PAIR_2(__nv_bfloat162, __h2div, __hdiv)
__QUERN_PAIR_2(__nv_bfloat162, __hmax2, __hmax)
__QUERN_PAIR_2(__nv_bfloat162, __hmin2, __hmin)
__QUERN_PAIR_2(__nv_bfloat162, __hmax2_nan, __hmax_nan)
__QUERN_PAIR_2(__nv_bfloat162, __hmin2_nan, __hmin_nan)
__QUERN_PAIR_3(__nv_bfloat162, __hfma2, __hfma)
__QUERN_PAIR_3(__nv_bfloat162, __hfma2_sat, __hfma_sat)
__QUERN_PAIR_3(__nv_bfloat162, __hfma2_relu, __hfma_relu)
__QUERN_PAIR_1(__nv_bfloat162, __hneg2, __hneg)
__QUERN_PAIR_1(__nv_bfloat162, __habs2, __habs)
__QUERN_PAIR_COMPLEX(__nv_bfloat162)
__QUERN_DEVICE __nv_bfloat162 __hisnan2(__nv_bfloat162 a) {
  return __floats2bfloat162_rn(__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f);
}
__QUERN_PAIR_COMPARES(__QUERN_DEVICE, __nv_bfloat162, __nv_bfloat16)
__QUERN_PAIR_1(__nv_bfloat162, h2sqrt, hsqrt)
__QUERN_PAIR_1(__nv_bfloat162, h2rsqrt, hrsqrt)
__QUERN_PAIR_1(__nv_bfloat162, h2rcp, hrcp)
__QUERN_PAIR_1(__nv_bfloat162, h2exp, hexp)
__QUERN_PAIR_1(__nv_bfloat162, h2exp2, hexp2)
__QUERN_PAIR_1(__nv_bfloat162, h2exp10, hexp10)
__QUERN_PAIR_1(__nv_bfloat162, h2log, hlog)
__QUERN_PAIR_1(__nv_bfloat162, h2log2, hlog2)
__QUERN_PAIR_1(__nv_bfloat162, h2log10, hlog10)
__QUERN_PAIR_1(__nv_bfloat162, h2sin, hsin)
__QUERN_PAIR_1(__nv_bfloat162, h2cos, hcos)
__QUERN_PAIR_1(__nv_bfloat162, h2tanh, htanh)
__QUERN_PAIR_1(__nv_bfloat162, h2tanh_approx, htanh_approx)
__QUERN_PAIR_1(__nv_bfloat162, h2ceil, hceil)
__QUERN_PAIR_1(__nv_bfloat162, h2floor, hfloor)
__QUERN_PAIR_1(__nv_bfloat162, h2rint, hrint)
__QUERN_PAIR_1(__nv_bfloat162, h2trunc, htrunc)
__QUERN_PAIR_OPERATORS(__QUERN_DEVICE, __nv_bfloat162, __nv_bfloat16)

// ---- atomics and shuffles

// Both compilers can exchange 16 bits.
__QUERN_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
  unsigned short* place = reinterpret_cast<unsigned short*>(address);
  unsigned short old = *place, seen;
  do {
    seen = old;
    old = atomicCAS(place, seen, __hadd(__quern_bfloat_of(seen), value).__x);
  } while (old != seen);
  return __quern_bfloat_of(old);
}
__QUERN_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
  return __nv_bfloat162(atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y));
}
__QUERN_PAIR_SHUFFLES(__nv_bfloat162, __nv_bfloat16, __quern_bfloat_of)

}  // extern "C++"
