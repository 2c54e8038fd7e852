// What a direct convolution (convolution_direct.h) and its loops agree about: plain data, and a table of the loops for each level
// of instruction sets that a processor may have (graph/tier0/levels.h).
#pragma once

#include "graph/tier0/levels.h"

#include <array>
#include <cstdint>

namespace quern::direct {

// An element of the kernel: where the element under it lies, from that of the result, and where its weights are.
struct Tap {
  int64_t from, weights;
};

// out[k][i] = the sum over all taps of weights[tap.weights + k] * in[tap.from + i], for `rows` k and `count` i.
template <class T>
struct SumsJob {
  const T* in;
  const Tap* taps;
  int64_t tap_count;
  const T* weights;
  T* out;  // a multiple of the vectors' block of a row is written
  int64_t rows, row_step, count;
};

// weights[tap.weights + k] += the sum over i of given[k][i] * in[tap.from + i].
template <class T>
struct ProductsJob {
  const T* in;
  const Tap* taps;
  int64_t tap_count;
  T* weights;
  const T* given;  // zeros behind `count`, to a multiple of the vectors' block
  int64_t rows, row_step, count;
};

template <class T>
struct Loops {
  int64_t rows;   // of a block of SumsJob and ProductsJob: at most so many
  int64_t block;  // elements of the results that are computed together
  void (*sums)(const SumsJob<T>& job);
  void (*products)(const ProductsJob<T>& job);
  bool (*are_finite)(const T* numbers, int64_t count);  // a multiple of `block` of them
};

extern const Loops<float>&float_loops_baseline, &float_loops_avx2, &float_loops_avx512;
extern const Loops<double>&double_loops_baseline, &double_loops_avx2, &double_loops_avx512;
template <class T>
using LoopsOfLevels = std::array<const Loops<T>*, tier0::level_count>;

}  // namespace quern::direct
