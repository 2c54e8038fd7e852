// CPU: elementary functions without branches, so that loops over threads become vector code: those whose vectors in the C library's
// libmvec, or whose scalar version there, are further off than CUDA's manual allows. compile/clang/link/vector_math.h has the others;
// tests/engine/codegen/vector_math_test.cpp measures all of them. Polynomials are minimax ones for the interval of what is reduced.
// Kernels and tier 0's loops for processors with FMA (graph/tier0/rows.h) compile it alike.
//
// Sums of a large and a small number carry what rounding took; contraction must not change that, so it is off here, and what is to be
// fused says so. Where a CPU has no FMA, which costs a call each there, math.cuh takes most functions from the C library.
#pragma once

#define __QUERN_FMA(a, b, c) __builtin_fma(a, b, c)

struct __quern_sum {
  double high, low;
};
__QUERN_DEVICE unsigned long long __quern_bits_of(double x) { return __builtin_bit_cast(unsigned long long, x); }
__QUERN_DEVICE double __quern_of_bits(unsigned long long bits) { return __builtin_bit_cast(double, bits); }
// a + b, where a is the larger one or 0.
__QUERN_DEVICE __quern_sum __quern_fast_sum(double a, double b) {
#pragma clang fp contract(off)
  double high = a + b;
  return {high, (a - high) + b};
}
// Adding it leaves the nearest whole number in the low bits.
#define __QUERN_ROUNDER 6755399441055744.0  // 1.5 * 2**52

// ---- powers

// exp(r.high + r.low) - 1 for |r| < 0.347; r.low is a rounding error.
__QUERN_DEVICE __quern_sum __quern_exp_near(__quern_sum r) {
#pragma clang fp contract(off)
  double x = r.high, p = 2.091477283224809e-09;
  p = __QUERN_FMA(p, x, 2.510533724466521e-08);
  p = __QUERN_FMA(p, x, 2.755727343657049e-07);
  p = __QUERN_FMA(p, x, 2.755725511097889e-06);
  p = __QUERN_FMA(p, x, 2.480158732571076e-05);
  p = __QUERN_FMA(p, x, 0.00019841269875048905);
  p = __QUERN_FMA(p, x, 0.0013888888888883703);
  p = __QUERN_FMA(p, x, 0.00833333333332607);
  p = __QUERN_FMA(p, x, 0.04166666666666667);
  p = __QUERN_FMA(p, x, 0.1666666666666667);
  p = __QUERN_FMA(p, x, 0.5);
  return {x, __QUERN_FMA(x * x, p, __QUERN_FMA(r.low, x, r.low))};
}
// 2**k for the whole number in the low bits of `rounded`, as two factors.
struct __quern_scale {
  double first, second;
};
__QUERN_DEVICE __quern_scale __quern_power_of_two(double rounded) {
  unsigned long long k = (__quern_bits_of(rounded) + 2048) & 4095;  // + 2048
  unsigned long long half = k >> 1;
  return {__quern_of_bits(half << 52), __quern_of_bits((k - half - 2) << 52)};
}
__QUERN_DEVICE double __quern_exp_of(double rounded, __quern_sum r) {
#pragma clang fp contract(off)
  __quern_sum power = __quern_exp_near(r), one = __quern_fast_sum(1.0, power.high);
  double value = one.high + (one.low + power.low);
  __quern_scale scale = __quern_power_of_two(rounded);
  return value * scale.first * scale.second;
}
// Between, results are neither 0 nor infinite for more than rounding.
__QUERN_DEVICE double __quern_between(double x, double low, double high) { return x > high ? high : x < low ? low : x; }

