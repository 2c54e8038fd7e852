// cuBLAS's factorisations of many small matrices at once, found at run time. Matrices lie in columns without gaps and are
// overwritten; `a` and `b` are arrays on the device of where each one starts. Submitted on the stream.
#pragma once

#include "device/cusolver.h"

namespace quern {

// Is there a cuBLAS, and are the matrices many and small enough that it pays?
bool has_lu_in_batches(const SolverCall& call, int64_t n);
void lu_in_batches(const SolverCall& call, int64_t n, void** a, int* pivots, int* info);
void lu_solve_in_batches(const SolverCall& call, int64_t n, int64_t k, void** a, const int* pivots, void** b);

}  // namespace quern
