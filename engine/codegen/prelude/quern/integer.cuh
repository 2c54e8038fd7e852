// CPU: CUDA's integer intrinsics.
#pragma once

__QUERN_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
__QUERN_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__QUERN_DEVICE int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned int>(x)) : 32; }
__QUERN_DEVICE int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
__QUERN_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
__QUERN_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
__QUERN_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__QUERN_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

// The position of the n-th set bit counted from `base`: upwards for n > 0, downwards for n < 0; all ones when there is none.
__QUERN_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int n) {
  if (n == 0) return (mask >> (base & 31)) & 1 ? base : 0xffffffffu;
  int step = n > 0 ? 1 : -1;
  int wanted = n > 0 ? n : -n;
  for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step) {
    if ((mask >> i) & 1 && --wanted == 0) return static_cast<unsigned int>(i);
  }
  return 0xffffffffu;
}

__QUERN_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  unsigned long long both = (static_cast<unsigned long long>(y) << 32) | x;
  unsigned int out = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned int choice = selector >> (4 * i) & 7;
    out |= (static_cast<unsigned int>(both >> (8 * choice)) & 0xff) << (8 * i);
  }
  return out;
}

__QUERN_DEVICE int __mulhi(int x, int y) { return static_cast<int>((static_cast<long long>(x) * y) >> 32); }
__QUERN_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) * y) >> 32);
}
__QUERN_DEVICE long long __mul64hi(long long x, long long y) {
  return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
__QUERN_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}
__QUERN_DEVICE int __mul24(int x, int y) {
  return static_cast<int>(static_cast<unsigned int>(x << 8 >> 8) * static_cast<unsigned int>(y << 8 >> 8));
}
__QUERN_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffff) * (y & 0xffffff); }
__QUERN_DEVICE unsigned int __sad(int x, int y, unsigned int z) {
  return z + (x > y ? static_cast<unsigned int>(x) - static_cast<unsigned int>(y)
                    : static_cast<unsigned int>(y) - static_cast<unsigned int>(x));
}
__QUERN_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return z + (x > y ? x - y : y - x); }
__QUERN_DEVICE int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
__QUERN_DEVICE int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
__QUERN_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) { return (x & y) + ((x ^ y) >> 1); }
__QUERN_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) { return (x | y) - ((x ^ y) >> 1); }

__QUERN_DEVICE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned int>((both << (shift & 31)) >> 32);
}
__QUERN_DEVICE unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned int>((both << (shift < 32 ? shift : 32)) >> 32);
}
__QUERN_DEVICE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned int>(both >> (shift & 31));
}
__QUERN_DEVICE unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned int>(both >> (shift < 32 ? shift : 32));
}

// Four products of bytes (two of a short and a byte for dp2a), added to c.
#define __QUERN_DOT_4(R, A, B)                                                                              \
  __QUERN_DEVICE R __dp4a(A a, B b, R c) {                                                                  \
    for (int i = 0; i < 32; i += 8) c += static_cast<R>(__QUERN_BYTE(A, a >> i)) * __QUERN_BYTE(B, b >> i); \
    return c;                                                                                               \
  }
template <class T>
struct __quern_byte {
  typedef signed char type;
};
template <>
struct __quern_byte<unsigned int> {
  typedef unsigned char type;
};
#define __QUERN_BYTE(T, x) static_cast<__quern_byte<T>::type>(x)
__QUERN_DOT_4(int, int, int)
__QUERN_DOT_4(unsigned int, unsigned int, unsigned int)
#undef __QUERN_DOT_4
#undef __QUERN_BYTE
__QUERN_DEVICE int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__QUERN_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__QUERN_DEVICE int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
__QUERN_DEVICE int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
__QUERN_DEVICE unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) { return c + a.x * b.x + a.y * b.y; }
__QUERN_DEVICE unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) { return c + a.x * b.z + a.y * b.w; }
#define __QUERN_DOT_2(R, half_t, byte_t)                                                                             \
  __QUERN_DEVICE R __dp2a_lo(R a, R b, R c) {                                                                        \
    return c + static_cast<half_t>(a) * static_cast<byte_t>(b) + static_cast<half_t>(a >> 16) * static_cast<byte_t>(b >> 8); \
  }                                                                                                                  \
  __QUERN_DEVICE R __dp2a_hi(R a, R b, R c) { return __dp2a_lo(a, b >> 16, c); }
__QUERN_DOT_2(int, short, signed char)
__QUERN_DOT_2(unsigned int, unsigned short, unsigned char)
#undef __QUERN_DOT_2

// ---- two 16-bit or four 8-bit numbers in a word

