// Tier 0's loops from each type to each type, at any step.
//
// Compiled with the arithmetic of kernels (CMakeLists.txt).
#include "graph/device_functions.h"
#include "graph/tier0.h"
#include "graph/tier0/levels.h"

#include <concepts>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace quern::tier0 {

namespace {

// ---- reals to integers: op::whole() is what these instructions do, which saves its comparisons

#ifdef __SSE2__
inline int cut_32(float x) { return _mm_cvttss_si32(_mm_set_ss(x)); }
inline int cut_32(double x) { return _mm_cvttsd_si32(_mm_set_sd(x)); }
inline long long cut_64(float x) { return _mm_cvttss_si64(_mm_set_ss(x)); }
inline long long cut_64(double x) { return _mm_cvttsd_si64(_mm_set_sd(x)); }
inline void cut_four(const float* x, int* out) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_cvttps_epi32(_mm_loadu_ps(x)));
}
inline void cut_four(const double* x, int* out) {
  __m128i low = _mm_cvttpd_epi32(_mm_loadu_pd(x)), high = _mm_cvttpd_epi32(_mm_loadu_pd(x + 2));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_unpacklo_epi64(low, high));
}

template <class To>
inline constexpr bool is_32 = sizeof(To) < 4 || std::same_as<To, int>;

template <class To, class From>
[[gnu::always_inline]] inline To cut(From x) {
  if constexpr (is_32<To>) {
    return static_cast<To>(cut_32(x));
  } else if constexpr (!std::same_as<To, unsigned long long>) {
    return static_cast<To>(cut_64(x));
  } else {
    constexpr From half = 0x1p63;
    if (x >= half) return static_cast<To>(cut_64(x - half)) ^ 1ull << 63;
    return static_cast<To>(cut_64(x));
  }
}

template <class To, class From>
void cut_all(const From* a, int64_t a_step, To* b, int64_t b_step, int64_t n) {
  int64_t i = 0;
  if constexpr (is_32<To>) {
    constexpr int64_t width = 16;
    for (; a_step == 1 && b_step == 1 && i + width <= n; i += width) {
      int whole[width];
      for (int64_t j = 0; j < width; j += 4) cut_four(a + i + j, whole + j);
      for (int64_t j = 0; j < width; ++j) b[i + j] = static_cast<To>(whole[j]);
    }
  }
  for (; i < n; ++i) b[i * b_step] = cut<To>(a[i * a_step]);
}
#endif

// ---- all others

template <DType from, DType to>
[[gnu::always_inline]] inline void walk(const void* in, int64_t in_step, void* out, int64_t out_step, int64_t n) {
  using From = typename HostType<from>::type;
  using To = typename HostType<to>::type;
  const auto* a = static_cast<const Stored<From>*>(in);
  To* b = static_cast<To*>(out);
#ifdef __SSE2__
  if constexpr (std::floating_point<From> && std::integral<To> && !std::same_as<To, bool>) {
    return cut_all(a, in_step, b, out_step, n);
  }
#endif
  if (in_step == 1 && out_step == 1) {
    for (int64_t i = 0; i < n; ++i) b[i] = op::to<To>(static_cast<From>(a[i]));
  } else {
    for (int64_t i = 0; i < n; ++i) b[i * out_step] = op::to<To>(static_cast<From>(a[i * in_step]));
  }
}

using ByLevel = std::array<Convert, level_count>;

template <DType from, DType to>
void convert(const void* in, int64_t in_step, void* out, int64_t out_step, int64_t n) {
  walk<from, to>(in, in_step, out, out_step, n);
}
template <DType from, DType to>
constexpr ByLevel loops_of() {
  return {&convert<from, to>};
}
#if QUERN_TIER0_LEVELS
// float16 has instructions from AVX2 on, fifteen times as fast; elsewhere a higher level gains little.
template <DType from, DType to>
[[gnu::target(QUERN_TIER0_AVX2), gnu::flatten]] void convert_loop_avx2(const void* in, int64_t in_step, void* out,
                                                                       int64_t out_step, int64_t n) {
  walk<from, to>(in, in_step, out, out_step, n);
}
template <DType from, DType to>
  requires(from == DType::float16 || to == DType::float16)
constexpr ByLevel loops_of() {
  return {&convert<from, to>, &convert_loop_avx2<from, to>};
}
#endif

template <size_t... pairs>
constexpr std::array<ByLevel, sizeof...(pairs)> make_conversions(std::index_sequence<pairs...>) {
  return {loops_of<static_cast<DType>(pairs / dtype_count), static_cast<DType>(pairs % dtype_count)>()...};
}
constexpr auto conversions = make_conversions(std::make_index_sequence<dtype_count * dtype_count>());

}  // namespace

Convert conversion(DType from, DType to) {
  return best<Convert>(conversions[static_cast<size_t>(from) * dtype_count + static_cast<size_t>(to)]);
}

}  // namespace quern::tier0

namespace quern {

void tier0_convert(double value, DType dtype, void* out) { tier0::conversion(DType::float64, dtype)(&value, 1, out, 1, 1); }

double tier0_wide(uint16_t bits, DType dtype) {
  double value;
  tier0::conversion(dtype, DType::float64)(&bits, 1, &value, 1, 1);
  return value;
}

}  // namespace quern
