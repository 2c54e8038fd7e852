// CPU: the functions of CUDA's mathematics library that no C library has. Computed in double; the float ones round that.
#pragma once

#define __QUERN_FLOAT_1(name)                                                                        \
  __QUERN_DEVICE float name##f(float x) { return static_cast<float>(name(static_cast<double>(x))); } \
  __QUERN_OVERLOADS_1(name)
// libm's Bessel functions, which have no builtin. Next to a zero the double ones lose digits: a power series around it has them, whose
// coefficients follow from Bessel's equation. A zero is a sum of two doubles.
__QUERN_DEVICE double __quern_bessel_near(int order, double x, double zero, double zero_lost, double slope) {
  double t = (x - zero) - zero_lost, power = t, sum = 0.0, square = zero * zero;
  double a[4] = {0.0, 0.0, 0.0, slope};  // of the last four powers
  for (int k = 0; k < 40; ++k) {
    double next = -(zero * (2 * k + 1) * (k + 1) * a[3] + (k * k + square - order * order) * a[2] + 2.0 * zero * a[1] + a[0]) /
                  (square * (k + 2) * (k + 1));
    a[0] = a[1];
    a[1] = a[2];
    a[2] = a[3];
    a[3] = next;
    power *= t;
    sum += next * power;
  }
  return slope * t + sum;
}
// `mirrored`: what a negative argument makes of the result.
#define __QUERN_LIBM(name, order, mirrored, ...)                                                           \
  extern "C" __device__ __attribute__((const, nothrow)) double __quern_##name(double) __asm__(#name);      \
  extern "C" __device__ __attribute__((const, nothrow)) float __quern_##name##f(float) __asm__(#name "f"); \
  __QUERN_DEVICE double name(double x) {                                                                   \
    const double zeros[][3] = {__VA_ARGS__};                                                               \
    double size = __builtin_fabs(x);                                                                       \
    for (const auto& zero : zeros) {                                                                       \
      if (__builtin_fabs(size - zero[0]) < 0.2 * __builtin_fmin(zero[0], 2.0)) {                           \
        double value = __quern_bessel_near(order, size, zero[0], zero[1], zero[2]);                        \
        return x < 0.0 ? value * (mirrored) : value;                                                       \
      }                                                                                                    \
    }                                                                                                      \
    return __quern_##name(x);                                                                              \
  }                                                                                                        \
  __QUERN_DEVICE float name##f(float x) { return __quern_##name##f(x); }
