// Random numbers in kernels, as curand_kernel.h declares them: states of XORWOW, Philox4x32-10 and MRG32k3a whose numbers are cuRAND's
// for a seed, a subsequence and an offset. Poisson's numbers, and the last bits of normal ones, are our own.
//
// A generator gives words (curand); everything else is made of them once for all, in the second half.
#pragma once

#include "quern/rand_jumps.cuh"

extern "C++" {

// What a state keeps of a pair of normal numbers: 1 for a normal, 2 for a log-normal one.
#define __QUERN_PAIRS_LEFT   \
  int boxmuller_flag;        \
  int boxmuller_flag_double; \
  float boxmuller_extra;     \
  double boxmuller_extra_double;
struct curandStateXORWOW {
  unsigned int d, v[5];
  __QUERN_PAIRS_LEFT
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  __QUERN_PAIRS_LEFT
};
struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  __QUERN_PAIRS_LEFT
};
#undef __QUERN_PAIRS_LEFT
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

namespace quern {
namespace draws {

template <class State>
__QUERN_DEVICE void forget_pairs(State* state) {
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0.0f;
  state->boxmuller_extra_double = 0.0;
}

// ---- XORWOW (Marsaglia, "Xorshift RNGs", 2003)

__QUERN_DEVICE void xorwow_step(unsigned int* v) {
  unsigned int t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
// Horner's rule: the polynomial's coefficients are bits, its variable is the step.
__device__ inline void xorwow_skip(unsigned int* v, unsigned long long count, const unsigned int (*powers)[5]) {
  for (int row = 0; count != 0; ++row, count >>= 1) {
    if ((count & 1) == 0) continue;
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    for (int bit = 159; bit >= 0; --bit) {
      xorwow_step(sum);
      unsigned int taken = 0u - (powers[row][bit >> 5] >> (bit & 31) & 1);
      for (int k = 0; k < 5; ++k) sum[k] ^= v[k] & taken;
    }
    for (int k = 0; k < 5; ++k) v[k] = sum[k];
  }
}

// ---- Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011)

__QUERN_DEVICE uint4 philox4x32_10(uint4 c, uint2 k) {
  for (int round = 0; round < 10; ++round) {
    unsigned int high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
    unsigned int high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
    c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
    k.x += 0x9e3779b9u;
    k.y += 0xbb67ae85u;
  }
  return c;
}
__QUERN_DEVICE void philox_next(curandStatePhilox4_32_10* state, unsigned long long count) {
  unsigned long long low = state->ctr.x | static_cast<unsigned long long>(state->ctr.y) << 32, sum = low + count;
  unsigned long long high = state->ctr.z | static_cast<unsigned long long>(state->ctr.w) << 32;
  high += sum < low;
  state->ctr = make_uint4(static_cast<unsigned int>(sum), static_cast<unsigned int>(sum >> 32), static_cast<unsigned int>(high),
                          static_cast<unsigned int>(high >> 32));
  state->output = philox4x32_10(state->ctr, state->key);
}

// ---- MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", 1999)

enum : unsigned int { mrg_m1 = 4294967087u, mrg_m2 = 4294944443u };

// In [1, m1].
__QUERN_DEVICE unsigned int mrg_next(curandStateMRG32k3a* state) {
  unsigned int *a = state->s1, *b = state->s2;
  unsigned long long p = (1403580ull * a[1] + 810728ull * (mrg_m1 - a[0])) % mrg_m1;
  unsigned long long q = (527612ull * b[2] + 1370589ull * (mrg_m2 - b[0])) % mrg_m2;
  a[0] = a[1];
  a[1] = a[2];
  a[2] = static_cast<unsigned int>(p);
  b[0] = b[1];
  b[1] = b[2];
  b[2] = static_cast<unsigned int>(q);
  return static_cast<unsigned int>(p > q ? p - q : p + mrg_m1 - q);
}
__device__ inline void mrg_skip_half(unsigned int* s, const unsigned int* matrix, unsigned long long count, unsigned long long m) {
  unsigned long long power[9], squared[9];
  for (int i = 0; i < 9; ++i) power[i] = matrix[i];
  for (; count != 0; count >>= 1) {
    if ((count & 1) != 0) {
      unsigned long long next[3];
      for (int i = 0; i < 3; ++i) {
        next[i] = (power[3 * i] * s[0] % m + power[3 * i + 1] * s[1] % m + power[3 * i + 2] * s[2] % m) % m;
      }
      for (int i = 0; i < 3; ++i) s[i] = static_cast<unsigned int>(next[i]);
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        squared[3 * i + j] = (power[3 * i] * power[j] % m + power[3 * i + 1] * power[3 + j] % m + power[3 * i + 2] * power[6 + j] % m) % m;
      }
    }
    for (int i = 0; i < 9; ++i) power[i] = squared[i];
  }
}
__QUERN_DEVICE void mrg_skip(curandStateMRG32k3a* state, unsigned long long count, int how) {
  mrg_skip_half(state->s1, mrg_steps[how][0], count, mrg_m1);
  mrg_skip_half(state->s2, mrg_steps[how][1], count, mrg_m2);
}
__QUERN_DEVICE unsigned int mrg_product(unsigned int a, unsigned int b, unsigned int m) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b % m);
}

}  // namespace draws
}  // namespace quern