__QUERN_DEVICE __quern_sum __quern_exp_rest(double x, double k) {
#pragma clang fp contract(off)
  double rest = __QUERN_FMA(k, -0.6931471805599453, x), lost = k * 2.3190468138462996e-17;
  double high = rest - lost;
  return {high, (rest - high) - lost};
}
__QUERN_DEVICE double __quern_exp(double argument) {
#pragma clang fp contract(off)
  double x = __quern_between(argument, -746.0, 710.0);
  double rounded = __QUERN_FMA(x, 1.4426950408889634, __QUERN_ROUNDER);
  return __quern_exp_of(rounded, __quern_exp_rest(x, rounded - __QUERN_ROUNDER));
}
__QUERN_DEVICE double __quern_exp2(double argument) {
#pragma clang fp contract(off)
  double x = __quern_between(argument, -1076.0, 1025.0);
  double rounded = x + __QUERN_ROUNDER, rest = x - (rounded - __QUERN_ROUNDER);
  double high = rest * 0.6931471805599453;
  double low = __QUERN_FMA(rest, 2.3190468138462996e-17, __QUERN_FMA(rest, 0.6931471805599453, -high));
  return __quern_exp_of(rounded, {high, low});
}
__QUERN_DEVICE double __quern_exp10(double argument) {
#pragma clang fp contract(off)
  double x = __quern_between(argument, -324.0, 309.0);
  double rounded = __QUERN_FMA(x, 3.321928094887362, __QUERN_ROUNDER), k = rounded - __QUERN_ROUNDER;
  double whole = __QUERN_FMA(k, -0.3010299956639812, x), lost = k * -2.8037281277851704e-18;
  double rest = whole - lost, rest_low = (whole - rest) - lost;
  double high = rest * 2.302585092994046;
  double low = __QUERN_FMA(rest, 2.302585092994046, -high) + (rest_low * 2.302585092994046 + rest * -2.1707562233822494e-16);
  return __quern_exp_of(rounded, {high, low});
}
__QUERN_DEVICE double __quern_expm1(double argument) {
#pragma clang fp contract(off)
  double x = __quern_between(argument, -746.0, 710.0);
  double rounded = __QUERN_FMA(x, 1.4426950408889634, __QUERN_ROUNDER), k = rounded - __QUERN_ROUNDER;
  __quern_sum power = __quern_exp_near(__quern_exp_rest(x, k));
  // (scale - 1) + scale * power, halved, so that it does not overflow early.
  double scale = __quern_of_bits((__quern_bits_of(rounded) + 1022) << 52);
  scale = k < -60.0 ? 0.0 : scale;
  double whole = scale - 0.5, part = scale * power.high;
  double sum = whole + part, back = sum - whole;
  double lost = (whole - (sum - back)) + (part - back);
  double value = 2.0 * (sum + (lost + scale * power.low));
  return __builtin_fabs(argument) < 1e-17 ? argument : value;
}

// ---- logarithms

