// CPU: the table of PTX's instructions, for asm statements (compile/clang/ptx): __quern_ptx_add_f32 is add.f32, and its parameters
// say what the operands are. Modifiers that mean nothing here are no part of a name (compile/clang/ptx/names.cpp). Read only by texts
// that have such statements; conversions and memory stand in ptx_convert.cuh and ptx_memory.cuh.
#pragma once

#define __QUERN_PTX(R, name) extern "C" __QUERN_DEVICE R __quern_ptx_##name

#define __QUERN_PTX_UNSIGNED(M) M(u16, unsigned short) M(u32, unsigned int) M(u64, unsigned long long)
#define __QUERN_PTX_SIGNED(M) M(s16, short) M(s32, int) M(s64, long long)
#define __QUERN_PTX_BITS(M) M(b16, unsigned short) M(b32, unsigned int) M(b64, unsigned long long)
#define __QUERN_PTX_INTEGERS(M) __QUERN_PTX_UNSIGNED(M) __QUERN_PTX_SIGNED(M)
#define __QUERN_PTX_FLOATS(M) M(f32, float) M(f64, double)

typedef unsigned long long __quern_u64;
template <class T>
struct __quern_ptx_type;  // the unsigned type of a type's width, and both types of twice its width
template <>
struct __quern_ptx_type<unsigned short> {
  typedef unsigned short own;
  typedef unsigned int wide;
};
template <>
struct __quern_ptx_type<short> {
  typedef unsigned short own;
  typedef int wide;
};
template <>
struct __quern_ptx_type<unsigned int> {
  typedef unsigned int own;
  typedef unsigned long long wide;
};
template <>
struct __quern_ptx_type<int> {
  typedef unsigned int own;
  typedef long long wide;
};
template <>
struct __quern_ptx_type<unsigned long long> {
  typedef unsigned long long own;
  typedef unsigned __int128 wide;
};
template <>
struct __quern_ptx_type<long long> {
  typedef unsigned long long own;
  typedef __int128 wide;
};

// ---- integers

