// Functions of reals that NumPy does not have. erf, erfc and lgamma are the C library's, or CUDA's.
#pragma once

namespace quern {
namespace op {

__QUERN_FUNCTION_1(erf, erf)
__QUERN_FUNCTION_1(erfc, erfc)
__QUERN_FUNCTION_1(lgamma, lgamma)

// 1 / (1 + exp(-x)). The power is at most one, so nothing overflows, and far below zero the result is the power itself.
template <class T>
__QUERN_DEVICE T sigmoid(const T& a) {
  typedef typename Math<T>::type M;
  const M x = to<M>(a), power = exp(-fabs(x));
  return to<T>((x < M(0) ? power : M(1)) / (M(1) + power));
}

// Not by maximum(): the derivative at 0 is 0.
template <class T>
__QUERN_DEVICE T relu(const T& a) {
  return op::less_equal(a, T(0)) ? T(0) : a;
}

// The derivative of lgamma(), of x + low > 0. From 10 on its asymptotic series (DLMF 5.11.2). Below, the
// recurrence psi(x + 1) = psi(x) + 1 / x leads to (1, 2], where it has a zero: there x psi(x) / (x - zero) is a polynomial in x - 1.5,
// interpolated at 17 Chebyshev points in 90 digits (within 4e-18). Its digits hold up to the zero itself, whose own are split in two.
__QUERN_DEVICE double digamma_above(double x, double low) {
  if (x >= 10.0) {
    const double s = 1.0 / (x * x);
    const double series =
        s * (1.0 / 12 -
             s * (1.0 / 120 -
                  s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132 - s * (691.0 / 32760 - s * (1.0 / 12 - s * (3617.0 / 8160))))))));
    return ::log(x) - (0.5 / x + series);
  }
  double sum = 0.0;
  while (x > 2.0) {
    x -= 1.0;
    sum += 1.0 / x;
  }
  if (x < 1.0) {
    sum -= 1.0 / x;
    const double next = x + 1.0;
    low += x - (next - 1.0);
    x = next;
  }
  constexpr double terms[] = {
      1.4265838140477494, 0.315614744109642, -0.06281369492028008, 0.017935099659936202, -0.005921836374555441,
      0.002105524543932196, -0.0007808823636548008, 0.0002971387135965835, -0.00011492419795785276, 4.4924967963555466e-05,
      -1.7687223169837115e-05, 7.00085274570018e-06, -2.778815077217573e-06, 1.0900440594791301e-06, -4.343344704424389e-07,
      2.086174950945902e-07, -8.330017764155427e-08};
  double polynomial = terms[16];
  for (int i = 15; i >= 0; --i) polynomial = polynomial * (x - 1.5) + terms[i];
  return sum + ((x - 1.4616321449683622) - (9.549995429965697e-17 - low)) * polynomial / x;
}
__QUERN_DEVICE double digamma_of(double x) {
  if (x > 0.0) return x - x == 0.0 ? digamma_above(x, 0.0) : x;
  const double big = static_cast<double>(infinity());
  if (x == 0.0) return ::copysign(big, -x);
  const double rest = x - ::rint(x);
  if (rest == 0.0) return big - big;  // a pole
  // The reflection psi(1 - x) = psi(x) + pi / tan(pi x); close to a half the tangent of the complement has the digits.
  const double pi = 3.14159265358979323846, size = ::fabs(rest);
  const double cotangent = size > 0.25 ? ::tan(pi * (0.5 - size)) : 1.0 / ::tan(pi * size);
  const double mirrored = 1.0 - x;
  return digamma_above(mirrored, (1.0 - mirrored) - x) - ::copysign(pi * cotangent, rest);
}
// In float by way of double, which has the digits for the zeros below 0.
__QUERN_FUNCTION(digamma, static_cast<float>(digamma_of(x)), digamma_of(x))

