// Expressions of CUDA C++ on the CPU, for many numbers at once: what the tests of the prelude share.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "compile/clang/plugin_runner.h"

namespace quern_test {

// Evaluates every expression in x (and y, z) for every row of inputs; result[e][i].
template <class Out, class In>
std::vector<std::vector<Out>> evaluate(const char* out_type, const char* in_type, const std::vector<std::string>& expressions,
                                       const std::vector<In>& x, const std::vector<In>& y = {}, const std::vector<In>& z = {},
                                       const std::string& before = "") {
  std::string out(out_type), in(in_type);
  std::string text = before + "extern \"C\" __global__ void k(const " + in + "* xs, const " + in + "* ys, const " + in +
                     "* zs, " + out +
                     "* out, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  " + in +
                     " x = xs[i], y = ys[i], z = zs[i];\n";
  for (size_t e = 0; e < expressions.size(); ++e) {
    text += "  out[" + std::to_string(e) + " * n + i] = " + expressions[e] + ";\n";
  }
  Module module(text + "}\n");
  int n = static_cast<int>(x.size());
  std::vector<In> other(x.size());
  std::vector<Out> flat(expressions.size() * x.size());
  module.launch("k", {static_cast<uint32_t>(n + 63) / 64}, {64}, 0, x.data(), y.empty() ? other.data() : y.data(),
                z.empty() ? other.data() : z.data(), flat.data(), n);
  std::vector<std::vector<Out>> results;
  for (size_t e = 0; e < expressions.size(); ++e) results.emplace_back(flat.begin() + e * n, flat.begin() + (e + 1) * n);
  return results;
}

template <class T>
std::vector<T> numbers(size_t n, double low, double high) {
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> pick(low, high);
  std::vector<T> out(n);
  for (T& value : out) value = static_cast<T>(pick(random));
  return out;
}

// How many units of the last place lie between. Infinity counts as the number that follows the largest one; an answer that is no
// number where there is one, or the other way round, is off by infinity.
template <class T>
double units(T got, long double exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : HUGE_VAL;
  long double top = std::ldexp(1.0L, Limits::max_exponent), value = std::clamp<long double>(got, -top, top);
  exact = std::clamp(exact, -top, top);
  int exponent = exact == 0 ? Limits::min_exponent : std::ilogb(exact);
  exponent = std::clamp(exponent, Limits::min_exponent - 1, Limits::max_exponent - 1);
  return static_cast<double>(std::abs(value - exact) / std::ldexp(1.0L, exponent - Limits::digits + 1));
}

}  // namespace quern_test