#define __QUERN_LANES(name, lane_t, bits, expression)                           \
  __QUERN_DEVICE unsigned int name(unsigned int x, unsigned int y) {            \
    unsigned int out = 0;                                                       \
    for (int i = 0; i < 32; i += bits) {                                        \
      int a = static_cast<lane_t>(x >> i), b = static_cast<lane_t>(y >> i);     \
      out |= (static_cast<unsigned int>(expression) & ((1u << bits) - 1)) << i; \
    }                                                                           \
    return out;                                                                 \
  }
#define __QUERN_LANES_BOTH(stem, sign, expression)    \
  __QUERN_LANES(stem##sign##2, short, 16, expression) \
  __QUERN_LANES(stem##sign##4, signed char, 8, expression)
#define __QUERN_LANES_UNSIGNED(stem, expression)         \
  __QUERN_LANES(stem##2, unsigned short, 16, expression) \
  __QUERN_LANES(stem##4, unsigned char, 8, expression)
__QUERN_LANES_UNSIGNED(__vadd, a + b)
__QUERN_LANES_UNSIGNED(__vsub, a - b)
__QUERN_LANES_UNSIGNED(__vmaxu, a > b ? a : b)
__QUERN_LANES_UNSIGNED(__vminu, a < b ? a : b)
__QUERN_LANES_BOTH(__vmax, s, a > b ? a : b)
__QUERN_LANES_BOTH(__vmin, s, a < b ? a : b)
__QUERN_LANES_UNSIGNED(__vavgu, (a + b + 1) >> 1)
__QUERN_LANES_UNSIGNED(__vabsdiffu, a > b ? a - b : b - a)
__QUERN_LANES_UNSIGNED(__vcmpeq, a == b ? -1 : 0)
__QUERN_LANES_UNSIGNED(__vcmpne, a != b ? -1 : 0)
__QUERN_LANES_UNSIGNED(__vcmpgtu, a > b ? -1 : 0)
__QUERN_LANES_UNSIGNED(__vcmpgeu, a >= b ? -1 : 0)
__QUERN_LANES_UNSIGNED(__vcmpltu, a < b ? -1 : 0)
__QUERN_LANES_UNSIGNED(__vcmpleu, a <= b ? -1 : 0)
__QUERN_LANES_BOTH(__vcmpgt, s, a > b ? -1 : 0)
__QUERN_LANES_BOTH(__vcmpge, s, a >= b ? -1 : 0)
__QUERN_LANES_BOTH(__vcmplt, s, a < b ? -1 : 0)
__QUERN_LANES_BOTH(__vcmple, s, a <= b ? -1 : 0)
__QUERN_LANES_UNSIGNED(__vseteq, a == b)
__QUERN_LANES_UNSIGNED(__vsetne, a != b)
__QUERN_LANES_UNSIGNED(__vsetgtu, a > b)
__QUERN_LANES_UNSIGNED(__vsetgeu, a >= b)
__QUERN_LANES_UNSIGNED(__vsetltu, a < b)
__QUERN_LANES_UNSIGNED(__vsetleu, a <= b)
__QUERN_LANES_BOTH(__vsetgt, s, a > b)
__QUERN_LANES_BOTH(__vsetge, s, a >= b)
__QUERN_LANES_BOTH(__vsetlt, s, a < b)
__QUERN_LANES_BOTH(__vsetle, s, a <= b)
__QUERN_LANES_BOTH(__vavg, s, (a + b + (a + b >= 0)) >> 1)
__QUERN_LANES_BOTH(__vabsdiff, s, a > b ? a - b : b - a)
__QUERN_LANES_UNSIGNED(__vhaddu, (a + b) >> 1)
// Those that end where the lanes' type ends.
__QUERN_DEVICE int __quern_clamp(int x, int least, int most) { return x < least ? least : x > most ? most : x; }
#define __QUERN_LANES_SATURATED(stem, expression)                                                     \
  __QUERN_LANES(stem##ss2, short, 16, __quern_clamp(expression, -32768, 32767))                       \
  __QUERN_LANES(stem##ss4, signed char, 8, __quern_clamp(expression, -128, 127))                      \
  __QUERN_LANES(stem##us2, unsigned short, 16, __quern_clamp(expression, 0, 65535))                   \
  __QUERN_LANES(stem##us4, unsigned char, 8, __quern_clamp(expression, 0, 255))
__QUERN_LANES_SATURATED(__vadd, a + b)
__QUERN_LANES_SATURATED(__vsub, a - b)
#undef __QUERN_LANES_SATURATED
#define __QUERN_LANES_OF_ONE(count)                                                                                      \
  __QUERN_DEVICE unsigned int __vneg##count(unsigned int x) { return __vsub##count(0, x); }                              \
  __QUERN_DEVICE unsigned int __vnegss##count(unsigned int x) { return __vsubss##count(0, x); }                          \
  __QUERN_DEVICE unsigned int __vabs##count(unsigned int x) { return __vabsdiffs##count(x, 0); }                         \
  __QUERN_DEVICE unsigned int __vabsss##count(unsigned int x) { return __vmaxs##count(x, __vnegss##count(x)); }
__QUERN_LANES_OF_ONE(2)
__QUERN_LANES_OF_ONE(4)
#undef __QUERN_LANES_OF_ONE
// The sum of the lanes' differences.
__QUERN_DEVICE unsigned int __quern_sum_of_halves(unsigned int x) { return (x & 0xffff) + (x >> 16); }
__QUERN_DEVICE unsigned int __quern_sum_of_bytes(unsigned int x) {
  return (x & 0xff) + (x >> 8 & 0xff) + (x >> 16 & 0xff) + (x >> 24);
}
__QUERN_DEVICE unsigned int __vsads2(unsigned int x, unsigned int y) { return __quern_sum_of_halves(__vabsdiffs2(x, y)); }
__QUERN_DEVICE unsigned int __vsadu2(unsigned int x, unsigned int y) { return __quern_sum_of_halves(__vabsdiffu2(x, y)); }
__QUERN_DEVICE unsigned int __vsads4(unsigned int x, unsigned int y) { return __quern_sum_of_bytes(__vabsdiffs4(x, y)); }
__QUERN_DEVICE unsigned int __vsadu4(unsigned int x, unsigned int y) { return __quern_sum_of_bytes(__vabsdiffu4(x, y)); }

// ---- the larger and the smaller one of sums and of three, also of two halves; with relu not below 0; with b also who it was

#define __QUERN_CHOICE(kind, T, pick, sum, two)                                                                     \
  __QUERN_DEVICE T __vi##pick##3_##kind(T a, T b, T c) { return two(two(a, b), c); }                                \
  __QUERN_DEVICE T __viadd##pick##_##kind(T a, T b, T c) { return two(sum(a, b), c); }
#define __QUERN_CHOICE_SIGNED(kind, T, pick, sum, two, larger)                                                      \
  __QUERN_CHOICE(kind, T, pick, sum, two)                                                                           \
  __QUERN_DEVICE T __vi##pick##_##kind##_relu(T a, T b) { return larger(two(a, b), 0); }                            \
  __QUERN_DEVICE T __vi##pick##3_##kind##_relu(T a, T b, T c) { return larger(two(two(a, b), c), 0); }              \
  __QUERN_DEVICE T __viadd##pick##_##kind##_relu(T a, T b, T c) { return larger(two(sum(a, b), c), 0); }
__QUERN_DEVICE int __quern_sum(int a, int b) { return static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b)); }
__QUERN_DEVICE unsigned int __quern_sum(unsigned int a, unsigned int b) { return a + b; }
__QUERN_CHOICE_SIGNED(s32, int, max, __quern_sum, max, max)
__QUERN_CHOICE_SIGNED(s32, int, min, __quern_sum, min, max)
__QUERN_CHOICE(u32, unsigned int, max, __quern_sum, max)
__QUERN_CHOICE(u32, unsigned int, min, __quern_sum, min)
__QUERN_CHOICE_SIGNED(s16x2, unsigned int, max, __vadd2, __vmaxs2, __vmaxs2)
__QUERN_CHOICE_SIGNED(s16x2, unsigned int, min, __vadd2, __vmins2, __vmaxs2)
__QUERN_CHOICE(u16x2, unsigned int, max, __vadd2, __vmaxu2)
__QUERN_CHOICE(u16x2, unsigned int, min, __vadd2, __vminu2)
#undef __QUERN_CHOICE_SIGNED
#undef __QUERN_CHOICE
#define __QUERN_CHOSEN(pick, op)                                                                                         \
  __QUERN_DEVICE int __vib##pick##_s32(int a, int b, bool* first) { return (*first = a op b) ? a : b; }                  \
  __QUERN_DEVICE unsigned int __vib##pick##_u32(unsigned int a, unsigned int b, bool* first) {                           \
    return (*first = a op b) ? a : b;                                                                                    \
  }                                                                                                                      \
  __QUERN_DEVICE unsigned int __vib##pick##_s16x2(unsigned int a, unsigned int b, bool* high, bool* low) {               \
    *high = static_cast<short>(a >> 16) op static_cast<short>(b >> 16);                                                  \
    *low = static_cast<short>(a) op static_cast<short>(b);                                                               \
    return __v##pick##s2(a, b);                                                                                          \
  }                                                                                                                      \
  __QUERN_DEVICE unsigned int __vib##pick##_u16x2(unsigned int a, unsigned int b, bool* high, bool* low) {               \
    *high = (a >> 16) op (b >> 16);                                                                                      \
    *low = (a & 0xffff) op (b & 0xffff);                                                                                 \
    return __v##pick##u2(a, b);                                                                                          \
  }
__QUERN_CHOSEN(max, >=)
__QUERN_CHOSEN(min, <=)
#undef __QUERN_CHOSEN
#undef __QUERN_LANES_UNSIGNED
#undef __QUERN_LANES_BOTH
#undef __QUERN_LANES
