// Bessel functions, modified ones, and the incomplete gamma functions. Those of the first two kinds are the C library's, or CUDA's.
#pragma once

namespace quern {
namespace op {

__QUERN_FUNCTION_1(bessel_j0, j0)
__QUERN_FUNCTION_1(bessel_j1, j1)
__QUERN_FUNCTION_1(bessel_y0, y0)
__QUERN_FUNCTION_1(bessel_y1, y1)

// I of order 0 or 1 times exp(-|x|): the power series, whose terms have one sign, or the asymptotic one (DLMF 10.25.2, 10.40.1).
__QUERN_DEVICE double bessel_i_scaled(int order, double x) {
  const double size = ::fabs(x);
  if (x != x) return x;
  double sum = 1.0, term = 1.0, value;
  if (size < 20.0) {
    const double quarter = 0.25 * x * x;
    for (int k = 1; k < 100 && term > 1e-17 * sum; ++k) sum += term *= quarter / (k * static_cast<double>(k + order));
    value = (order ? 0.5 * size * sum : sum) * ::exp(-size);
  } else {
    const double mu = 4.0 * order * order;
    for (int k = 1; k < 40; ++k) {
      const double next = term * -(mu - (2.0 * k - 1.0) * (2.0 * k - 1.0)) / (8.0 * k * size);
      if (::fabs(next) >= ::fabs(term)) break;
      sum += term = next;
    }
    value = sum / ::sqrt(6.28318530717958647692 * size);
  }
  return order && x < 0.0 ? -value : value;
}
__QUERN_DEVICE double bessel_i(int order, double x) {
  if (x - x != 0.0) return x != x || order ? x : -x * -x;  // infinities
  const double half = ::exp(0.5 * ::fabs(x));             // exp(|x|) overflows before the product does
  return bessel_i_scaled(order, x) * half * half;
}
__QUERN_FUNCTION(bessel_i0, static_cast<float>(bessel_i(0, x)), bessel_i(0, x))
__QUERN_FUNCTION(bessel_i1, static_cast<float>(bessel_i(1, x)), bessel_i(1, x))
__QUERN_FUNCTION(bessel_i0_scaled, static_cast<float>(bessel_i_scaled(0, x)), bessel_i_scaled(0, x))
__QUERN_FUNCTION(bessel_i1_scaled, static_cast<float>(bessel_i_scaled(1, x)), bessel_i_scaled(1, x))

// K of order 0 or 1 times exp(x): the integral of exp(-x (cosh t - 1)) cosh(order t) over t > 0 (DLMF 10.32.9) by the trapezoidal
// rule, whose error falls exponentially with the step: here below a unit of the last place.
__QUERN_DEVICE double bessel_k_scaled(int order, double x) {
  const double big = static_cast<double>(infinity());
  if (!(x > 0.0)) return x == 0.0 ? big : big - big;
  if (x == big) return 0.0;
  const double step = x > 4.0 ? 0.5 / ::sqrt(x) : 0.25;
  double sum = 0.5;
  for (int k = 1; k < 4000; ++k) {
    const double t = k * step, half = ::sinh(0.5 * t);
    const double term = ::exp(-2.0 * x * half * half) * (order ? ::cosh(t) : 1.0);
    sum += term;
    if (term < 1e-18 * sum) break;
  }
  return sum * step;
}
__QUERN_DEVICE double bessel_k(int order, double x) {
  return x > 800.0 ? (x == x ? 0.0 : x) : bessel_k_scaled(order, x) * ::exp(-x);
}
__QUERN_FUNCTION(bessel_k0, static_cast<float>(bessel_k(0, x)), bessel_k(0, x))
__QUERN_FUNCTION(bessel_k1, static_cast<float>(bessel_k(1, x)), bessel_k(1, x))
__QUERN_FUNCTION(bessel_k0_scaled, static_cast<float>(bessel_k_scaled(0, x)), bessel_k_scaled(0, x))
__QUERN_FUNCTION(bessel_k1_scaled, static_cast<float>(bessel_k_scaled(1, x)), bessel_k_scaled(1, x))

// x ** a exp(-x) / gamma(a), for large a by the logarithm of x / a, which keeps the digits that a and x have in common.
__QUERN_DEVICE double gamma_density(double a, double x) {
  if (a < 50.0) return ::exp(a * ::log(x) - x - ::lgamma(a));
  const double part = (x - a) / a, s = 1.0 / (a * a);
  const double stirling = (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680)))) / a;
  const double rest = ::fabs(part) < 0.3 ? ::log1p(part) - part : ::log(x / a) - part;
  return ::exp(a * rest - stirling) * ::sqrt(a / 6.28318530717958647692);
}
// P(a, x), or 1 - P: the series below a + 1, else the continued fraction (DLMF 8.11.4, 8.9.2).
__QUERN_DEVICE double incomplete_gamma(double a, double x, bool is_upper) {
  const double big = static_cast<double>(infinity());
  if (!(a >= 0.0) || !(x >= 0.0) || (a == 0.0 && x == 0.0) || (a == big && x == big)) return big - big;
  if (a == 0.0 || x == big) return is_upper ? 0.0 : 1.0;
  if (x == 0.0 || a == big) return is_upper ? 1.0 : 0.0;
  const double density = gamma_density(a, x);
  if (x < a + 1.0) {
    double term = 1.0 / a, sum = term;
    for (double k = a + 1.0; k < a + 200000.0 && term > 1e-17 * sum; k += 1.0) sum += term *= x / k;
    const double lower = density * sum;
    return is_upper ? 1.0 - lower : lower;
  }
  double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, fraction = d;
  for (int k = 1; k < 200000; ++k) {
    const double factor = k * (a - k);
    b += 2.0;
    d = factor * d + b;
    d = 1.0 / (d == 0.0 ? 1e-300 : d);
    c = b + factor / c;
    c = c == 0.0 ? 1e-300 : c;
    fraction *= c * d;
    if (::fabs(c * d - 1.0) < 1e-16) break;
  }
  const double upper = density * fraction;
  return is_upper ? upper : 1.0 - upper;
}
__QUERN_DEVICE double gammainc_of(double a, double x) { return incomplete_gamma(a, x, false); }
__QUERN_DEVICE double gammaincc_of(double a, double x) { return incomplete_gamma(a, x, true); }
__QUERN_DEVICE float gammainc_of_float(float a, float x) { return static_cast<float>(incomplete_gamma(a, x, false)); }
__QUERN_DEVICE float gammaincc_of_float(float a, float x) { return static_cast<float>(incomplete_gamma(a, x, true)); }
__QUERN_FUNCTION_2(gammainc, gammainc_of_float, gammainc_of)
__QUERN_FUNCTION_2(gammaincc, gammaincc_of_float, gammaincc_of)

}  // namespace op
}  // namespace quern