__QUERN_LIBM(j0, 0, 1.0, {2.404825557695773, -1.176691651530894e-16, -0.5191474972894667}, {5.520078110286311, 8.088597146146722e-17, 0.34026480655836816})
__QUERN_LIBM(j1, 1, -1.0, {3.8317059702075125, -1.5269184090088067e-16, -0.402759395702553}, {7.015586669815619, -9.414165653410389e-17, 0.30011575252613254})
__QUERN_LIBM(y0, 0, __builtin_nan(""), {0.8935769662791675, 2.6596231539720385e-17, 0.8794208024971948}, {3.957678419314858, -1.0764340697562706e-16, -0.40254267177502423}, {7.086051060301773, -8.835285723085408e-17, 0.3000976149104752})
__QUERN_LIBM(y1, 1, __builtin_nan(""), {2.197141326031017, -4.8259835876454966e-17, 0.5207864124022675}, {5.429681040794135, 4.162514026670377e-16, -0.3403180455234406})
#undef __QUERN_LIBM
#define __QUERN_LIBM_ORDER(name)                                                                                \
  extern "C" __device__ __attribute__((const, nothrow)) double __quern_##name(int, double) __asm__(#name);      \
  extern "C" __device__ __attribute__((const, nothrow)) float __quern_##name##f(int, float) __asm__(#name "f"); \
  __QUERN_DEVICE double name(int n, double x) { return __quern_##name(n, x); }                                  \
  __QUERN_DEVICE float name##f(int n, float x) { return __quern_##name##f(n, x); }
__QUERN_LIBM_ORDER(jn)
__QUERN_LIBM_ORDER(yn)
#undef __QUERN_LIBM_ORDER

// ---- sin(pi x) and cos(pi x): the argument is reduced exactly, to [-1/4, 1/4] and a quadrant

__QUERN_DEVICE __quern_angle __quern_reduce_pi(double x) {
  double turns = x - 2.0 * __builtin_rint(0.5 * x);  // in [-1, 1], exact
  double nearest = __builtin_rint(2.0 * turns);
  double part = turns - 0.5 * nearest, rest = 3.14159265358979323846 * part;
  double lost = __builtin_fma(3.14159265358979323846, part, -rest) + 1.2246467991473532e-16 * part;
  return {rest, lost, static_cast<unsigned long long>(static_cast<int>(nearest) & 3)};
}
__QUERN_DEVICE double sinpi(double x) {
  if (!__builtin_isfinite(x)) return __builtin_nan("");
  __quern_angle a = __quern_reduce_pi(x);
  double value = a.quarters & 1 ? __quern_cosine_near(a) : __quern_sine_near(a);
  value = a.quarters & 2 ? -value : value;
  return value == 0.0 ? __builtin_copysign(0.0, x) : value;
}
__QUERN_DEVICE double cospi(double x) {
  if (!__builtin_isfinite(x)) return __builtin_nan("");
  __quern_angle a = __quern_reduce_pi(x);
  double value = a.quarters & 1 ? __quern_sine_near(a) : __quern_cosine_near(a);
  value = a.quarters == 1 || a.quarters == 2 ? -value : value;
  return value == 0.0 ? 0.0 : value;
}
__QUERN_FLOAT_1(sinpi)
__QUERN_FLOAT_1(cospi)
__QUERN_DEVICE void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
__QUERN_DEVICE void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}

// ---- the error function's relatives

// exp(x * x) with the rounding error of x * x put back.
__QUERN_DEVICE double __quern_exp_square(double x) {
  double square = x * x;
  return exp(square) * (1.0 + __builtin_fma(x, x, -square));
}
__QUERN_DEVICE double erfcx(double x) {
  if (x < 20.0) return x < -26.7 ? __builtin_inf() : __quern_exp_square(x) * __builtin_erfc(x);
  double r = 0.5 / (x * x);  // the asymptotic series; its terms fall fast enough from 20 on
  double sum = 1.0 + r * (-1.0 + r * (3.0 + r * (-15.0 + r * (105.0 + r * (-945.0 + r * (10395.0 - r * 135135.0))))));
  return sum * (0.56418958354775628695 / x);
}
__QUERN_FLOAT_1(erfcx)

