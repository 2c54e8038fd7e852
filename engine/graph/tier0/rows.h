// The loops over rows of quern/ops.def, for files that make them for a group of types: rows_of<dtype>().
//
// Only for files that CMakeLists.txt compiles with the arithmetic of kernels.
#pragma once

#include "graph/device_functions.h"
#include "graph/tier0/levels.h"

#define __device__
#include "core/elements/quern/math_vector.cuh"

#include <type_traits>
#include <utility>

namespace quern::tier0 {

namespace {

constexpr bool takes(Typing typing, DType type) {
  DTypeKind kind = row(type).kind;
  bool is_bool = kind == DTypeKind::boolean, whole = kind == DTypeKind::integer || kind == DTypeKind::natural;
  bool is_real = kind == DTypeKind::real;
  switch (typing) {
    case Typing::number_no_bool:
      return !is_bool;
    case Typing::number_not_complex:
    case Typing::sign_test:
    case Typing::round:
      return kind != DTypeKind::complex;
    case Typing::real_of:
    case Typing::ratio:
      return !is_bool && !whole;
    case Typing::real_only:
      return is_real;
    case Typing::widest:
      return type == DType::float64 || type == DType::complex128;
    case Typing::integer:
      return is_bool || whole;
    case Typing::integer_no_bool:
    case Typing::integer_only:
    case Typing::count:
      return whole;
    case Typing::truth:
      return is_bool;
    case Typing::random:
      return type == DType::uint64;
    case Typing::seeded:
      return type == DType::float64;
    default:
      return true;
  }
}

#define QUERN_ROW(name, operands, typing, cost, text)                                                        \
  struct Row_##name {                                                                                        \
    template <class A, class T>                                                                              \
    static auto run([[maybe_unused]] const A& a, [[maybe_unused]] const T& b, [[maybe_unused]] const T& c) { \
      return text;                                                                                           \
    }                                                                                                        \
  };
#include "quern/ops.def"

// The same values for 64 bits, in vectors: for the level that converts them to doubles and back.
struct LongQuotient {
  template <class A, class T>
  static T run(const A& a, const T& b, const T&) {
    return b == 0 ? 0 : op::floor_quotient_of_long(a, b);
  }
};
struct LongRemainder {
  template <class A, class T>
  static T run(const A& a, const T& b, const T&) {
    return b == 0 ? 0 : a - op::floor_quotient_of_long(a, b) * b;
  }
};
template <class Row>
struct OfLong {
  using type = Row;
};
template <>
struct OfLong<Row_floor_divide> {
  using type = LongQuotient;
};
template <>
struct OfLong<Row_remainder> {
  using type = LongRemainder;
};
template <class Row>
constexpr bool divides = !std::is_same_v<typename OfLong<Row>::type, Row>;

// Functions of the C library as kernels have them on a processor with FMA: in vectors.
template <class Row>
struct InVectors {
  static constexpr bool exists = false;
};
#define QUERN_IN_VECTORS(name)                     \
  template <>                                      \
  struct InVectors<Row_##name> {                   \
    static constexpr bool exists = true;           \
    template <class A, class T>                    \
    static T run(const A& a, const T&, const T&) { \
      if constexpr (std::is_same_v<T, double>) {   \
        return __quern_##name(a);                  \
      } else {                                     \
        return __quern_##name##f(a);               \
      }                                            \
    }                                              \
  };
QUERN_IN_VECTORS(exp)
QUERN_IN_VECTORS(expm1)
QUERN_IN_VECTORS(log)
QUERN_IN_VECTORS(log2)
QUERN_IN_VECTORS(log10)
QUERN_IN_VECTORS(log1p)
#undef QUERN_IN_VECTORS
template <class Row, class T>
constexpr bool is_in_vectors = InVectors<Row>::exists && (std::is_same_v<T, float> || std::is_same_v<T, double>);

// What a level above the lowest runs for the row.
template <class Row, class T, bool converts_long>
struct OfLevel {
  using Long = std::conditional_t<converts_long && std::is_same_v<T, long long>, typename OfLong<Row>::type, Row>;
  using type = std::conditional_t<is_in_vectors<Row, T>, InVectors<Row>, Long>;
};

// The row of a division by one number, and what that becomes.
template <class Row, class T>
struct ByNumber {
  using type = Row;
  using Number = T;
};
template <class Row, class T>
struct Dividing {
  using type = Row;
  using Number = std::conditional_t<op::Type<T>::is_integer && !std::is_same_v<T, bool>, op::Divisor<T>, T>;
};
template <class T>
struct ByNumber<Row_floor_divide, T> : Dividing<Row_floor_divide, T> {};
template <class T>
struct ByNumber<Row_remainder, T> : Dividing<Row_remainder, T> {};

