// The greatest and the least of 32 and 64 bits, in the vectors of AVX2 and AVX-512.
#include "graph/tier0/levels.h"

#include <bit>
#include <type_traits>

#if QUERN_TIER0_LEVELS
#include <immintrin.h>
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12's own header
#endif

namespace quern::tier0 {

namespace {

#if QUERN_TIER0_LEVELS

namespace level_avx512 {  // so that the names of functions say whose instructions they have
#define QUERN_EXTREMES [[gnu::target(QUERN_TIER0_AVX512)]]
#define FN [[gnu::always_inline, gnu::target(QUERN_TIER0_AVX512)]] inline static
template <class T>
struct Vectors;
#define VECTORS(T, V, suffix, whole, number, DIFFER, EQUAL)                           \
  template <>                                                                         \
  struct Vectors<T> {                                                                 \
    static constexpr int64_t width = 64 / sizeof(T);                                  \
    FN V load(const T* p) { return _mm512_loadu_##whole(p); }                         \
    FN void store(T* p, V a) { _mm512_storeu_##whole(p, a); }                         \
    FN V all(T x) { return _mm512_set1_##number(x); }                                 \
    template <bool least>                                                             \
    FN V outer(V a, V b) {                                                            \
      return least ? _mm512_min_##suffix(a, b) : _mm512_max_##suffix(a, b);           \
    }                                                                                 \
    FN unsigned differ([[maybe_unused]] V a, [[maybe_unused]] V b) { return DIFFER; } \
    FN unsigned equal(V a, V b) { return EQUAL; }                                     \
    FN unsigned either(unsigned x, unsigned y) { return x | y; }                      \
    FN bool is_any(unsigned mask) { return mask != 0; }                               \
  };
VECTORS(float, __m512, ps, ps, ps, _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q), _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ))
VECTORS(double, __m512d, pd, pd, pd, _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q), _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ))
VECTORS(int, __m512i, epi32, si512, epi32, 0, _mm512_cmpeq_epi32_mask(a, b))
VECTORS(long long, __m512i, epi64, si512, epi64, 0, _mm512_cmpeq_epi64_mask(a, b))
#undef VECTORS
#include "graph/tier0/extremes_kernels.h"
#undef FN
#undef QUERN_EXTREMES
}  // namespace level_avx512

namespace level_avx2 {
#define QUERN_EXTREMES [[gnu::target(QUERN_TIER0_AVX2)]]
#define FN [[gnu::always_inline, gnu::target(QUERN_TIER0_AVX2)]] inline static
template <class T>
struct Vectors;
#define VECTORS(T, V, number, LOAD, STORE, MAX, MIN, DIFFER, EQUAL, EITHER, ANY) \
  template <>                                                                    \
  struct Vectors<T> {                                                            \
    static constexpr int64_t width = 32 / sizeof(T);                             \
    FN V load(const T* p) { return LOAD; }                                       \
    FN void store(T* p, V a) { STORE; }                                          \
    FN V all(T x) { return _mm256_set1_##number(x); }                            \
    template <bool least>                                                        \
    FN V outer(V a, V b) {                                                       \
      return least ? MIN : MAX;                                                  \
    }                                                                            \
    FN V differ([[maybe_unused]] V a, [[maybe_unused]] V b) { return DIFFER; }   \
    FN V equal(V a, V b) { return EQUAL; }                                       \
    FN V either(V a, V b) { return EITHER; }                                     \
    FN bool is_any(V a) { return ANY; }                                          \
  };
#define WHOLE(T, number, MAX, MIN, EQUAL)                                                                                        \
  VECTORS(T, __m256i, number, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),                                           \
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a), MAX, MIN, _mm256_setzero_si256(), EQUAL, _mm256_or_si256(a, b), \
          !_mm256_testz_si256(a, a))
VECTORS(float, __m256, ps, _mm256_loadu_ps(p), _mm256_storeu_ps(p, a), _mm256_max_ps(a, b), _mm256_min_ps(a, b),
        _mm256_cmp_ps(a, b, _CMP_UNORD_Q), _mm256_cmp_ps(a, b, _CMP_EQ_OQ), _mm256_or_ps(a, b), _mm256_movemask_ps(a) != 0)
VECTORS(double, __m256d, pd, _mm256_loadu_pd(p), _mm256_storeu_pd(p, a), _mm256_max_pd(a, b), _mm256_min_pd(a, b),
        _mm256_cmp_pd(a, b, _CMP_UNORD_Q), _mm256_cmp_pd(a, b, _CMP_EQ_OQ), _mm256_or_pd(a, b), _mm256_movemask_pd(a) != 0)
WHOLE(int, epi32, _mm256_max_epi32(a, b), _mm256_min_epi32(a, b), _mm256_cmpeq_epi32(a, b))
WHOLE(long long, epi64x, _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b)), _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(b, a)),
      _mm256_cmpeq_epi64(a, b))
#undef WHOLE
#undef VECTORS
#include "graph/tier0/extremes_kernels.h"
#undef FN
#undef QUERN_EXTREMES
}  // namespace level_avx2

#define LEVELS(what, T, least) {nullptr, &level_avx2::what<T, least>, &level_avx512::what<T, least>}
#else
#define LEVELS(what, T, least) {nullptr}
#endif

template <class Run>
struct Both {
  std::array<Run, level_count> greatest, least;
};
#define BOTH(Run, what, T) \
  Both<Run> { LEVELS(what, T, false), LEVELS(what, T, true) }

template <class Run>
Run pick(const Both<Run>& of, bool least) {
  return best<Run>(least ? of.least : of.greatest);
}

}  // namespace

RunPlace extreme_place_in_vectors(bool least, DType type) {
  switch (type) {
    case DType::int32:
      return pick(BOTH(RunPlace, place, int), least);
    case DType::int64:
      return pick(BOTH(RunPlace, place, long long), least);
    case DType::float32:
      return pick(BOTH(RunPlace, place, float), least);
    case DType::float64:
      return pick(BOTH(RunPlace, place, double), least);
    default:
      return nullptr;
  }
}

RunExtreme extreme_value(bool least, DType type) {
  switch (type) {
    case DType::int32:
      return pick(BOTH(RunExtreme, value, int), least);
    case DType::int64:
      return pick(BOTH(RunExtreme, value, long long), least);
    case DType::float32:
      return pick(BOTH(RunExtreme, value, float), least);
    case DType::float64:
      return pick(BOTH(RunExtreme, value, double), least);
    default:
      return nullptr;
  }
}

}  // namespace quern::tier0
