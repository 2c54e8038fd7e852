#include "run/calls/fourier_costs.h"

#include <algorithm>

#include "run/calls/fourier_levels.h"

namespace quern::fft {

namespace {

struct RadixCost {
  int64_t radix;
  double cost;
};
constexpr RadixCost radix_costs[] = {{2, 1.1}, {3, 1.4},  {4, 1.45}, {5, 1.85}, {6, 1.85}, {7, 2.4},  {8, 1.95},
                                     {9, 2.6}, {10, 2.3}, {11, 3.9}, {12, 2.5}, {13, 5.0}, {15, 3.5}, {16, 3.4}};
double cost_of_prime(int64_t radix) { return 1.5 + 0.4 * static_cast<double>(radix); }
constexpr double turning = 1;       // a product with a number from a table
constexpr double one_by_one = 1.5;  // a number that comes or goes by itself
constexpr double alone = 60;        // a line's own

constexpr int64_t first_cache = 32 << 10, second_cache = 768 << 10, some = 4 << 20, third_cache = 24 << 20;

// The smallest prime factor above 13; 0: there is none. Any number that is too large where it is that.
int64_t smallest_large(int64_t n) {
  for (int64_t p : {2, 3, 5, 7, 11, 13})
    while (n % p == 0) n /= p;
  if (n == 1) return 0;
  for (int64_t p = 17; p <= largest_radix; p += 2)
    if (n % p == 0) return p;
  return n;
}

// A number without large factors, from `least` to a third above it, that is as good to transform as any.
int64_t smooth(int64_t least) {
  constexpr double two = 0.65, three = 1.35, five = 1.85, seven = 2.5, eleven = 3.8, always = 2;
  double lowest = never;
  int64_t found = least, most = least + least / 3 + 16;
  double at11 = always;
  for (int64_t e = 1; e <= most; e *= 11, at11 += eleven) {
    double at7 = at11;
    for (int64_t d = e; d <= most; d *= 7, at7 += seven) {
      double at5 = at7;
      for (int64_t c = d; c <= most; c *= 5, at5 += five) {
        double at3 = at5;
        for (int64_t b = c; b <= most; b *= 3, at3 += three) {
          double cost = at3;
          int64_t a = b;
          for (; a < least; a *= 2) cost += two;
          cost *= static_cast<double>(a);
          if (a > most || cost >= lowest) continue;
          lowest = cost;
          found = a;
        }
      }
    }
  }
  return found;
}

}  // namespace

double Costs::moving() { return 2; }

// What a pass takes at least for a number, as two buffers of n come from the first, second or third cache or from memory.
double Costs::least(int64_t n) const {
  int64_t bytes = 4 * n * width_ * bytes_;
  return bytes <= first_cache ? 0.8 : bytes <= second_cache ? 2 : bytes <= some ? 3 : bytes <= third_cache ? 7 : 16;
}

Costs::Best Costs::best(int64_t n, double least) {
  if (n == 1) return {0, 1};
  auto [place, is_new] = known_.try_emplace({n, least}, Best{never, n});
  if (!is_new) return place->second;
  Best found{never, n};
  auto look = [&](int64_t radix, double cost) {
    if (n % radix) return;
    cost = std::max(cost, least) + best(n / radix, least).cost;
    if (cost < found.cost) found = {cost, radix};
  };
  for (const RadixCost& r : radix_costs) look(r.radix, r.cost);
  if (int64_t p = smallest_large(n); p && p <= largest_radix) look(p, cost_of_prime(p));
  return known_[{n, least}] = found;
}

std::vector<int64_t> Costs::radices(int64_t n) {
  double least = this->least(n);
  std::vector<int64_t> out;
  for (; n > 1; n /= out.back()) out.push_back(best(n, least).radix);
  std::sort(out.begin(), out.end());
  return out;
}

Costs::InLanes Costs::lanes(int64_t n) {
  InLanes out{best(n, least(n)).cost * static_cast<double>(n), 0};
  if (n == 1) return {0, 0};
  if (smallest_large(n) == 0) return out;
  int64_t within = smooth(2 * n - 1);
  double cost = static_cast<double>(within) * (2 * best(within, least(within)).cost + 3 * turning);
  return cost < out.cost ? InLanes{cost, within} : out;
}

Costs::ByItself Costs::line(int64_t n) {
  constexpr int64_t least_convolution = 32;
  ByItself out = matrix(n);
  if (n < least_convolution || smallest_large(n) == 0) return out;
  // Multiples of a vector's width in both directions.
  int64_t w = width_, step = n > 4 * w * w ? w * w : n > 2 * w ? w : 2;
  int64_t within = smooth((2 * n - 1 + step - 1) / step) * step;
  ByItself other = matrix(within);
  other.cost = 2 * other.cost + static_cast<double>(within / w) * 6 * turning + 100;
  other.within = within;
  other.in_lanes = never;
  return other.cost < out.cost ? other : out;
}

Costs::ByItself Costs::matrix(int64_t n) {
  constexpr int64_t most_apart = 1024;  // longer sides are not worth a trial
  ByItself out{never, 0, 0};
  int64_t w = width_, bytes = 6 * n * bytes_;
  double from_memory = bytes <= second_cache ? 0 : bytes <= third_cache ? 0.15 : 0.5;
  double always = alone + from_memory * static_cast<double>(n * bytes_);
  auto look = [&](int64_t n1, int64_t n2) {
    double columns = lanes(n1).cost + static_cast<double>(n1) * (moving() + turning);
    double rows = lanes(n2).cost + static_cast<double>(n2) * moving();
    double cost = columns * static_cast<double>((n2 + w - 1) / w) + rows * static_cast<double>((n1 + w - 1) / w) + always;
    cost += one_by_one * static_cast<double>(n2 % w * n1 + n1 % w * n2);
    if (cost < out.cost) out = {cost, n1, 0};
  };
  for (int64_t d = 2; d * d <= n; ++d) {
    if (n % d || n / d > d * most_apart) continue;
    look(d, n / d);
    look(n / d, d);
  }
  if (out.cost == never) return out;
  int64_t n1 = out.rows, n2 = n / n1, vectors = bytes * w;
  double each = 2 * moving() + turning + (vectors <= some ? 0 : vectors <= third_cache ? 4 : 10);
  out.in_lanes =
      lanes(n1).cost * static_cast<double>(n2) + lanes(n2).cost * static_cast<double>(n1) + each * static_cast<double>(n);
  return out;
}

}  // namespace quern::fft