// log(x) = exponent * log(2) + (high + low), x > 0. `more`: a rounding error that is to be added to x.
struct __quern_logarithm {
  double exponent, high, low;
};
__QUERN_DEVICE __quern_logarithm __quern_log_parts(double x, double more) {
#pragma clang fp contract(off)
  constexpr unsigned long long root_half = 0x3fe6a09e00000000;  // below sqrt(1/2)
  bool tiny = x < 2.2250738585072014e-308;
  unsigned long long bits = __quern_bits_of(tiny ? x * 18014398509481984.0 : x) + (0x3ff0000000000000 - root_half);
  unsigned long long biased = bits >> 52;
  double exponent = __quern_of_bits(biased | 0x4330000000000000) - (tiny ? 4503599627371573.0 : 4503599627371519.0);
  double f = __quern_of_bits((bits & 0x000fffffffffffff) + root_half) - 1.0;
  double s = f / (2.0 + f), z = s * s;
  double p = 0.1308723619665962;
  p = __QUERN_FMA(p, z, 0.13268714792348096);
  p = __QUERN_FMA(p, z, 0.15386241881938595);
  p = __QUERN_FMA(p, z, 0.18181795600060793);
  p = __QUERN_FMA(p, z, 0.22222222392089008);
  p = __QUERN_FMA(p, z, 0.28571428570801954);
  p = __QUERN_FMA(p, z, 0.4000000000000088);
  p = __QUERN_FMA(p, z, 0.6666666666666666);
  double half = 0.5 * f, square = half * f, square_lost = __QUERN_FMA(half, f, -square);
  double high = f - square;
  double low = ((f - high) - square) - square_lost + s * __QUERN_FMA(z, p, square);
  if (more != 0.0) low += more * __quern_of_bits((2046 - biased) << 52) / (1.0 + f);
  return {exponent, high, low};
}
__QUERN_DEVICE double __quern_log_ends(double x, double value) {
  value = x == __builtin_inf() ? x : value;
  value = x < 0.0 ? __builtin_nan("") : x == 0.0 ? -__builtin_inf() : value;
  return x != x ? x : value;
}
__QUERN_DEVICE double __quern_log_sum(__quern_logarithm parts) {
#pragma clang fp contract(off)
  __quern_sum sum = __quern_fast_sum(parts.exponent * 0.6931471805598903, parts.high);
  return sum.high + (sum.low + __QUERN_FMA(parts.exponent, 5.497923018708371e-14, parts.low));
}
__QUERN_DEVICE double __quern_log(double x) { return __quern_log_ends(x, __quern_log_sum(__quern_log_parts(x, 0.0))); }
// In another base: 1 / log(base), and the base's logarithm of 2, each with what it lacks.
__QUERN_DEVICE double __quern_log_in(double x, double inverse, double inverse_low, double two, double two_low) {
#pragma clang fp contract(off)
  __quern_logarithm parts = __quern_log_parts(x, 0.0);
  double high = parts.high * inverse;
  double low = __QUERN_FMA(parts.high, inverse, -high) + __QUERN_FMA(parts.low, inverse, parts.high * inverse_low);
  __quern_sum sum = __quern_fast_sum(parts.exponent * two, high);
  return __quern_log_ends(x, sum.high + (sum.low + __QUERN_FMA(parts.exponent, two_low, low)));
}
__QUERN_DEVICE double __quern_log2(double x) { return __quern_log_in(x, 1.4426950408889634, 2.0355273740931033e-17, 1.0, 0.0); }
__QUERN_DEVICE double __quern_log10(double x) {
  return __quern_log_in(x, 0.4342944819032518, 1.098319650216765e-17, 0.30102999566395283, 2.8363394551044964e-14);
}
__QUERN_DEVICE double __quern_log1p(double x) {
#pragma clang fp contract(off)
  double sum = x + 1.0, back = sum - 1.0;
  double lost = (1.0 - (sum - back)) + (x - back);
  double value = __quern_log_ends(sum, __quern_log_sum(__quern_log_parts(sum, x > 1e18 ? 0.0 : lost)));
  return __builtin_fabs(x) < 1e-17 ? x : value;
}
__QUERN_DEVICE double __quern_atanh(double x) {
#pragma clang fp contract(off)
  double size = __builtin_fabs(x);
  double value = 0.5 * __quern_log1p(2.0 * size / (1.0 - size));
  return __builtin_copysign(size > 1.0 ? __builtin_nan("") : size < 1e-9 ? size : value, x);
}

// ---- the cube root

