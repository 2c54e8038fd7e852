// The prelude's functions on the CPU, by value, against the host's own: mathematics, intrinsics, conversions with a rounding
// mode, atomics, warps. And all its headers through NVRTC, where that is installed. Half and complex numbers:
// prelude_types_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <complex>
#include <functional>
#include <numeric>
#include <random>
#include <span>

#include "prelude_runner.h"

using namespace quern_test;

namespace {

std::vector<uint32_t> words(size_t n) {
  std::mt19937_64 random(7);
  std::vector<uint32_t> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<uint32_t>(random()) >> (i % 29);
  out[0] = 0, out[1] = 1, out[2] = 0x80000000u, out[3] = 0xffffffffu, out[4] = 0x7fffffffu;
  return out;
}

// ---- mathematics

struct MathCase {
  const char* name;
  double (*exact)(double);
  double low, high;
};

double rsqrt(double x) { return 1 / std::sqrt(x); }
double rcbrt(double x) { return 1 / std::cbrt(x); }
double exp10(double x) { return std::pow(10.0, x); }
constexpr long double pi = 3.14159265358979323846264338327950288L;
double sinpi(double x) { return static_cast<double>(std::sin(pi * x)); }
double cospi(double x) { return static_cast<double>(std::cos(pi * x)); }
double normcdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double erfcx(double x) {
  return static_cast<double>(std::exp(static_cast<long double>(x) * x) * std::erfc(static_cast<long double>(x)));
}
double bessel_i0(double x) { return std::cyl_bessel_i(0, x); }
double bessel_i1(double x) { return std::cyl_bessel_i(1, x); }

const MathCase math_cases[] = {
    {"sin", std::sin, -10, 10},
    {"cos", std::cos, -10, 10},
    {"tan", std::tan, -1.5, 1.5},
    {"asin", std::asin, -1, 1},
    {"acos", std::acos, -1, 1},
    {"atan", std::atan, -20, 20},
    {"sinh", std::sinh, -5, 5},
    {"cosh", std::cosh, -5, 5},
    {"tanh", std::tanh, -5, 5},
    {"asinh", std::asinh, -50, 50},
    {"acosh", std::acosh, 1, 50},
    {"atanh", std::atanh, -0.99, 0.99},
    {"exp", std::exp, -20, 20},
    {"exp2", std::exp2, -20, 20},
    {"exp10", exp10, -10, 10},
    {"expm1", std::expm1, -2, 2},
    {"log", std::log, 0.01, 100},
    {"log2", std::log2, 0.01, 100},
    {"log10", std::log10, 0.01, 100},
    {"log1p", std::log1p, -0.5, 10},
    {"sqrt", std::sqrt, 0, 100},
    {"cbrt", std::cbrt, -100, 100},
    {"rsqrt", rsqrt, 0.01, 100},
    {"rcbrt", rcbrt, 0.01, 100},
    {"erf", std::erf, -4, 4},
    {"erfc", std::erfc, -4, 4},
    {"tgamma", std::tgamma, 0.5, 10},
    {"lgamma", std::lgamma, 3, 50},
    {"floor", std::floor, -10, 10},
    {"ceil", std::ceil, -10, 10},
    {"trunc", std::trunc, -10, 10},
    {"round", std::round, -10, 10},
    {"rint", std::rint, -10, 10},
    {"nearbyint", std::nearbyint, -10, 10},
    {"fabs", std::fabs, -10, 10},
    {"logb", std::logb, 0.01, 100},
    {"sinpi", sinpi, -3, 3},
    {"cospi", cospi, -3, 3},
    {"normcdf", normcdf, -3, 3},
    {"erfcx", erfcx, -3, 9.5},
    {"j0", ::j0, 0, 2},
    {"j1", ::j1, 0.1, 3},
    {"y0", ::y0, 1, 3},
    {"y1", ::y1, 0.5, 2},
    {"cyl_bessel_i0", bessel_i0, 0, 60},
    {"cyl_bessel_i1", bessel_i1, 0.1, 60},
};

TEST(Prelude, MathInDouble) {
  for (const MathCase& c : math_cases) {
    std::vector<double> x = numbers<double>(201, c.low, c.high);
    auto got = evaluate<double, double>("double", "double", {std::string(c.name) + "(x)"}, x)[0];
    for (size_t i = 0; i < x.size(); ++i) {
      double exact = c.exact(x[i]);
      ASSERT_NEAR(got[i], exact, 4e-14 * std::abs(exact) + 4e-16) << c.name << "(" << x[i] << ")";
    }
  }
}

TEST(Prelude, MathInFloat) {
  std::vector<std::string> expressions;
  for (const MathCase& c : math_cases) {
    std::vector<float> x = numbers<float>(201, c.low, c.high);
    auto got = evaluate<float, float>("float", "float", {std::string(c.name) + "f(x)"}, x)[0];
    for (size_t i = 0; i < x.size(); ++i) {
      double exact = c.exact(static_cast<double>(x[i]));
      ASSERT_NEAR(got[i], exact, 6e-7 * std::abs(exact) + 2e-7) << c.name << "f(" << x[i] << ")";
    }
  }
}

TEST(Prelude, OverloadsChooseTheirType) {
  // sizeof shows which overload was taken.
  auto got = evaluate<int, float>(
      "int", "float",
      {"sizeof(sin(x))", "sizeof(sin((double)x))", "sizeof(sqrt(3))", "sizeof(pow(x, y))", "sizeof(pow(x, 2.0))",
       "sizeof(pow(2, 3))", "sizeof(fmax(x, 1))", "sizeof(abs(x))", "sizeof(max(1, 2u))", "sizeof(max(x, 2.0))",
       "(int)pow(2, 10)", "abs(-7)", "max(-1, 1u) == 4294967295u", "(int)min(3, 2)", "sizeof(floor(1))",
       "isnan(nanf(\"\")) + 2 * isinf(1.0 / 0.0) + 4 * isfinite(x) + 8 * signbit(-1.0f)", "(int)llabs(-5ll)"},
      {1.0f});
  int expected[] = {4, 8, 8, 4, 8, 8, 8, 4, 4, 8, 1024, 7, 1, 2, 8, 15, 5};
  for (size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(got[i][0], expected[i]) << i;
}

TEST(Prelude, TwoArguments) {
  std::vector<double> x = numbers<double>(101, -10, 10), y = numbers<double>(101, 0.5, 5);
  std::reverse(y.begin(), y.end());
  auto got =
      evaluate<double, double>("double", "double",
                               {"pow(fabs(x), y)", "atan2(x, y)", "fmod(x, y)", "hypot(x, y)", "copysign(y, x)", "fdim(x, y)",
                                "fmax(x, y)", "fmin(x, y)", "remainder(x, y)", "nextafter(x, y)", "fma(x, y, x)", "rhypot(x, y)",
                                "norm3d(x, y, 1.0)", "ldexp(x, 3)", "scalbn(x, -2)", "fdivide(x, y)", "max(x, y)", "jn(2, y)"},
                               x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    double a = x[i], b = y[i];
    double expected[] = {std::pow(std::abs(a), b),
                         std::atan2(a, b),
                         std::fmod(a, b),
                         std::hypot(a, b),
                         std::copysign(b, a),
                         std::fdim(a, b),
                         std::fmax(a, b),
                         std::fmin(a, b),
                         std::remainder(a, b),
                         std::nextafter(a, b),
                         std::fma(a, b, a),
                         1 / std::hypot(a, b),
                         std::sqrt(a * a + b * b + 1),
                         std::ldexp(a, 3),
                         std::scalbn(a, -2),
                         a / b,
                         std::fmax(a, b),
                         ::jn(2, b)};
    for (size_t e = 0; e < std::size(expected); ++e) {
      ASSERT_NEAR(got[e][i], expected[e], 1e-14 * std::abs(expected[e])) << "expression " << e << " of " << a << ", " << b;
    }
  }
}

TEST(Prelude, SpecialValues) {
  float inf = INFINITY, nan = NAN;
  auto got = evaluate<float, float>("float", "float",
                                    {"fmaxf(x, y)", "fminf(x, y)", "max(y, x)", "sqrtf(-x)", "logf(0.0f * y)", "sinpif(4.0f)",
                                     "cospif(0.5f)", "normcdfinvf(0.5f)", "__saturatef(y)", "rsqrtf(4.0f)", "fmaxf(x, x)"},
                                    {nan}, {2.0f});
  EXPECT_EQ(got[0][0], 2.0f);
  EXPECT_EQ(got[1][0], 2.0f);
  EXPECT_EQ(got[2][0], 2.0f);
  EXPECT_TRUE(std::isnan(got[3][0]));
  EXPECT_EQ(got[4][0], -inf);
  EXPECT_EQ(got[5][0], 0.0f);
  EXPECT_EQ(got[6][0], 0.0f);
  EXPECT_EQ(got[7][0], 0.0f);
  EXPECT_EQ(got[8][0], 1.0f);
  EXPECT_EQ(got[9][0], 0.5f);
  EXPECT_TRUE(std::isnan(got[10][0]));
}

TEST(Prelude, InverseFunctionsInvert) {
  std::vector<double> x = numbers<double>(301, -0.9999, 0.9999);
  auto got = evaluate<double, double>(
      "double", "double", {"erfinv(x)", "erfcinv(1 + x)", "normcdfinv(0.5 + 0.5 * x)", "erfcinv(exp(-20 * fabs(x)))"}, x);
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(std::erf(got[0][i]), x[i], 4e-15 * std::abs(x[i]) + 1e-300);
    ASSERT_NEAR(std::erfc(got[1][i]), 1 + x[i], 4e-15);
    ASSERT_NEAR(normcdf(got[2][i]), 0.5 + 0.5 * x[i], 4e-15);
    double tail = std::exp(-20 * std::abs(x[i]));
    ASSERT_NEAR(std::erfc(got[3][i]), tail, 1e-13 * tail);
  }
}

TEST(Prelude, PointersAndPairs) {
  Module module(R"(
extern "C" __global__ void k(double* out, int* whole) {
  sincos(0.5, out, out + 1);
  float s, c, f;
  sincosf(0.5f, &s, &c);
  out[2] = s; out[3] = c;
  sincospi(0.25, out + 4, out + 5);
  out[6] = frexp(12.0, whole);
  out[7] = modf(-3.25, out + 8);
  f = modff(2.5f, &s);
  out[9] = f + s;
  out[10] = remquo(7.0, 2.0, whole + 1);
  float v[3] = {2, 3, 6};
  out[11] = normf(3, v);
  whole[2] = (int)lrint(2.5) + 10 * (int)llround(2.5) + 100 * ilogb(9.0f);
}
)");
  double out[12];
  int whole[3];
  module.launch("k", {1}, {1}, 0, static_cast<double*>(out), static_cast<int*>(whole));
  double expected[12] = {
      std::sin(0.5), std::cos(0.5), std::sin(0.5f), std::cos(0.5f), std::sqrt(0.5), std::sqrt(0.5), 0.75, -0.25, -3, 2.5, -1, 7};
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(out[i], expected[i], i == 2 || i == 3 ? 1e-7 : 1e-15) << i;
  EXPECT_EQ(whole[0], 4);
  EXPECT_EQ(whole[1] & 7, 4);
  EXPECT_EQ(whole[2], 2 + 30 + 300);
}

// ---- integers

uint32_t reverse(uint32_t x) {
  uint32_t out = 0;
  for (int i = 0; i < 32; ++i) out |= ((x >> i) & 1) << (31 - i);
  return out;
}

using WordCase = std::pair<const char*, std::function<uint32_t(uint32_t, uint32_t, uint32_t)>>;
uint64_t wide(uint32_t high, uint32_t low) { return (static_cast<uint64_t>(high) << 32) | low; }
uint32_t absolute(int64_t v) { return static_cast<uint32_t>(v < 0 ? -v : v); }

void check_words(std::span<const WordCase> cases) {
  std::vector<uint32_t> x = words(200), y = words(200), z = words(200);
  std::rotate(y.begin(), y.begin() + 3, y.end());
  std::rotate(z.begin(), z.begin() + 11, z.end());
  std::vector<std::string> expressions;
  for (const WordCase& c : cases) expressions.push_back(c.first);
  auto got = evaluate<uint32_t, uint32_t>("unsigned", "unsigned", expressions, x, y, z);
  for (size_t e = 0; e < expressions.size(); ++e) {
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(got[e][i], static_cast<uint32_t>(cases[e].second(x[i], y[i], z[i])))
          << expressions[e] << " of " << x[i] << ", " << y[i] << ", " << z[i];
    }
  }
}

