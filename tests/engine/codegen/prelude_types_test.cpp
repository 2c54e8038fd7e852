// The prelude's half and complex numbers on the CPU, by value, against the host's own.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <numeric>

#include "prelude_runner.h"

using namespace quern_test;

namespace {

// ---- half

TEST(Prelude, HalfConversionsAreExact) {
  std::vector<uint32_t> x(65536);
  std::iota(x.begin(), x.end(), 0u);
  std::string include = "#include <cuda_fp16.h>\n";
  auto got = evaluate<uint32_t, uint32_t>(
      "unsigned", "unsigned",
      {"__float_as_uint(__half2float(__ushort_as_half(x)))", "__half_as_ushort(__float2half(__half2float(__ushort_as_half(x))))",
       "__half_as_ushort(half(__half2float(__ushort_as_half(x)) * 1.00037f))", "__half_as_ushort(half((int)x))"},
      x, {}, {}, include);
  for (uint32_t i = 0; i < 65536; ++i) {
    uint16_t bits = static_cast<uint16_t>(i);
    _Float16 half;
    std::memcpy(&half, &bits, 2);
    float wide = static_cast<float>(half);
    uint32_t wide_bits;
    std::memcpy(&wide_bits, &wide, 4);
    auto bits_of = [](_Float16 value) {
      uint16_t out;
      std::memcpy(&out, &value, 2);
      return static_cast<uint32_t>(out);
    };
    if (wide == wide) {
      ASSERT_EQ(got[0][i], wide_bits);
      ASSERT_EQ(got[1][i], i);
      ASSERT_EQ(got[2][i], bits_of(static_cast<_Float16>(wide * 1.00037f)));
    }
    ASSERT_EQ(got[3][i], bits_of(static_cast<_Float16>(static_cast<float>(i))));
  }
}

TEST(Prelude, HalfArithmetic) {
  Module module(R"(
#include <cuda_fp16.h>
extern "C" __global__ void k(const half* a, const half* b, half* out, int* flags, half* cells) {
  int t = threadIdx.x;
  half x = a[t], y = b[t];
  out[t * 8 + 0] = x + y; out[t * 8 + 1] = x - y; out[t * 8 + 2] = x * y; out[t * 8 + 3] = x / y;
  out[t * 8 + 4] = __hfma(x, y, x); out[t * 8 + 5] = -x; out[t * 8 + 6] = hsqrt(__habs(x)); out[t * 8 + 7] = __hmax(x, y);
  half2 p = __halves2half2(x, y), q = __hmul2(p, __half2half2(y));
  flags[t] = (x < y) + 2 * (x == x) + 4 * __hisnan(x) + 8 * (__low2half(q) == x * y) + 16 * (int)(__half2int_rn(half(2.5f)) == 2);
  atomicAdd(&cells[t & 1], half(1.0f));
  x += y; x = 3; float f = x; flags[t] += f == 3.0f ? 32 : 0;
}
)");
  const int n = 64;
  std::vector<_Float16> a(n), b(n), out(8 * n), cells(2);
  std::vector<int> flags(n);
  for (int i = 0; i < n; ++i) a[i] = static_cast<_Float16>(0.37f * i - 9.1f), b[i] = static_cast<_Float16>(1.3f + 0.11f * i);
  module.launch("k", {1}, {n}, 0, a.data(), b.data(), out.data(), flags.data(), cells.data());
  for (int i = 0; i < n; ++i) {
    float x = static_cast<float>(a[i]), y = static_cast<float>(b[i]);
    float expected[] = {x + y, x - y, x * y, x / y, std::fma(x, y, x), -x, std::sqrt(std::fabs(x)), std::fmax(x, y)};
    for (int e = 0; e < 8; ++e)
      ASSERT_EQ(static_cast<float>(out[8 * i + e]), static_cast<float>(static_cast<_Float16>(expected[e])))
          << e << " of " << x << ", " << y;
    ASSERT_EQ(flags[i], (x < y) + 2 + 8 + 16 + 32);
  }
  EXPECT_EQ(static_cast<float>(cells[0]), n / 2);
  EXPECT_EQ(static_cast<float>(cells[1]), n / 2);
}

// Every comparison, of one and of two: those with u are true of what is no number, and so is !=; the others are false.
TEST(Prelude, HalfComparisons) {
  const char* names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  const char* operators[] = {"==", "!=", "<", "<=", ">", ">="};
  std::string text =
      "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(const half* a, const half* b, int* out) {\n"
      "  const half x = a[threadIdx.x], y = b[threadIdx.x], one = 1.0f;\n  out += threadIdx.x * 72;\n"
      "  const half2 p(x, one), q(y, x);\n";
  for (int i = 0; i < 6; ++i) {
    for (std::string end : {"", "u"}) {
      std::string name = std::string("__h") + names[i] + end, both = std::string("__hb") + names[i] + end;
      text += "  *out++ = " + name + "(x, y); *out++ = " + name + "2_mask(p, q);\n  *out++ = " + both + "2(p, q);\n";
      text += "  *out++ = (int)__low2float(" + name + "2(p, q)) + 2 * (int)__high2float(" + name + "2(p, q));\n";
    }
    std::string op = operators[i];
    text += "  *out++ = x " + op + " y; *out++ = p " + op + " q; *out++ = 0; *out++ = 0;\n";
  }
  Module module(text + "}\n");
  const std::vector<float> values = {0.0f, -0.0f, 1.0f, -2.5f, INFINITY, -INFINITY, NAN};
  const int n = static_cast<int>(values.size());
  std::vector<_Float16> a, b;
  for (int i = 0; i < n * n; ++i) {
    a.push_back(static_cast<_Float16>(values[i / n]));
    b.push_back(static_cast<_Float16>(values[i % n]));
  }
  std::vector<int> out(72 * n * n);
  module.launch("k", {1}, {static_cast<unsigned>(n * n)}, 0, a.data(), b.data(), out.data());
  auto is = [](int which, float x, float y) {
    const bool all[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
    return all[which];
  };
  auto is_none = [](float x, float y) { return std::isnan(x) || std::isnan(y); };
  for (int i = 0; i < n * n; ++i) {
    const float x = values[i / n], y = values[i % n];
    for (int c = 0; c < 6; ++c) {
      for (int u = 0; u < 2; ++u) {
        const int low = is_none(x, y) ? u : is(c, x, y), high = is_none(1.0f, x) ? u : is(c, 1.0f, x);
        const int* got = &out[72 * i + 12 * c + 4 * u];
        ASSERT_EQ(got[0], low) << names[c] << " " << u << " of " << x << ", " << y;
        ASSERT_EQ(static_cast<unsigned>(got[1]), (low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u)) << names[c] << x << y;
        ASSERT_EQ(got[2], low & high) << names[c] << " " << u << " of " << x << ", " << y;
        ASSERT_EQ(got[3], low + 2 * high) << names[c] << " " << u << " of " << x << ", " << y;
      }
      ASSERT_EQ(out[72 * i + 12 * c + 8], is(c, x, y)) << operators[c] << " of " << x << ", " << y;
      ASSERT_EQ(out[72 * i + 12 * c + 9], is(c, x, y) && is(c, 1.0f, x)) << operators[c] << " of " << x << ", " << y;
    }
  }
}

// ---- complex

using C = std::complex<double>;
struct ComplexCase {
  const char* expression;
  C (*value)(C a, C b);
};
const ComplexCase complex_cases[] = {
    {"a + b", [](C a, C b) -> C { return a + b; }},
    {"a - b", [](C a, C b) -> C { return a - b; }},
    {"a * b", [](C a, C b) -> C { return a * b; }},
    {"a / b", [](C a, C b) -> C { return a / b; }},
    {"exp(a)", [](C a, C) -> C { return std::exp(a); }},
    {"log(a)", [](C a, C) -> C { return std::log(a); }},
    {"sqrt(a)", [](C a, C) -> C { return std::sqrt(a); }},
    {"pow(a, b)", [](C a, C b) -> C { return std::pow(a, b); }},
    {"sin(a)", [](C a, C) -> C { return std::sin(a); }},
    {"cos(a)", [](C a, C) -> C { return std::cos(a); }},
    {"tan(a)", [](C a, C) -> C { return std::tan(a); }},
    {"sinh(a)", [](C a, C) -> C { return std::sinh(a); }},
    {"cosh(a)", [](C a, C) -> C { return std::cosh(a); }},
    {"tanh(a)", [](C a, C) -> C { return std::tanh(a); }},
    {"asin(a)", [](C a, C) -> C { return std::asin(a); }},
    {"acos(a)", [](C a, C) -> C { return std::acos(a); }},
    {"atan(a)", [](C a, C) -> C { return std::atan(a); }},
    {"asinh(a)", [](C a, C) -> C { return std::asinh(a); }},
    {"acosh(a)", [](C a, C) -> C { return std::acosh(a); }},
    {"atanh(a)", [](C a, C) -> C { return std::atanh(a); }},
    {"conj(a)", [](C a, C) -> C { return std::conj(a); }},
    {"2.0 * a + 1.0", [](C a, C) -> C { return 2.0 * a + 1.0; }},
    {"complex<double>(abs(a), arg(a))", [](C a, C) -> C { return {std::abs(a), std::arg(a)}; }},
    {"pow(a, 3)", [](C a, C) -> C { return a * a * a; }},
    {"complex<double>(norm(a), a == b)", [](C a, C) -> C { return {std::norm(a), 0}; }},
};

TEST(Prelude, ComplexNumbers) {
  std::string text =
      "#include <cupy/complex.cuh>\nextern \"C\" __global__ void k(const complex<double>* x, const complex<double>* y, "
      "complex<double>* out, int n) {\n  int i = threadIdx.x; complex<double> a = x[i], b = y[i];\n";
  int count = 0;
  for (const ComplexCase& one : complex_cases)
    text += "  out[" + std::to_string(count++) + " * n + i] = " + one.expression + ";\n";
  Module module(text + "}\n");
  std::vector<C> x, y;
  for (double re : {-2.0, -0.5, 0.3, 1.7}) {
    for (double im : {-1.3, -0.2, 0.4, 2.1}) x.push_back({re, im}), y.push_back({im + 0.1, re * 0.5});
  }
  int n = static_cast<int>(x.size());
  std::vector<C> out(count * n);
  module.launch("k", {1}, {static_cast<uint32_t>(n)}, 0, x.data(), y.data(), out.data(), n);
  for (int i = 0; i < n; ++i) {
    C a = x[i], b = y[i];
    for (int e = 0; e < count; ++e) {
      const C expected = complex_cases[e].value(a, b), got = out[e * n + i];
      ASSERT_LT(std::abs(got - expected), 1e-13 * std::abs(expected) + 1e-14)
          << complex_cases[e].expression << " of " << a << ", " << b << ": " << got << " not " << expected;
    }
  }
}

TEST(Prelude, CudasComplexInterface) {
  Module module(R"(
#include <cuComplex.h>
extern "C" __global__ void k(cuFloatComplex a, cuDoubleComplex b, double* out) {
  cuFloatComplex p = cuCmulf(a, make_cuFloatComplex(0, 1)), q = cuCdivf(a, a);
  cuDoubleComplex s = cuCadd(b, cuConj(b));
  out[0] = cuCrealf(p); out[1] = cuCimagf(p); out[2] = q.x; out[3] = cuCreal(s); out[4] = cuCimag(s); out[5] = cuCabsf(make_cuComplex(3, 4));
}
)");
  struct alignas(8) F {
    float x, y;
  };
  struct alignas(16) D {
    double x, y;
  };
  double out[6];
  module.launch("k", {1}, {1}, 0, F{1, 2}, D{5, 6}, static_cast<double*>(out));
  EXPECT_EQ((std::vector<double>(out, out + 6)), (std::vector<double>{-2, 1, 1, 10, 0, 5}));
}

}  // namespace