// `last`: with the correction that makes a double of it.
__QUERN_DEVICE double __quern_cube_root(double x, bool last) {
#pragma clang fp contract(off)
  double size = __builtin_fabs(x);
  bool tiny = last && size < 2.2250738585072014e-308;
  unsigned long long bits = __quern_bits_of(tiny ? size * 18014398509481984.0 : size);
  unsigned long long exponent = bits >> 52, third = (exponent * 43691) >> 17;
  double m = __quern_of_bits((bits & 0x000fffffffffffff) | ((1023 + exponent - 3 * third) << 52));  // in [1, 8)
  double y = __QUERN_FMA(m, 0.00045942136455115094, -0.010640392770391005);  // its inverse cube root, within 0.7 %
  y = __QUERN_FMA(y, m, 0.0936043080060108);
  y = __QUERN_FMA(y, m, -0.4040736946117903);
  y = __QUERN_FMA(y, m, 1.3097655708093416);
  for (int i = 0; i < 2; ++i) {
    double error = __QUERN_FMA(-m * y, y * y, 1.0);
    y = __QUERN_FMA(y * error, __QUERN_FMA(error, 0.2222222222222222, 0.3333333333333333), y);
  }
  double root = m * y * y;
  if (last) {
    double square = root * root, cube = square * root;
    double lost = __QUERN_FMA(square, root, -cube) + root * __QUERN_FMA(root, root, -square);
    root = __QUERN_FMA((m - cube) - lost, y * y * 0.3333333333333333, root);
  }
  root *= __quern_of_bits((third + 682 - (tiny ? 18 : 0)) << 52);
  return __builtin_isfinite(x) && x != 0.0 ? __builtin_copysign(root, x) : x + x;
}
__QUERN_DEVICE double __quern_cbrt(double x) { return __quern_cube_root(x, true); }
__QUERN_DEVICE float __quern_cbrtf(float x) { return static_cast<float>(__quern_cube_root(static_cast<double>(x), false)); }

// ---- sines

// The angle less k quarters of a turn, within [-pi / 4, pi / 4], for |x| below 2**30. Its three words of pi / 2 are exact beyond the
// distance that any double keeps from a multiple of it.
struct __quern_angle {
  double high, low;
  unsigned long long quarters;
};
__QUERN_DEVICE __quern_angle __quern_reduce(double x) {
#pragma clang fp contract(off)
  double rounded = __QUERN_FMA(x, 0.6366197723675814, __QUERN_ROUNDER), k = rounded - __QUERN_ROUNDER;
  double rest = __QUERN_FMA(k, -1.5707963267948966, x);
  double second = k * 6.123233995736766e-17, second_low = __QUERN_FMA(k, 6.123233995736766e-17, -second);
  double high = rest - second, back = rest - high;
  double low = (rest - (high + back)) + (back - second);
  low = (low - second_low) - k * -1.4973849048591698e-33;
  __quern_sum sum = __quern_fast_sum(high, low);
  return {sum.high, sum.low, __quern_bits_of(rounded)};
}
__QUERN_DEVICE double __quern_sine_near(__quern_angle a) {
#pragma clang fp contract(off)
  double x = a.high, z = x * x, p = 1.591810123027412e-10;
  p = __QUERN_FMA(p, z, -2.5051131455427946e-08);
  p = __QUERN_FMA(p, z, 2.755731610068303e-06);
  p = __QUERN_FMA(p, z, -0.0001984126983675497);
  p = __QUERN_FMA(p, z, 0.008333333333330946);
  p = __QUERN_FMA(p, z, -0.16666666666666666);
  return x + __QUERN_FMA(z * x, p, a.low * __QUERN_FMA(z, -0.5, 1.0));
}
__QUERN_DEVICE double __quern_cosine_near(__quern_angle a) {
#pragma clang fp contract(off)
  double x = a.high, z = x * x, p = -1.1382614868556325e-11;
  p = __QUERN_FMA(p, z, 2.0876146024689747e-09);
  p = __QUERN_FMA(p, z, -2.7557317270560326e-07);
  p = __QUERN_FMA(p, z, 2.4801587298763433e-05);
  p = __QUERN_FMA(p, z, -0.0013888888888887395);
  p = __QUERN_FMA(p, z, 0.041666666666666664);
  double half = 0.5 * z, high = 1.0 - half;
  return high + (((1.0 - high) - half) + __QUERN_FMA(z * z, p, -__QUERN_FMA(x, a.low, __QUERN_FMA(x, x, -z) * 0.5)));
}
__QUERN_DEVICE double __quern_negated_if(double x, unsigned long long bit) { return __quern_of_bits(__quern_bits_of(x) ^ (bit << 63)); }
__QUERN_DEVICE double __quern_sin_near(double x) {
  __quern_angle a = __quern_reduce(x);
  double value = a.quarters & 1 ? __quern_cosine_near(a) : __quern_sine_near(a);
  value = __quern_negated_if(value, (a.quarters >> 1) & 1);
  return __builtin_fabs(x) < 1e-9 ? x : value;
}
__QUERN_DEVICE double __quern_cos_near(double x) {
  __quern_angle a = __quern_reduce(x);
  double value = a.quarters & 1 ? __quern_sine_near(a) : __quern_cosine_near(a);
  return __quern_negated_if(value, ((a.quarters + 1) >> 1) & 1);
}
__QUERN_DEVICE double __quern_tan_near(double x) {
  __quern_angle a = __quern_reduce(x);
  double s = __quern_sine_near(a), c = __quern_cosine_near(a);
  bool odd = a.quarters & 1;
  double value = (odd ? -c : s) / (odd ? s : c);
  return __builtin_fabs(x) < 1e-9 ? x : value;
}
// Further out libm's own, which vectors call for the elements that need it (link/vector_math.h).
#define __QUERN_WITH_FAR(name)                                                                                             \
  extern "C" __device__ __attribute__((const, nothrow)) double __quern_far_##name(double) __asm__("quern_far_" #name);    \
  __QUERN_DEVICE double __quern_##name(double x) {                                                                         \
    double value = __quern_##name##_near(x);                                                                               \
    if (__builtin_fabs(x) > 1073741824.0 && __builtin_fabs(x) < __builtin_inf()) value = __quern_far_##name(x);            \
    return value;                                                                                                          \
  }