TEST(Prelude, IntegerIntrinsics) {
  const WordCase cases[] = {
      {"__popc(x)", [](auto a, auto, auto) { return __builtin_popcount(a); }},
      {"__popcll(((unsigned long long)x << 32) | y)", [](auto a, auto b, auto) { return __builtin_popcountll(wide(a, b)); }},
      {"__clz(x)", [](auto a, auto, auto) { return a ? __builtin_clz(a) : 32; }},
      {"__clzll(((long long)x << 32) | y)", [](auto a, auto b, auto) { return wide(a, b) ? __builtin_clzll(wide(a, b)) : 64; }},
      {"__ffs(x)", [](auto a, auto, auto) { return __builtin_ffs(static_cast<int>(a)); }},
      {"__ffsll(((long long)x << 32))", [](auto a, auto, auto) { return a ? 33 + __builtin_ctz(a) : 0; }},
      {"__brev(x)", [](auto a, auto, auto) { return reverse(a); }},
      {"(unsigned)(__brevll(x) >> 32)", [](auto a, auto, auto) { return reverse(a); }},
      {"__mulhi((int)x, (int)y)",
       [](auto a, auto b, auto) {
         return static_cast<uint32_t>((static_cast<int64_t>(static_cast<int>(a)) * static_cast<int>(b)) >> 32);
       }},
      {"__umulhi(x, y)", [](auto a, auto b, auto) { return static_cast<uint32_t>((static_cast<uint64_t>(a) * b) >> 32); }},
      {"(unsigned)__umul64hi((unsigned long long)x << 32, (unsigned long long)y << 20)",
       [](auto a, auto b, auto) {
         return static_cast<uint32_t>((static_cast<unsigned __int128>(wide(a, 0)) * (static_cast<uint64_t>(b) << 20)) >> 64);
       }},
      {"__umul24(x, y)", [](auto a, auto b, auto) { return (a & 0xffffff) * (b & 0xffffff); }},
      {"__mul24((int)(x & 0x7fffff), (int)y | 0x800000)",
       [](auto a, auto b, auto) { return (a & 0x7fffff) * static_cast<uint32_t>(static_cast<int>((b | 0x800000) << 8) >> 8); }},
      {"__sad((int)x, (int)y, z)",
       [](auto a, auto b, auto c) { return c + absolute(static_cast<int64_t>(static_cast<int>(a)) - static_cast<int>(b)); }},
      {"__usad(x, y, z)", [](auto a, auto b, auto c) { return c + absolute(static_cast<int64_t>(a) - b); }},
      {"(unsigned)__hadd((int)x, (int)y)",
       [](auto a, auto b, auto) {
         return static_cast<uint32_t>((static_cast<int64_t>(static_cast<int>(a)) + static_cast<int>(b)) >> 1);
       }},
      {"__uhadd(x, y)", [](auto a, auto b, auto) { return static_cast<uint32_t>((static_cast<uint64_t>(a) + b) >> 1); }},
      {"__urhadd(x, y)", [](auto a, auto b, auto) { return static_cast<uint32_t>((static_cast<uint64_t>(a) + b + 1) >> 1); }},
  };
  check_words(cases);
}

