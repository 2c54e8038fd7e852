// Random numbers that depend on a key and an element's number alone: the same on every device, in any order, and fused with what
// uses them. Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011) turns a 128-bit counter
// and a 64-bit key into 128 bits. The counter's low half is the element's number in its stream (or that of two or four neighbours), the
// high half is 0 there.
//
// Distributions that reject take an element's 64 bits as the key of a stream of its own: the counter's low half is then the
// attempt, the high half says what is drawn.
#pragma once

namespace quern {
namespace op {

typedef unsigned int random_u32;
typedef unsigned long long random_u64;

struct Random128 {
  random_u64 low, high;
};

// The halves of a product (on a GPU LLVM would widen all that follows one of 64 bits to these), a * b + c, a square root.
#ifdef __CUDACC_RTC__
__QUERN_DEVICE void random_product(random_u32 a, random_u32 b, random_u32& low, random_u32& high) {
  low = a * b, high = __umulhi(a, b);
}
__QUERN_DEVICE float random_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__QUERN_DEVICE double random_fma(double a, double b, double c) { return __fma_rn(a, b, c); }
__QUERN_DEVICE float random_sqrt32(float x) {  // within 2 ulp; 1e-15 for zero
  x = ::fmaxf(x, 1e-30f);
  return x * ::rsqrtf(x);
}
#else
__QUERN_DEVICE void random_product(random_u32 a, random_u32 b, random_u32& low, random_u32& high) {
  const random_u64 p = static_cast<random_u64>(a) * b;
  low = static_cast<random_u32>(p), high = static_cast<random_u32>(p >> 32);
}
__QUERN_DEVICE float random_fma(float a, float b, float c) { return a * b + c; }
__QUERN_DEVICE double random_fma(double a, double b, double c) { return a * b + c; }
__QUERN_DEVICE float random_sqrt32(float x) { return ::sqrt(x); }
#endif

__QUERN_DEVICE Random128 philox(random_u64 counter, random_u64 counter_high, random_u64 key) {
  random_u32 x0 = static_cast<random_u32>(counter), x1 = static_cast<random_u32>(counter >> 32);
  random_u32 x2 = static_cast<random_u32>(counter_high), x3 = static_cast<random_u32>(counter_high >> 32);
  random_u32 k0 = static_cast<random_u32>(key), k1 = static_cast<random_u32>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    random_u32 p_low, p_high, q_low, q_high;
    random_product(0xD2511F53u, x0, p_low, p_high);
    random_product(0xCD9E8D57u, x2, q_low, q_high);
    x0 = q_high ^ x1 ^ k0, x1 = q_low;
    x2 = p_high ^ x3 ^ k1, x3 = p_low;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {static_cast<random_u64>(x1) << 32 | x0, static_cast<random_u64>(x3) << 32 | x2};
}

__QUERN_DEVICE random_u64 random_bits(random_u64 element, random_u64 key, random_u64 first) {
  return philox(first + element, 0, key).low;
}

// In [0, 1): 53 or 24 bits.
__QUERN_DEVICE double random_unit(random_u64 bits) { return static_cast<double>(bits >> 11) * (1.0 / 9007199254740992.0); }
__QUERN_DEVICE float random_unit32(random_u64 bits) { return static_cast<float>(bits >> 40) * (1.0f / 16777216.0f); }

// The cosine, or the sine, of an angle that goes evenly round the circle, as a polynomial in the square of its part of a turn,
// -1/2 to 1/2: off by 3e-7 at most, and 1e-15 of doubles.
__QUERN_DEVICE float random_circle32(random_u32 bits, bool sine) {
  const int turn = static_cast<int>(sine ? bits - 0x40000000u : bits);
  const float x = static_cast<float>(turn) * (1.0f / 4294967296.0f), xx = x * x;
  float y = random_fma(6.52770596f, xx, -25.9668846f);
  y = random_fma(y, xx, 60.1674298f);
  y = random_fma(y, xx, -85.4501135f);
  y = random_fma(y, xx, 64.9391159f);
  y = random_fma(y, xx, -19.7392045f);
  return random_fma(y, xx, 1.0f);
}
__QUERN_DEVICE double random_circle(random_u64 bits, bool sine) {
  const long long turn = static_cast<long long>(sine ? bits - 0x4000000000000000ull : bits);
  const double x = static_cast<double>(turn) * (1.0 / 18446744073709551616.0), xx = x * x;
  double y = random_fma(-0.0002900600501912892813, xx, 0.003758590561310354164);
  y = random_fma(y, xx, -0.03637490036340231095);
  y = random_fma(y, xx, 0.2820040795831631276);
  y = random_fma(y, xx, -1.714390413809851691);
  y = random_fma(y, xx, 7.903536340077173396);
  y = random_fma(y, xx, -26.42625678121189045);
  y = random_fma(y, xx, 60.24464137178173363);
  y = random_fma(y, xx, -85.45681720669126857);
  y = random_fma(y, xx, 64.93939402266825857);
  y = random_fma(y, xx, -19.73920880217871707);
  return random_fma(y, xx, 1.0);
}

// Of the normal distribution (Box and Muller, 1958): a length, from a number in (0, 1), times the cosine and the sine of an angle.
__QUERN_DEVICE double random_normal_of(const Random128& r, bool sine) {
  const double u = static_cast<double>((r.low >> 11) + 1) * (1.0 / 9007199254740992.0);
  return ::sqrt(-2.0 * ::log(u)) * random_circle(r.high, sine);
}
// The logarithm of a number in (0, 1] that is no denormal: off by 1e-7 of it, or of 1 where it is larger; without branches, so that
// neighbours can share it.
__QUERN_DEVICE float random_log32(float u) {
  const random_u32 bits = __float_as_uint(u);
  const int exponent = static_cast<int>(bits - 0x3f3504f3u) >> 23;  // of a mantissa from sqrt(1/2) to sqrt(2)
  const float x = __uint_as_float(bits - (static_cast<random_u32>(exponent) << 23)) - 1.0f;
  float y = random_fma(0.0878726549f, x, -0.14159647f);
  y = random_fma(y, x, 0.148347868f);
  y = random_fma(y, x, -0.165884885f);
  y = random_fma(y, x, 0.199720497f);
  y = random_fma(y, x, -0.250011477f);
  y = random_fma(y, x, 0.333336706f);
  y = random_fma(y, x, -0.499999971f);
  return random_fma(static_cast<float>(exponent), 0.693147181f, random_fma(y * x, x, x));
}
__QUERN_DEVICE float random_normal32_of(random_u64 bits, bool sine) {
  const float u = random_fma(static_cast<float>(static_cast<random_u32>(bits)), 1.0f / 4294967296.0f, 1.0f / 8589934592.0f);
  return random_sqrt32(-2.0f * random_log32(u)) * random_circle32(static_cast<random_u32>(bits >> 32), sine);
}
// Two or four neighbours share a counter: where one thread computes them, the compiler makes its 128 bits once.
__QUERN_DEVICE double random_normal(random_u64 element, random_u64 key, random_u64 first) {
  return random_normal_of(philox(first + (element >> 1), 0, key), element & 1);
}
__QUERN_DEVICE float random_normal32(random_u64 element, random_u64 key, random_u64 first) {
  const Random128 r = philox(first + (element >> 2), 0, key);
  return random_normal32_of(element & 2 ? r.high : r.low, element & 1);
}

__QUERN_DEVICE random_u64 random_high_product(random_u64 a, random_u64 b) {
  const random_u64 a0 = a & 0xffffffffull, a1 = a >> 32, b0 = b & 0xffffffffull, b1 = b >> 32;
  const random_u64 low = a0 * b0, left = a1 * b0, right = a0 * b1;
  const random_u64 middle = (low >> 32) + (left & 0xffffffffull) + (right & 0xffffffffull);
  return a1 * b1 + (left >> 32) + (right >> 32) + (middle >> 32);
}

// In [0, range), each as likely; 0 stands for 2^64. Lemire's way: the product's high half, unless the low half is among the few
// that would make some numbers likelier.
__QUERN_DEVICE random_u64 random_below(random_u64 bits, random_u64 range) {
  if (range == 0) return bits;
  random_u64 value = random_high_product(bits, range), rest = bits * range;
  if (rest < range) {
    const random_u64 least = (0 - range) % range;
    for (random_u64 attempt = 0; rest < least; ++attempt) {
      const random_u64 more = philox(attempt, 1, bits).low;
      value = random_high_product(more, range);
      rest = more * range;
    }
  }
  return value;
}

// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000; a shape below 1 through shape + 1.
__QUERN_DEVICE double random_gamma(random_u64 seed, double shape) {
  if (!(shape > 0)) return 0;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3.0, c = 1 / ::sqrt(9 * d);
  double value = d;
  for (random_u64 attempt = 0; attempt < 1000; ++attempt) {
    const double x = random_normal_of(philox(attempt, 2, seed), false);
    const double root = 1 + c * x, v = root * root * root;
    if (root <= 0) continue;
    const double u = random_unit(philox(attempt, 3, seed).low);
    value = d * v;
    if (u < 1 - 0.0331 * x * x * x * x || ::log(u) < 0.5 * x * x + d * (1 - v + ::log(v))) break;
  }
  if (shape < 1) value = value * ::pow(1 - random_unit(philox(0, 4, seed).low), 1 / shape);
  return value;
}

// The logarithm of n!, Stirling's series from 16 on: the same text on every device.
__QUERN_DEVICE double random_log_factorial(double n) {
  double x = n + 1, less = 1;
  for (; x < 16; x += 1) less *= x;
  const double s = 1 / (x * x);
  const double series = (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680)))) / x;
  return (x - 0.5) * ::log(x) - x + 0.918938533204672741780 + series - ::log(less);
}

