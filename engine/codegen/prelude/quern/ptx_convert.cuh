// CPU: cvt of the table that ptx.cuh begins.
#pragma once

#include "quern/half.cuh"

#define __QUERN_PTX_NARROW(M, ...) M(__VA_ARGS__, u8, unsigned char) M(__VA_ARGS__, s8, signed char)
#define __QUERN_PTX_EACH(M, ...)                                                                                \
  __QUERN_PTX_NARROW(M, __VA_ARGS__)                                                                            \
  M(__VA_ARGS__, u16, unsigned short) M(__VA_ARGS__, s16, short) M(__VA_ARGS__, u32, unsigned int)              \
  M(__VA_ARGS__, s32, int) M(__VA_ARGS__, u64, unsigned long long) M(__VA_ARGS__, s64, long long)

// ---- between integers: the low bits, or with .sat the nearest number

template <class D, class S>
__QUERN_DEVICE D __quern_ptx_nearest(S x) {
  constexpr bool is_signed = static_cast<D>(-1) < static_cast<D>(1);
  constexpr int bits = 8 * sizeof(D) - is_signed;
  constexpr __int128 most = (static_cast<__int128>(1) << bits) - 1, least = is_signed ? -most - 1 : 0;
  __int128 value = x;
  return static_cast<D>(value > most ? most : value < least ? least : value);
}
#define __QUERN_PTX_CVT(s, S, d, D)                                          \
  __QUERN_PTX(D, cvt_##d##_##s)(S a) { return static_cast<D>(a); }           \
  __QUERN_PTX(D, cvt_sat_##d##_##s)(S a) { return __quern_ptx_nearest<D>(a); }
__QUERN_PTX_EACH(__QUERN_PTX_CVT, u8, unsigned char)
__QUERN_PTX_EACH(__QUERN_PTX_CVT, s8, signed char)
__QUERN_PTX_EACH(__QUERN_PTX_CVT, u16, unsigned short)
__QUERN_PTX_EACH(__QUERN_PTX_CVT, s16, short)
__QUERN_PTX_EACH(__QUERN_PTX_CVT, u32, unsigned int)
__QUERN_PTX_EACH(__QUERN_PTX_CVT, s32, int)
__QUERN_PTX_EACH(__QUERN_PTX_CVT, u64, unsigned long long)
__QUERN_PTX_EACH(__QUERN_PTX_CVT, s64, long long)
#undef __QUERN_PTX_CVT

// ---- to integers: the nearest number that fits. A NaN is 0, or the highest bit alone where 64 bits come or go.

template <class D, class S>
__QUERN_DEVICE D __quern_ptx_whole(S x) {
  if ((sizeof(S) == 8 || sizeof(D) == 8) && x != x) return static_cast<D>(1ull << (8 * sizeof(D) - 1));
  if constexpr (sizeof(D) < 4) {
    return __quern_ptx_nearest<D>(static_cast<int>(x));
  } else {
    return static_cast<D>(x);
  }
}
#define __QUERN_PTX_CVT(s, S, suffix, d, D)                                                                     \
  __QUERN_PTX(D, cvt_rzi_##d##_##s)(S a) { return __quern_ptx_whole<D>(a); }                                    \
  __QUERN_PTX(D, cvt_rni_##d##_##s)(S a) { return __quern_ptx_whole<D>(__builtin_rint##suffix(a)); }            \
  __QUERN_PTX(D, cvt_rmi_##d##_##s)(S a) { return __quern_ptx_whole<D>(__builtin_floor##suffix(a)); }           \
  __QUERN_PTX(D, cvt_rpi_##d##_##s)(S a) { return __quern_ptx_whole<D>(__builtin_ceil##suffix(a)); }            \
  __QUERN_PTX(D, cvt_rzi_sat_##d##_##s)(S a) { return __quern_ptx_cvt_rzi_##d##_##s(a); }                       \
  __QUERN_PTX(D, cvt_rni_sat_##d##_##s)(S a) { return __quern_ptx_cvt_rni_##d##_##s(a); }                       \
  __QUERN_PTX(D, cvt_rmi_sat_##d##_##s)(S a) { return __quern_ptx_cvt_rmi_##d##_##s(a); }                       \
  __QUERN_PTX(D, cvt_rpi_sat_##d##_##s)(S a) { return __quern_ptx_cvt_rpi_##d##_##s(a); }
__QUERN_PTX_EACH(__QUERN_PTX_CVT, f32, float, f)
__QUERN_PTX_EACH(__QUERN_PTX_CVT, f64, double, )
#undef __QUERN_PTX_CVT

// ---- from integers. A double holds 32 bits; narrower ones go by way of 32.

#define __QUERN_PTX_CVT(s, S, name, W)                                                                    \
  __QUERN_PTX(float, cvt_rn_f32_##s)(S a) { return __##name##2float_rn(static_cast<W>(a)); }               \
  __QUERN_PTX(float, cvt_rz_f32_##s)(S a) { return __##name##2float_rz(static_cast<W>(a)); }               \
  __QUERN_PTX(float, cvt_rm_f32_##s)(S a) { return __##name##2float_rd(static_cast<W>(a)); }               \
  __QUERN_PTX(float, cvt_rp_f32_##s)(S a) { return __##name##2float_ru(static_cast<W>(a)); }               \
  __QUERN_PTX(unsigned short, cvt_rn_f16_##s)(S a) { return static_cast<__half_raw>(__half(static_cast<float>(a))).x; } \
  __QUERN_PTX(double, cvt_rn_f64_##s)(S a) { return static_cast<double>(a); }
#define __QUERN_PTX_EXACT(s, S)                                              \
  __QUERN_PTX(double, cvt_rz_f64_##s)(S a) { return a; }                     \
  __QUERN_PTX(double, cvt_rm_f64_##s)(S a) { return a; }                     \
  __QUERN_PTX(double, cvt_rp_f64_##s)(S a) { return a; }
__QUERN_PTX_EXACT(u8, unsigned char)
__QUERN_PTX_EXACT(s8, signed char)
__QUERN_PTX_EXACT(u16, unsigned short)
__QUERN_PTX_EXACT(s16, short)
__QUERN_PTX_EXACT(u32, unsigned int)
__QUERN_PTX_EXACT(s32, int)
#undef __QUERN_PTX_EXACT
__QUERN_PTX_CVT(u8, unsigned char, uint, unsigned int)
__QUERN_PTX_CVT(s8, signed char, int, int)
__QUERN_PTX_CVT(u16, unsigned short, uint, unsigned int)
__QUERN_PTX_CVT(s16, short, int, int)
__QUERN_PTX_CVT(u32, unsigned int, uint, unsigned int)
__QUERN_PTX_CVT(s32, int, int, int)
__QUERN_PTX_CVT(u64, unsigned long long, ull, unsigned long long)
__QUERN_PTX_CVT(s64, long long, ll, long long)
#undef __QUERN_PTX_CVT
#define __QUERN_PTX_CVT(s, S, name)                                                  \
  __QUERN_PTX(double, cvt_rz_f64_##s)(S a) { return __##name##2double_rz(a); }       \
  __QUERN_PTX(double, cvt_rm_f64_##s)(S a) { return __##name##2double_rd(a); }       \
  __QUERN_PTX(double, cvt_rp_f64_##s)(S a) { return __##name##2double_ru(a); }
__QUERN_PTX_CVT(u64, unsigned long long, ull)
__QUERN_PTX_CVT(s64, long long, ll)
#undef __QUERN_PTX_CVT

// ---- between floating-point types

__QUERN_PTX(double, cvt_f64_f32)(float a) { return a; }
__QUERN_PTX(float, cvt_rn_f32_f64)(double a) { return __double2float_rn(a); }
__QUERN_PTX(float, cvt_rz_f32_f64)(double a) { return __double2float_rz(a); }
__QUERN_PTX(float, cvt_rm_f32_f64)(double a) { return __double2float_rd(a); }
__QUERN_PTX(float, cvt_rp_f32_f64)(double a) { return __double2float_ru(a); }
__QUERN_PTX(float, cvt_rn_sat_f32_f64)(double a) { return __saturatef(__double2float_rn(a)); }
__QUERN_PTX(float, cvt_sat_f32_f32)(float a) { return __saturatef(a); }
#define __QUERN_PTX_CVT(type, T, suffix)                                                        \
  __QUERN_PTX(T, cvt_##type##_##type)(T a) { return a; }                                        \
  __QUERN_PTX(T, cvt_rni_##type##_##type)(T a) { return __builtin_rint##suffix(a); }            \
  __QUERN_PTX(T, cvt_rzi_##type##_##type)(T a) { return __builtin_trunc##suffix(a); }           \
  __QUERN_PTX(T, cvt_rmi_##type##_##type)(T a) { return __builtin_floor##suffix(a); }           \
  __QUERN_PTX(T, cvt_rpi_##type##_##type)(T a) { return __builtin_ceil##suffix(a); }
__QUERN_PTX_CVT(f32, float, f)
__QUERN_PTX_CVT(f64, double, )
#undef __QUERN_PTX_CVT
__QUERN_PTX(float, cvt_f32_f16)(unsigned short a) { return __half2float(__quern_half_of(a)); }
__QUERN_PTX(unsigned short, cvt_rn_f16_f32)(float a) { return static_cast<__half_raw>(__float2half_rn(a)).x; }

#undef __QUERN_PTX_EACH
#undef __QUERN_PTX_NARROW