TEST(Prelude, ShiftsAndBytesOfWords) {
  const WordCase cases[] = {
      {"__funnelshift_l(x, y, z)", [](auto a, auto b, auto c) { return static_cast<uint32_t>((wide(b, a) << (c & 31)) >> 32); }},
      {"__funnelshift_r(x, y, z)", [](auto a, auto b, auto c) { return static_cast<uint32_t>(wide(b, a) >> (c & 31)); }},
      {"__funnelshift_lc(x, y, z)",
       [](auto a, auto b, auto c) { return static_cast<uint32_t>((wide(b, a) << std::min(c, 32u)) >> 32); }},
      {"__funnelshift_rc(x, y, z)", [](auto a, auto b, auto c) { return static_cast<uint32_t>(wide(b, a) >> std::min(c, 32u)); }},
      {"__byte_perm(x, y, 0x3715)",
       [](auto a, auto b, auto) {
         auto byte = [&](int i) { return static_cast<uint32_t>(wide(b, a) >> (8 * i)) & 0xff; };
         return byte(5) | byte(1) << 8 | byte(7) << 16 | byte(3) << 24;
       }},
      {"__byte_perm(x, y, 0x9)", [](auto a, auto, auto) { return ((a >> 8) & 0xff) | (a & 0xff) * 0x01010100u; }},
      {"(unsigned)__dp4a((int)x, (int)y, (int)z)",
       [](auto a, auto b, auto c) {
         for (int i = 0; i < 32; i += 8) c += static_cast<int8_t>(a >> i) * static_cast<int8_t>(b >> i);
         return c;
       }},
      {"__dp4a(x, y, z)",
       [](auto a, auto b, auto c) {
         for (int i = 0; i < 32; i += 8) c += static_cast<uint8_t>(a >> i) * static_cast<uint8_t>(b >> i);
         return c;
       }},
      {"__vadd4(x, y)",
       [](auto a, auto b, auto) {
         uint32_t r = 0;
         for (int i = 0; i < 32; i += 8) r |= (((a >> i) + (b >> i)) & 0xff) << i;
         return r;
       }},
      {"__vmaxs2(x, y)",
       [](auto a, auto b, auto) {
         uint32_t r = 0;
         for (int i = 0; i < 32; i += 16)
           r |= static_cast<uint32_t>(static_cast<uint16_t>(std::max(static_cast<int16_t>(a >> i), static_cast<int16_t>(b >> i))))
                << i;
         return r;
       }},
      {"x << (y & 63)", [](auto a, auto b, auto) { return (b & 63) < 32 ? a << (b & 63) : 0; }},
  };
  check_words(cases);
}

