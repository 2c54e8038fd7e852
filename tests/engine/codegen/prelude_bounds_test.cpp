// How exact the prelude's mathematics is on the CPU, for many numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "prelude_runner.h"

using namespace quern_test;

namespace {

constexpr long double pi = 3.14159265358979323846264338327950288L;

// Against long double, which has eleven bits more: how far off in units of the last place. `of_double` and `of_float` are what
// CUDA documents, the distance from the exact value's nearest number; that one is up to a half away. vector_math_test.cpp goes
// deeper where libm has the function.
struct Bound {
  const char* name;
  long double (*exact)(long double);
  double of_double, of_float;
  std::vector<std::pair<double, double>> ranges;
};

long double exact_rsqrt(long double x) { return 1 / std::sqrt(x); }
long double exact_exp10(long double x) { return ::exp10l(x); }
// By way of the nearest half, from which the distance is exact.
long double exact_sinpi(long double x) {
  long double turns = std::fmod(x, 2.0L), half = std::rint(2 * turns), rest = pi * (turns - half / 2);
  long double values[] = {std::sin(rest), std::cos(rest), -std::sin(rest), -std::cos(rest)};
  return values[static_cast<int>(half) & 3];
}
long double exact_cospi(long double x) {
  long double turns = std::fmod(x, 2.0L), half = std::rint(2 * turns), rest = pi * (turns - half / 2);
  long double values[] = {std::cos(rest), -std::sin(rest), -std::cos(rest), std::sin(rest)};
  return values[static_cast<int>(half) & 3];
}
long double exact_normcdf(long double x) { return 0.5L * std::erfc(-x / std::sqrt(2.0L)); }
long double exact_erfcx(long double x) { return std::exp(x * x) * std::erfc(x); }

#define EXACT(name) +[](long double x) -> long double { return std::name(x); }
const Bound bounds[] = {
    {"sin", EXACT(sin), 2, 2, {{-3, 3}, {-1e5, 1e5}}},
    {"cos", EXACT(cos), 2, 2, {{-3, 3}, {-1e5, 1e5}}},
    {"tan", EXACT(tan), 2, 4, {{-3, 3}, {-1e4, 1e4}}},
    {"asin", EXACT(asin), 2, 2, {{-1, 1}}},
    {"acos", EXACT(acos), 2, 2, {{-1, 1}}},
    {"atan", EXACT(atan), 2, 2, {{-3, 3}, {-1e6, 1e6}}},
    {"sinh", EXACT(sinh), 2, 3, {{-3, 3}, {-80, 80}}},
    {"cosh", EXACT(cosh), 2, 2, {{-3, 3}, {-80, 80}}},
    {"tanh", EXACT(tanh), 2, 2, {{-3, 3}, {-30, 30}}},
    {"asinh", EXACT(asinh), 3, 3, {{-3, 3}, {-1e9, 1e9}}},
    {"acosh", EXACT(acosh), 3, 4, {{1, 3}, {1, 1e9}}},
    {"atanh", EXACT(atanh), 2, 3, {{-1, 1}}},
    {"exp", EXACT(exp), 1, 2, {{-3, 3}, {-80, 80}}},
    {"exp2", EXACT(exp2), 1, 2, {{-3, 3}, {-120, 120}}},
    {"exp10", exact_exp10, 1, 2, {{-3, 3}, {-37, 37}}},
    {"expm1", EXACT(expm1), 1, 1, {{-3, 3}, {-80, 80}}},
    {"log", EXACT(log), 1, 1, {{0, 3}, {0, 1e30}}},
    {"log2", EXACT(log2), 1, 1, {{0, 3}, {0, 1e30}}},
    {"log10", EXACT(log10), 1, 2, {{0, 3}, {0, 1e30}}},
    {"log1p", EXACT(log1p), 1, 1, {{-0.99, 3}, {0, 1e30}}},
    {"sqrt", EXACT(sqrt), 0, 0, {{0, 3}, {0, 1e30}}},
    {"cbrt", EXACT(cbrt), 1, 1, {{-3, 3}, {-1e30, 1e30}}},
    {"rsqrt", exact_rsqrt, 1, 2, {{0, 3}, {0, 1e30}}},
    {"erf", EXACT(erf), 2, 2, {{-6, 6}}},
    {"erfc", EXACT(erfc), 5, 4, {{-6, 6}, {6, 9}}},
    {"tgamma", EXACT(tgamma), 10, 5, {{0, 1}, {1, 34}, {-1, 0}, {-34, -1}}},
    {"sinpi", exact_sinpi, 2, 2, {{-3, 3}, {-1e4, 1e4}}},
    {"cospi", exact_cospi, 2, 2, {{-3, 3}, {-1e4, 1e4}}},
    {"normcdf", exact_normcdf, 5, 5, {{-12, 3}, {-37, -12}}},
    {"erfcx", exact_erfcx, 4, 4, {{-6, 9}}},
};
#undef EXACT

template <class T>
void check_bound(const Bound& bound, const char* type, const std::string& call, double allowed, const std::vector<T>& x) {
  std::vector<T> got = evaluate<T, T>(type, type, {call}, x)[0];
  double worst = 0;
  T at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double off = units(got[i], bound.exact(x[i]));
    if (off > worst) worst = off, at = x[i];
  }
  EXPECT_LE(worst, allowed + 0.5) << call << " at " << std::hexfloat << at;
}

TEST(PreludeBounds, Functions) {
  constexpr int count = 20'001;
  for (const Bound& bound : bounds) {
    for (auto [low, high] : bound.ranges) {
      std::string name = bound.name;
      check_bound<double>(bound, "double", name + "(x)", bound.of_double, numbers<double>(count, low, high));
      check_bound<float>(bound, "float", name + "f(x)", bound.of_float,
                         numbers<float>(count, static_cast<float>(low), static_cast<float>(high)));
    }
  }
}

// Over all that it takes: where it over- and underflows, where results have fewer digits, beside its poles.
TEST(PreludeBounds, Gamma) {
  std::vector<double> x = numbers<double>(60'001, -186, 172);
  for (int pole = 0; pole > -180; --pole) {
    x.push_back(pole);
    for (int e = -50; e < 0; e += 3) {
      for (double side : {-1.3, 1.3}) x.push_back(pole + side * std::ldexp(1.0, e));
    }
  }
  for (double one : {171.62437695630272, 171.6243769563028, 1e-308, 5e-324, -5e-324, 5.6e-309, 1e300}) x.push_back(one);
  x.insert(x.end(), {INFINITY, -INFINITY, NAN});
  Bound bound{"tgamma", +[](long double v) -> long double { return std::tgamma(v); }, 10, 5, {}};
  check_bound<double>(bound, "double", "tgamma(x)", 10, x);
  std::vector<float> narrow(x.begin(), x.end());
  for (float one = -45; one < 36; one += 0.0007f) narrow.push_back(one);
  check_bound<float>(bound, "float", "tgammaf(x)", 5, narrow);
  check_bound<float>(bound, "float", "tgamma(x)", 5, narrow);
}

}  // namespace