#define __QUERN_PTX_ROWS(type, T)                                                                                                   \
  __QUERN_PTX(T, add_##type)(T a, T b) { return static_cast<T>(__quern_ptx_type<T>::own(a) + __quern_ptx_type<T>::own(b)); }         \
  __QUERN_PTX(T, sub_##type)(T a, T b) { return static_cast<T>(__quern_ptx_type<T>::own(a) - __quern_ptx_type<T>::own(b)); }         \
  __QUERN_PTX(T, mul_lo_##type)(T a, T b) {                                                                                          \
    return static_cast<T>(static_cast<__quern_u64>(a) * static_cast<__quern_u64>(b));                                                \
  }                                                                                                                                  \
  __QUERN_PTX(T, mul_hi_##type)(T a, T b) {                                                                                          \
    return static_cast<T>((static_cast<__quern_ptx_type<T>::wide>(a) * static_cast<__quern_ptx_type<T>::wide>(b)) >> 8 * sizeof(T)); \
  }                                                                                                                                  \
  __QUERN_PTX(T, mad_lo_##type)(T a, T b, T c) { return __quern_ptx_add_##type(__quern_ptx_mul_lo_##type(a, b), c); }                \
  __QUERN_PTX(T, mad_hi_##type)(T a, T b, T c) { return __quern_ptx_add_##type(__quern_ptx_mul_hi_##type(a, b), c); }                \
  __QUERN_PTX(T, div_##type)(T a, T b) { return static_cast<T>(a / b); }                                                             \
  __QUERN_PTX(T, rem_##type)(T a, T b) { return static_cast<T>(a % b); }                                                             \
  __QUERN_PTX(T, min_##type)(T a, T b) { return a < b ? a : b; }                                                                     \
  __QUERN_PTX(T, max_##type)(T a, T b) { return a > b ? a : b; }                                                                     \
  __QUERN_PTX(T, sad_##type)(T a, T b, T c) {                                                                                        \
    return __quern_ptx_add_##type(a < b ? __quern_ptx_sub_##type(b, a) : __quern_ptx_sub_##type(a, b), c);                           \
  }
__QUERN_PTX_INTEGERS(__QUERN_PTX_ROWS)
#undef __QUERN_PTX_ROWS

#define __QUERN_PTX_ROWS(type, T, W)                                                                                   \
  __QUERN_PTX(W, mul_wide_##type)(T a, T b) { return static_cast<W>(a) * static_cast<W>(b); }                          \
  __QUERN_PTX(W, mad_wide_##type)(T a, T b, W c) {                                                                     \
    return static_cast<W>(__quern_ptx_type<W>::own(static_cast<W>(a) * static_cast<W>(b)) + __quern_ptx_type<W>::own(c)); \
  }
__QUERN_PTX_ROWS(u16, unsigned short, unsigned int)
__QUERN_PTX_ROWS(s16, short, int)
__QUERN_PTX_ROWS(u32, unsigned int, unsigned long long)
__QUERN_PTX_ROWS(s32, int, long long)
#undef __QUERN_PTX_ROWS

#define __QUERN_PTX_ROWS(type, T)                                                                                    \
  __QUERN_PTX(T, neg_##type)(T a) { return static_cast<T>(0 - static_cast<__quern_ptx_type<T>::own>(a)); }           \
  __QUERN_PTX(T, abs_##type)(T a) { return a < 0 ? __quern_ptx_neg_##type(a) : a; }
__QUERN_PTX_SIGNED(__QUERN_PTX_ROWS)
#undef __QUERN_PTX_ROWS

__QUERN_PTX(int, add_sat_s32)(int a, int b) {
  long long sum = static_cast<long long>(a) + b;
  return static_cast<int>(sum > 0x7fffffff ? 0x7fffffff : sum < -0x7fffffffll - 1 ? -0x7fffffffll - 1 : sum);
}
__QUERN_PTX(int, sub_sat_s32)(int a, int b) {
  long long sum = static_cast<long long>(a) - b;
  return static_cast<int>(sum > 0x7fffffff ? 0x7fffffff : sum < -0x7fffffffll - 1 ? -0x7fffffffll - 1 : sum);
}
__QUERN_PTX(int, mul24_lo_s32)(int a, int b) { return __mul24(a, b); }
__QUERN_PTX(unsigned int, mul24_lo_u32)(unsigned int a, unsigned int b) { return __umul24(a, b); }
__QUERN_PTX(int, mul24_hi_s32)(int a, int b) {
  return static_cast<int>(static_cast<long long>(a << 8 >> 8) * static_cast<long long>(b << 8 >> 8) >> 16);
}
__QUERN_PTX(unsigned int, mul24_hi_u32)(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>(static_cast<__quern_u64>(a & 0xffffff) * (b & 0xffffff) >> 16);
}
__QUERN_PTX(int, mad24_lo_s32)(int a, int b, int c) { return __quern_ptx_add_s32(__mul24(a, b), c); }
__QUERN_PTX(unsigned int, mad24_lo_u32)(unsigned int a, unsigned int b, unsigned int c) { return __umul24(a, b) + c; }
__QUERN_PTX(int, dp4a_s32_s32)(int a, int b, int c) { return __dp4a(a, b, c); }
__QUERN_PTX(unsigned int, dp4a_u32_u32)(unsigned int a, unsigned int b, unsigned int c) { return __dp4a(a, b, c); }

// ---- carries: one bit for each thread, which the lowering makes a variable of its own

extern "C" __device__ __attribute__((const, nothrow)) unsigned int* __quern_ptx_carry();

#define __QUERN_PTX_SUMS(type, T)                                                                                          \
  __QUERN_DEVICE T __quern_ptx_sum_##type(T a, T b, bool carry_in, bool carry_out) {                                       \
    typedef __quern_ptx_type<T>::own own;                                                                                  \
    unsigned int* carry = __quern_ptx_carry();                                                                             \
    own x = static_cast<own>(a), part = x + static_cast<own>(b), sum = part + (carry_in ? static_cast<own>(*carry) : own()); \
    if (carry_out) *carry = part < x || sum < part;                                                                        \
    return static_cast<T>(sum);                                                                                            \
  }                                                                                                                        \
  __QUERN_DEVICE T __quern_ptx_rest_##type(T a, T b, bool carry_in, bool carry_out) {                                      \
    typedef __quern_ptx_type<T>::own own;                                                                                  \
    unsigned int* carry = __quern_ptx_carry();                                                                             \
    own x = static_cast<own>(a), part = x - static_cast<own>(b), rest = part - (carry_in ? static_cast<own>(*carry) : own()); \
    if (carry_out) *carry = part > x || rest > part;                                                                       \
    return static_cast<T>(rest);                                                                                           \
  }                                                                                                                        \
  __QUERN_PTX(T, add_cc_##type)(T a, T b) { return __quern_ptx_sum_##type(a, b, false, true); }                         \
  __QUERN_PTX(T, addc_##type)(T a, T b) { return __quern_ptx_sum_##type(a, b, true, false); }                           \
  __QUERN_PTX(T, addc_cc_##type)(T a, T b) { return __quern_ptx_sum_##type(a, b, true, true); }                         \
  __QUERN_PTX(T, sub_cc_##type)(T a, T b) { return __quern_ptx_rest_##type(a, b, false, true); }                        \
  __QUERN_PTX(T, subc_##type)(T a, T b) { return __quern_ptx_rest_##type(a, b, true, false); }                          \
  __QUERN_PTX(T, subc_cc_##type)(T a, T b) { return __quern_ptx_rest_##type(a, b, true, true); }                        \
  __QUERN_PTX_PRODUCTS(type, T, lo)                                                                                        \
  __QUERN_PTX_PRODUCTS(type, T, hi)
#define __QUERN_PTX_PRODUCTS(type, T, half)                                                                                        \
  __QUERN_PTX(T, mad_##half##_cc_##type)(T a, T b, T c) { return __quern_ptx_add_cc_##type(__quern_ptx_mul_##half##_##type(a, b), c); } \
  __QUERN_PTX(T, madc_##half##_##type)(T a, T b, T c) { return __quern_ptx_addc_##type(__quern_ptx_mul_##half##_##type(a, b), c); }     \
  __QUERN_PTX(T, madc_##half##_cc_##type)(T a, T b, T c) {                                                                          \
    return __quern_ptx_addc_cc_##type(__quern_ptx_mul_##half##_##type(a, b), c);                                                    \
  }
__QUERN_PTX_SUMS(u32, unsigned int)
__QUERN_PTX_SUMS(s32, int)
__QUERN_PTX_SUMS(u64, unsigned long long)
__QUERN_PTX_SUMS(s64, long long)
#undef __QUERN_PTX_SUMS
#undef __QUERN_PTX_PRODUCTS

// ---- bits

#define __QUERN_PTX_ROWS(type, T)                                                  \
  __QUERN_PTX(T, and_##type)(T a, T b) { return static_cast<T>(a & b); }           \
  __QUERN_PTX(T, or_##type)(T a, T b) { return static_cast<T>(a | b); }            \
  __QUERN_PTX(T, xor_##type)(T a, T b) { return static_cast<T>(a ^ b); }           \
  __QUERN_PTX(T, not_##type)(T a) { return static_cast<T>(~a); }                   \
  __QUERN_PTX(T, cnot_##type)(T a) { return a == 0; }                              \
  __QUERN_PTX(T, shl_##type)(T a, unsigned int b) {                                \
    return b < 8 * sizeof(T) ? static_cast<T>(static_cast<__quern_u64>(a) << b) : static_cast<T>(0); \
  }                                                                                \
  __QUERN_PTX(T, shr_##type)(T a, unsigned int b) { return b < 8 * sizeof(T) ? static_cast<T>(a >> b) : static_cast<T>(0); }
__QUERN_PTX_BITS(__QUERN_PTX_ROWS)
#undef __QUERN_PTX_ROWS
__QUERN_PTX(bool, and_pred)(bool a, bool b) { return a && b; }
__QUERN_PTX(bool, or_pred)(bool a, bool b) { return a || b; }
__QUERN_PTX(bool, xor_pred)(bool a, bool b) { return a != b; }
__QUERN_PTX(bool, not_pred)(bool a) { return !a; }
#define __QUERN_PTX_ROWS(type, T) \
  __QUERN_PTX(T, shr_##type)(T a, unsigned int b) { return b < 8 * sizeof(T) ? static_cast<T>(a >> b) : static_cast<T>(a < 0 ? -1 : 0); }
__QUERN_PTX_INTEGERS(__QUERN_PTX_ROWS)
#undef __QUERN_PTX_ROWS

__QUERN_PTX(unsigned int, popc_b32)(unsigned int a) { return static_cast<unsigned int>(__popc(a)); }
__QUERN_PTX(unsigned int, popc_b64)(__quern_u64 a) { return static_cast<unsigned int>(__popcll(a)); }
__QUERN_PTX(unsigned int, clz_b32)(int a) { return static_cast<unsigned int>(__clz(a)); }
__QUERN_PTX(unsigned int, clz_b64)(long long a) { return static_cast<unsigned int>(__clzll(a)); }
__QUERN_PTX(unsigned int, brev_b32)(unsigned int a) { return __brev(a); }
__QUERN_PTX(__quern_u64, brev_b64)(__quern_u64 a) { return __brevll(a); }
__QUERN_PTX(unsigned int, fns_b32)(unsigned int a, unsigned int b, int c) { return __fns(a, b, c); }

// The highest bit, of a negative number the highest that is not set; shiftamt: how far it is from the top. None: all ones.
#define __QUERN_PTX_ROWS(type, T, count, top)                                    \
  __QUERN_PTX(unsigned int, bfind_##type)(T a) {                                 \
    return static_cast<unsigned int>(top - count(a < 0 ? ~a : a));               \
  }                                                                              \
  __QUERN_PTX(unsigned int, bfind_shiftamt_##type)(T a) {                        \
    int far = count(a < 0 ? ~a : a);                                             \
    return static_cast<unsigned int>(far > top ? -1 : far);                      \
  }
__QUERN_PTX_ROWS(u32, unsigned int, __quern_ptx_clz_b32, 31)
__QUERN_PTX_ROWS(s32, int, __quern_ptx_clz_b32, 31)
__QUERN_PTX_ROWS(u64, __quern_u64, __quern_ptx_clz_b64, 63)
__QUERN_PTX_ROWS(s64, long long, __quern_ptx_clz_b64, 63)
#undef __QUERN_PTX_ROWS

// Fields of bits: a place and a length of eight bits each. What lies beyond the top is 0, in a signed number its sign.
#define __QUERN_PTX_ROWS(kind, T, W, bits)                                                              \
  __QUERN_PTX(T, bfe_##kind)(T a, unsigned int place, unsigned int length) {                            \
    place &= 255, length &= 255;                                                                        \
    if (length == 0) return 0;                                                                          \
    W field = static_cast<W>(a) >> (place < 2 * bits ? place : 2 * bits - 1);                           \
    unsigned int above = length < bits ? 2 * bits - length : bits;                                      \
    return static_cast<T>(static_cast<W>(field << above) >> above);                                     \
  }
__QUERN_PTX_ROWS(u32, unsigned int, unsigned long long, 32)
__QUERN_PTX_ROWS(s32, int, long long, 32)
__QUERN_PTX_ROWS(u64, __quern_u64, unsigned __int128, 64)
__QUERN_PTX_ROWS(s64, long long, __int128, 64)
#undef __QUERN_PTX_ROWS
#define __QUERN_PTX_ROWS(kind, T, bits)                                                           \
  __QUERN_PTX(T, bfi_##kind)(T a, T b, unsigned int place, unsigned int length) {                 \
    place &= 255, length &= 255;                                                                  \
    if (place >= bits) return b;                                                                  \
    T mask = static_cast<T>((length < bits ? (static_cast<T>(1) << length) - 1 : ~static_cast<T>(0)) << place);             \
    return (b & ~mask) | ((a << place) & mask);                                                   \
  }
__QUERN_PTX_ROWS(b32, unsigned int, 32)
__QUERN_PTX_ROWS(b64, __quern_u64, 64)
#undef __QUERN_PTX_ROWS

// Ones: b of them from bit a on.
__QUERN_PTX(unsigned int, bmsk_clamp_b32)(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>(a < 32 ? ((1ull << (b < 32 ? b : 32)) - 1) << a : 0);
}
__QUERN_PTX(unsigned int, bmsk_wrap_b32)(unsigned int a, unsigned int b) { return __quern_ptx_bmsk_clamp_b32(a & 31, b & 31); }

__QUERN_PTX(unsigned int, shf_l_wrap_b32)(unsigned int a, unsigned int b, unsigned int c) { return __funnelshift_l(a, b, c); }
__QUERN_PTX(unsigned int, shf_l_clamp_b32)(unsigned int a, unsigned int b, unsigned int c) { return __funnelshift_lc(a, b, c); }
__QUERN_PTX(unsigned int, shf_r_wrap_b32)(unsigned int a, unsigned int b, unsigned int c) { return __funnelshift_r(a, b, c); }
__QUERN_PTX(unsigned int, shf_r_clamp_b32)(unsigned int a, unsigned int b, unsigned int c) { return __funnelshift_rc(a, b, c); }

__QUERN_PTX(unsigned int, lop3_b32)(unsigned int a, unsigned int b, unsigned int c, unsigned int table) {
  unsigned int out = 0;
#pragma unroll
  for (unsigned int i = 0; i < 8; ++i) {
    unsigned int fits = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    out |= table >> i & 1 ? fits : 0u;
  }
  return out;
}

// Bytes of b:a. In a selector the fourth bit asks for the byte's sign, eight times.
__QUERN_PTX(unsigned int, prmt_b32)(unsigned int a, unsigned int b, unsigned int selector) {
  unsigned int bytes = __byte_perm(a, b, selector), out = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned int byte = bytes >> (8 * i) & 255;
    if (selector >> (4 * i + 3) & 1) byte = byte & 128 ? 255 : 0;
    out |= byte << (8 * i);
  }
  return out;
}
#define __QUERN_PTX_ROWS(mode, of_k)                                                             \
  __QUERN_PTX(unsigned int, prmt_b32_##mode)(unsigned int a, unsigned int b, unsigned int c) {   \
    unsigned int selector = 0;                                                                   \
    for (unsigned int k = 0; k < 4; ++k) selector |= ((of_k) & 7) << (4 * k);                    \
    return __byte_perm(a, b, selector);                                                          \
  }
__QUERN_PTX_ROWS(f4e, (c & 3) + k)
__QUERN_PTX_ROWS(b4e, (c & 3) - k)
__QUERN_PTX_ROWS(rc8, c & 3)
__QUERN_PTX_ROWS(ecl, k > (c & 3) ? k : c & 3)
__QUERN_PTX_ROWS(ecr, k < (c & 3) ? k : c & 3)
__QUERN_PTX_ROWS(rc16, 2 * (c & 1) + (k & 1))
#undef __QUERN_PTX_ROWS

// ---- floating point

#define __QUERN_PTX_ROUNDED(type, T, p, mode, suffix)                                                    \
  __QUERN_PTX(T, add_##mode##type)(T a, T b) { return __##p##add_##suffix(a, b); }                       \
  __QUERN_PTX(T, sub_##mode##type)(T a, T b) { return __##p##sub_##suffix(a, b); }                       \
  __QUERN_PTX(T, mul_##mode##type)(T a, T b) { return __##p##mul_##suffix(a, b); }                       \
  __QUERN_PTX(T, div_##mode##type)(T a, T b) { return __##p##div_##suffix(a, b); }                       \
  __QUERN_PTX(T, rcp_##mode##type)(T a) { return __##p##rcp_##suffix(a); }                               \
  __QUERN_PTX(T, sqrt_##mode##type)(T a) { return __##p##sqrt_##suffix(a); }
#define __QUERN_PTX_FUSED(mode, suffix)                                                                                  \
  __QUERN_PTX_ROUNDED(f32, float, f, mode, suffix)                                                                       \
  __QUERN_PTX_ROUNDED(f64, double, d, mode, suffix)                                                                      \
  __QUERN_PTX(float, fma_##mode##f32)(float a, float b, float c) { return __fmaf_##suffix(a, b, c); }                    \
  __QUERN_PTX(double, fma_##mode##f64)(double a, double b, double c) { return __fma_##suffix(a, b, c); }                 \
  __QUERN_PTX(float, mad_##mode##f32)(float a, float b, float c) { return __fmaf_##suffix(a, b, c); }                    \
  __QUERN_PTX(double, mad_##mode##f64)(double a, double b, double c) { return __fma_##suffix(a, b, c); }                 \
  __QUERN_PTX(float, add_##mode##sat_f32)(float a, float b) { return __saturatef(__fadd_##suffix(a, b)); }               \
  __QUERN_PTX(float, sub_##mode##sat_f32)(float a, float b) { return __saturatef(__fsub_##suffix(a, b)); }               \
  __QUERN_PTX(float, mul_##mode##sat_f32)(float a, float b) { return __saturatef(__fmul_##suffix(a, b)); }               \
  __QUERN_PTX(float, fma_##mode##sat_f32)(float a, float b, float c) { return __saturatef(__fmaf_##suffix(a, b, c)); }
__QUERN_PTX_FUSED(, rn)
__QUERN_PTX_FUSED(rz_, rz)
__QUERN_PTX_FUSED(rm_, rd)
__QUERN_PTX_FUSED(rp_, ru)
#undef __QUERN_PTX_FUSED
#undef __QUERN_PTX_ROUNDED

#define __QUERN_PTX_ROWS(type, T)                                                                                    \
  __QUERN_PTX(T, min_##type)(T a, T b) { return min(a, b); }                                                         \
  __QUERN_PTX(T, max_##type)(T a, T b) { return max(a, b); }                                                         \
  __QUERN_PTX(T, abs_##type)(T a) { return fabs(a); }                                                                \
  __QUERN_PTX(T, neg_##type)(T a) { return -a; }                                                                     \
  __QUERN_PTX(T, rsqrt_##type)(T a) { return rsqrt(a); }                                                             \
  __QUERN_PTX(T, copysign_##type)(T a, T b) { return copysign(b, a); }                                               \
  __QUERN_PTX(bool, testp_finite_##type)(T a) { return a - a == 0; }                                                 \
  __QUERN_PTX(bool, testp_infinite_##type)(T a) { return fabs(a) == static_cast<T>(__builtin_inf()); }                \
  __QUERN_PTX(bool, testp_number_##type)(T a) { return a == a; }                                                     \
  __QUERN_PTX(bool, testp_notanumber_##type)(T a) { return a != a; }
__QUERN_PTX_FLOATS(__QUERN_PTX_ROWS)
#undef __QUERN_PTX_ROWS
__QUERN_PTX(float, min_NaN_f32)(float a, float b) { return a != a ? a : b != b ? b : min(a, b); }
__QUERN_PTX(float, max_NaN_f32)(float a, float b) { return a != a ? a : b != b ? b : max(a, b); }
__QUERN_PTX(float, sin_f32)(float a) { return __sinf(a); }
__QUERN_PTX(float, cos_f32)(float a) { return __cosf(a); }
__QUERN_PTX(float, ex2_f32)(float a) { return exp2f(a); }
__QUERN_PTX(float, lg2_f32)(float a) { return log2f(a); }
__QUERN_PTX(float, tanh_f32)(float a) { return tanhf(a); }

// ---- comparisons and choices

#define __QUERN_PTX_SETP(type, T, name, op) \
  __QUERN_PTX(bool, setp_##name##_##type)(T a, T b) { return a op b; }
#define __QUERN_PTX_EQUAL(type, T)  \
  __QUERN_PTX_SETP(type, T, eq, ==) \
  __QUERN_PTX_SETP(type, T, ne, !=)
#define __QUERN_PTX_SELP(type, T) \
  __QUERN_PTX(T, selp_##type)(T a, T b, bool p) { return p ? a : b; }             \
  __QUERN_PTX(T, slct_##type##_s32)(T a, T b, int c) { return c >= 0 ? a : b; }    \
  __QUERN_PTX(T, slct_##type##_f32)(T a, T b, float c) { return c >= 0 ? a : b; }
#define __QUERN_PTX_ORDER(type, T) \
  __QUERN_PTX_EQUAL(type, T)       \
  __QUERN_PTX_SELP(type, T)        \
  __QUERN_PTX_SETP(type, T, lt, <) \
  __QUERN_PTX_SETP(type, T, le, <=) \
  __QUERN_PTX_SETP(type, T, gt, >) \
  __QUERN_PTX_SETP(type, T, ge, >=)
#define __QUERN_PTX_UNSIGNED_ORDER(type, T) \
  __QUERN_PTX_SETP(type, T, lo, <)          \
  __QUERN_PTX_SETP(type, T, ls, <=)         \
  __QUERN_PTX_SETP(type, T, hi, >)          \
  __QUERN_PTX_SETP(type, T, hs, >=)
__QUERN_PTX_INTEGERS(__QUERN_PTX_ORDER)
__QUERN_PTX_UNSIGNED(__QUERN_PTX_UNSIGNED_ORDER)
__QUERN_PTX_BITS(__QUERN_PTX_EQUAL)
__QUERN_PTX_BITS(__QUERN_PTX_SELP)
__QUERN_PTX_SELP(f32, float)
__QUERN_PTX_SELP(f64, double)
// Ordered comparisons (eq) are false if there is a NaN, unordered ones (equ) are true.
#define __QUERN_PTX_SETP_FLOAT(type, T, name, test) \
  __QUERN_PTX(bool, setp_##name##_##type)(T a, T b) { return test; }
#define __QUERN_PTX_FLOAT_ORDER(type, T)                               \
  __QUERN_PTX_SETP_FLOAT(type, T, eq, a == b)                          \
  __QUERN_PTX_SETP_FLOAT(type, T, ne, a < b || a > b)                  \
  __QUERN_PTX_SETP_FLOAT(type, T, lt, a < b)                           \
  __QUERN_PTX_SETP_FLOAT(type, T, le, a <= b)                          \
  __QUERN_PTX_SETP_FLOAT(type, T, gt, a > b)                           \
  __QUERN_PTX_SETP_FLOAT(type, T, ge, a >= b)                          \
  __QUERN_PTX_SETP_FLOAT(type, T, equ, !(a < b || a > b))              \
  __QUERN_PTX_SETP_FLOAT(type, T, neu, !(a == b))                      \
  __QUERN_PTX_SETP_FLOAT(type, T, ltu, !(a >= b))                      \
  __QUERN_PTX_SETP_FLOAT(type, T, leu, !(a > b))                       \
  __QUERN_PTX_SETP_FLOAT(type, T, gtu, !(a <= b))                      \
  __QUERN_PTX_SETP_FLOAT(type, T, geu, !(a < b))                       \
  __QUERN_PTX_SETP_FLOAT(type, T, num, a == a && b == b)               \
  __QUERN_PTX_SETP_FLOAT(type, T, nan, a != a || b != b)
__QUERN_PTX_FLOATS(__QUERN_PTX_FLOAT_ORDER)
#undef __QUERN_PTX_FLOAT_ORDER
#undef __QUERN_PTX_SETP_FLOAT
#undef __QUERN_PTX_UNSIGNED_ORDER
#undef __QUERN_PTX_ORDER
#undef __QUERN_PTX_SELP
#undef __QUERN_PTX_EQUAL
#undef __QUERN_PTX_SETP

#include "quern/ptx_convert.cuh"
#include "quern/ptx_memory.cuh"

#undef __QUERN_PTX_FLOATS
#undef __QUERN_PTX_INTEGERS
#undef __QUERN_PTX_BITS
#undef __QUERN_PTX_SIGNED
#undef __QUERN_PTX_UNSIGNED
#undef __QUERN_PTX