// ---- conversions and rounding

TEST(Prelude, BitCasts) {
  auto got = evaluate<uint32_t, uint32_t>(
      "unsigned", "unsigned",
      {"__float_as_uint(__uint_as_float(x))", "(unsigned)__float_as_int(__int_as_float((int)x))",
       "(unsigned)__double2hiint(__hiloint2double((int)x, (int)y))", "(unsigned)__double2loint(__hiloint2double((int)x, (int)y))",
       "(unsigned)(__double_as_longlong(__longlong_as_double(((long long)x << 31))) >> 31)", "__float_as_uint(1.5f)"},
      {0x3f800000u, 5u}, {7u, 9u});
  for (int i : {0, 1}) {
    uint32_t x = i ? 5u : 0x3f800000u, y = i ? 9u : 7u;
    EXPECT_EQ(got[0][i], x);
    EXPECT_EQ(got[1][i], x);
    EXPECT_EQ(got[2][i], x);
    EXPECT_EQ(got[3][i], y);
    EXPECT_EQ(got[4][i], x);
    EXPECT_EQ(got[5][i], 0x3fc00000u);
  }
}

struct Mode {
  const char* suffix;
  int host;
};
const Mode modes[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"ru", FE_UPWARD}, {"rd", FE_DOWNWARD}};

template <class T>
void check_directed(const char* type, const char* prefix, const char* fused, T low, T high) {
  std::vector<T> x = numbers<T>(400, low, high), y = x, z = x;
  std::rotate(y.begin(), y.begin() + 17, y.end());
  std::rotate(z.begin(), z.begin() + 39, z.end());
  for (const Mode& mode : modes) {
    auto name = [&](const char* op) { return std::string("__") + prefix + op + "_" + mode.suffix; };
    auto got = evaluate<T, T>(type, type,
                              {name("add") + "(x, y)", name("sub") + "(x, y)", name("mul") + "(x, y)", name("div") + "(x, y)",
                               name("rcp") + "(x)", name("sqrt") + "(x * x)", std::string(fused) + mode.suffix + "(x, y, z)"},
                              x, y, z);
    for (size_t i = 0; i < x.size(); ++i) {
      volatile T a = x[i], b = y[i], c = z[i], one = 1, square = a * a;
      std::fesetround(mode.host);
      volatile T expected[] = {a + b, a - b, a * b, a / b, one / a, std::sqrt(square), std::fma(a, b, c)};
      std::fesetround(FE_TONEAREST);
      for (size_t e = 0; e < 7; ++e)
        ASSERT_EQ(got[e][i], expected[e]) << mode.suffix << " expression " << e << " of " << a << ", " << b;
    }
  }
}

