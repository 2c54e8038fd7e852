// What __half2 and __nv_bfloat162 have in common: functions of two at a time, from those of one. V is the pair, H one of it; `how` is
// __QUERN_BOTH or __QUERN_DEVICE.
#pragma once

#define __QUERN_PAIR_1(V, name, one) \
  __QUERN_DEVICE V name(V a) { return V(one(a.x), one(a.y)); }
#define __QUERN_PAIR_2(V, name, one) \
  __QUERN_DEVICE V name(V a, V b) { return V(one(a.x, b.x), one(a.y, b.y)); }
#define __QUERN_PAIR_3(V, name, one) \
  __QUERN_DEVICE V name(V a, V b, V c) { return V(one(a.x, b.x, c.x), one(a.y, b.y, c.y)); }
// Of __h##name: h##name##2 has ones and zeros, hb##name##2 says whether both hold, h##name##2_mask has bits.
#define __QUERN_PAIR_COMPARE(how, V, H, name)                                                \
  how bool __hb##name##2(V a, V b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }    \
  how V __h##name##2(V a, V b) {                                                             \
    return V(H(__h##name(a.x, b.x) ? 1.0f : 0.0f), H(__h##name(a.y, b.y) ? 1.0f : 0.0f));    \
  }                                                                                          \
  how unsigned int __h##name##2_mask(V a, V b) {                                             \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);  \
  }
#define __QUERN_PAIR_COMPARES(how, V, H)  \
  __QUERN_PAIR_COMPARE(how, V, H, eq)     \
  __QUERN_PAIR_COMPARE(how, V, H, ne)     \
  __QUERN_PAIR_COMPARE(how, V, H, lt)     \
  __QUERN_PAIR_COMPARE(how, V, H, le)     \
  __QUERN_PAIR_COMPARE(how, V, H, gt)     \
  __QUERN_PAIR_COMPARE(how, V, H, ge)     \
  __QUERN_PAIR_COMPARE(how, V, H, equ)    \
  __QUERN_PAIR_COMPARE(how, V, H, neu)    \
  __QUERN_PAIR_COMPARE(how, V, H, ltu)    \
  __QUERN_PAIR_COMPARE(how, V, H, leu)    \
  __QUERN_PAIR_COMPARE(how, V, H, gtu)    \
  __QUERN_PAIR_COMPARE(how, V, H, geu)
// Real and imaginary parts.
#define __QUERN_PAIR_COMPLEX(V)                                                                               \
  __QUERN_DEVICE V __hcmadd(V a, V b, V c) {                                                                  \
    return V(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));       \
  }
#define __QUERN_PAIR_OPERATOR(how, V, H, op, function, function2)                  \
  how H operator op(const H& a, const H& b) { return function(a, b); }             \
  how H& operator op##=(H& a, const H& b) { return a = function(a, b); }           \
  how V operator op(const V& a, const V& b) { return function2(a, b); }            \
  how V& operator op##=(V& a, const V& b) { return a = function2(a, b); }
#define __QUERN_PAIR_TEST(how, V, H, op, name)                             \
  how bool operator op(const H& a, const H& b) { return __h##name(a, b); } \
  how bool operator op(const V& a, const V& b) { return __hb##name##2(a, b); }
#define __QUERN_PAIR_OPERATORS(how, V, H)                                    \
  __QUERN_PAIR_OPERATOR(how, V, H, +, __hadd, __hadd2)                       \
  __QUERN_PAIR_OPERATOR(how, V, H, -, __hsub, __hsub2)                       \
  __QUERN_PAIR_OPERATOR(how, V, H, *, __hmul, __hmul2)                       \
  __QUERN_PAIR_OPERATOR(how, V, H, /, __hdiv, __h2div)                       \
  __QUERN_PAIR_TEST(how, V, H, ==, eq)                                       \
  __QUERN_PAIR_TEST(how, V, H, !=, neu)                                      \
  __QUERN_PAIR_TEST(how, V, H, <, lt)                                        \
  __QUERN_PAIR_TEST(how, V, H, <=, le)                                       \
  __QUERN_PAIR_TEST(how, V, H, >, gt)                                        \
  __QUERN_PAIR_TEST(how, V, H, >=, ge)                                       \
  how H operator+(const H& a) { return a; }                                  \
  how H operator-(const H& a) { return __hneg(a); }                          \
  how V operator+(const V& a) { return a; }                                  \
  how V operator-(const V& a) { return __hneg2(a); }                         \
  how H& operator++(H& a) { return a = __hadd(a, H(1.0f)); }                 \
  how H& operator--(H& a) { return a = __hsub(a, H(1.0f)); }
// `of` makes one of its bits.
#define __QUERN_PAIR_SHUFFLE(V, H, of, name, T)                                                               \
  __QUERN_DEVICE H name(unsigned int mask, H value, T which, int width = 32) {                                \
    return of(static_cast<unsigned short>(name(mask, static_cast<int>(value.__x), which, width)));            \
  }                                                                                                           \
  __QUERN_DEVICE V name(unsigned int mask, V value, T which, int width = 32) {                                \
    unsigned int both = name(mask, value.x.__x | static_cast<unsigned int>(value.y.__x) << 16, which, width); \
    return V(of(static_cast<unsigned short>(both)), of(static_cast<unsigned short>(both >> 16)));             \
  }
#define __QUERN_PAIR_SHUFFLES(V, H, of)                        \
  __QUERN_PAIR_SHUFFLE(V, H, of, __shfl_sync, int)             \
  __QUERN_PAIR_SHUFFLE(V, H, of, __shfl_up_sync, unsigned int) \
  __QUERN_PAIR_SHUFFLE(V, H, of, __shfl_down_sync, unsigned int) \
  __QUERN_PAIR_SHUFFLE(V, H, of, __shfl_xor_sync, int)