// Halley's steps from a first guess: on erf in the middle, on erfc outside, whose relative precision holds in the tail.
__QUERN_DEVICE double __quern_erfinv_middle(double y) {
  double x = 0.88622692545275801365 * y * (1.0 + 0.26179938779914943654 * y * y);
  for (int i = 0; i < 4; ++i) {
    double step = (__builtin_erf(x) - y) * 0.88622692545275801365 * __quern_exp_square(x);
    x -= step / (1.0 + x * step);
  }
  return x;
}
__QUERN_DEVICE double erfcinv(double y) {
  if (!(y > 0.0 && y < 2.0)) return y == 0.0 ? __builtin_inf() : y == 2.0 ? -__builtin_inf() : __builtin_nan("");
  if (y > 0.5 && y < 1.5) return __quern_erfinv_middle(1.0 - y);
  double tail = y < 1.0 ? y : 2.0 - y;
  double logarithm = log(tail);
  double t = __builtin_sqrt(1.38629436111989061883 - 2.0 * logarithm);
  double x = 0.70710678118654752440 *
             (t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  // Where erfc has few digits left: its logarithm, which is nearly a parabola.
  for (int i = 0; i < 3 && tail < 1e-280; ++i) {
    double scaled = erfcx(x);
    x += (log(scaled) - x * x - logarithm) * scaled * 0.88622692545275801365;
  }
  for (int i = 0; i < 3 && tail >= 1e-280; ++i) {
    double error = __builtin_erfc(x) - tail;
    double step = error * 0.88622692545275801365 * __quern_exp_square(x);  // error / (2 / sqrt(pi) * exp(-x * x))
    x += step / (1.0 + x * step);
  }
  return y < 1.0 ? x : -x;
}
__QUERN_FLOAT_1(erfcinv)
__QUERN_DEVICE double erfinv(double y) {
  double size = __builtin_fabs(y);
  if (size >= 1.0) return y == 1.0 ? __builtin_inf() : y == -1.0 ? -__builtin_inf() : __builtin_nan("");
  return size < 0.5 ? __quern_erfinv_middle(y) : __builtin_copysign(erfcinv(1.0 - size), y);
}
__QUERN_FLOAT_1(erfinv)
// Where erfc falls fast, the digits that -x / sqrt(2) lost count: they are put back by its slope.
__QUERN_DEVICE double normcdf(double x) {
  if (__builtin_fabs(x) > 40.0) return x < 0.0 ? 0.0 : 1.0;
  double a = -0.70710678118654752440 * x;
  double lost = __builtin_fma(-0.70710678118654752440, x, -a) + 4.8336466567264567e-17 * x;
  return 0.5 * (__builtin_erfc(a) - 1.12837916709551257390 * exp(-a * a) * lost);
}
__QUERN_FLOAT_1(normcdf)
__QUERN_DEVICE double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2.0 * p); }
__QUERN_FLOAT_1(normcdfinv)

// ---- lengths

__QUERN_DEVICE double norm3d(double a, double b, double c) { return __builtin_hypot(__builtin_hypot(a, b), c); }
__QUERN_DEVICE double norm4d(double a, double b, double c, double d) {
  return __builtin_hypot(__builtin_hypot(a, b), __builtin_hypot(c, d));
}
// A step of Newton's from the rounded quotient; squares and their sum are two doubles each, of numbers near 1.
__QUERN_DEVICE double rnorm4d(double a, double b, double c, double d) {
  double most = __builtin_fmax(__builtin_fmax(__builtin_fabs(a), __builtin_fabs(b)),
                               __builtin_fmax(__builtin_fabs(c), __builtin_fabs(d)));
  if (!(most > 0.0 && most < __builtin_inf())) return 1.0 / norm4d(a, b, c, d);
  int exponent = __builtin_ilogb(most);
  double parts[] = {a, b, c, d}, sum = 0.0, lost = 0.0;
  for (double part : parts) {
    double x = __builtin_ldexp(part, -exponent), square = x * x, before = sum, largest = __builtin_fmax(before, square);
    sum += square;
    lost += __builtin_fma(x, x, -square) + ((largest - sum) + __builtin_fmin(before, square));
  }
  double inverse = 1.0 / __builtin_sqrt(sum), square = inverse * inverse;
  double rest = __builtin_fma(-sum, square, 1.0) - sum * __builtin_fma(inverse, inverse, -square) - lost * square;
  return __builtin_ldexp(inverse + 0.5 * inverse * rest, -exponent);
}
__QUERN_DEVICE double rnorm3d(double a, double b, double c) { return rnorm4d(a, b, c, 0.0); }
__QUERN_DEVICE double rhypot(double x, double y) { return rnorm4d(x, y, 0.0, 0.0); }
__QUERN_DEVICE float rhypotf(float x, float y) { return static_cast<float>(rhypot(x, y)); }
// Lengths of floats are doubles up to the end: those of subnormal ones have few bits as floats.
__QUERN_DEVICE double __quern_length(float a, float b, float c, float d) {
  double x = a, y = b, z = c, w = d;
  return __builtin_sqrt(x * x + y * y + z * z + w * w);
}
__QUERN_DEVICE float norm3df(float a, float b, float c) { return static_cast<float>(__quern_length(a, b, c, 0.0f)); }
__QUERN_DEVICE float norm4df(float a, float b, float c, float d) { return static_cast<float>(__quern_length(a, b, c, d)); }
__QUERN_DEVICE float rnorm3df(float a, float b, float c) { return static_cast<float>(1.0 / __quern_length(a, b, c, 0.0f)); }
__QUERN_DEVICE float rnorm4df(float a, float b, float c, float d) { return static_cast<float>(1.0 / __quern_length(a, b, c, d)); }
__QUERN_DEVICE double norm(int count, const double* x) {
  double length = 0.0;
  for (int i = 0; i < count; ++i) length = __builtin_hypot(length, x[i]);
  return length;
}
__QUERN_DEVICE double __quern_length(int count, const float* x) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(x[i]) * x[i];
  return __builtin_sqrt(sum);
}
__QUERN_DEVICE float normf(int count, const float* x) { return static_cast<float>(__quern_length(count, x)); }
__QUERN_DEVICE double rnorm(int count, const double* x) { return 1.0 / norm(count, x); }
__QUERN_DEVICE float rnormf(int count, const float* x) { return static_cast<float>(1.0 / __quern_length(count, x)); }

