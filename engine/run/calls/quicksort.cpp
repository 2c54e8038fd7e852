// A quicksort between two arrays: a part goes over in vectors of four, each shuffled so that the lesser ones come first and then
// stored at both ends of what is still free; parts of at most 16 are put in order by counting how many come before each. For
// processors with AVX2; elsewhere keys are sorted by radix (sort.cpp).
#include "run/calls/quicksort.h"

#include <bit>

#include "graph/tier0/levels.h"

#if QUERN_TIER0_LEVELS
#include <immintrin.h>

#include <algorithm>
#include <array>
#endif

namespace quern {

#if QUERN_TIER0_LEVELS

namespace {
namespace by_avx2 {

#define TARGET [[gnu::target(QUERN_TIER0_AVX2)]]

constexpr int64_t few = 16;
constexpr int64_t sign = INT64_MIN;  // vectors compare with a sign

// Which of 8 halves go where, so that the keys of a mask's set bits come first.
constexpr auto make_orders() {
  std::array<std::array<int32_t, 8>, 16> out{};
  for (int mask = 0; mask < 16; ++mask) {
    size_t at = 0;
    for (int chosen : {1, 0}) {
      for (int i = 0; i < 4; ++i) {
        if ((mask >> i & 1) != chosen) continue;
        out[static_cast<size_t>(mask)][at++] = 2 * i;
        out[static_cast<size_t>(mask)][at++] = 2 * i + 1;
      }
    }
  }
  return out;
}
alignas(32) constexpr auto orders = make_orders();

TARGET __m256i load(const int64_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
TARGET void store(int64_t* to, __m256i v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v); }

// n keys, at most 4 * blocks, in order to `to`; `keys` has the greatest of all behind them.
template <int blocks>
TARGET void sort_blocks(const int64_t* keys, int64_t* to, int64_t n) {
  __m256i x[blocks], rank[blocks];
  const __m256i lanes = _mm256_set_epi64x(3, 2, 1, 0);
#pragma GCC unroll 4
  for (int b = 0; b < blocks; ++b) {
    x[b] = load(keys + 4 * b);
    rank[b] = _mm256_add_epi64(lanes, _mm256_set1_epi64x(4 * b));
  }
  // Before key i come those j < i that are not greater, and those j > i that are less.
#pragma GCC unroll 16
  for (int j = 0; j < 4 * blocks; ++j) {
    __m256i key = _mm256_set1_epi64x(keys[j]);
#pragma GCC unroll 4
    for (int b = 0; b < blocks; ++b) {
      if (j < 4 * b) {
        rank[b] = _mm256_add_epi64(rank[b], _mm256_cmpgt_epi64(key, x[b]));
      } else if (j >= 4 * b + 4) {
        rank[b] = _mm256_sub_epi64(rank[b], _mm256_cmpgt_epi64(x[b], key));
      } else {
        __m256i later = _mm256_cmpgt_epi64(lanes, _mm256_set1_epi64x(j - 4 * b));
        rank[b] = _mm256_add_epi64(rank[b], _mm256_and_si256(later, _mm256_cmpgt_epi64(key, x[b])));
        rank[b] = _mm256_sub_epi64(rank[b], _mm256_andnot_si256(later, _mm256_cmpgt_epi64(x[b], key)));
      }
    }
  }
  alignas(32) int64_t ranks[4 * blocks];
#pragma GCC unroll 4
  for (int b = 0; b < blocks; ++b) store(ranks + 4 * b, rank[b]);
  for (int64_t i = 0; i < n; ++i) to[ranks[i]] = keys[i];
}

// n <= 16 keys of `from` in order to `to`, which may be the same.
TARGET void sort_few(const int64_t* from, int64_t* to, int64_t n) {
  if (n == 0) return;
  alignas(32) int64_t keys[few];
  for (int64_t b = 0; b < n; b += 4) {
    __m256i here = _mm256_cmpgt_epi64(_mm256_set1_epi64x(n - b), _mm256_set_epi64x(3, 2, 1, 0));
    __m256i loaded = _mm256_maskload_epi64(reinterpret_cast<const long long*>(from + b), here);
    store(keys + b, _mm256_blendv_epi8(_mm256_set1_epi64x(INT64_MAX), loaded, here));
  }
  switch ((n + 3) / 4) {
    case 1:
      return sort_blocks<1>(keys, to, n);
    case 2:
      return sort_blocks<2>(keys, to, n);
    case 3:
      return sort_blocks<3>(keys, to, n);
    default:
      return sort_blocks<4>(keys, to, n);
  }
}

// Those less than the pivot (`equal`: or equal to it) to the front of `to`, the others behind them. Returns how many are in
// front.
template <bool equal>
TARGET int64_t part(const int64_t* from, int64_t* to, int64_t n, int64_t pivot) {
  __m256i middle = _mm256_set1_epi64x(pivot);
  int64_t low = 0, high = n, i = 0;
  for (; i + 8 <= n; i += 4) {  // at least eight are free: neither store meets the other end
    __m256i v = load(from + i);
    __m256i goes = equal ? _mm256_cmpgt_epi64(v, middle) : _mm256_cmpgt_epi64(middle, v);
    unsigned mask = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(goes)));
    if (equal) mask ^= 15u;
    __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(orders[mask].data()));
    v = _mm256_permutevar8x32_epi32(v, order);
    store(to + low, v);
    store(to + high - 4, v);
    int count = std::popcount(mask);
    low += count;
    high -= 4 - count;
  }
  for (; i < n; ++i) {
    int64_t key = from[i];
    bool is_low = equal ? key <= pivot : key < pivot;
    to[is_low ? low : high - 1] = key;
    low += is_low;
    high -= !is_low;
  }
  return low;
}