template <class Row, int operands, class A, class T>
[[gnu::always_inline]] inline void walk(const In* in, void* out, int64_t n) {
  using R = decltype(Row::template run<A, T>(std::declval<A>(), std::declval<T>(), std::declval<T>()));
  R* to = static_cast<R*>(out);
  const auto* a = static_cast<const Stored<A>*>(in[0].data);
  if constexpr (operands == 1) {
    if (in[0].step) {
      for (int64_t i = 0; i < n; ++i) to[i] = Row::template run<A, T>(a[i], T(), T());
    } else {
      R value = Row::template run<A, T>(*a, T(), T());
      for (int64_t i = 0; i < n; ++i) to[i] = value;
    }
  } else if constexpr (operands == 2) {
    const auto* b = static_cast<const Stored<T>*>(in[1].data);
    if (in[0].step && in[1].step) {
      for (int64_t i = 0; i < n; ++i) to[i] = Row::template run<A, T>(a[i], b[i], T());
    } else if (in[0].step) {
      using By = ByNumber<Row, T>;
      using Number = typename By::Number;
      const Number value(*b);
      for (int64_t i = 0; i < n; ++i) to[i] = By::type::template run<A, Number>(a[i], value, value);
    } else {
      A value = *a;
      for (int64_t i = 0; i < n; ++i) to[i] = Row::template run<A, T>(value, b[i * in[1].step], T());
    }
  } else {
    const auto *b = static_cast<const Stored<T>*>(in[1].data), *c = static_cast<const Stored<T>*>(in[2].data);
    auto one = [&](A x, T y, T z) {
      return Row::template run<A, T>(x, y, z);
    };  // by value: all are read, so `where` needs no branch
    if (in[0].step && in[1].step && in[2].step) {
      for (int64_t i = 0; i < n; ++i) to[i] = one(a[i], b[i], c[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) to[i] = one(a[i * in[0].step], b[i * in[1].step], c[i * in[2].step]);
    }
  }
}

template <class Row, int operands, class A, class T>
void loop(const In* in, void* out, int64_t n) {
  walk<Row, operands, A, T>(in, out, n);
}
#if QUERN_TIER0_LEVELS
// flatten: all that the loop calls and that can be inlined is, so that it is code of the level.
template <class Row, int operands, class A, class T>
[[gnu::target(QUERN_TIER0_AVX2), gnu::flatten]] void loop_avx2(const In* in, void* out, int64_t n) {
  walk<typename OfLevel<Row, T, false>::type, operands, A, T>(in, out, n);
}
template <class Row, int operands, class A, class T>
[[gnu::target(QUERN_TIER0_AVX512), gnu::flatten]] void loop_avx512(const In* in, void* out, int64_t n) {
  walk<typename OfLevel<Row, T, true>::type, operands, A, T>(in, out, n);
}
#endif

// Is a level above the lowest faster? Where the compiler makes vectors of the text: not of calls of the C library, which sees to
// the processor itself, and of loops; of divisions of integers by way of doubles alone. For float16 it is the instructions that
// convert it, which come with AVX2, for every row.
constexpr bool gains(Cost cost, DType type, Level level, bool divides, bool is_in_vectors) {
  if (type == DType::float16) return level == Level::avx2;
  if (is_in_vectors) return true;
  if (divides && row(type).kind == DTypeKind::integer) return type == DType::int32 || level == Level::avx512;
  return cost == Cost::vectors || (cost == Cost::vectors_of_reals && row(type).kind == DTypeKind::real);
}

template <class Row, int operands, Typing typing, Cost cost, DType dtype, Level level>
constexpr RunLoop loop_of() {
  if constexpr (takes(typing, dtype) && (level == Level::baseline || gains(cost, dtype, level, divides<Row>,
                                                                           is_in_vectors<Row, typename HostType<dtype>::type>))) {
    using T = typename HostType<dtype>::type;
    using Seed = std::conditional_t<typing == Typing::seeded, unsigned long long, T>;
    using A =
        std::conditional_t<typing == Typing::choose, unsigned char, Seed>;  // a bool's byte: of bools GCC 12 makes no vectors
#if QUERN_TIER0_LEVELS
    if constexpr (level == Level::avx2) return &loop_avx2<Row, operands, A, T>;
    if constexpr (level == Level::avx512) return &loop_avx512<Row, operands, A, T>;
#endif
    return &loop<Row, operands, A, T>;
  } else {
    return nullptr;
  }
}

template <DType dtype, Level level = Level::baseline>
constexpr LoopsOfType rows_of() {
  return {
#define QUERN_ROW(name, operands, typing, cost, text) loop_of<Row_##name, operands, Typing::typing, Cost::cost, dtype, level>(),
#include "quern/ops.def"
  };
}

template <DType dtype>
constexpr LoopsOfLevels rows_of_levels() {
  return {rows_of<dtype>(), rows_of<dtype, Level::avx2>(), rows_of<dtype, Level::avx512>()};
}

}  // namespace

}  // namespace quern::tier0