// ---- words, and skipping them

__QUERN_DEVICE unsigned int curand(curandStateXORWOW* state) {
  quern::draws::xorwow_step(state->v);
  state->d += 362437;
  return state->v[4] + state->d;
}
__QUERN_DEVICE void skipahead(unsigned long long count, curandStateXORWOW* state) {
  quern::draws::xorwow_skip(state->v, count, quern::draws::xorwow_numbers);
  state->d += 362437 * static_cast<unsigned int>(count);
}
__QUERN_DEVICE void skipahead_sequence(unsigned long long count, curandStateXORWOW* state) {
  quern::draws::xorwow_skip(state->v, count, quern::draws::xorwow_sequences);
}
__QUERN_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStateXORWOW* state) {
  unsigned int low = 1099087573u * (static_cast<unsigned int>(seed) ^ 0xaad26b49u);
  unsigned int high = 2591861531u * (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + low + high;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  quern::draws::forget_pairs(state);
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

// `output` holds the numbers of `ctr`, of which STATE have been given.
__QUERN_DEVICE unsigned int curand(curandStatePhilox4_32_10* state) {
  uint4 o = state->output;
  unsigned int place = state->STATE, word = place == 0 ? o.x : place == 1 ? o.y : place == 2 ? o.z : o.w;
  state->STATE = (place + 1) & 3;
  if (place == 3) quern::draws::philox_next(state, 1);
  return word;
}
__QUERN_DEVICE uint4 curand4(curandStatePhilox4_32_10* state) {
  uint4 a = state->output;
  quern::draws::philox_next(state, 1);
  uint4 b = state->output;
  switch (state->STATE) {
    case 1: return make_uint4(a.y, a.z, a.w, b.x);
    case 2: return make_uint4(a.z, a.w, b.x, b.y);
    case 3: return make_uint4(a.w, b.x, b.y, b.z);
    default: return a;
  }
}
__QUERN_DEVICE void skipahead(unsigned long long count, curandStatePhilox4_32_10* state) {
  unsigned int places = state->STATE + static_cast<unsigned int>(count & 3);
  state->STATE = places & 3;
  quern::draws::philox_next(state, (count >> 2) + (places >> 2));
}
__QUERN_DEVICE void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10* state) {
  unsigned long long high = (state->ctr.z | static_cast<unsigned long long>(state->ctr.w) << 32) + count;
  state->ctr.z = static_cast<unsigned int>(high);
  state->ctr.w = static_cast<unsigned int>(high >> 32);
  state->output = quern::draws::philox4x32_10(state->ctr, state->key);
}
__QUERN_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStatePhilox4_32_10* state) {
  state->ctr = make_uint4(0, 0, static_cast<unsigned int>(subsequence), static_cast<unsigned int>(subsequence >> 32));
  state->key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
  state->STATE = 0;
  quern::draws::forget_pairs(state);
  skipahead(offset, state);
}

__QUERN_DEVICE unsigned int curand(curandStateMRG32k3a* state) {
  return static_cast<unsigned int>(quern::draws::mrg_next(state) * 1.000000048662);
}
__QUERN_DEVICE void skipahead(unsigned long long count, curandStateMRG32k3a* state) { quern::draws::mrg_skip(state, count, 0); }
__QUERN_DEVICE void skipahead_subsequence(unsigned long long count, curandStateMRG32k3a* state) {
  quern::draws::mrg_skip(state, count, 1);
}
__QUERN_DEVICE void skipahead_sequence(unsigned long long count, curandStateMRG32k3a* state) {
  quern::draws::mrg_skip(state, count, 2);
}
__QUERN_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStateMRG32k3a* state) {
  using namespace quern::draws;
  unsigned int x = static_cast<unsigned int>(seed) ^ 0x55555555u, y = static_cast<unsigned int>(seed >> 32) ^ 0xaaaaaaaau;
  for (int i = 0; i < 3; ++i) {
    state->s1[i] = seed == 0 ? 12345u : mrg_product(i == 1 ? y : x, 12345u, mrg_m1);
    state->s2[i] = seed == 0 ? 12345u : mrg_product(i == 1 ? x : y, 12345u, mrg_m2);
  }
  forget_pairs(state);
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}

