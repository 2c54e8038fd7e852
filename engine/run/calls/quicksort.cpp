// A quicksort between two arrays: a part goes over in vectors, each shuffled so that the lesser ones come first and then stored
// at both ends of what is still free; parts of few keys are put in order by counting how many come before each. For processors
// with AVX2; elsewhere keys are sorted by radix (sort.cpp).
#include "run/calls/quicksort.h"

#include <bit>

#include "graph/tier0/levels.h"

#if QUERN_TIER0_LEVELS
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#endif

namespace quern {

#if QUERN_TIER0_LEVELS

namespace {
namespace by_avx2 {

#define TARGET [[gnu::target(QUERN_TIER0_AVX2)]]

// Vectors of keys with a sign, as they are compared.
template <class Key>
struct Vector;

// Which of 8 halves go where, so that the keys of a mask's set bits come first.
template <int lanes>
constexpr auto make_orders() {
  constexpr int halves = 8 / lanes;
  std::array<std::array<int32_t, 8>, size_t{1} << lanes> out{};
  for (unsigned mask = 0; mask < out.size(); ++mask) {
    size_t at = 0;
    for (unsigned chosen : {1u, 0u}) {
      for (int i = 0; i < lanes; ++i) {
        if ((mask >> i & 1) != chosen) continue;
        for (int half = 0; half < halves; ++half) out[mask][at++] = halves * i + half;
      }
    }
  }
  return out;
}

template <>
struct Vector<int64_t> {
  static constexpr int lanes = 4;
  alignas(32) static constexpr auto orders = make_orders<lanes>();
  TARGET static __m256i all(int64_t x) { return _mm256_set1_epi64x(x); }
  TARGET static __m256i counted() { return _mm256_set_epi64x(3, 2, 1, 0); }
  TARGET static __m256i add(__m256i a, __m256i b) { return _mm256_add_epi64(a, b); }
  TARGET static __m256i subtract(__m256i a, __m256i b) { return _mm256_sub_epi64(a, b); }
  TARGET static __m256i greater(__m256i a, __m256i b) { return _mm256_cmpgt_epi64(a, b); }
  TARGET static __m256i load(const int64_t* from, __m256i which) {
    return _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), which);
  }
  TARGET static unsigned bits(__m256i which) { return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(which))); }
};

template <>
struct Vector<int32_t> {
  static constexpr int lanes = 8;
  alignas(32) static constexpr auto orders = make_orders<lanes>();
  TARGET static __m256i all(int32_t x) { return _mm256_set1_epi32(x); }
  TARGET static __m256i counted() { return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0); }
  TARGET static __m256i add(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
  TARGET static __m256i subtract(__m256i a, __m256i b) { return _mm256_sub_epi32(a, b); }
  TARGET static __m256i greater(__m256i a, __m256i b) { return _mm256_cmpgt_epi32(a, b); }
  TARGET static __m256i load(const int32_t* from, __m256i which) { return _mm256_maskload_epi32(from, which); }
  TARGET static unsigned bits(__m256i which) { return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(which))); }
};

constexpr int most_blocks = 4;
template <class Key>
constexpr int64_t few = most_blocks * Vector<Key>::lanes;

template <class Key>
TARGET __m256i load(const Key* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
template <class Key>
TARGET void store(Key* to, __m256i v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
}

// n keys, at most those of so many blocks, in order to `to`; `keys` has the greatest of all behind them.
template <int blocks, class Key>
TARGET void sort_blocks(const Key* keys, Key* to, int64_t n) {
  using V = Vector<Key>;
  constexpr int lanes = V::lanes;
  __m256i x[blocks], rank[blocks];
  const __m256i counted = V::counted();
#pragma GCC unroll 4
  for (int b = 0; b < blocks; ++b) {
    x[b] = load(keys + lanes * b);
    rank[b] = V::add(counted, V::all(lanes * b));
  }
  // Before key i come those j < i that are not greater, and those j > i that are less.
#pragma GCC unroll 32
  for (int j = 0; j < lanes * blocks; ++j) {
    __m256i key = V::all(keys[j]);
#pragma GCC unroll 4
    for (int b = 0; b < blocks; ++b) {
      if (j < lanes * b) {
        rank[b] = V::add(rank[b], V::greater(key, x[b]));
      } else if (j >= lanes * (b + 1)) {
        rank[b] = V::subtract(rank[b], V::greater(x[b], key));
      } else {
        __m256i later = V::greater(counted, V::all(j - lanes * b));
        rank[b] = V::add(rank[b], _mm256_and_si256(later, V::greater(key, x[b])));
        rank[b] = V::subtract(rank[b], _mm256_andnot_si256(later, V::greater(x[b], key)));
      }
    }
  }
  alignas(32) Key ranks[lanes * blocks];
#pragma GCC unroll 4
  for (int b = 0; b < blocks; ++b) store(ranks + lanes * b, rank[b]);
  for (int64_t i = 0; i < n; ++i) to[ranks[i]] = keys[i];
}

// n <= few keys of `from` in order to `to`, which may be the same.
template <class Key>
TARGET void sort_few(const Key* from, Key* to, int64_t n) {
  using V = Vector<Key>;
  constexpr int lanes = V::lanes;
  if (n == 0) return;
  alignas(32) Key keys[few<Key>];
  for (int64_t b = 0; b < n; b += lanes) {
    __m256i here = V::greater(V::all(static_cast<Key>(n - b)), V::counted());
    __m256i greatest = V::all(std::numeric_limits<Key>::max());
    store(keys + b, _mm256_blendv_epi8(greatest, V::load(from + b, here), here));
  }
  switch ((n + lanes - 1) / lanes) {
    case 1:
      return sort_blocks<1>(keys, to, n);
    case 2:
      return sort_blocks<2>(keys, to, n);
    case 3:
      return sort_blocks<3>(keys, to, n);
    default:
      return sort_blocks<most_blocks>(keys, to, n);
  }
}

// Those less than the pivot (`equal`: or equal to it) to the front of `to`, the others behind them. Returns how many are in
// front.
template <bool equal, class Key>
TARGET int64_t part(const Key* from, Key* to, int64_t n, Key pivot) {
  using V = Vector<Key>;
  constexpr int lanes = V::lanes;
  __m256i middle = V::all(pivot);
  int64_t low = 0, high = n, i = 0;
  for (; i + 2 * lanes <= n; i += lanes) {  // at least two vectors are free: neither store meets the other end
    __m256i v = load(from + i);
    unsigned mask = V::bits(equal ? V::greater(v, middle) : V::greater(middle, v));
    if (equal) mask ^= (1u << lanes) - 1;
    __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(V::orders[mask].data()));
    v = _mm256_permutevar8x32_epi32(v, order);
    store(to + low, v);
    store(to + high - lanes, v);
    int count = std::popcount(mask);
    low += count;
    high -= lanes - count;
  }
  for (; i < n; ++i) {
    Key key = from[i];
    bool is_low = equal ? key <= pivot : key < pivot;
    to[is_low ? low : high - 1] = key;
    low += is_low;
    high -= !is_low;
  }
  return low;
}