// ---- modified Bessel functions: a power series near zero, the asymptotic one far out

__QUERN_DEVICE double __quern_bessel_i(int order, double x) {
  double size = __builtin_fabs(x);
  if (!(size < 713.9)) return __builtin_isnan(x) ? x : order && x < 0.0 ? -__builtin_inf() : __builtin_inf();
  double sum = 1.0, term = 1.0, sum_lost = 0.0;
  if (size < 20.0) {
    // The terms, and their sum, with the digits that rounding takes.
    double quarter = 0.25 * x * x, quarter_lost = 0.25 * __builtin_fma(x, x, -4.0 * quarter), lost = 0.0;
    for (int k = 1; k < 100 && term > 1e-17 * sum; ++k) {
      double product = term * quarter, divisor = k * static_cast<double>(k + order);
      double product_lost = __builtin_fma(term, quarter, -product) + term * quarter_lost + lost * quarter;
      term = product / divisor;
      lost = (__builtin_fma(-term, divisor, product) + product_lost) / divisor;
      double before = sum;
      sum += term;
      sum_lost += (before > term ? term - (sum - before) : before - (sum - term)) + lost;
    }
    sum += sum_lost;
    return order ? 0.5 * x * sum : sum;
  }
  double mu = 4.0 * order * order;
  for (int k = 1; k < 40; ++k) {
    double next = term * -(mu - (2.0 * k - 1.0) * (2.0 * k - 1.0)) / (8.0 * k * size);
    if (__builtin_fabs(next) >= __builtin_fabs(term)) break;
    term = next;
    double before = sum;
    sum += term;
    sum_lost += term - (sum - before);
  }
  sum += sum_lost;
  // exp(size) may overflow where the quotient does not.
  double half = exp(0.5 * size);
  double value = sum * half / __builtin_sqrt(6.28318530717958647692 * size) * half;
  return order && x < 0.0 ? -value : value;
}
__QUERN_DEVICE double cyl_bessel_i0(double x) { return __quern_bessel_i(0, x); }
__QUERN_DEVICE double cyl_bessel_i1(double x) { return __quern_bessel_i(1, x); }
__QUERN_FLOAT_1(cyl_bessel_i0)
__QUERN_FLOAT_1(cyl_bessel_i1)

#undef __QUERN_FLOAT_1
#undef __QUERN_OVERLOADS_1
#undef __QUERN_OVERLOADS_2
