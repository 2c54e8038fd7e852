// The loops of direct convolutions, for the level that a file stands for (convolution_avx2.cpp). Sums stay in
// registers: a block of them is some rows of results by three vectors, or some rows by three taps.
//
// A function carries the level's attributes itself; see fourier_vectors.h.
#pragma once

#include "run/calls/convolution_levels.h"

namespace quern::direct {

inline namespace QUERN_DIRECT_LEVEL {
namespace {

#define FN [[gnu::always_inline QUERN_DIRECT_TARGET]] inline
#define LOOP [[QUERN_DIRECT_ATTRIBUTES]]

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(QUERN_DIRECT_BYTES)));
  typedef T anywhere __attribute__((vector_size(QUERN_DIRECT_BYTES), aligned(alignof(T)), may_alias));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
constexpr int64_t width = QUERN_DIRECT_BYTES / static_cast<int64_t>(sizeof(T));

template <class T>
FN Vector<T> load(const T* p) {
  return *reinterpret_cast<const typename VectorOf<T>::anywhere*>(p);
}
template <class T>
FN void store(T* p, Vector<T> v) {
  *reinterpret_cast<typename VectorOf<T>::anywhere*>(p) = v;
}
template <class T>
FN T sum_of(Vector<T> v) {
  T sum = 0;
  for (int64_t i = 0; i < width<T>; ++i) sum += v[i];
  return sum;
}

constexpr int64_t vectors = 3, most_rows = QUERN_DIRECT_ROWS;

template <class T, int64_t rows>
LOOP void sums_of_rows(const SumsJob<T>& job) {
  for (int64_t i = 0; i < job.count; i += vectors * width<T>) {
    Vector<T> sums[rows][vectors] = {};
    const T* in = job.in + i;
    for (int64_t t = 0; t < job.tap_count; ++t) {
      const T* from = in + job.taps[t].from;
      const T* weights = job.weights + job.taps[t].weights;
      Vector<T> x[vectors];
      for (int64_t v = 0; v < vectors; ++v) x[v] = load(from + v * width<T>);
      for (int64_t k = 0; k < rows; ++k)
        for (int64_t v = 0; v < vectors; ++v) sums[k][v] += x[v] * weights[k];
    }
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t v = 0; v < vectors; ++v) store(job.out + k * job.row_step + i + v * width<T>, sums[k][v]);
  }
}

template <class T, int64_t rows, int64_t taps>
LOOP void products_of(const ProductsJob<T>& job, const Tap* tap) {
  Vector<T> sums[rows][taps] = {};
  for (int64_t i = 0; i < job.count; i += width<T>) {
    Vector<T> x[taps];
    for (int64_t t = 0; t < taps; ++t) x[t] = load(job.in + tap[t].from + i);
    for (int64_t k = 0; k < rows; ++k) {
      const Vector<T> g = load(job.given + k * job.row_step + i);
      for (int64_t t = 0; t < taps; ++t) sums[k][t] += g * x[t];
    }
  }
  for (int64_t t = 0; t < taps; ++t)
    for (int64_t k = 0; k < rows; ++k) job.weights[tap[t].weights + k] += sum_of<T>(sums[k][t]);
}

template <class T, int64_t rows>
LOOP void products_of_rows(const ProductsJob<T>& job) {
  int64_t t = 0;
  for (; t + 3 <= job.tap_count; t += 3) products_of<T, rows, 3>(job, job.taps + t);
  for (; t < job.tap_count; ++t) products_of<T, rows, 1>(job, job.taps + t);
}

// The loop for so many rows.
template <class T, int64_t rows = most_rows>
LOOP void sums(const SumsJob<T>& job) {
  if (job.rows == rows) return sums_of_rows<T, rows>(job);
  if constexpr (rows > 1) sums<T, rows - 1>(job);
}
template <class T, int64_t rows = most_rows>
LOOP void products(const ProductsJob<T>& job) {
  if (job.rows == rows) return products_of_rows<T, rows>(job);
  if constexpr (rows > 1) products<T, rows - 1>(job);
}

template <class T>
LOOP bool are_finite(const T* numbers, int64_t count) {
  Vector<T> wrong[vectors] = {};  // NaN from the first infinity or NaN on
  for (int64_t i = 0; i < count; i += vectors * width<T>)
    for (int64_t v = 0; v < vectors; ++v) wrong[v] += load(numbers + i + v * width<T>) * T(0);
  T sum = 0;
  for (int64_t v = 0; v < vectors; ++v) sum += sum_of<T>(wrong[v]);
  return sum == 0;
}

#undef FN
#undef LOOP

template <class T>
const Loops<T> loops_of_level{most_rows, vectors* width<T>, &sums<T>, &products<T>, &are_finite<T>};

}  // namespace
}  // namespace QUERN_DIRECT_LEVEL

}  // namespace quern::direct
