// The loops over a row of attention's scores, for each level of instruction sets (graph/tier0/levels.h).
#pragma once

#include "graph/tier0/levels.h"

#include <array>
#include <cstdint>

namespace quern::attention {

// Rows have a multiple of `block` elements; -inf stands behind their end, and gives the weight 0.
inline constexpr int64_t block = 16;

template <class T>
struct Loops {
  // exp(row[i] - top), where `top` is the largest element, or 0 where that is -inf; returns the sum.
  T (*weigh)(T* row, int64_t count, T& top);
  // exp(row[i] - logarithm)
  void (*weigh_again)(T* row, int64_t count, T logarithm);
  void (*multiply)(T* row, int64_t count, T factor);
  // slopes[i] = weights[i] * (slopes[i] - mean)
  void (*slopes)(const T* weights, T* slopes, int64_t count, T mean);
};

extern const Loops<float>&float_loops_baseline, &float_loops_avx2, &float_loops_avx512;
extern const Loops<double>&double_loops_baseline, &double_loops_avx2, &double_loops_avx512;
template <class T>
using LoopsOfLevels = std::array<const Loops<T>*, tier0::level_count>;

}  // namespace quern::attention