template <class Key>
Key middle_of(Key a, Key b, Key c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

template <class Key>
Key choose(const Key* keys, int64_t n) {
  auto three = [&](int64_t at, int64_t step) { return middle_of(keys[at], keys[at + step], keys[at + 2 * step]); };
  if (n < 128) return three(n / 4, n / 4);
  int64_t step = n / 10;
  return middle_of(three(step, step), three(4 * step, step), three(7 * step, step));
}

// Sorts n keys of `from` into `goal`, which is `from` or `to`. `depth`: how often it may still part them.
template <class Key>
TARGET void sort(Key* from, Key* to, int64_t n, Key* goal, int depth) {
  if (n <= few<Key>) return sort_few(from, goal, n);
  if (depth == 0) {
    std::sort(from, from + n);
    if (goal != from) std::copy_n(from, n, goal);
    return;
  }
  Key pivot = choose(from, n);
  int64_t low = part<false>(from, to, n, pivot);
  if (low > 0) {
    sort(to, from, low, goal, depth - 1);
  } else {  // the pivot is the least: all that equal it are in order
    low = part<true>(from, to, n, pivot);
    if (goal == from) std::fill_n(from, low, pivot);
  }
  sort(to + low, from + low, n - low, goal + low, depth - 1);
}

// The same where only some places matter: parts without any of `ranks` stay as they are. `at`: where the goal begins.
template <class Key>
TARGET void select(Key* from, Key* to, int64_t n, Key* goal, int depth, std::span<const int64_t> ranks, int64_t at) {
  if (ranks.empty()) {
    if (goal != from) std::copy_n(from, n, goal);
    return;
  }
  if (n <= few<Key> || depth == 0) return sort(from, to, n, goal, depth);
  Key pivot = choose(from, n);
  int64_t low = part<false>(from, to, n, pivot);
  const bool is_least = low == 0;
  if (is_least) low = part<true>(from, to, n, pivot);
  const auto split = static_cast<size_t>(std::lower_bound(ranks.begin(), ranks.end(), at + low) - ranks.begin());
  if (!is_least) {
    select(to, from, low, goal, depth - 1, ranks.first(split), at);
  } else if (goal == from) {
    std::fill_n(from, low, pivot);
  }
  select(to + low, from + low, n - low, goal + low, depth - 1, ranks.subspan(split), at + low);
}

}  // namespace by_avx2
}  // namespace

template <class Bits>
static bool sorted_by_vectors(Bits* keys, Bits* other, int64_t n, std::span<const int64_t> ranks) {
  using Key = std::make_signed_t<Bits>;
  constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);  // vectors compare with a sign
  if (tier0::level() == tier0::Level::baseline) return false;
  for (int64_t i = 0; i < n; ++i) keys[i] ^= sign;
  auto *from = reinterpret_cast<Key*>(keys), *to = reinterpret_cast<Key*>(other);
  const int depth = 2 * std::bit_width(static_cast<uint64_t>(n));
  ranks.empty() ? by_avx2::sort(from, to, n, from, depth) : by_avx2::select(from, to, n, from, depth, ranks, 0);
  for (int64_t i = 0; i < n; ++i) keys[i] ^= sign;
  return true;
}

bool quicksort(uint64_t* keys, uint64_t* other, int64_t n, std::span<const int64_t> ranks) {
  return sorted_by_vectors(keys, other, n, ranks);
}
bool quicksort(uint32_t* keys, uint32_t* other, int64_t n, std::span<const int64_t> ranks) {
  return sorted_by_vectors(keys, other, n, ranks);
}

#else

bool quicksort(uint64_t*, uint64_t*, int64_t, std::span<const int64_t>) { return false; }
bool quicksort(uint32_t*, uint32_t*, int64_t, std::span<const int64_t>) { return false; }

#endif

}  // namespace quern
