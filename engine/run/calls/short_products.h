// Products of matrices of float16 and bfloat16 on the CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "device/cublas.h"

namespace quern {

// One product for each pair of starts, in elements, of the matrices of a and b; those of c lie one behind the other. Converts
// tiles to float32 and back: sums are in float32 over the whole of k, and rounded once.
void multiply_short(const MatrixProduct& p, const std::vector<int64_t>& a_starts, const std::vector<int64_t>& b_starts);

}  // namespace quern