TEST(Prelude, DirectedArithmeticInFloat) { check_directed<float>("float", "f", "__fmaf_", -100, 100); }
TEST(Prelude, DirectedArithmeticInDouble) { check_directed<double>("double", "d", "__fma_", -100, 100); }

double whole(double x, int mode) {
  if (mode == FE_TOWARDZERO) return std::trunc(x);
  if (mode == FE_UPWARD) return std::ceil(x);
  if (mode == FE_DOWNWARD) return std::floor(x);
  return std::nearbyint(x);
}

TEST(Prelude, DirectedConversions) {
  std::vector<double> x = numbers<double>(300, -1e6, 1e6);
  for (const Mode& mode : modes) {
    std::string s = mode.suffix;
    auto got = evaluate<double, double>(
        "double", "double",
        {"__float2int_" + s + "((float)x)", "__double2int_" + s + "(x)", "__double2ll_" + s + "(x)",
         "__double2uint_" + s + "(fabs(x))", "__double2float_" + s + "(x)", "__int2float_" + s + "((int)x * 1999)",
         "__ll2float_" + s + "((long long)(x * 1e9))", "__ull2double_" + s + "((unsigned long long)(fabs(x) * 9e12) | 1)"},
        x);
    for (size_t i = 0; i < x.size(); ++i) {
      double v = x[i];
      float narrow = static_cast<float>(v);
      long long big = static_cast<long long>(v * 1e9);
      unsigned long long bigger = static_cast<unsigned long long>(std::fabs(v) * 9e12) | 1;
      std::fesetround(mode.host);
      volatile double d = v;
      volatile int scaled = static_cast<int>(v) * 1999;
      volatile long long ll = big;
      volatile unsigned long long ull = bigger;
      volatile double expected[] = {static_cast<float>(d), static_cast<float>(scaled), static_cast<float>(ll),
                                    static_cast<double>(ull)};
      std::fesetround(FE_TONEAREST);
      double wholes[] = {whole(narrow, mode.host), whole(v, mode.host), whole(v, mode.host), whole(std::fabs(v), mode.host)};
      for (size_t e = 0; e < 8; ++e)
        ASSERT_EQ(got[e][i], e < 4 ? wholes[e] : expected[e - 4]) << s << " expression " << e << " of " << v;
    }
  }
}

TEST(Prelude, ConversionsSaturate) {
  auto got = evaluate<int, float>("int", "float", {"__float2int_rz(x)", "(int)x", "__float2int_rn(y)", "(int)__float2uint_rz(y)"},
                                  {3e9f, -3e9f, NAN}, {2.5f, -1.0f, 3.5f});
  EXPECT_EQ(got[0], (std::vector<int>{INT32_MAX, INT32_MIN, 0}));
  EXPECT_EQ(got[1], got[0]);
  EXPECT_EQ(got[2], (std::vector<int>{2, -1, 4}));
  EXPECT_EQ(got[3][1], 0);
}

// ---- atomics

TEST(Prelude, Atomics) {
  Module module(R"(
extern "C" __global__ void k(int* i, unsigned* u, unsigned long long* w, long long* l, float* f, double* d, int* order) {
  int t = threadIdx.x;
  atomicAdd(&i[0], t); atomicSub(&i[1], t); atomicMin(&i[2], -t); atomicMax(&i[3], t); atomicAnd(&i[4], ~(1 << (t & 7)));
  atomicOr(&i[5], 1 << (t & 15)); atomicXor(&i[6], t); atomicCAS(&i[7], 50, 60);
  atomicAdd(&u[0], 2u); atomicInc(&u[1], 9u); atomicDec(&u[2], 6u); atomicMin(&u[3], 100u - t); atomicAdd_system(&u[4], 1u); atomicAdd_block(&u[5], 1u);
  atomicAdd(&w[0], 1ull << 33); atomicMax(&w[1], (unsigned long long)t); atomicCAS(&w[2], 0ull, 77ull);
  atomicMin(&l[0], -(long long)t);
  atomicAdd(&f[0], 0.5f); atomicAdd(&d[0], 0.25);
  order[atomicAdd(&i[8], 1)] = t;
  if (t == 0) { f[1] = atomicExch(&f[2], 9.0f); i[9] = atomicExch(&i[10], 4); u[6] = atomicInc(&u[7], 3u); }
}
)");
  int i[11] = {0, 0, 0, 0, 255, 0, 0, 50, 0, 0, 3}, order[100];
  unsigned u[8] = {0, 0, 0, 1000, 0, 0, 0, 3};
  unsigned long long w[3] = {};
  long long l[1] = {5};
  float f[3] = {0, 0, 8};
  double d[1] = {};
  module.launch("k", {1}, {100}, 0, static_cast<int*>(i), static_cast<unsigned*>(u), static_cast<unsigned long long*>(w),
                static_cast<long long*>(l), static_cast<float*>(f), static_cast<double*>(d), static_cast<int*>(order));
  int x = 0;
  for (int t = 0; t < 100; ++t) x ^= t;
  EXPECT_EQ((std::vector<int>(i, i + 11)), (std::vector<int>{4950, -4950, -99, 99, 0, 0xffff, x, 60, 100, 3, 4}));
  EXPECT_EQ((std::vector<unsigned>(u, u + 8)), (std::vector<unsigned>{200, 0, 5, 1, 100, 100, 3, 0}));
  EXPECT_EQ(w[0], 100ull << 33);
  EXPECT_EQ(w[1], 99u);
  EXPECT_EQ(w[2], 77u);
  EXPECT_EQ(l[0], -99);
  EXPECT_EQ(f[0], 50.0f);
  EXPECT_EQ(f[1], 8.0f);
  EXPECT_EQ(d[0], 25.0);
  EXPECT_EQ(std::accumulate(order, order + 100, 0), 4950);
}