__QUERN_WITH_FAR(sin)
__QUERN_WITH_FAR(cos)
__QUERN_WITH_FAR(tan)
#undef __QUERN_WITH_FAR

// ---- arcs

__QUERN_DEVICE double __quern_asin(double x) {
#pragma clang fp contract(off)
  double size = __builtin_fabs(x);
  bool outer = size > 0.5;
  double z = outer ? 0.5 - 0.5 * size : size * size, s = outer ? __builtin_sqrt(z) : size;
  double p = 0.02875990974247162;
  p = __QUERN_FMA(p, z, -0.014854837699421992);
  p = __QUERN_FMA(p, z, 0.017402725959689853);
  p = __QUERN_FMA(p, z, 0.005456844463293151);
  p = __QUERN_FMA(p, z, 0.010322964581482783);
  p = __QUERN_FMA(p, z, 0.011479154971005417);
  p = __QUERN_FMA(p, z, 0.013971215203097548);
  p = __QUERN_FMA(p, z, 0.017352392575609256);
  p = __QUERN_FMA(p, z, 0.022372172948124706);
  p = __QUERN_FMA(p, z, 0.030381944138386928);
  p = __QUERN_FMA(p, z, 0.04464285714635722);
  p = __QUERN_FMA(p, z, 0.07499999999998432);
  p = __QUERN_FMA(p, z, 0.16666666666666669);
  double more = s * z * p;
  __quern_sum far = __quern_fast_sum(1.5707963267948966, -2.0 * s);
  double value = outer ? far.high + (far.low + (6.123233995736766e-17 - 2.0 * more)) : s + more;
  return __builtin_copysign(value, x);
}
// atan(y / x) for y, x >= 0, not both 0 or infinite.
__QUERN_DEVICE double __quern_atan_ratio(double y, double x) {
#pragma clang fp contract(off)
  bool high = y > 2.414213562373095 * x, low = y < 0.4142135623730951 * x;
  double n = low ? y : high ? -x : y - x, d = low ? x : high ? y : y + x;
  double t = n / d, z = t * t;
  double p = 0.01628380122221936;
  p = __QUERN_FMA(p, z, -0.03456879721390266);
  p = __QUERN_FMA(p, z, 0.04551524595939313);
  p = __QUERN_FMA(p, z, -0.05230439225400254);
  p = __QUERN_FMA(p, z, 0.05878926954913465);
  p = __QUERN_FMA(p, z, -0.06666424708049473);
  p = __QUERN_FMA(p, z, 0.07692296365138361);
  p = __QUERN_FMA(p, z, -0.09090908753158665);
  p = __QUERN_FMA(p, z, 0.11111111105148569);
  p = __QUERN_FMA(p, z, -0.14285714285659756);
  p = __QUERN_FMA(p, z, 0.19999999999999804);
  p = __QUERN_FMA(p, z, -0.3333333333333333);
  double more = t * z * p;
  double base = low ? 0.0 : high ? 1.5707963267948966 : 0.7853981633974483;
  double base_low = low ? 0.0 : high ? 6.123233995736766e-17 : 3.061616997868383e-17;
  __quern_sum sum = __quern_fast_sum(base, t);
  return sum.high + (sum.low + (base_low + more));
}
__QUERN_DEVICE double __quern_atan(double x) {
  double size = __builtin_fabs(x);
  double value = size < 1e-9 ? size : __quern_atan_ratio(size, 1.0);
  return __builtin_copysign(x != x ? x : value, x);
}
__QUERN_DEVICE double __quern_atan2(double y, double x) {
#pragma clang fp contract(off)
  double rise = __builtin_fabs(y), run = __builtin_fabs(x);
  // Brought together, so that neither their sum overflows nor small ones lose digits; 0 and infinity are as good as 1 where they are equal.
  bool large = rise > 1e300 || run > 1e300, small = rise < 1e-280 && run < 1e-280;
  double scale = large ? 0x1p-60 : small ? 0x1p100 : 1.0;
  bool equal = rise == run;
  double a = equal ? 1.0 : rise * scale, b = equal ? 1.0 : run * scale;
  bool none = rise == 0.0;
  double value = __quern_atan_ratio(a, b);
  value = none ? 0.0 : value;
  bool left = __quern_bits_of(x) >> 63;
  double turned = 3.141592653589793 - (value - 1.2246467991473532e-16);
  value = left ? turned : value;
  value = run == 0.0 && !none ? 1.5707963267948966 : value;  // upright: from the left it would be rounded twice
  return x != x || y != y ? x + y : __builtin_copysign(value, y);
}

