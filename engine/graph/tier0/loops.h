// The loops of tier 0, as its driver (run/tier0.cpp) finds them: over rows of quern/ops.def, conversions, reductions.
//
// They are templates over the device functions of arrays, made for groups of types in files of their own: rows.h and the
// rows_*.cpp, convert.cpp, reduce.cpp. What these files give to others are tables of addresses, by row and by type.
#pragma once

#include "graph/op.h"

#include <array>

namespace quern::tier0 {

// Element i of an operand is at data + i * step; a step is 0 or 1.
struct In {
  const void* data;
  int64_t step;
};
using RunLoop = void (*)(const In* in, void* out, int64_t n);

// No loop: the row does not take the type; above the lowest level (levels.h), or nothing would be gained.
using LoopsOfType = std::array<RunLoop, row_count>;
using Loops = std::array<LoopsOfType, dtype_count>;

extern const Loops loops;  // of this processor's level (levels.cpp)
inline RunLoop loop_of(Op op, DType compute) { return loops[static_cast<size_t>(compute)][static_cast<size_t>(op)]; }

// Functions of the C library that this level has vectors of instead.
bool is_in_vectors(Op op, DType compute);

// Between types and memory orders (convert.cpp).
using Convert = void (*)(const void* in, int64_t in_step, void* out, int64_t out_step, int64_t n);
Convert conversion(DType from, DType to);

// Of `count` neighbours to one of the results; any and all have bools alone (reduce.cpp).
using RunReduction = void (*)(const char* values, int64_t results, int64_t count, char* out);
RunReduction reduction(Reduction reduction, DType work);

// The place of the first greatest (or least) of n numbers, n > 0; a NaN counts before all. Null: not for this type (reduce.cpp).
using RunPlace = int64_t (*)(const char* values, int64_t n);
RunPlace extreme_place(bool least, DType type);
RunPlace extreme_place_in_vectors(bool least, DType type);  // what that takes first (extremes.cpp)
// The extreme itself, as a reduction has it; false: by the reduction alone, which distinguishes NaNs and zeros. Null: not for
// this type or level (extremes.cpp).
using RunExtreme = bool (*)(const char* values, int64_t n, char* out);
RunExtreme extreme_value(bool least, DType type);

}  // namespace quern::tier0