// ---- warps and barriers

class Warps : public testing::TestWithParam<uint32_t> {
 protected:
  // Runs the body for 70 threads (two warps and a piece) or 64, one int for each.
  std::vector<int> run(const std::string& body, uint32_t threads) {
    Options options;
    options.request_flags = GetParam();
    Module module(
        "extern \"C\" __global__ void k(int* out) { int t = threadIdx.x, lane = t & 31; unsigned all = 0xffffffffu; int r = 0; "
        "(void)lane; (void)all;\n" +
            body + "\nout[t] = r; }",
        options);
    std::vector<int> out(threads, -1);
    module.launch("k", {1}, {threads}, 0, out.data());
    return out;
  }
  void expect(const std::string& body, const std::function<int(int)>& value, uint32_t threads = 64) {
    std::vector<int> got = run(body, threads);
    for (uint32_t t = 0; t < threads; ++t) ASSERT_EQ(got[t], value(static_cast<int>(t))) << body << " thread " << t;
  }
};

TEST_P(Warps, Shuffles) {
  auto base = [](int t) { return t & ~31; };
  expect("r = __shfl_sync(all, t * 10, 5);", [&](int t) { return (base(t) + 5) * 10; });
  expect("r = __shfl_sync(all, t, lane + 3, 8);", [&](int t) { return (t & ~7) | ((t + 3) & 7); });
  expect("r = __shfl_up_sync(all, t, 3);", [&](int t) { return (t & 31) < 3 ? t : t - 3; });
  expect("r = __shfl_down_sync(all, t, 5);", [&](int t) { return (t & 31) + 5 > 31 ? t : t + 5; });
  expect("r = __shfl_down_sync(all, t, 2, 4);", [&](int t) { return (t & 3) + 2 > 3 ? t : t + 2; });
  expect("r = __shfl_xor_sync(all, t, 9);", [&](int t) { return t ^ 9; });
  expect("r = (int)(__shfl_xor_sync(all, t * 0.5, 1) * 2);", [&](int t) { return t ^ 1; });
  expect(
      "r = (int)__shfl_down_sync(all, (unsigned long long)t << 40, 1) + (int)(__shfl_sync(all, (unsigned long long)t << 40, 2) "
      ">> 40);",
      [&](int t) { return base(t) + 2; });
  expect("int v = t; for (int k = 16; k; k >>= 1) v += __shfl_down_sync(all, v, k); r = __shfl_sync(all, v, 0);",
         [&](int t) { return base(t) * 32 + 496; });
}

TEST_P(Warps, Votes) {
  auto base = [](int t) { return t & ~31; };
  expect("r = (int)__ballot_sync(all, t % 3 == 0);", [&](int t) {
    unsigned bits = 0;
    for (int l = 0; l < 32; ++l) bits |= ((base(t) + l) % 3 == 0 ? 1u : 0u) << l;
    return static_cast<int>(bits);
  });
  expect("r = __any_sync(all, t == 40) + 2 * __all_sync(all, t >= 32);", [](int t) { return t < 32 ? 0 : 3; });
  expect("r = (int)__ballot_sync(all, 1); r += __popc(__ballot_sync(all, lane < 4));", [](int) { return -1 + 4; });
  expect("r = (int)__match_any_sync(all, t % 4);", [](int t) { return static_cast<int>(0x11111111u << (t % 4)); });
  expect(
      "int p; unsigned m = __match_all_sync(all, t / 32, &p); r = p * 2 + (m == all); m = __match_all_sync(all, t, &p); r += p * "
      "8 + (m ? 16 : 0);",
      [](int) { return 3; });
  expect(
      "r = __reduce_add_sync(all, t) - __reduce_min_sync(all, t) + (int)__reduce_or_sync(all, 1u << lane) + "
      "__reduce_max_sync(all, -t);",
      [&](int t) { return base(t) * 32 + 496 - base(t) - 1 - base(t); });
}

TEST_P(Warps, ShortWarps) {
  expect("r = (int)__ballot_sync(all, 1);", [](int t) { return t < 64 ? -1 : 63; }, 70);
  expect("r = __reduce_add_sync(all, 1);", [](int t) { return t < 64 ? 32 : 6; }, 70);
  expect("r = __popc(__activemask());", [](int t) { return t < 64 ? 32 : 6; }, 70);
}