// ---- the error function, for |x| < 1/16

__QUERN_DEVICE double __quern_erf_near(double x) {
#pragma clang fp contract(off)
  double z = x * x, p = 0.00012055332981789664;
  p = __QUERN_FMA(p, z, -0.0008548327023450853);
  p = __QUERN_FMA(p, z, 0.005223977625442188);
  p = __QUERN_FMA(p, z, -0.026866170645131252);
  p = __QUERN_FMA(p, z, 0.11283791670955126);
  p = __QUERN_FMA(p, z, -0.37612638903183754);
  p = __QUERN_FMA(p, z, 0.1283791670955126);
  return __QUERN_FMA(x, p, x);
}

// ---- in float

struct __quern_sumf {
  float high, low;
};
__QUERN_DEVICE unsigned int __quern_bits_of(float x) { return __builtin_bit_cast(unsigned int, x); }
__QUERN_DEVICE float __quern_of_bits_f(unsigned int bits) { return __builtin_bit_cast(float, bits); }
__QUERN_DEVICE __quern_sumf __quern_fast_sum(float a, float b) {
#pragma clang fp contract(off)
  float high = a + b;
  return {high, (a - high) + b};
}
#define __QUERN_FMAF(a, b, c) __builtin_fmaf(a, b, c)
#define __QUERN_ROUNDER_F 12582912.0f  // 1.5 * 2**23

