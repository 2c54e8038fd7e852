// Loops over threads become vector code, and so do the mathematical functions in them. Each of these keeps the bound that CUDA's
// manual has for it, for every instruction set that this CPU runs. QUERN_MATH_ALL=1 takes all floats, 5 * 10**7 doubles for each
// function, and prints how far off it is (hours on one core); QUERN_MATH_ONLY=sin takes one function, QUERN_MATH_PART=1/4 of its
// numbers the first quarter.
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <random>

#include "prelude_runner.h"

using namespace quern_test;

namespace {

constexpr size_t at_once = 1 << 14;

using Real = long double;  // eleven bits more than a double has

struct Row {
  const char* name;
  double of_float, of_double;           // units of the last place, of the exact value's nearest one
  double (*for_float)(double, double);  // exact enough, and fast
  Real (*for_double)(Real, Real);
  std::vector<std::pair<double, double>> ranges;  // besides numbers of all sizes
  std::vector<double> near = {};                  // where arguments lie dense
};

#define ONE(name) +[](double x, double) -> double { return std::name(x); }, +[](Real x, Real) -> Real { return std::name(x); }
#define TWO(name) \
  +[](double x, double y) -> double { return std::name(x, y); }, +[](Real x, Real y) -> Real { return std::name(x, y); }
const std::vector<std::pair<double, double>> turns = {{-4, 4}, {-1e5, 1e5}, {-3e9, 3e9}, {-1e300, 1e300}};
const std::vector<std::pair<double, double>> powers = {{-4, 4}, {-90, 90}, {-712, 712}, {708, 711}, {-747, -707}};
const std::vector<std::pair<double, double>> logarithms = {{0, 2}, {0.5, 1.5}, {0.99, 1.01}, {0, 1e10}};
const Row rows[] = {
    {"sin", 2, 2, ONE(sin), turns},
    {"cos", 2, 2, ONE(cos), turns},
    {"tan", 4, 2, ONE(tan), turns},
    {"asin", 2, 2, ONE(asin), {{-1, 1}, {0.4, 0.6}, {0.99, 1}}, {1, -1, 0.5}},
    {"acos", 2, 2, ONE(acos), {{-1, 1}, {0.4, 0.6}, {0.99, 1}}, {1, -1, 0.5}},
    {"atan", 2, 2, ONE(atan), {{-4, 4}, {-100, 100}}, {1, -1}},
    {"sinh", 3, 2, ONE(sinh), powers, {0}},
    {"cosh", 2, 2, ONE(cosh), powers, {0}},
    {"tanh", 2, 2, ONE(tanh), {{-4, 4}, {-0.3, 0.3}, {-30, 30}}, {0}},
    {"asinh", 3, 3, ONE(asinh), {{-4, 4}, {-100, 100}}, {0}},
    {"acosh", 4, 3, ONE(acosh), {{1, 4}, {1, 1.001}, {1, 1e5}}, {1}},
    {"atanh", 3, 2, ONE(atanh), {{-1, 1}, {0.999, 1}, {-0.01, 0.01}}, {1, -1}},
    {"exp", 2, 1, ONE(exp), powers, {0}},
    {"exp2", 2, 1, ONE(exp2), {{-4, 4}, {-150, 129}, {-1076, -1021}, {1022, 1025}}, {0}},
    {"exp10",
     2,
     1,
     +[](double x, double) { return ::exp10(x); },
     +[](Real x, Real) { return ::exp10l(x); },
     {{-4, 4}, {-46, 39}, {-325, -307}, {307, 309}},
     {0}},
    {"expm1", 1, 1, ONE(expm1), powers, {0}},
    {"log", 1, 1, ONE(log), logarithms, {1}},
    {"log2", 1, 1, ONE(log2), logarithms, {1}},
    {"log10", 2, 1, ONE(log10), logarithms, {1}},
    {"log1p", 1, 1, ONE(log1p), {{-1, 2}, {-0.01, 0.01}, {0, 1e10}}, {0, -1}},
    {"cbrt", 1, 1, ONE(cbrt), {{-8, 8}, {1, 8}}, {1}},
    {"rcbrt",
     1,
     1,
     +[](double x, double) { return 1 / std::cbrt(x); },
     +[](Real x, Real) { return 1 / std::cbrt(x); },
     {{-8, 8}, {1, 8}},
     {1}},
    {"rsqrt", 2, 1, +[](double x, double) { return 1 / std::sqrt(x); }, +[](Real x, Real) { return 1 / std::sqrt(x); }, {{0, 8}}},
    {"erf", 2, 2, ONE(erf), {{-4, 4}, {-1, 1}, {0.0039, 0.0079}}, {0}},
    {"erfc", 4, 5, ONE(erfc), {{-4, 4}, {0, 11}, {0, 28}}, {0}},
};
const Row rows_of_two[] = {
    {"pow", 4, 2, TWO(pow), {}},
    {"atan2", 3, 2, TWO(atan2), {}},
    {"hypot",
     3,
     2,
     +[](double x, double y) -> double { return std::hypot(Real(x), Real(y)); },
     +[](Real x, Real y) { return std::hypot(x, y); },
     {}},
};
#undef ONE
#undef TWO

const bool all = std::getenv("QUERN_MATH_ALL");
const char* only = std::getenv("QUERN_MATH_ONLY");

struct Part {
  uint64_t which = 1, of = 1;
  uint64_t begin(uint64_t numbers) const { return numbers / of * (which - 1) / at_once * at_once; }
  uint64_t end(uint64_t numbers) const { return which == of ? numbers : numbers / of * which / at_once * at_once; }
};
Part chosen_part() {
  const char* text = std::getenv("QUERN_MATH_PART");
  Part part;
  if (!text) return part;
  bool read = std::sscanf(text, "%" SCNu64 "/%" SCNu64, &part.which, &part.of) == 2;
  if (!read || part.which < 1 || part.which > part.of) {
    std::fprintf(stderr, "QUERN_MATH_PART is \"%s\"; write K/N with K from 1 to N\n", text);
    std::exit(2);
  }
  return part;
}
const Part part = chosen_part();

struct Set {
  const char *title, *cpu, *features;
};
// This machine's CPU, and what it can stand in for.
std::vector<Set> sets() {
  std::vector<Set> out = {{"this CPU", "", ""}};
  if (__builtin_cpu_supports("avx512f")) {
    out.push_back({"AVX2", "haswell", "+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+popcnt,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3"});
  }
  out.push_back({"SSE2", "x86-64", "+sse2"});
  return out;
}

template <class T>
constexpr const char* type_name = sizeof(T) == 4 ? "float" : "double";
std::string spelled(const Row& row, bool is_float) { return row.name + std::string(is_float ? "f" : ""); }

// A kernel for each row, named k_sinf.
template <class T, size_t N>
Compiled compile_rows(const Row (&list)[N], bool two, const Set& set) {
  std::string text, type = type_name<T>;
  for (const Row& row : list) {
    std::string name = spelled(row, sizeof(T) == 4);
    text += "extern \"C\" __global__ void k_" + name + "(const " + type + "* x, const " + type + "* y, " + type +
            "* out, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = " + name +
            (two ? "(x[i], y[i]);\n}\n" : "(x[i]);\n}\n");
  }
  Options options;
  options.cpu = set.cpu;
  options.features = set.features;
  options.request_flags = QUERN_CLANG_KEEP_IR;
  return compile(text, options);
}

template <class T>
class Worst {
 public:
  void look(T got, Real exact, T x, T y) {
    if (got != 0 && (got == static_cast<T>(exact) || is_surely_nearer(got, exact))) return;
    double off = units(got, exact);
    if (exact == 0 && off == 0 && std::signbit(got) != std::signbit(exact)) off = HUGE_VAL;
    if (off > off_) off_ = off, x_ = x, y_ = y, got_ = got, exact_ = static_cast<T>(exact);
  }
  void expect(const std::string& name, const char* title, double bound) const {
    if (all) std::printf("%-7s %-8s %8.3f of %g, at %a %a\n", name.c_str(), title, off_, bound, double(x_), double(y_));
    EXPECT_LE(off_, bound + 0.5) << name << " with " << title << " at " << std::hexfloat << x_ << ", " << y_ << ": " << got_
                                 << " for " << exact_;
  }

