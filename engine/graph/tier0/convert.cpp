// Tier 0's loops from each type to each type, at any step.
//
// Compiled with the arithmetic of kernels (CMakeLists.txt).
#include "graph/device_functions.h"
#include "graph/tier0/levels.h"

#include <utility>

namespace quern::tier0 {

namespace {

template <DType from, DType to>
[[gnu::always_inline]] inline void walk(const void* in, int64_t in_step, void* out, int64_t out_step, int64_t n) {
  using From = typename HostType<from>::type;
  using To = typename HostType<to>::type;
  const From* a = static_cast<const From*>(in);
  To* b = static_cast<To*>(out);
  if (in_step == 1 && out_step == 1) {
    for (int64_t i = 0; i < n; ++i) b[i] = op::to<To>(a[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) b[i * out_step] = op::to<To>(a[i * in_step]);
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
