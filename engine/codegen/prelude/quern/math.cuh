// CPU: CUDA's mathematical functions, in float (sinf, and sin of a float), double (sin) and for integer arguments (a double).
// Builtins that LLVM knows as intrinsics, so that loops over them become vector code, or functions of math_vector.cuh.
#pragma once

// Mixed arguments: an integer counts as a double, as in C++.
template <class T>
struct __quern_is_real {
  static constexpr bool value = __quern_is_integer<T>::value;
};
template <>
struct __quern_is_real<float> {
  static constexpr bool value = true;
};
template <>
struct __quern_is_real<double> {
  static constexpr bool value = true;
};
template <class A, class B>
struct __quern_same {
  static constexpr bool value = false;
};
template <class A>
struct __quern_same<A, A> {
  static constexpr bool value = true;
};
// double for two different arithmetic types or two integers of one type; nothing for (float, float) and (double, double).
template <class A, class B>
using __quern_mixed_t = typename __quern_enable_if<__quern_is_real<A>::value && __quern_is_real<B>::value &&
                                                       (!__quern_same<A, B>::value || __quern_is_integer<A>::value),
                                                   double>::type;
template <class T>
using __quern_integer_t = typename __quern_enable_if<__quern_is_integer<T>::value, double>::type;

#define __QUERN_OVERLOADS_1(name)                           \
  __QUERN_DEVICE float name(float x) { return name##f(x); } \
  template <class T>                                        \
  __QUERN_DEVICE __quern_integer_t<T> name(T x) {           \
    return name(static_cast<double>(x));                    \
  }
#define __QUERN_OVERLOADS_2(name)                                       \
  __QUERN_DEVICE float name(float x, float y) { return name##f(x, y); } \
  template <class A, class B>                                           \
  __QUERN_DEVICE __quern_mixed_t<A, B> name(A x, B y) {                 \
    return name(static_cast<double>(x), static_cast<double>(y));        \
  }
#define __QUERN_BUILTIN_1(name)                                            \
  __QUERN_DEVICE double name(double x) { return __builtin_##name(x); }     \
  __QUERN_DEVICE float name##f(float x) { return __builtin_##name##f(x); } \
  __QUERN_OVERLOADS_1(name)
#define __QUERN_BUILTIN_2(name)                                                        \
  __QUERN_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }    \
  __QUERN_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  __QUERN_OVERLOADS_2(name)

__QUERN_BUILTIN_1(acos)
__QUERN_BUILTIN_1(acosh)
__QUERN_BUILTIN_1(asinh)
__QUERN_BUILTIN_1(ceil)
__QUERN_BUILTIN_1(cosh)
__QUERN_BUILTIN_1(erfc)
__QUERN_BUILTIN_1(fabs)
__QUERN_BUILTIN_1(floor)
__QUERN_BUILTIN_1(lgamma)
__QUERN_BUILTIN_1(logb)
__QUERN_BUILTIN_1(nearbyint)
__QUERN_BUILTIN_1(rint)
__QUERN_BUILTIN_1(round)
__QUERN_BUILTIN_1(sinh)
__QUERN_BUILTIN_1(sqrt)
__QUERN_BUILTIN_1(tanh)
__QUERN_BUILTIN_1(trunc)

// Those of math_vector.cuh, by preference where fusing costs nothing: no bound needs them on other CPUs.
extern "C" __device__ __attribute__((const, nothrow)) bool __quern_has_fma();
#define __QUERN_OWN(name)                                                                                          \
  __QUERN_DEVICE double name(double x) { return __quern_has_fma() ? __quern_##name(x) : __builtin_##name(x); }     \
  __QUERN_OVERLOADS_1(name)
#define __QUERN_OWN_FLOAT(name) \
  __QUERN_DEVICE float name##f(float x) { return __quern_has_fma() ? __quern_##name##f(x) : __builtin_##name##f(x); }
#define __QUERN_BUILTIN_FLOAT(name) \
  __QUERN_DEVICE float name##f(float x) { return __builtin_##name##f(x); }
__QUERN_OWN_FLOAT(asin)
__QUERN_BUILTIN_FLOAT(atan)
__QUERN_BUILTIN_FLOAT(atanh)
__QUERN_BUILTIN_FLOAT(cos)
__QUERN_OWN_FLOAT(exp)
__QUERN_BUILTIN_FLOAT(exp2)
__QUERN_OWN_FLOAT(expm1)
__QUERN_OWN_FLOAT(log)
__QUERN_OWN_FLOAT(log10)
__QUERN_OWN_FLOAT(log1p)
__QUERN_OWN_FLOAT(log2)
__QUERN_BUILTIN_FLOAT(sin)
__QUERN_BUILTIN_FLOAT(tan)
__QUERN_OWN(asin)
__QUERN_OWN(atan)
__QUERN_OWN(atanh)
__QUERN_OWN(cos)
__QUERN_OWN(exp)
__QUERN_OWN(exp2)
__QUERN_OWN(expm1)
__QUERN_OWN(log)
__QUERN_OWN(log1p)
__QUERN_OWN(log2)
__QUERN_OWN(sin)
__QUERN_OWN(tan)
#undef __QUERN_OWN
#undef __QUERN_OWN_FLOAT
#undef __QUERN_BUILTIN_FLOAT
// The C library's scalar functions are further off than CUDA's, too.
#define __QUERN_OWN_EVERYWHERE(name)                                       \
  __QUERN_DEVICE double name(double x) { return __quern_##name(x); }       \
  __QUERN_DEVICE float name##f(float x) { return __quern_##name##f(x); }   \
  __QUERN_OVERLOADS_1(name)
__QUERN_OWN_EVERYWHERE(cbrt)
__QUERN_OWN_EVERYWHERE(exp10)
#undef __QUERN_OWN_EVERYWHERE
__QUERN_DEVICE double log10(double x) { return __quern_log10(x); }
__QUERN_OVERLOADS_1(log10)
// In float by way of double, for the same reason.
#define __QUERN_FLOAT_OF_DOUBLE(name)                                                                              \
  __QUERN_DEVICE double name(double x) { return __builtin_##name(x); }                                             \
  __QUERN_DEVICE float name##f(float x) { return static_cast<float>(__builtin_##name(static_cast<double>(x))); }  \
  __QUERN_OVERLOADS_1(name)
// Close to zero its power series, for what libmvec has there; float by way of double, as above.
__QUERN_DEVICE double erf(double x) { return __builtin_fabs(x) < 0.0625 ? __quern_erf_near(x) : __builtin_erf(x); }
__QUERN_DEVICE float erff(float x) { return static_cast<float>(__builtin_erf(static_cast<double>(x))); }
__QUERN_OVERLOADS_1(erf)
__QUERN_FLOAT_OF_DOUBLE(tgamma)
#undef __QUERN_FLOAT_OF_DOUBLE

__QUERN_DEVICE double atan2(double y, double x) { return __quern_has_fma() ? __quern_atan2(y, x) : __builtin_atan2(y, x); }
__QUERN_DEVICE float atan2f(float y, float x) { return __builtin_atan2f(y, x); }
__QUERN_OVERLOADS_2(atan2)
__QUERN_BUILTIN_2(copysign)
__QUERN_BUILTIN_2(fdim)
__QUERN_BUILTIN_2(fmax)
__QUERN_BUILTIN_2(fmin)
__QUERN_BUILTIN_2(fmod)
__QUERN_BUILTIN_2(hypot)
__QUERN_BUILTIN_2(nextafter)
__QUERN_BUILTIN_2(remainder)

__QUERN_DEVICE double pow(double x, double y) { return __builtin_pow(x, y); }
__QUERN_DEVICE float powf(float x, float y) { return __builtin_powf(x, y); }
__QUERN_DEVICE float pow(float x, int y) { return __builtin_powf(x, static_cast<float>(y)); }
__QUERN_DEVICE double pow(double x, int y) { return __builtin_pow(x, static_cast<double>(y)); }
__QUERN_OVERLOADS_2(pow)
__QUERN_DEVICE float powif(float x, int y) { return __builtin_powf(x, static_cast<float>(y)); }
__QUERN_DEVICE double powi(double x, int y) { return __builtin_pow(x, static_cast<double>(y)); }

__QUERN_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__QUERN_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__QUERN_DEVICE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

// ---- results other than one number of the argument's type

#define __QUERN_TO_INTEGER(name, T)                                    \
  __QUERN_DEVICE T name(double x) { return __builtin_##name(x); }      \
  __QUERN_DEVICE T name##f(float x) { return __builtin_##name##f(x); } \
  __QUERN_DEVICE T name(float x) { return __builtin_##name##f(x); }
__QUERN_TO_INTEGER(lrint, long)
__QUERN_TO_INTEGER(lround, long)
__QUERN_TO_INTEGER(llrint, long long)
__QUERN_TO_INTEGER(llround, long long)
__QUERN_TO_INTEGER(ilogb, int)
#undef __QUERN_TO_INTEGER

#define __QUERN_WITH_INT(name, T)                                                  \
  __QUERN_DEVICE double name(double x, T n) { return __builtin_##name(x, n); }     \
  __QUERN_DEVICE float name##f(float x, T n) { return __builtin_##name##f(x, n); } \
  __QUERN_DEVICE float name(float x, T n) { return __builtin_##name##f(x, n); }
__QUERN_WITH_INT(ldexp, int)
__QUERN_WITH_INT(scalbn, int)
__QUERN_WITH_INT(scalbln, long)
#undef __QUERN_WITH_INT

__QUERN_DEVICE double frexp(double x, int* exponent) { return __builtin_frexp(x, exponent); }
__QUERN_DEVICE double modf(double x, double* whole) { return __builtin_modf(x, whole); }
__QUERN_DEVICE float frexpf(float x, int* exponent) { return __builtin_frexpf(x, exponent); }
__QUERN_DEVICE float frexp(float x, int* exponent) { return __builtin_frexpf(x, exponent); }
__QUERN_DEVICE float modff(float x, float* whole) { return __builtin_modff(x, whole); }
__QUERN_DEVICE float modf(float x, float* whole) { return __builtin_modff(x, whole); }
__QUERN_DEVICE double remquo(double x, double y, int* quotient) { return __builtin_remquo(x, y, quotient); }
__QUERN_DEVICE float remquof(float x, float y, int* quotient) { return __builtin_remquof(x, y, quotient); }
__QUERN_DEVICE float remquo(float x, float y, int* quotient) { return __builtin_remquof(x, y, quotient); }

// Two functions rather than libm's sincos, which has no vector form that LLVM knows.
__QUERN_DEVICE void sincos(double x, double* s, double* c) {
  *s = sin(x);
  *c = cos(x);
}
__QUERN_DEVICE void sincosf(float x, float* s, float* c) {
  *s = sinf(x);
  *c = cosf(x);
}
__QUERN_DEVICE void sincos(float x, float* s, float* c) { sincosf(x, s, c); }

#define __QUERN_CLASSIFY(name)                                                                  \
  __QUERN_BOTH bool name(float x) { return __builtin_##name(x); }                               \
  __QUERN_BOTH bool name(double x) { return __builtin_##name(x); }                              \
  template <class T>                                                                            \
  __QUERN_BOTH typename __quern_enable_if<__quern_is_integer<T>::value, bool>::type name(T x) { \
    return __builtin_##name(static_cast<double>(x));                                            \
  }
__QUERN_CLASSIFY(isnan)
__QUERN_CLASSIFY(isinf)
__QUERN_CLASSIFY(isfinite)
__QUERN_CLASSIFY(isnormal)
__QUERN_CLASSIFY(signbit)
#undef __QUERN_CLASSIFY
__QUERN_DEVICE int __isnan(double x) { return __builtin_isnan(x); }
__QUERN_DEVICE int __isnanf(float x) { return __builtin_isnan(x); }
__QUERN_DEVICE int __isinf(double x) { return __builtin_isinf(x); }
__QUERN_DEVICE int __isinff(float x) { return __builtin_isinf(x); }
__QUERN_DEVICE int __finite(double x) { return __builtin_isfinite(x); }
__QUERN_DEVICE int __finitef(float x) { return __builtin_isfinite(x); }
__QUERN_DEVICE double nan(const char*) { return __builtin_nan(""); }
__QUERN_DEVICE float nanf(const char*) { return __builtin_nanf(""); }

// ---- roots and quotients that only CUDA names

__QUERN_DEVICE float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
__QUERN_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
__QUERN_OVERLOADS_1(rsqrt)
__QUERN_DEVICE float rcbrtf(float x) { return static_cast<float>(1.0 / __quern_cube_root(static_cast<double>(x), false)); }
__QUERN_DEVICE double rcbrt(double x) { return 1.0 / cbrt(x); }
__QUERN_OVERLOADS_1(rcbrt)
__QUERN_DEVICE float fdividef(float x, float y) { return x / y; }
__QUERN_DEVICE float fdivide(float x, float y) { return x / y; }
__QUERN_DEVICE double fdivide(double x, double y) { return x / y; }

// ---- abs, min and max, for integers too

__QUERN_BOTH int abs(int x) { return x < 0 ? -x : x; }
__QUERN_BOTH long abs(long x) { return x < 0 ? -x : x; }
__QUERN_BOTH long long abs(long long x) { return x < 0 ? -x : x; }
__QUERN_BOTH long labs(long x) { return x < 0 ? -x : x; }
__QUERN_BOTH long long llabs(long long x) { return x < 0 ? -x : x; }
__QUERN_BOTH float abs(float x) { return __builtin_fabsf(x); }
__QUERN_BOTH double abs(double x) { return __builtin_fabs(x); }

#define __QUERN_MIN_MAX(A, B, R)                                                                                         \
  __QUERN_BOTH R min(A a, B b) { return static_cast<R>(b) < static_cast<R>(a) ? static_cast<R>(b) : static_cast<R>(a); } \
  __QUERN_BOTH R max(A a, B b) { return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(b) : static_cast<R>(a); }
__QUERN_MIN_MAX(int, int, int)
__QUERN_MIN_MAX(unsigned int, unsigned int, unsigned int)
__QUERN_MIN_MAX(int, unsigned int, unsigned int)
__QUERN_MIN_MAX(unsigned int, int, unsigned int)
__QUERN_MIN_MAX(long, long, long)
__QUERN_MIN_MAX(unsigned long, unsigned long, unsigned long)
__QUERN_MIN_MAX(long, unsigned long, unsigned long)
__QUERN_MIN_MAX(unsigned long, long, unsigned long)
__QUERN_MIN_MAX(long long, long long, long long)
__QUERN_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
__QUERN_MIN_MAX(long long, unsigned long long, unsigned long long)
__QUERN_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef __QUERN_MIN_MAX
__QUERN_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
__QUERN_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
__QUERN_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
__QUERN_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
__QUERN_BOTH double min(float a, double b) { return __builtin_fmin(a, b); }
__QUERN_BOTH double max(float a, double b) { return __builtin_fmax(a, b); }
__QUERN_BOTH double min(double a, float b) { return __builtin_fmin(a, b); }
__QUERN_BOTH double max(double a, float b) { return __builtin_fmax(a, b); }
__QUERN_BOTH unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
__QUERN_BOTH unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
__QUERN_BOTH long long llmin(long long a, long long b) { return min(a, b); }
__QUERN_BOTH long long llmax(long long a, long long b) { return max(a, b); }
__QUERN_BOTH unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
__QUERN_BOTH unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// ---- the fast versions: here as exact as the others

__QUERN_DEVICE float __sinf(float x) { return sinf(x); }
__QUERN_DEVICE float __cosf(float x) { return cosf(x); }
__QUERN_DEVICE float __tanf(float x) { return tanf(x); }
__QUERN_DEVICE float __tanhf(float x) { return tanhf(x); }
__QUERN_DEVICE void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }
__QUERN_DEVICE float __expf(float x) { return expf(x); }
__QUERN_DEVICE float __exp10f(float x) { return exp10f(x); }
__QUERN_DEVICE float __logf(float x) { return logf(x); }
__QUERN_DEVICE float __log2f(float x) { return log2f(x); }
__QUERN_DEVICE float __log10f(float x) { return log10f(x); }
__QUERN_DEVICE float __powf(float x, float y) { return __builtin_powf(x, y); }
__QUERN_DEVICE float __fdividef(float x, float y) { return x / y; }
__QUERN_DEVICE float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }

#undef __QUERN_BUILTIN_1
#undef __QUERN_BUILTIN_2