// The sum of (q + k) ** -s over k from 0, of whole s > 1 and q > 0: up to s + 10 term by term, the rest by Euler and Maclaurin
// (DLMF 2.10.1), whose error is then below a unit of the last place.
__QUERN_DEVICE double hurwitz_zeta(double s, double q) {
  double sum = 0.0;
  for (; q < 10.0 + s; q += 1.0) sum += ::pow(q, -s);
  constexpr double terms[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000.0,
                              1.0 / 74724249600.0, -3617.0 / 10670622842880000.0};
  const double power = ::pow(q, -s);
  sum += power * (q / (s - 1.0) + 0.5);
  double factor = power * s / q;
  for (int i = 0; i < 8; ++i) {
    sum += terms[i] * factor;
    factor *= (s + 2 * i + 1) * (s + 2 * i + 2) / (q * q);
  }
  return sum;
}
// The derivative of order n of digamma(): n! times the sum over (x + k) ** -(n + 1), with n's sign. Below 0 the sum is cut where
// x + k changes its sign, and its negative end is the difference of two sums.
__QUERN_DEVICE double polygamma_of(double n, double x) {
  if (n == 0.0) return digamma_of(x);
  const double big = static_cast<double>(infinity());
  if (!(n > 0.0) || n != ::floor(n) || x != x || x == -big) return big - big;
  const bool is_odd = ::fmod(n, 2.0) != 0.0;
  if (x <= 0.0 && x == ::floor(x)) return is_odd ? big : -big;
  const double s = n + 1.0;
  double sum;
  if (x == big) {
    sum = 0.0;
  } else if (x > 0.0) {
    sum = hurwitz_zeta(s, x);
  } else {
    const double rest = x - ::floor(x), mirrored = 1.0 - x;
    const double above = hurwitz_zeta(s, rest), below = hurwitz_zeta(s, ::ceil(x) - x), far = hurwitz_zeta(s, mirrored);
    sum = is_odd ? above + below - far : above - below + far;  // equal ones go first
  }
  double factorial = 1.0;
  for (double k = 2.0; k <= n && factorial < big; k += 1.0) factorial *= k;
  const double size = sum == 0.0 ? 0.0 : factorial * sum;
  return is_odd ? size : -size;
}
__QUERN_DEVICE float polygamma_of_float(float n, float x) { return static_cast<float>(polygamma_of(n, x)); }
__QUERN_FUNCTION_2(polygamma, polygamma_of_float, polygamma_of)

// How a number drawn from a gamma distribution moves with the distribution's shape a, its quantile kept: -dP/da over the density, with
// P(a, x) by its series in x (to 1e-11). Beyond a of 400 by Wilson and Hilferty's cube of a normal number (to 1e-5).
__QUERN_DEVICE double gamma_slope_of(double a, double x) {
  if (!(a > 0.0) || !(x > 0.0)) return a == a && x == x ? 0.0 : a + x;
  if (a > 400.0) {
    const double u = ::cbrt(x / a), z = 3.0 * ::sqrt(a) * (u - 1.0 + 1.0 / (9.0 * a));
    return u * u * (u + 3.0 * a * (1.0 / (9.0 * a * a) - z / (6.0 * a * ::sqrt(a))));
  }
  double term = 1.0 / a, slope = ::log(x) - digamma_of(a + 1.0), sum = term * slope;
  for (double k = a + 1.0; k < a + 4000.0; k += 1.0) {
    term *= x / k;
    slope -= 1.0 / k;
    sum += term * slope;
    if (k > x && term * ::fabs(slope) < 1e-17 * ::fabs(sum)) break;
  }
  return -x * sum;
}
__QUERN_DEVICE float gamma_slope_of_float(float a, float x) { return static_cast<float>(gamma_slope_of(a, x)); }
__QUERN_FUNCTION_2(gamma_slope, gamma_slope_of_float, gamma_slope_of)