TEST_P(Warps, BlockVotes) {
  expect(
      "r = __syncthreads_count(t % 2) * 100 + __syncthreads_and(t < 70) * 10 + __syncthreads_or(t == 69);",
      [](int) { return 35 * 100 + 11; }, 70);
  expect("for (int i = 0; i < 5; ++i) r += __syncthreads_count(t < i * 10);", [](int) { return 0 + 10 + 20 + 30 + 40; }, 70);
}

TEST_P(Warps, CooperativeGroups) {
  Options options;
  options.request_flags = GetParam();
  Module module(R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto quad = cg::tiled_partition<4>(warp);
  __shared__ int sums[2];
  int t = block.thread_rank(), v = t;
  for (int step = warp.size() / 2; step > 0; step /= 2) v += warp.shfl_down(v, step);
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = v;
  block.sync();
  int r = sums[0] + sums[1] + 10000 * cg::reduce(quad, (int)quad.thread_rank(), cg::plus<int>());
  r += 1000000 * (int)quad.ballot(quad.thread_rank() == 2) + (quad.shfl(t, 1) == (t & ~3) + 1 ? 100000000 : 0);
  cg::sync(warp);
  out[t] = r;
}
)",
                options);
  std::vector<int> out(64);
  module.launch("k", {1}, {64}, 0, out.data());
  for (int t = 0; t < 64; ++t) ASSERT_EQ(out[t], 2016 + 60000 + 4000000 + 100000000) << t;
}

TEST(Prelude, GridBarrier) {
  Module module(R"(
#include <cooperative_groups.h>
extern "C" __global__ void k(int* out) {
  auto grid = cooperative_groups::this_grid();
  out[grid.thread_rank()] = (int)grid.size();
  grid.sync();
  out[grid.thread_rank()] += out[grid.size() - 1 - grid.thread_rank()] >= 32;
}
)");
  std::vector<int> out(32);
  module.launch("k", {1}, {32}, 0, out.data());
  EXPECT_EQ(out, std::vector<int>(32, 33));
}

INSTANTIATE_TEST_SUITE_P(Lowerings, Warps, testing::Values(0u, static_cast<uint32_t>(QUERN_CLANG_COROUTINES)));

// ---- memory and time

TEST(Prelude, MemoryClocksAndHints) {
  Module module(R"(
#include <stdlib.h>
struct Node { int value; Node* next; __device__ Node(int v, Node* n) : value(v), next(n) {} };
extern "C" __global__ void k(const int* in, int* out) {
  int* a = (int*)malloc(40);
  memset(a, 0, 40);
  memcpy(a, in, 8);
  out[0] = a[0] + a[1] + a[9];
  free(a);
  Node* list = nullptr;
  for (int i = 0; i < 4; ++i) list = new Node(i, list);
  out[1] = 0;
  while (list) { out[1] = out[1] * 10 + list->value; Node* next = list->next; delete list; list = next; }
  out[2] = (int)clock64() + (int)(globaltimer() % 1000);
  __nanosleep(10);
  __threadfence(); __threadfence_block(); __threadfence_system(); __syncwarp();
  out[3] = __ldg(in) + __ldcg(in + 1);
  __stcs(out + 4, 11);
  const float4 v = __ldg((const float4*)in);
  out[5] = __float_as_int(v.y);
}
)");
  alignas(16) int in[4] = {3, 4, 5, 6};
  int out[6];
  module.launch("k", {1}, {1}, 0, static_cast<const int*>(in), static_cast<int*>(out));
  EXPECT_EQ((std::vector<int>(out, out + 6)), (std::vector<int>{7, 3210, 12345 + 890, 7, 11, 4}));
}

TEST(Prelude, VectorTypes) {
  Module module(R"(
extern "C" __global__ void k(int* out) {
  out[0] = sizeof(char3) + 10 * alignof(char4); out[1] = sizeof(float3) + 100 * alignof(float3); out[2] = sizeof(float4) + 100 * alignof(float4);
  out[3] = sizeof(double3) + 100 * alignof(double3); out[4] = sizeof(double4) + 100 * alignof(double4); out[5] = sizeof(longlong2) + 100 * alignof(longlong2);
  int4 v = make_int4(1, 2, 3, 4); uchar2 c = make_uchar2(250, 10); short3 s = {7, 8, 9};
  out[6] = v.x + v.y * 10 + v.z * 100 + v.w * 1000; out[7] = c.x + c.y; out[8] = s.x + s.y + s.z;
  dim3 d(2, 3); uint3 u = d; out[9] = d.x + d.y + d.z + u.y; out[10] = warpSize;
}
)");
  int out[11];
  module.launch("k", {1}, {1}, 0, static_cast<int*>(out));
  EXPECT_EQ((std::vector<int>(out, out + 11)), (std::vector<int>{43, 412, 1616, 824, 1632, 1616, 4321, 260, 24, 9, 32}));
}

// ---- headers