// Few on average: how many uniform numbers their product takes to fall below e^-mean; else Hörmann's PTRS, "The transformed
// rejection method for generating Poisson random variables", 1993.
__QUERN_DEVICE double random_poisson(random_u64 seed, double mean) {
  if (!(mean > 0)) return 0;
  if (mean < 10) {
    const double stop = ::exp(-mean);
    double product = 1;
    for (random_u64 n = 0;; ++n) {
      product *= 1 - random_unit(philox(n, 5, seed).low);
      if (product <= stop) return static_cast<double>(n);
    }
  }
  const double root = ::sqrt(mean), size = ::log(mean);
  const double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
  const double inverse = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2);
  for (random_u64 attempt = 0; attempt < 1000; ++attempt) {
    const Random128 r = philox(attempt, 6, seed);
    const double u = random_unit(r.low) - 0.5, v = 1 - random_unit(r.high);
    const double us = 0.5 - (u < 0 ? -u : u);
    const double k = ::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= sure) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (::log(v * inverse / (a / (us * us) + b)) <= k * size - mean - random_log_factorial(k)) return k;
  }
  return ::floor(mean);
}

// Few on average: one uniform number against the sums of probabilities; else Hörmann's BTRS, "The generation of binomial random
// variates", 1993.
__QUERN_DEVICE double random_binomial(random_u64 seed, double n, double probability) {
  if (!(n > 0) || !(probability > 0)) return 0;
  const bool turned = probability > 0.5;
  const double p = turned ? 1 - probability : probability, q = 1 - p;
  if (p == 0) return n;
  double k = ::floor(n * p);
  if (n * p < 10) {
    const double odds = p / q;
    double term = ::exp(n * ::log1p(-p)), u = random_unit(philox(0, 7, seed).low);
    for (k = 0; u > term && k < n; k += 1) {
      u -= term;
      term *= (n - k) / (k + 1) * odds;
    }
    return turned ? n - k : k;
  }
  const double spread = ::sqrt(n * p * q), b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5;
  const double sure = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread, odds = ::log(p / q), mode = ::floor((n + 1) * p);
  const double height = random_log_factorial(mode) + random_log_factorial(n - mode);
  for (random_u64 attempt = 0; attempt < 1000; ++attempt) {
    const Random128 r = philox(attempt, 8, seed);
    const double u = random_unit(r.low) - 0.5, v = 1 - random_unit(r.high);
    const double us = 0.5 - (u < 0 ? -u : u), tried = ::floor((2 * a / us + b) * u + c);
    if (tried < 0 || tried > n) continue;
    k = tried;
    if (us >= 0.07 && v <= sure) break;
    const double bound = height - random_log_factorial(k) - random_log_factorial(n - k) + (k - mode) * odds;
    if (::log(v * alpha / (a / (us * us) + b)) <= bound) break;
  }
  return turned ? n - k : k;
}

}  // namespace op
}  // namespace quern
