// Functions of complex numbers, right everywhere: C99's special values (Annex G), the branch cuts with signed zeros, nothing that
// overflows on the way, accurate near the branch points. Included by complex.cuh.
//
// Written without branches: special cases choose between values, so that loops over them still become vector code on the CPU and
// threads stay together on a GPU. Sources: W. Kahan, "Branch cuts for complex elementary functions" (1987), for the identities
// and cuts; T. Hull, T. Fairgrieve, P. Tang, "Implementing the complex arcsine and arccosine functions using exception handling"
// (1997), for asin and acos. What follows from a rotation by 90 degrees has no formula of its own.
#pragma once

extern "C++" {
namespace quern {

// What the functions below need to know of float and double.
template <class P>
struct Reals;
template <>
struct Reals<float> {
  static constexpr float max = 3.402823466e+38f;
  static constexpr float large = 2e37f, down = 0.0625f, down_log = 2.772588722239781f;    // above it, times down: log's difference
  static constexpr float small = 1e-30f, up = 1.8446744073709552e19f;                     // below it, times up = 2^64
  static constexpr float up_log = 44.3614195558365f, up_root = 2.3283064365386963e-10f;   // log(up), 1 / sqrt(up)
  static constexpr float exp_most = 88.0f, exp_step = 60.0f, exp_factor = 1.142007398e26f;  // exp is finite; steps down, exp(step)
  static constexpr float exp2_most = 127.0f, exp2_step = 100.0f, exp2_factor = 1.2676506002282294e30f;
  static constexpr float log_2 = 0.693147182464599609f, log_2_rest = -1.90465429995776e-9f;
  static constexpr float flat = 11.0f;                                                    // tanh is 1 above
  static constexpr float beside = 9.094947017729282e-13f;                                 // 2^-40: its square is a normal number
  static constexpr float beside_up = 1073741824.0f, beside_log = 20.79441541679836f;      // 2^30 and its logarithm
};
template <>
struct Reals<double> {
  static constexpr double max = 1.7976931348623157e308;
  static constexpr double large = 1e307, down = 0.0625, down_log = 2.772588722239781;
  static constexpr double small = 1e-290, up = 1.8446744073709552e19;
  static constexpr double up_log = 44.3614195558365, up_root = 2.3283064365386963e-10;
  static constexpr double exp_most = 708.0, exp_step = 500.0, exp_factor = 1.4035922178528375e217;
  static constexpr double exp2_most = 1023.0, exp2_step = 800.0, exp2_factor = 6.668014432879854e240;
  static constexpr double log_2 = 0.693147180559945286, log_2_rest = 2.319046813846299558e-17;
  static constexpr double flat = 22.0;
  static constexpr double beside = 8.470329472543003e-22;  // 2^-70
  static constexpr double beside_up = 1.8446744073709552e19, beside_log = 44.3614195558365;
};

namespace of_complex {

template <class P>
__QUERN_DEVICE P infinity() {
  return static_cast<P>(__uint_as_float(0x7f800000u));
}
template <class P>
__QUERN_DEVICE bool is_infinite(const P& x) {
  return ::fabs(x) > Reals<P>::max;
}
template <class P>
__QUERN_DEVICE bool is_finite(const P& x) {
  return ::fabs(x) <= Reals<P>::max;
}
template <class P>
__QUERN_DEVICE P larger(const P& x, const P& y) {
  return x > y ? x : y;
}

// i z and -i z.
template <class P>
__QUERN_DEVICE complex<P> turned(const complex<P>& z) {
  return complex<P>(-z.im, z.re);
}
template <class P>
__QUERN_DEVICE complex<P> turned_back(const complex<P>& z) {
  return complex<P>(z.im, -z.re);
}

// exp(x + i angle) from e = exp(x) and the cosine and sine of the angle. Where e would overflow it is divided by factor and again;
// multiplied at the end, as the products may well be finite.
template <class P>
__QUERN_DEVICE complex<P> on_circle(const P& x, const P& angle, const P& e, P c, P s, const P& factor, const P& again) {
  const bool lost = is_infinite(x) && !is_finite(angle);  // an infinite or zero length at no angle
  c = lost ? P(1) : c;
  s = lost && x < P(0) ? ::copysign(P(0), angle) : s;
  return complex<P>(e * c * factor * again, angle == P(0) ? angle : e * s * factor * again);
}

// log(sqrt((x + rest)^2 + y^2)), where rest is below the last digit of x: what hypot rounds away is put back, so that the result
// is accurate near the unit circle too.
template <class P>
__QUERN_DEVICE P log_of_length(const P& x, const P& rest, const P& y) {
  typedef Reals<P> R;
  const P size_x = ::fabs(x), size_y = ::fabs(y), most = larger(size_x, size_y);
  const bool big = most > R::large, tiny = most < R::small;
  const P scale = big ? R::down : tiny ? R::up : P(1);
  const P length = ::hypot(x * scale, y * scale);
  const P least = size_x > size_y ? size_y : size_x;
  const P a = most * most, b = least * least, c = length * length;
  const P low = (::fma(most, most, -a) - ::fma(length, length, -c)) + ::fma(least, least, -b);
  const P left = ((a - c) + b) + (low + P(2) * x * rest);
  const P near = length > P(0.5) && length < P(2) && !tiny ? left / (P(2) * c) : P(0);
  return ::log(length) + (big ? R::down_log : tiny ? -R::up_log : near);
}

// sinh(x) and cosh(x), both divided by factor^steps where they would overflow.
template <class P>
struct Hyperbolic {
  P s, c, factor, again;
  __QUERN_DEVICE Hyperbolic(const P& x) {
    typedef Reals<P> R;
    const P size = ::fabs(x);
    const bool one = size > R::exp_most, two = size > R::exp_most + R::exp_step;
    const P reduced = size - (two ? P(2) * R::exp_step : one ? R::exp_step : P(0));
    factor = one ? R::exp_factor : P(1);
    again = two ? R::exp_factor : P(1);
    s = ::sinh(::copysign(reduced, x));
    const P up = ::fabs(s);
    c = up > P(1e9f) ? up : ::sqrt(P(1) + s * s);
    c = x == x ? c : x;
  }
};

// asin or acos of x + i y, x and y not negative but x's sign, which acos needs: Hull, Fairgrieve and Tang's formulas, in which
// nothing cancels. `side` is sqrt(a^2 - x^2), `height` the size of the imaginary part.
template <class P>
struct ArcParts {
  P x, side, height;
  __QUERN_DEVICE ArcParts(const complex<P>& z) {
    typedef Reals<P> R;
    const P size_x = ::fabs(z.re), size_y = ::fabs(z.im);
    const bool big = larger(size_x, size_y) > R::large;
    const P scale = big ? R::down : P(1);
    x = size_x * scale;
    const P y = size_y * scale;
    const P beyond = x + P(1), from = ::fabs(P(1) - x);  // the distances from -1 and 1 along the axis
    const P r = ::hypot(beyond, y), s = ::hypot(from, y), a = P(0.5) * (r + s);
    const P over_r = P(1) / (r + beyond), over_s = P(1) / (s + from);
    // Twice 0.5 * (over_r + over_s) and 0.5 * (...): halved later, where no digit of a subnormal number is lost.
    const P w = over_r + over_s, v = y * (y * over_r) + (s + from);
    const P root_w = y * ::sqrt(w), root_v = ::sqrt(v);
    side = (x <= P(1) ? root_v : root_w) * ::sqrt(P(0.5) * (a + x));
    const P above = P(0.5) * (x < P(1) ? y * (y * w) : v);  // a - 1
    P grown = above + (x < P(1) ? root_w : root_v) * ::sqrt(P(0.5) * (a + P(1)));
    const bool endless = is_infinite(x) || is_infinite(y);
    grown = endless ? infinity<P>() : grown;
    side = endless ? y : x == P(0) && y != y ? P(1) : side;
    height = ::log1p(grown) + (big ? R::down_log : P(0));
  }
};

// Annex G's product: what comes out as no number though an operand is infinite is infinite.
template <class P>
__QUERN_DEVICE complex<P> product(const complex<P>& z, const complex<P>& w) {
  const complex<P> plain = z * w;
  if (plain.re == plain.re || plain.im == plain.im) return plain;
  P a = z.re, b = z.im, c = w.re, d = w.im;
  const bool first = is_infinite(a) || is_infinite(b), second = is_infinite(c) || is_infinite(d);
  const bool grown = is_infinite(a * c) || is_infinite(b * d) || is_infinite(a * d) || is_infinite(b * c);
  if (!first && !second && !grown) return plain;
  if (first) {
    a = ::copysign(is_infinite(a) ? P(1) : P(0), a);
    b = ::copysign(is_infinite(b) ? P(1) : P(0), b);
  } else {
    a = a == a ? a : ::copysign(P(0), a);
    b = b == b ? b : ::copysign(P(0), b);
  }
  if (second) {
    c = ::copysign(is_infinite(c) ? P(1) : P(0), c);
    d = ::copysign(is_infinite(d) ? P(1) : P(0), d);
  } else {
    c = c == c ? c : ::copysign(P(0), c);
    d = d == d ? d : ::copysign(P(0), d);
  }
  return complex<P>(infinity<P>() * (a * c - b * d), infinity<P>() * (a * d + b * c));
}

// ---- what only arrays have: not in quern itself, where a user's functions of these names would meet them

template <class T>
__QUERN_DEVICE complex<T> sign(const complex<T>& z) {
  const T size = abs(z);
  const bool endless = is_infinite(size), re = is_infinite(z.re), im = is_infinite(z.im);
  const T x = endless ? (re ? ::copysign(T(1), z.re) : T(0)) : z.re, y = endless ? (re ? T(0) : ::copysign(T(1), z.im)) : z.im;
  const T below = re && im ? T(0) / (size - size) : endless || size == T(0) ? T(1) : size;  // of two infinities: no number
  return size == T(0) ? complex<T>(T(0)) : complex<T>(x / below, y / below);
}
// By the ratio of the parts, as NumPy has it: of 0 it is no number.
template <class T>
__QUERN_BOTH complex<T> reciprocal(const complex<T>& z) {
  const T size_re = z.re < T(0) ? -z.re : z.re, size_im = z.im < T(0) ? -z.im : z.im;
  const bool upright = !(size_im <= size_re);
  const T large = upright ? z.im : z.re, small = upright ? z.re : z.im;
  const T ratio = small / large, below = large + small * ratio;
  return complex<T>((upright ? ratio : T(1)) / below, -(upright ? T(1) : ratio) / below);
}

template <class T>
__QUERN_DEVICE complex<T> exp2(const complex<T>& z) {
  typedef Reals<T> R;
  const bool one = z.re > R::exp2_most, two = z.re > R::exp2_most + R::exp2_step;
  const T e = ::exp2(z.re - (two ? T(2) * R::exp2_step : one ? R::exp2_step : T(0)));
  const T angle = z.im * R::log_2, c = ::cos(angle), s = ::sin(angle);
  const T cut = ::fma(z.im, R::log_2, -angle) + z.im * R::log_2_rest, rest = ::fabs(cut) < T(1e-3f) ? cut : T(0);
  return on_circle(z.re, angle, e, c - s * rest, s + c * rest, one ? R::exp2_factor : T(1), two ? R::exp2_factor : T(1));
}
template <class T>
__QUERN_DEVICE complex<T> expm1(const complex<T>& z) {
  const T s = ::sin(z.im * T(0.5));
  return complex<T>(::expm1(z.re) * ::cos(z.im) - T(2) * s * s, ::exp(z.re) * ::sin(z.im));
}
template <class T>
__QUERN_DEVICE complex<T> log1p(const complex<T>& z) {
  const T x = T(1) + z.re, taken = x - T(1);
  const T rest = (T(1) - (x - taken)) + (z.re - taken);  // what the sum rounds away
  return complex<T>(log_of_length(x, rest, z.im), ::atan2(z.im, x));
}

}  // namespace of_complex

template <class T>
__QUERN_DEVICE complex<T> proj(const complex<T>& z) {
  const bool endless = of_complex::is_infinite(z.re) || of_complex::is_infinite(z.im);
  return endless ? complex<T>(of_complex::infinity<T>(), ::copysign(T(0), z.im)) : z;
}
template <class T>
__QUERN_DEVICE complex<T> exp(const complex<T>& z) {
  typedef Reals<T> R;
  const bool one = z.re > R::exp_most, two = z.re > R::exp_most + R::exp_step;
  const T e = ::exp(z.re - (two ? T(2) * R::exp_step : one ? R::exp_step : T(0)));
  return of_complex::on_circle(z.re, z.im, e, ::cos(z.im), ::sin(z.im), one ? R::exp_factor : T(1), two ? R::exp_factor : T(1));
}
template <class T>
__QUERN_DEVICE complex<T> log(const complex<T>& z) {
  return complex<T>(of_complex::log_of_length(z.re, T(0), z.im), arg(z));
}
template <class T>
__QUERN_DEVICE complex<T> log2(const complex<T>& z) {
  const complex<T> w = log(z);
  return complex<T>(w.re * T(1.44269504088896340736), w.im * T(1.44269504088896340736));
}
template <class T>
__QUERN_DEVICE complex<T> log10(const complex<T>& z) {
  const complex<T> w = log(z);
  return complex<T>(w.re * T(0.43429448190325182765), w.im * T(0.43429448190325182765));
}
template <class T>
__QUERN_DEVICE complex<T> sqrt(const complex<T>& z) {
  typedef Reals<T> R;
  const T most = of_complex::larger(::fabs(z.re), ::fabs(z.im));
  const bool big = most > R::large, tiny = most < R::small, endless = of_complex::is_infinite(z.im);
  const T scale = big ? R::down : tiny ? R::up : T(1), back = big ? T(4) : tiny ? R::up_root : T(1);
  const T x = z.re * scale, y = z.im * scale;
  const T root = ::sqrt((::hypot(x, y) + ::fabs(x)) * T(0.5));
  const T half = endless ? of_complex::infinity<T>() : root;
  const T other = endless || root == T(0) ? y : y / (T(2) * root);
  const bool right = z.re >= T(0);
  return complex<T>((right ? half : ::fabs(other)) * back, (right ? other : ::copysign(half, z.im)) * back);
}

template <class T>
__QUERN_DEVICE complex<T> pow(const complex<T>& z, int n) {
  if (n == 0) return complex<T>(T(1));
  if (n == 1) return z;
  if (n == 2) return z * z;
  if (n == 3) return z * (z * z);
  complex<T> power(T(1)), square = z;
  for (unsigned int left = n < 0 ? 0u - static_cast<unsigned int>(n) : static_cast<unsigned int>(n);;) {
    if (left & 1) power = power * square;
    if (!(left >>= 1)) break;
    square = square * square;
  }
  return n < 0 ? complex<T>(T(1)) / power : power;
}
// NumPy's: small whole powers by products, 0 to a power that is not positive is no number.
template <class T>
__QUERN_DEVICE complex<T> pow(const complex<T>& z, const complex<T>& w) {
  if (w.im == T(0) && w.re > T(-100) && w.re < T(100) && w.re == static_cast<T>(static_cast<int>(w.re)) &&
      (w.re == T(0) || z.re != T(0) || z.im != T(0)))
    return pow(z, static_cast<int>(w.re));
  if (z.re == T(0) && z.im == T(0)) {
    const T no = of_complex::infinity<T>() - of_complex::infinity<T>();
    return w.re > T(0) ? complex<T>(T(0)) : complex<T>(no, no);
  }
  const complex<T> turns = log(z);
  return exp(of_complex::product(w, turns));
}
template <class T>
__QUERN_DEVICE complex<T> pow(const complex<T>& z, const T& w) {
  return pow(z, complex<T>(w));
}
template <class T>
__QUERN_DEVICE complex<T> pow(const T& z, const complex<T>& w) {
  return pow(complex<T>(z), w);
}

template <class T>
__QUERN_DEVICE complex<T> sinh(const complex<T>& z) {
  const of_complex::Hyperbolic<T> h(z.re);
  T c = ::cos(z.im), s = ::sin(z.im);
  const bool lost = !of_complex::is_finite(z.im);
  c = lost && z.re == T(0) ? T(1) : lost && of_complex::is_infinite(z.re) ? ::copysign(T(1), z.re) : c;
  return complex<T>(h.s * c * h.factor * h.again, z.im == T(0) ? z.im : h.c * s * h.factor * h.again);
}
template <class T>
__QUERN_DEVICE complex<T> cosh(const complex<T>& z) {
  const of_complex::Hyperbolic<T> h(z.re);
  T c = ::cos(z.im), s = ::sin(z.im);
  const bool lost = !of_complex::is_finite(z.im);
  c = lost && of_complex::is_infinite(z.re) ? T(1) : c;
  const T level = z.im != T(0) ? T(0) : z.re == z.re ? ::copysign(T(1), z.re) * z.im : z.im;
  const T im = z.im == T(0) || (lost && z.re == T(0)) ? level : h.s * s * h.factor * h.again;
  return complex<T>(h.c * c * h.factor * h.again, im);
}
template <class T>
__QUERN_DEVICE complex<T> tanh(const complex<T>& z) {
  const T s = ::sinh(z.re), sine = ::sin(z.im), cosine = ::cos(z.im);
  const bool flat = ::fabs(z.re) > Reals<T>::flat;
  const T below = s * s + cosine * cosine;
  const bool endless = of_complex::is_infinite(z.re), lost = !of_complex::is_finite(z.im);
  const T far = endless || !lost ? ::copysign(T(1), z.re) : sine;
  const T re = flat ? far : z.re == T(0) ? z.re : s * ::sqrt(T(1) + s * s) / below;
  const T im = flat ? sine * cosine / s / s : sine * cosine / below;
  return complex<T>(re, z.im == T(0) ? z.im : endless && lost ? ::copysign(T(0), z.im) : im);
}
template <class T>
__QUERN_DEVICE complex<T> sin(const complex<T>& z) {
  const complex<T> w = of_complex::turned_back(sinh(of_complex::turned(z)));
  return complex<T>(w.re, of_complex::is_infinite(z.im) && !of_complex::is_finite(z.re) ? ::fabs(w.im) : w.im);
}
template <class T>
__QUERN_DEVICE complex<T> cos(const complex<T>& z) {
  return cosh(of_complex::turned(z));
}
template <class T>
__QUERN_DEVICE complex<T> tan(const complex<T>& z) {
  return of_complex::turned_back(tanh(of_complex::turned(z)));
}

template <class T>
__QUERN_DEVICE complex<T> asin(const complex<T>& z) {
  const of_complex::ArcParts<T> parts(z);
  return complex<T>(::copysign(::atan2(parts.x, parts.side), z.re), ::copysign(parts.height, z.im));
}
template <class T>
__QUERN_DEVICE complex<T> acos(const complex<T>& z) {
  const of_complex::ArcParts<T> parts(z);
  return complex<T>(::atan2(parts.side, ::copysign(parts.x, z.re)), -::copysign(parts.height, z.im));
}
template <class T>
__QUERN_DEVICE complex<T> asinh(const complex<T>& z) {
  return of_complex::turned_back(asin(of_complex::turned(z)));
}
template <class T>
__QUERN_DEVICE complex<T> acosh(const complex<T>& z) {
  const of_complex::ArcParts<T> parts(z);
  const T angle = ::atan2(parts.side, ::copysign(parts.x, z.re));
  return complex<T>(parts.height, z.im == z.im ? ::copysign(angle, z.im) : angle);
}
template <class T>
__QUERN_DEVICE complex<T> atanh(const complex<T>& z) {
  typedef Reals<T> R;
  const T x = ::fabs(z.re), y = ::fabs(z.im), from = T(1) - x;
  // (1 - x)^2 + y^2 and 1 - x^2 - y^2, both divided by the larger of their parts.
  const T most = of_complex::larger(::fabs(from), y), scale = most == T(0) ? T(1) : most;
  const T part_x = from / scale, part_y = y / scale;
  const T below = part_x * from + part_y * y;
  const bool beside = x == T(1) && y < R::beside;  // so near to 1 that a square would underflow
  const T ratio = beside ? T(2) / (y * R::beside_up) - T(1) : T(4) * (x / below / scale);
  const T grown = ::log1p(ratio);
  const bool endless = of_complex::is_infinite(x) || of_complex::is_infinite(y);
  const T re = x == T(0) || endless ? T(0) : beside ? T(0.5) * (grown + R::beside_log) : T(0.25) * grown;
  const T angle = ::atan2(T(2) * part_y, part_x * (T(1) + x) - part_y * y);
  const T im = endless ? (of_complex::is_infinite(y) || y == y ? T(1.57079632679489661923) : y) : T(0.5) * angle;
  return complex<T>(::copysign(re, z.re), ::copysign(im, z.im));
}
template <class T>
__QUERN_DEVICE complex<T> atan(const complex<T>& z) {
  return of_complex::turned_back(atanh(of_complex::turned(z)));
}

}  // namespace quern
}  // extern "C++"