int64_t middle_of(int64_t a, int64_t b, int64_t c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

int64_t choose(const int64_t* keys, int64_t n) {
  auto three = [&](int64_t at, int64_t step) { return middle_of(keys[at], keys[at + step], keys[at + 2 * step]); };
  if (n < 128) return three(n / 4, n / 4);
  int64_t step = n / 10;
  return middle_of(three(step, step), three(4 * step, step), three(7 * step, step));
}

// Sorts n keys of `from` into `goal`, which is `from` or `to`. `depth`: how often it may still part them.
TARGET void sort(int64_t* from, int64_t* to, int64_t n, int64_t* goal, int depth) {
  if (n <= few) return sort_few(from, goal, n);
  if (depth == 0) {
    std::sort(from, from + n);
    if (goal != from) std::copy_n(from, n, goal);
    return;
  }
  int64_t pivot = choose(from, n), low = part<false>(from, to, n, pivot);
  if (low > 0) {
    sort(to, from, low, goal, depth - 1);
  } else {  // the pivot is the least: all that equal it are in order
    low = part<true>(from, to, n, pivot);
    if (goal == from) std::fill_n(from, low, pivot);
  }
  sort(to + low, from + low, n - low, goal + low, depth - 1);
}

}  // namespace by_avx2
}  // namespace

bool quicksort(uint64_t* keys, uint64_t* other, int64_t n) {
  if (tier0::level() == tier0::Level::baseline) return false;
  auto* from = reinterpret_cast<int64_t*>(keys);
  for (int64_t i = 0; i < n; ++i) from[i] ^= by_avx2::sign;
  by_avx2::sort(from, reinterpret_cast<int64_t*>(other), n, from, 2 * std::bit_width(static_cast<uint64_t>(n)));
  for (int64_t i = 0; i < n; ++i) from[i] ^= by_avx2::sign;
  return true;
}

#else

bool quicksort(uint64_t*, uint64_t*, int64_t) { return false; }

#endif

}  // namespace quern