// ---- from words: uniform numbers in (0, 1], normal ones (Box and Muller, 1958) and what is made of them

namespace quern {
namespace draws {

template <class State>
struct Generator {
  static constexpr bool there = false;
};
template <>
struct Generator<curandStateXORWOW> {
  static constexpr bool there = true;
};
template <>
struct Generator<curandStatePhilox4_32_10> {
  static constexpr bool there = true;
};
template <>
struct Generator<curandStateMRG32k3a> {
  static constexpr bool there = true;
};
template <bool condition, class T>
struct Only {};
template <class T>
struct Only<true, T> {
  typedef T type;
};
// T, for functions of a generator's state alone.
template <class State, class T>
using Of = typename Only<Generator<State>::there, T>::type;

__QUERN_DEVICE float unit(unsigned int word) { return word * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
__QUERN_DEVICE double unit_double(unsigned int low, unsigned int high) {
  unsigned long long both = low ^ static_cast<unsigned long long>(high) << 21;
  return both * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}
__QUERN_DEVICE float2 normals(unsigned int x, unsigned int y) {
  float angle = y * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2.0f, length = ::sqrtf(-2.0f * ::logf(unit(x)));
  return make_float2(length * ::sinf(angle), length * ::cosf(angle));
}
__QUERN_DEVICE double2 normals_double(uint4 words) {
  double sine, cosine, length = ::sqrt(-2.0 * ::log(unit_double(words.x, words.y)));
  unsigned long long both = words.z ^ static_cast<unsigned long long>(words.w) << 21;
  ::sincospi(both * (1.1102230246251565e-16 * 2.0) + 1.1102230246251565e-16, &sine, &cosine);
  return make_double2(length * sine, length * cosine);
}
template <class State>
__QUERN_DEVICE float2 two_normals(State* state) {
  unsigned int x = curand(state), y = curand(state);
  return normals(x, y);
}
template <class State>
__QUERN_DEVICE double2 two_normals_double(State* state) {
  unsigned int x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return normals_double(make_uint4(x, y, z, w));
}
// MRG32k3a's come from its uniform numbers.
__QUERN_DEVICE float2 two_normals(curandStateMRG32k3a* state) {
  float u = static_cast<float>(mrg_next(state) * 2.3283065498378288e-10);
  float angle = static_cast<float>(mrg_next(state) * 2.3283065498378288e-10) * 6.2831855f, length = ::sqrtf(-2.0f * ::logf(u));
  return make_float2(length * ::sinf(angle), length * ::cosf(angle));
}
__QUERN_DEVICE double2 two_normals_double(curandStateMRG32k3a* state) {
  double sine, cosine, length = ::sqrt(-2.0 * ::log(mrg_next(state) * 2.3283065498378288e-10));
  ::sincospi(mrg_next(state) * 2.3283065498378288e-10 * 2.0, &sine, &cosine);
  return make_double2(length * sine, length * cosine);
}
}  // namespace draws
}  // namespace quern

template <class State>
__QUERN_DEVICE quern::draws::Of<State, float> curand_uniform(State* state) {
  return quern::draws::unit(curand(state));
}
__QUERN_DEVICE float curand_uniform(curandStateMRG32k3a* state) {
  return static_cast<float>(quern::draws::mrg_next(state) * 2.3283065498378288e-10);
}
__QUERN_DEVICE double curand_uniform_double(curandStateXORWOW* state) {
  unsigned int x = curand(state), y = curand(state);
  return quern::draws::unit_double(x, y);
}
__QUERN_DEVICE double curand_uniform_double(curandStatePhilox4_32_10* state) {
  return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
__QUERN_DEVICE double curand_uniform_double(curandStateMRG32k3a* state) {
  return quern::draws::mrg_next(state) * 2.3283065498378288e-10;
}
__QUERN_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  return make_float4(quern::draws::unit(x.x), quern::draws::unit(x.y), quern::draws::unit(x.z), quern::draws::unit(x.w));
}
__QUERN_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  return make_double2(quern::draws::unit_double(x.x, x.y), quern::draws::unit_double(x.z, x.w));
}