struct __quern_powerf {
  __quern_sumf less_one;  // exp(x) / 2**k - 1
  float rounded;          // k, in its low bits
};
__QUERN_DEVICE __quern_powerf __quern_exp_parts(float x) {
#pragma clang fp contract(off)
  float rounded = __QUERN_FMAF(x, 1.4426950f, __QUERN_ROUNDER_F), k = rounded - __QUERN_ROUNDER_F;
  float rest = __QUERN_FMAF(k, -0.69314575f, x), lost = k * 1.4286068e-06f;  // 0.69314575 has 16 bits: the product is exact
  float high = rest - lost, low = (rest - high) - lost;
  float p = 0.00019891017f;
  p = __QUERN_FMAF(p, high, 0.0013933674f);
  p = __QUERN_FMAF(p, high, 0.008333311f);
  p = __QUERN_FMAF(p, high, 0.041666465f);
  p = __QUERN_FMAF(p, high, 0.16666667f);
  p = __QUERN_FMAF(p, high, 0.5f);
  return {{high, __QUERN_FMAF(high * high, p, low)}, rounded};
}
__QUERN_DEVICE float __quern_expf(float argument) {
#pragma clang fp contract(off)
  float x = argument > 90.0f ? 90.0f : argument < -105.0f ? -105.0f : argument;
  __quern_powerf power = __quern_exp_parts(x);
  __quern_sumf one = __quern_fast_sum(1.0f, power.less_one.high);
  unsigned int k = (__quern_bits_of(power.rounded) + 256) & 511, half = k >> 1;  // + 256
  return (one.high + (one.low + power.less_one.low)) * __quern_of_bits_f(half << 23) * __quern_of_bits_f((k - half - 2) << 23);
}
__QUERN_DEVICE float __quern_expm1f(float argument) {
#pragma clang fp contract(off)
  float x = argument > 89.0f ? 89.0f : argument < -105.0f ? -105.0f : argument;
  __quern_powerf power = __quern_exp_parts(x);
  float scale = __quern_of_bits_f((__quern_bits_of(power.rounded) + 126) << 23);
  scale = x < -20.0f ? 0.0f : scale;
  float whole = scale - 0.5f, part = scale * power.less_one.high;
  float sum = whole + part, back = sum - whole;
  float lost = (whole - (sum - back)) + (part - back);
  float value = 2.0f * (sum + (lost + scale * power.less_one.low));
  return __builtin_fabsf(argument) < 1e-8f ? argument : value;
}
// Of 2**x in double: enough for float, far beyond where float ends.
__QUERN_DEVICE float __quern_exp10f(float argument) {
#pragma clang fp contract(off)
  double x = __quern_between(3.321928094887362 * static_cast<double>(argument), -160.0, 130.0);
  double rounded = x + __QUERN_ROUNDER, r = x - (rounded - __QUERN_ROUNDER), p = 0.0001546144469856913;
  p = __QUERN_FMA(p, r, 0.0013400428177615838);
  p = __QUERN_FMA(p, r, 0.009618056678524637);
  p = __QUERN_FMA(p, r, 0.05550327226670302);
  p = __QUERN_FMA(p, r, 0.24022650922288757);
  p = __QUERN_FMA(p, r, 0.6931472067028326);
  p = __QUERN_FMA(p, r, 1.0);
  return static_cast<float>(p * __quern_of_bits((__quern_bits_of(rounded) + 1023) << 52));
}

