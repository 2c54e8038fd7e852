// What __half2 and __nv_bfloat162 have in common: functions of two at a time, from those of one.
#pragma once

#define __QUERN_PAIR_1(V, name, one) \
  __QUERN_DEVICE V name(V a) { return V(one(a.x), one(a.y)); }
#define __QUERN_PAIR_2(V, name, one) \
  __QUERN_DEVICE V name(V a, V b) { return V(one(a.x, b.x), one(a.y, b.y)); }
#define __QUERN_PAIR_3(V, name, one) \
  __QUERN_DEVICE V name(V a, V b, V c) { return V(one(a.x, b.x, c.x), one(a.y, b.y, c.y)); }
// `bits` of `name`(a, b) for both types; name##2 has ones and zeros, b##name##2 says whether both hold.
#define __QUERN_PAIR_COMPARE(V, H, name)                                                                 \
  __QUERN_DEVICE bool __hb##name##2(V a, V b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }     \
  __QUERN_DEVICE V __h##name##2(V a, V b) {                                                              \
    return V(H(__h##name(a.x, b.x) ? 1.0f : 0.0f), H(__h##name(a.y, b.y) ? 1.0f : 0.0f));                \
  }                                                                                                      \
  __QUERN_DEVICE unsigned int __h##name##2_mask(V a, V b) {                                              \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);              \
  }
// Real and imaginary parts.
#define __QUERN_PAIR_COMPLEX(V)                                                                               \
  __QUERN_DEVICE V __hcmadd(V a, V b, V c) {                                                                  \
    return V(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));       \
  }
#define __QUERN_PAIR_OPERATOR(V, H, op, function, function2)                                  \
  __QUERN_DEVICE H operator op(const H& a, const H& b) { return function(a, b); }             \
  __QUERN_DEVICE H& operator op##=(H & a, const H & b) { return a = function(a, b); }         \
  __QUERN_DEVICE V operator op(const V& a, const V& b) { return function2(a, b); }            \
  __QUERN_DEVICE V& operator op##=(V & a, const V & b) { return a = function2(a, b); }
#define __QUERN_PAIR_TEST(V, H, op, name)                                             \
  __QUERN_DEVICE bool operator op(const H& a, const H& b) { return __h##name(a, b); } \
  __QUERN_DEVICE bool operator op(const V& a, const V& b) { return __hb##name##2(a, b); }