TEST(Prelude, HostHeadersThatKernelsInclude) {
  Module module(R"(
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <cstdint>
#include <cmath>
#include <cfloat>
#include <climits>
#include <limits>
#include <type_traits>
#include <math_constants.h>
template <class T> __device__ typename std::enable_if<std::is_integral<T>::value, int>::type kind(T) { return 1; }
template <class T> __device__ typename std::enable_if<std::is_floating_point<T>::value, int>::type kind(T) { return 2; }
extern "C" __global__ void k(double* out) {
  out[0] = kind(3) * 10 + kind(3.0f); out[1] = std::sqrt(16.0f); out[2] = std::numeric_limits<float>::max(); out[3] = INT_MAX; out[4] = UINT64_MAX;
  out[5] = INFINITY; out[6] = M_PI; out[7] = CUDART_PI_F; out[8] = DBL_EPSILON; out[9] = std::numeric_limits<int>::lowest(); out[10] = std::numeric_limits<double>::infinity();
  std::uint8_t small = 255; small += 2; out[11] = small; out[12] = std::isnan(NAN);
}
)");
  double out[13];
  module.launch("k", {1}, {1}, 0, static_cast<double*>(out));
  double expected[13] = {12,
                         4,
                         3.402823466e38f,
                         2147483647.0,
                         18446744073709551616.0,
                         INFINITY,
                         M_PI,
                         3.141592654f,
                         2.220446049250313e-16,
                         -2147483648.0,
                         INFINITY,
                         1,
                         1};
  for (int i = 0; i < 13; ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

TEST(Prelude, EveryStandardReadsIt) {
  for (const char* standard : {"-std=c++11", "-std=c++14", "-std=c++20"}) {
    Options options;
    options.flags = {standard};
    Compiled compiled = compile(
        "#include <cuda_fp16.h>\n#include <cupy/complex.cuh>\n__global__ void k(half* h) { h[0] = hexp(h[1]); }", options);
    EXPECT_TRUE(compiled.ok) << standard << "\n" << compiled.log;
    EXPECT_EQ(compiled.log, "");
  }
}

TEST(Prelude, NvrtcReadsEveryHeader) {
  void* library = nullptr;
  for (const char* name : {"libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"}) {
    if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) GTEST_SKIP() << "NVRTC is not installed";
  using Program = void*;
  auto create = reinterpret_cast<int (*)(Program*, const char*, const char*, int, const char* const*, const char* const*)>(
      dlsym(library, "nvrtcCreateProgram"));
  auto build = reinterpret_cast<int (*)(Program, int, const char* const*)>(dlsym(library, "nvrtcCompileProgram"));
  auto log_size = reinterpret_cast<int (*)(Program, size_t*)>(dlsym(library, "nvrtcGetProgramLogSize"));
  auto get_log = reinterpret_cast<int (*)(Program, char*)>(dlsym(library, "nvrtcGetProgramLog"));
  std::vector<const char*> names, texts;
  std::string all;
  for (const auto& [path, text] : prelude()) {
    names.push_back(path.c_str());
    texts.push_back(text.c_str());
    bool is_ours = path.rfind("quern/", 0) == 0;
    bool is_before_cccl = path.rfind("cccl/", 0) == 0 || path.rfind("cuda/std/", 0) == 0;  // no use without what follows
    bool is_for_users = !is_ours && !is_before_cccl && text.find("#error") == std::string::npos;
    // The first stands for cuComplex.h; the second includes CCCL's files, which lie elsewhere
    // (tests/python/source/test_cccl_headers.py).
    if (path == "cupy/cuComplex_bridge.h" || path == "cub/cub.cuh") continue;
    if (is_for_users) all += "#include <" + path + ">\n";
  }
  std::string uses = all + R"(
__global__ void k(half* h, float* f, complex<float>* z, complex<double>* w, cuFloatComplex* c) {
  h[0] = h[1] * h[2] + half(1.5f); h[3] = __hfma(h[0], h[1], h[2]); h[4] = hexp(h[5]); atomicAdd(h, h[1]); f[0] = h[1] < h[2] ? __half2float(h[3]) : 0;
  z[0] = z[1] * z[2] / 2.0f + exp(z[3]); w[0] = pow(w[1], w[2]) + sqrt(w[3]); c[0] = cuCmulf(c[1], c[2]);
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block()); f[4] = cooperative_groups::reduce(tile, f[5], cooperative_groups::plus<float>());
  cooperative_groups::this_grid().sync(); f[1] = std::numeric_limits<float>::infinity() + INFINITY + std::sqrt(2.0f) + M_PI; uint32_t u = UINT32_MAX; f[2] = u; assert(f[3] > 0); printf("%f", f[0]);
}
)";
  for (const std::string& text : {uses, "extern \"C\" {\n" + all + "__global__ void k(half* h) { h[0] = 1.0f; }\n}\n"}) {
    for (const char* arch : {"--gpu-architecture=sm_90", "--gpu-architecture=sm_80"}) {
      for (const char* standard : {"-std=c++17", "-std=c++14"}) {
        Program program = nullptr;
        ASSERT_EQ(create(&program, text.c_str(), "all.cu", static_cast<int>(names.size()), texts.data(), names.data()), 0);
        const char* options[] = {arch, standard, "--pre-include=quern/device.cuh"};
        int failed = build(program, 3, options);
        size_t size = 0;
        log_size(program, &size);
        std::string log(size, '\0');
        get_log(program, log.data());
        EXPECT_EQ(failed, 0) << arch << " " << standard << "\n" << log;
      }
    }
  }
}

}  // namespace