struct __quern_logarithmf {
  float exponent, high, low;
};
__QUERN_DEVICE __quern_logarithmf __quern_log_parts(float x, float more) {
#pragma clang fp contract(off)
  constexpr unsigned int root_half = 0x3f3504f0;
  bool tiny = x < 1.17549435e-38f;
  unsigned int bits = __quern_bits_of(tiny ? x * 33554432.0f : x) + (0x3f800000 - root_half);
  float exponent = static_cast<float>(static_cast<int>(bits >> 23) - (tiny ? 152 : 127));
  float f = __quern_of_bits_f((bits & 0x007fffff) + root_half) - 1.0f;
  float s = f / (2.0f + f), z = s * s;
  float p = 0.23330964f;
  p = __QUERN_FMAF(p, z, 0.28550803f);
  p = __QUERN_FMAF(p, z, 0.40000122f);
  p = __QUERN_FMAF(p, z, 0.6666667f);
  float half = 0.5f * f, square = half * f, square_lost = __QUERN_FMAF(half, f, -square);
  float high = f - square;
  float low = ((f - high) - square) - square_lost + s * __QUERN_FMAF(z, p, square);
  if (more != 0.0f) low += more * __quern_of_bits_f((254 - (bits >> 23)) << 23) / (1.0f + f);
  return {exponent, high, low};
}
__QUERN_DEVICE float __quern_log_ends(float x, float value) {
  value = x == __builtin_inff() ? x : value;
  value = x < 0.0f ? __builtin_nanf("") : x == 0.0f ? -__builtin_inff() : value;
  return x != x ? x : value;
}
__QUERN_DEVICE float __quern_log_sum(__quern_logarithmf parts) {
#pragma clang fp contract(off)
  __quern_sumf sum = __quern_fast_sum(parts.exponent * 0.69314575f, parts.high);
  return sum.high + (sum.low + __QUERN_FMAF(parts.exponent, 1.4286068e-06f, parts.low));
}
__QUERN_DEVICE float __quern_logf(float x) { return __quern_log_ends(x, __quern_log_sum(__quern_log_parts(x, 0.0f))); }
__QUERN_DEVICE float __quern_log_in(float x, float inverse, float inverse_low, float two, float two_low) {
#pragma clang fp contract(off)
  __quern_logarithmf parts = __quern_log_parts(x, 0.0f);
  float high = parts.high * inverse;
  float low = __QUERN_FMAF(parts.high, inverse, -high) + __QUERN_FMAF(parts.low, inverse, parts.high * inverse_low);
  __quern_sumf sum = __quern_fast_sum(parts.exponent * two, high);
  return __quern_log_ends(x, sum.high + (sum.low + __QUERN_FMAF(parts.exponent, two_low, low)));
}
__QUERN_DEVICE float __quern_log2f(float x) { return __quern_log_in(x, 1.442695f, 1.925963e-08f, 1.0f, 0.0f); }
__QUERN_DEVICE float __quern_log10f(float x) { return __quern_log_in(x, 0.4342945f, -1.010305e-08f, 0.3010254f, 4.605039e-06f); }
__QUERN_DEVICE float __quern_log1pf(float x) {
#pragma clang fp contract(off)
  float sum = x + 1.0f, back = sum - 1.0f;
  float lost = (1.0f - (sum - back)) + (x - back);
  float value = __quern_log_ends(sum, __quern_log_sum(__quern_log_parts(sum, x > 1e9f ? 0.0f : lost)));
  return __builtin_fabsf(x) < 1e-8f ? x : value;
}

__QUERN_DEVICE float __quern_asinf(float x) {
#pragma clang fp contract(off)
  float size = __builtin_fabsf(x);
  bool outer = size > 0.5f;
  float z = outer ? 0.5f - 0.5f * size : size * size, s = outer ? __builtin_sqrtf(z) : size;
  float p = 0.033691835f;
  p = __QUERN_FMAF(p, z, 0.017148686f);
  p = __QUERN_FMAF(p, z, 0.03110077f);
  p = __QUERN_FMAF(p, z, 0.044599393f);
  p = __QUERN_FMAF(p, z, 0.075000946f);
  p = __QUERN_FMAF(p, z, 0.16666666f);
  float more = s * z * p;
  __quern_sumf far = __quern_fast_sum(1.5707964f, -2.0f * s);
  float value = outer ? far.high + (far.low + (-4.371139e-08f - 2.0f * more)) : s + more;
  return __builtin_copysignf(value, x);
}

#undef __QUERN_FMA
#undef __QUERN_FMAF
#undef __QUERN_ROUNDER
#undef __QUERN_ROUNDER_F