// exp(x * x) erfc(x). From 20 on its asymptotic series (DLMF 7.12.1), whose terms fall fast enough there.
__QUERN_DEVICE double erfcx_of(double x) {
  const double big = static_cast<double>(infinity());
  if (x < 20.0) {
    if (x < -26.7) return big;
    const double square = x * x;
    return ::exp(square) * (1.0 + ::fma(x, x, -square)) * ::erfc(x);
  }
  const double r = x == big ? 0.0 : 0.5 / x / x;
  const double sum = 1.0 + r * (-1.0 + r * (3.0 + r * (-15.0 + r * (105.0 + r * (-945.0 + r * (10395.0 - r * 135135.0))))));
  return sum * (0.56418958354775628695 / x);
}
__QUERN_FUNCTION(erfcx, static_cast<float>(erfcx_of(x)), erfcx_of(x))

// The probability that a normal number is below x: erfc(-x / sqrt(2)) / 2. Where erfc falls fast, the digits that the quotient lost are
// put back by its slope.
__QUERN_DEVICE double ndtr_of(double x) {
  if (::fabs(x) > 40.0) return x < 0.0 ? 0.0 : 1.0;
  const double a = -0.70710678118654752440 * x;
  const double lost = ::fma(-0.70710678118654752440, x, -a) + 4.8336466567264567e-17 * x;
  return 0.5 * (::erfc(a) - 1.12837916709551257390 * ::exp(-a * a) * lost);
}
__QUERN_FUNCTION(ndtr, static_cast<float>(ndtr_of(x)), ndtr_of(x))

__QUERN_DEVICE double log_ndtr_of(double x) {
  if (x < -1.0) return ::log(0.5 * erfcx_of(-0.70710678118654752440 * x)) - 0.5 * x * x;
  return ::log1p(-ndtr_of(-x));
}
__QUERN_FUNCTION(log_ndtr, static_cast<float>(log_ndtr_of(x)), log_ndtr_of(x))

// The inverse of ndtr(): Halley's steps on erf in the middle, on erfc outside. One is enough from Giles' polynomials (2010), which
// have seven digits; they end at 6e-8, beyond which the steps start from Hastings' rational function (Abramowitz and Stegun 26.2.23,
// within 5e-4). Where erfc has few digits left, they are Newton's, on its logarithm.
__QUERN_DEVICE double ndtri_of(double p) {
  const double big = static_cast<double>(infinity()), half_root_of_pi = 0.88622692545275801365;
  if (!(p > 0.0 && p < 1.0)) return p == 0.0 ? -big : p == 1.0 ? big : big - big;
  constexpr double near[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                             -0.00125372503, -0.00417768164, 0.246640727, 1.50140941};
  constexpr double far[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                            -0.0076224613, 0.00943887047, 1.00167406, 2.83297682};
  const double y = 2.0 * ::fabs(p - 0.5), tail = p < 0.5 ? p : 1.0 - p, w = -::log(4.0 * tail * (1.0 - tail));
  double z = 0.0, step = 0.0;
  int steps = 1;
  if (w < 15.3) {
    const double at = w < 5.0 ? w - 2.5 : ::sqrt(w) - 3.0;
    for (int i = 0; i < 9; ++i) z = z * at + (w < 5.0 ? near[i] : far[i]);
    z *= y;
  } else {
    const double t = ::sqrt(-2.0 * ::log(tail));
    z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    z *= 0.70710678118654752440;
    steps = 2;
  }
  for (int i = 0; i < steps; ++i) {
    z += step;
    if (tail < 1e-280) {
      const double scaled = 0.5 * erfcx_of(z);
      step = (::log(scaled) - z * z - ::log(tail)) * scaled * 2.0 * half_root_of_pi;
      continue;
    }
    const double error = (y < 0.5 ? y - ::erf(z) : ::erfc(z) - 2.0 * tail) * half_root_of_pi * ::exp(z * z);
    step = error / (1.0 - z * error);
  }
  const double size = ::fma(1.41421356237309504880, z, 1.41421356237309504880 * step - 9.6672933134529135e-17 * z);
  return p < 0.5 ? -size : size;
}
__QUERN_FUNCTION(ndtri, static_cast<float>(ndtri_of(x)), ndtri_of(x))

}  // namespace op
}  // namespace quern