template <class State>
__QUERN_DEVICE quern::draws::Of<State, float2> curand_normal2(State* state) {
  return quern::draws::two_normals(state);
}
template <class State>
__QUERN_DEVICE quern::draws::Of<State, double2> curand_normal2_double(State* state) {
  return quern::draws::two_normals_double(state);
}
__QUERN_DEVICE float4 curand_normal4(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  float2 a = quern::draws::normals(x.x, x.y), b = quern::draws::normals(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
// The second number of a pair waits in the state; one of the other kind is dropped.
#define __QUERN_NORMAL(T, suffix)                                                                                  \
  template <class State>                                                                                           \
  __QUERN_DEVICE quern::draws::Of<State, T> curand_normal##suffix(State* state) {                                   \
    bool waits = state->boxmuller_flag##suffix == 1;                                                               \
    state->boxmuller_flag##suffix = !waits;                                                                        \
    if (waits) return state->boxmuller_extra##suffix;                                                              \
    T##2 pair = quern::draws::two_normals##suffix(state);                                                           \
    state->boxmuller_extra##suffix = pair.y;                                                                       \
    return pair.x;                                                                                                 \
  }                                                                                                                \
  template <class State>                                                                                           \
  __QUERN_DEVICE quern::draws::Of<State, T##2> curand_log_normal2##suffix(State* state, T mean, T deviation) {      \
    T##2 pair = quern::draws::two_normals##suffix(state);                                                           \
    return make_##T##2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));                            \
  }                                                                                                                \
  template <class State>                                                                                           \
  __QUERN_DEVICE quern::draws::Of<State, T> curand_log_normal##suffix(State* state, T mean, T deviation) {          \
    bool waits = state->boxmuller_flag##suffix == 2;                                                               \
    state->boxmuller_flag##suffix = waits ? 0 : 2;                                                                 \
    if (waits) return state->boxmuller_extra##suffix;                                                              \
    T##2 pair = curand_log_normal2##suffix(state, mean, deviation);                                                \
    state->boxmuller_extra##suffix = pair.y;                                                                       \
    return pair.x;                                                                                                 \
  }
__QUERN_NORMAL(float, )
__QUERN_NORMAL(double, _double)
#undef __QUERN_NORMAL
__QUERN_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10* state, float mean, float deviation) {
  float4 x = curand_normal4(state);
  return make_float4(expf(mean + deviation * x.x), expf(mean + deviation * x.y), expf(mean + deviation * x.z),
                     expf(mean + deviation * x.w));
}

// Four doubles take two rounds of the generator.
__QUERN_DEVICE double4 curand_uniform4_double(curandStatePhilox4_32_10* state) {
  double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
__QUERN_DEVICE double4 curand_normal4_double(curandStatePhilox4_32_10* state) {
  double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
__QUERN_DEVICE double4 curand_log_normal4_double(curandStatePhilox4_32_10* state, double mean, double deviation) {
  double2 a = curand_log_normal2_double(state, mean, deviation), b = curand_log_normal2_double(state, mean, deviation);
  return make_double4(a.x, a.y, b.x, b.y);
}

// Small means: as many uniform numbers as leave their product above exp(-mean). Others: rejection from a transformed uniform number
// (Hoermann, "The transformed rejection method for generating Poisson random variables", 1993).
template <class State>
__device__ quern::draws::Of<State, unsigned int> curand_poisson(State* state, double mean) {
  if (mean < 10.0) {
    double product = curand_uniform_double(state), least = exp(-mean);
    unsigned int count = 0;
    for (; product > least; ++count) product *= curand_uniform_double(state);
    return count;
  }
  double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2.0);
  while (true) {
    double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state), us = 0.5 - fabs(u);
    double k = floor((2.0 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return static_cast<unsigned int>(k);
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    if (log(v) + log(inverse) - log(a / (us * us) + b) <= k * log(mean) - mean - lgamma(k + 1.0)) return static_cast<unsigned int>(k);
  }
}
__device__ inline uint4 curand_poisson4(curandStatePhilox4_32_10* state, double mean) {
  uint4 out;
  out.x = curand_poisson(state, mean);
  out.y = curand_poisson(state, mean);
  out.z = curand_poisson(state, mean);
  out.w = curand_poisson(state, mean);
  return out;
}

}  // extern "C++"
