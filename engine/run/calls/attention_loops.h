// The loops over a row of attention's scores, for the level that a file stands for (attention_avx2.cpp).
//
// A function carries the level's attributes itself; see fourier_vectors.h.
#pragma once

#include "run/calls/attention_levels.h"

#include <limits>
#include <type_traits>

namespace quern::attention {

inline namespace QUERN_ATTENTION_LEVEL {
namespace {

#define FN [[gnu::always_inline QUERN_ATTENTION_TARGET]] inline
#define LOOP [[QUERN_ATTENTION_ATTRIBUTES]]

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(QUERN_ATTENTION_BYTES)));
  typedef BitsOf<T> bits __attribute__((vector_size(QUERN_ATTENTION_BYTES)));
  typedef T anywhere __attribute__((vector_size(QUERN_ATTENTION_BYTES), aligned(alignof(T)), may_alias));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
constexpr int64_t width = QUERN_ATTENTION_BYTES / static_cast<int64_t>(sizeof(T));

template <class T>
FN Vector<T> load(const T* p) {
  return *reinterpret_cast<const typename VectorOf<T>::anywhere*>(p);
}
template <class T>
FN void store(T* p, Vector<T> v) {
  *reinterpret_cast<typename VectorOf<T>::anywhere*>(p) = v;
}

// How exp(x) is computed: 2^k exp(r) for the nearest k, and exp(r) by its series, as far as the type's digits need it.
template <class T>
struct Exponential;
template <>
struct Exponential<float> {
  static constexpr float least = -87.3f, to_round = 12582912.0f, high = 0.693359375f, low = -2.12194440e-4f;
  static constexpr int fraction = 23, terms = 7;
};
template <>
struct Exponential<double> {
  static constexpr double least = -708.0, to_round = 6755399441055744.0, high = 0.693145751953125,
                          low = 1.42860682030941723212e-6;
  static constexpr int fraction = 52, terms = 13;
};

// At most 2 units of the last digit off. 0 where the result is below the least normal number; of NaN it is NaN.
template <class T>
FN Vector<T> exp_of(Vector<T> x) {
  using E = Exponential<T>;
  using Bits = typename VectorOf<T>::bits;
  const Vector<T> rounded = x * T(1.44269504088896340736) + E::to_round;
  const Vector<T> k = rounded - E::to_round;
  const Vector<T> r = x - k * E::high - k * E::low;
  T coefficient = 1;
  for (int i = 2; i <= E::terms; ++i) coefficient /= static_cast<T>(i);
  Vector<T> sum = Vector<T>{} + coefficient;
  for (int i = E::terms; i > 0; --i) {
    coefficient *= static_cast<T>(i);
    sum = sum * r + coefficient;
  }
  const Vector<T> to_round = Vector<T>{} + E::to_round;
  const Bits power = (__builtin_bit_cast(Bits, rounded) - __builtin_bit_cast(Bits, to_round)) << E::fraction;
  const Bits bits = __builtin_bit_cast(Bits, sum) + power;
  return x < E::least ? Vector<T>{} : __builtin_bit_cast(Vector<T>, bits);
}

template <class T>
LOOP T weigh(T* row, int64_t count, T& top) {
  Vector<T> largest = load(row);
  for (int64_t i = width<T>; i < count; i += width<T>) {
    const Vector<T> x = load(row + i);
    largest = x > largest ? x : largest;
  }
  top = -std::numeric_limits<T>::infinity();
  for (int64_t i = 0; i < width<T>; ++i) top = largest[i] > top ? largest[i] : top;
  if (top == -std::numeric_limits<T>::infinity()) top = 0;
  Vector<T> sums = {};
  for (int64_t i = 0; i < count; i += width<T>) {
    const Vector<T> weight = exp_of<T>(load(row + i) - top);
    store(row + i, weight);
    sums += weight;
  }
  T sum = 0;
  for (int64_t i = 0; i < width<T>; ++i) sum += sums[i];
  return sum;
}

template <class T>
LOOP void weigh_again(T* row, int64_t count, T logarithm) {
  for (int64_t i = 0; i < count; i += width<T>) store(row + i, exp_of<T>(load(row + i) - logarithm));
}

template <class T>
LOOP void multiply(T* row, int64_t count, T factor) {
  for (int64_t i = 0; i < count; i += width<T>) store(row + i, load(row + i) * factor);
}

template <class T>
LOOP void slopes(const T* weights, T* slopes, int64_t count, T mean) {
  for (int64_t i = 0; i < count; i += width<T>) store(slopes + i, load(weights + i) * (load(slopes + i) - mean));
}

#undef FN
#undef LOOP

template <class T>
const Loops<T> loops_of_level{&weigh<T>, &weigh_again<T>, &multiply<T>, &slopes<T>};

}  // namespace
}  // namespace QUERN_ATTENTION_LEVEL

}  // namespace quern::attention