 private:
  // Cheap, for billions of floats: the place is that of the exact value, never a larger one.
  bool is_surely_nearer(T got, Real exact) const {
    if (sizeof(T) != 4) return false;
    double value = static_cast<double>(exact);
    int64_t exponent = std::max<int64_t>(std::bit_cast<uint64_t>(value) >> 52 & 2047, 1023 - 126);
    double place = std::bit_cast<double>((exponent - 23) << 52);
    return std::abs(got - value) < 0.999999 * off_ * place;
  }

  double off_ = 0;
  T x_ = 0, y_ = 0, got_ = 0, exact_ = 0;
};

using Random = std::mt19937_64;

template <class T>
T any_number(Random& random) {
  uint64_t bits = random();
  T out;
  std::memcpy(&out, &bits, sizeof(T));
  return out;
}
double between(Random& random, double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }

const double corners[] = {0.0,
                          -0.0,
                          INFINITY,
                          -INFINITY,
                          NAN,
                          1,
                          -1,
                          5e-324,
                          -5e-324,
                          1e-310,
                          -1e-38,
                          1e-45,
                          0.5,
                          -0.5,
                          2,
                          -2,
                          3,
                          -3,
                          2.5,
                          -2.5,
                          1e18,
                          -1e18,
                          1e308,
                          DBL_MAX,
                          -DBL_MAX,
                          FLT_MAX,
                          709.782712893384,
                          -746,
                          1024,
                          -1075,
                          88.72284f,
                          -104,
                          309,
                          1.5e9,
                          1073741825.0,
                          -4e9};

template <class T>
T hard_number(const Row& row, Random& random) {
  unsigned kind = random() % 16;
  if (kind < 4 || row.ranges.empty()) return any_number<T>(random);
  if (kind < 13) {
    auto [low, high] = row.ranges[random() % row.ranges.size()];
    return static_cast<T>(between(random, low, high));
  }
  if (!row.near.empty()) {
    double near = row.near[random() % row.near.size()];
    return static_cast<T>(near + std::ldexp(between(random, -1, 1), -static_cast<int>(random() % (near ? 55 : 1070))));
  }
  // Beside multiples of a quarter of a turn.
  Real quarter = 1.57079632679489661923132169163975144L;
  T number = static_cast<T>(std::floor(std::ldexp(between(random, 0, 1), random() % 62)) * quarter);
  for (int step = random() % 3; step > 0; --step) number = std::nextafter(number, T(INFINITY));
  return number;
}

// The floats of a stride, or hard doubles.
template <class T>
void fill(const Row& row, std::vector<T>& x, uint64_t first, uint64_t stride, Random& random) {
  for (size_t i = 0; i < x.size(); ++i) {
    if (sizeof(T) == 4) {
      uint32_t bits = static_cast<uint32_t>((first + i) * stride);
      std::memcpy(&x[i], &bits, 4);
    } else {
      x[i] = hard_number<T>(row, random);
    }
  }
  if (first == 0) std::copy(std::begin(corners), std::end(corners), x.begin());
}

// The rows' kernels for each instruction set, and how far off they are.
template <class T>
class Checks {
 public:
  template <size_t N>
  Checks(const Row (&list)[N], bool two) {
    for (const Set& set : sets()) modules_.emplace_back(set.title, std::make_unique<Module>(compile_rows<T>(list, two, set)));
  }
  void begin(const Row& row) {
    row_ = &row;
    worst_.assign(modules_.size(), {});
  }
  void look(const std::vector<T>& x, const std::vector<T>& y) {
    std::vector<Real> exact(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      exact[i] = sizeof(T) == 4 ? Real(row_->for_float(x[i], y[i])) : row_->for_double(x[i], y[i]);
    }
    std::vector<T> got(x.size());
    for (size_t m = 0; m < modules_.size(); ++m) {
      modules_[m].second->launch("k_" + name(), {static_cast<uint32_t>(x.size() / 64)}, {64}, 0, x.data(), y.data(), got.data(),
                                 static_cast<int>(x.size()));
      for (size_t i = 0; i < x.size(); ++i) worst_[m].look(got[i], exact[i], x[i], y[i]);
    }
  }
  void end() const {
    double bound = sizeof(T) == 4 ? row_->of_float : row_->of_double;
    for (size_t m = 0; m < modules_.size(); ++m) worst_[m].expect(name(), modules_[m].first, bound);
  }

