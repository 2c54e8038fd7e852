// Tier 0's reductions of neighbours in memory, in the order that quern/array.cuh describes.
//
// Compiled with the arithmetic of kernels (CMakeLists.txt).
#include "graph/device_functions.h"
#include "graph/tier0/levels.h"

#include <type_traits>
#include <utility>

namespace quern::tier0 {

namespace {

template <class R, class A>
[[gnu::always_inline]] inline A reduce_one(const Stored<A>* values, int64_t count) {
  constexpr int width = op::reduce_lanes;
  if (count <= width) {
    A sum = R::start();
    for (int64_t j = 0; j < count; ++j) sum = R::both(sum, values[j]);
    return sum;
  }
  A lanes[width];
  for (A& lane : lanes) lane = R::start();
  int64_t j = 0;
  for (; j + width <= count; j += width) {
    for (int l = 0; l < width; ++l) lanes[l] = R::both(lanes[l], values[j + l]);
  }
  for (int l = 0; j + l < count; ++l) lanes[l] = R::both(lanes[l], values[j + l]);
  return op::reduce_tree<R, A>(lanes);
}

template <class R, class T>
[[gnu::always_inline]] inline void walk(const char* values, int64_t results, int64_t count, char* out) {
  for (int64_t i = 0; i < results; ++i) {
    T value = reduce_one<R, T>(reinterpret_cast<const Stored<T>*>(values) + i * count, count);
    reinterpret_cast<T*>(out)[i] = value;
  }
}
template <class R, class T>
void reduce(const char* values, int64_t results, int64_t count, char* out) {
  walk<R, T>(values, results, count, out);
}
#if QUERN_TIER0_LEVELS
template <class R, class T>
[[gnu::target(QUERN_TIER0_AVX2), gnu::flatten]] void reduce_loop_avx2(const char* values, int64_t results, int64_t count,
                                                                      char* out) {
  walk<R, T>(values, results, count, out);
}
template <class R, class T>
[[gnu::target(QUERN_TIER0_AVX512), gnu::flatten]] void reduce_loop_avx512(const char* values, int64_t results, int64_t count,
                                                                          char* out) {
  walk<R, T>(values, results, count, out);
}
#endif

// The types that rows have levels for, and gain here.
constexpr bool gains(DType type) {
  switch (type) {
    case DType::int32:
    case DType::int64:
    case DType::float16:
    case DType::float32:
    case DType::float64:
      return true;
    default:
      return false;
  }
}

using ByLevel = std::array<RunReduction, level_count>;
template <template <class> class R, DType type>
constexpr ByLevel loops_of() {
  using T = typename HostType<type>::type;
#if QUERN_TIER0_LEVELS
  if constexpr (gains(type)) return {&reduce<R<T>, T>, &reduce_loop_avx2<R<T>, T>, &reduce_loop_avx512<R<T>, T>};
#endif
  return {&reduce<R<T>, T>};
}

using LoopsByType = std::array<ByLevel, dtype_count>;
template <template <class> class R, size_t... types>
constexpr LoopsByType reductions_of(std::index_sequence<types...>) {
  return {loops_of<R, static_cast<DType>(types)>()...};
}
constexpr auto all_types = std::make_index_sequence<dtype_count>();
constexpr auto bools = std::make_index_sequence<1>();
static_assert(static_cast<int>(DType::boolean) == 0);
constexpr std::array<LoopsByType, 6> reductions{{reductions_of<op::Sum>(all_types), reductions_of<op::Product>(all_types),
                                                 reductions_of<op::Maximum>(all_types), reductions_of<op::Minimum>(all_types),
                                                 reductions_of<op::Any>(bools), reductions_of<op::All>(bools)}};

// ---- where the extremes are: the extreme itself, then where it stands first

// NaN where one is among them. Which of several equal ones it is, of zeros the sign, nobody asks: it is looked for by ==.
template <class R, class T>
[[gnu::always_inline]] inline T extreme_of(const Stored<T>* values, int64_t n) {
  constexpr int64_t width = 256 / sizeof(T);
  if (!std::is_floating_point_v<T> || n < width) return reduce_one<R, T>(values, n);
  constexpr bool least = std::is_same_v<R, op::Minimum<T>>;
  T lanes[width], not_numbers[width];
  for (int64_t l = 0; l < width; ++l) lanes[l] = values[l], not_numbers[l] = T(0);
  int64_t j = 0;
  for (; j + width <= n; j += width) {
    for (int64_t l = 0; l < width; ++l) {
      T value = values[j + l];
      lanes[l] = (least ? value < lanes[l] : value > lanes[l]) ? value : lanes[l];
      not_numbers[l] = value != value ? value : not_numbers[l];
    }
  }
  T best = R::start();
  for (int64_t l = 0; l < width; ++l) best = R::both(best, not_numbers[l] != not_numbers[l] ? not_numbers[l] : lanes[l]);
  for (; j < n; ++j) best = R::both(best, values[j]);
  return best;
}

template <class R, class T>
[[gnu::always_inline]] inline int64_t find_place(const Stored<T>* values, int64_t n) {
  constexpr int64_t width = 32;
  T best = extreme_of<R, T>(values, n);
  bool is_nan = best != best;
  auto is_it = [=](T value) { return is_nan ? value != value : value == best; };
  int64_t i = 0;
  for (; i + width <= n; i += width) {
    bool found = false;
    for (int64_t j = 0; j < width; ++j) found |= is_it(values[i + j]);
    if (found) break;
  }
  while (!is_it(values[i])) ++i;
  return i;
}

template <class R, class T>
int64_t place(const char* values, int64_t n) {
  return find_place<R, T>(reinterpret_cast<const Stored<T>*>(values), n);
}
#if QUERN_TIER0_LEVELS
template <class R, class T>
[[gnu::target(QUERN_TIER0_AVX2), gnu::flatten]] int64_t place_loop_avx2(const char* values, int64_t n) {
  return find_place<R, T>(reinterpret_cast<const Stored<T>*>(values), n);
}
template <class R, class T>
[[gnu::target(QUERN_TIER0_AVX512), gnu::flatten]] int64_t place_loop_avx512(const char* values, int64_t n) {
  return find_place<R, T>(reinterpret_cast<const Stored<T>*>(values), n);
}
#endif

using PlaceByLevel = std::array<RunPlace, level_count>;
template <template <class> class R, DType type>
constexpr PlaceByLevel places_of() {
  using T = typename HostType<type>::type;
  if constexpr (std::is_arithmetic_v<T>) {
#if QUERN_TIER0_LEVELS
    if constexpr (sizeof(T) < 4 && gains(type)) return {&place<R<T>, T>, &place_loop_avx2<R<T>, T>, &place_loop_avx512<R<T>, T>};
#endif
    return {&place<R<T>, T>};
  } else {
    return {};
  }
}
template <template <class> class R, size_t... types>
constexpr std::array<PlaceByLevel, dtype_count> places_by_type(std::index_sequence<types...>) {
  return {places_of<R, static_cast<DType>(types)>()...};
}
constexpr std::array<std::array<PlaceByLevel, dtype_count>, 2> places{places_by_type<op::Maximum>(all_types),
                                                                      places_by_type<op::Minimum>(all_types)};

}  // namespace

RunPlace extreme_place(bool least, DType type) {
  if (RunPlace found = extreme_place_in_vectors(least, type)) return found;
  return best<RunPlace>(places[least][static_cast<size_t>(type)]);
}

RunReduction reduction(Reduction reduction, DType work) {
  return best<RunReduction>(reductions[static_cast<size_t>(reduction)][static_cast<size_t>(work)]);
}

}  // namespace quern::tier0