 private:
  std::string name() const { return spelled(*row_, sizeof(T) == 4); }

  std::vector<std::pair<const char*, std::unique_ptr<Module>>> modules_;
  const Row* row_ = nullptr;
  std::vector<Worst<T>> worst_;
};

bool is_left_out(const Row& row) { return only && std::string(only) != row.name; }

template <class T>
void check_one() {
  Checks<T> checks(rows, false);
  bool is_float = sizeof(T) == 4;
  uint64_t stride = is_float && !all ? 32 * 1024 + 1 : 1;  // an odd one meets all low bits
  uint64_t numbers = is_float ? (1ull << 32) / stride : all ? 50'000'000 : 65'536;
  std::vector<T> x(at_once), none(at_once);
  for (const Row& row : rows) {
    if (is_left_out(row)) continue;
    Random random(part.which);
    checks.begin(row);
    for (uint64_t first = part.begin(numbers); first < part.end(numbers); first += at_once) {
      fill(row, x, first, stride, random);
      checks.look(x, none);
    }
    checks.end();
  }
}

// A second argument for which powers have results of all sizes.
template <class T>
T exponent_for(T base, Random& random) {
  return static_cast<T>(between(random, -1, 1) * std::numeric_limits<T>::max_exponent / std::log2(base));
}

template <class T>
void check_two() {
  Checks<T> checks(rows_of_two, true);
  std::vector<T> x(at_once), y(at_once);
  for (const Row& row : rows_of_two) {
    if (is_left_out(row)) continue;
    bool power = row.name == std::string("pow");
    Random random(part.which + 1);
    checks.begin(row);
    uint64_t numbers = all ? 100'000'000 : 131'072;
    for (uint64_t first = part.begin(numbers); first < part.end(numbers); first += at_once) {
      for (size_t i = 0; i < at_once; ++i) {
        T a = any_number<T>(random), b = any_number<T>(random);
        unsigned kind = random() % 4;
        if (kind < 2) a = static_cast<T>(between(random, -8, 8)), b = static_cast<T>(between(random, -8, 8));
        if (kind == 2 && power) a = static_cast<T>(1 + std::ldexp(between(random, -1, 1), -static_cast<int>(random() % 40)));
        if (kind == 3 && power) a = std::abs(a);
        if (kind >= 2 && power) b = exponent_for(a, random);
        // Of sizes that are near one another.
        if (kind == 2 && !power)
          b = static_cast<T>(std::ldexp(a, static_cast<int>(random() % 60) - 30) * T(between(random, -1, 1)));
        x[i] = a, y[i] = b;
      }
      constexpr size_t some = std::size(corners);
      for (size_t i = 0; first == 0 && i < some * some; ++i) {
        x[i] = static_cast<T>(corners[i / some]), y[i] = static_cast<T>(corners[i % some]);
      }
      checks.look(x, y);
    }
    checks.end();
  }
}

TEST(VectorMath, Floats) { check_one<float>(); }
TEST(VectorMath, Doubles) { check_one<double>(); }
TEST(VectorMath, Pairs) {
  check_two<float>();
  check_two<double>();
}

// What is checked above is vector code, where the CPU has FMA.
template <class T, size_t N>
void expect_vectors(const Row (&list)[N], bool two, const Set& set) {
  Compiled compiled = compile_rows<T>(list, two, set);
  ASSERT_TRUE(compiled.ok) << compiled.log;
  size_t start = compiled.log.find("; ---- after optimisation");
  ASSERT_NE(start, std::string::npos);
  for (const Row& row : list) {
    std::string kernel = "k_" + spelled(row, sizeof(T) == 4);
    size_t at = compiled.log.find("@" + kernel + ".", start), end = compiled.log.find("\n}", at);
    ASSERT_NE(at, std::string::npos) << kernel;
    EXPECT_NE(compiled.log.substr(at, end - at).find(std::string(" x ") + type_name<T> + ">"), std::string::npos)
        << kernel << " is no vector code with " << set.title;
  }
}
TEST(VectorMath, AreVectors) {
  for (const Set& set : sets()) {
    if (set.features == std::string("+sse2")) continue;
    expect_vectors<float>(rows, false, set), expect_vectors<double>(rows, false, set);
    expect_vectors<float>(rows_of_two, true, set), expect_vectors<double>(rows_of_two, true, set);
  }
}

}  // namespace
