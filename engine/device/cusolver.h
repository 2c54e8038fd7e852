// cuSOLVER's dense part, found at run time: factorisations of matrices on a GPU. No CUDA header is used; the numbers are those of
// cusolver_common.h, cublas_api.h and library_types.h.
//
// Matrices lie in columns without gaps, `count` of them one after the other, and are overwritten. Everything is submitted on the
// stream; `info` gets a number for each matrix, 0 where all is well. For eigenvalues and singular values the library does a part
// on the host and may wait inside for what it needs there.
#pragma once

#include <cstdint>
#include <functional>

#include "core/dtype.h"
#include "device/device.h"

namespace quern {

enum class Solver { lu, cholesky, qr, eigh, svd, eig };
// Is there a cuSOLVER with what this needs?
bool has_cusolver(Solver solver);

struct SolverCall {
  Device& device;
  Stream& stream;
  DType dtype;  // float32, float64, complex64, complex128
  int64_t count;
  std::function<void*(size_t bytes)> workspace;  // memory that work submitted next may use; what was given before ends there
};

// All raise ErrorKind::runtime with the library's status. Those that give a bool say false where the library gave up on a matrix
// (one with a NaN, say), which `info` does not tell.
void lu_on_gpu(const SolverCall& call, int64_t n, void* a, int64_t* pivots, int* info);
// b (n x k) becomes x; one `info` for all.
void lu_solve_on_gpu(const SolverCall& call, int64_t n, int64_t k, const void* a, const int64_t* pivots, void* b, int* info);
void cholesky_on_gpu(const SolverCall& call, bool upper, int64_t n, void* a, int* info);
// Many small matrices at once: `a` is an array on the device of where each one starts.
bool has_cholesky_in_batches(const SolverCall& call, int64_t n);
void cholesky_in_batches(const SolverCall& call, bool upper, int64_t n, void** a, int* info);
void qr_on_gpu(const SolverCall& call, int64_t m, int64_t n, void* a, void* tau, int* info);
// From `least` reflections in a (m x columns); one `info` for all.
void build_q_on_gpu(const SolverCall& call, int64_t m, int64_t columns, int64_t least, void* a, const void* tau, int* info);
// With vectors: they become a's columns.
bool eigh_on_gpu(const SolverCall& call, bool vectors, bool upper, int64_t n, void* a, void* values, int* info);
// m >= n. `job`: 'N', 'S' or 'A'. u: m x n or m x m; vt: n x n.
bool svd_on_gpu(const SolverCall& call, char job, int64_t m, int64_t n, void* a, void* values, void* u, void* vt, int* info);
// Many small matrices at once; m >= n. With vectors: u: m x m; v: n x n, neither turned nor conjugated; the memory is needed
// without them too.
bool has_svd_in_batches(const SolverCall& call, int64_t m);
bool svd_in_batches(const SolverCall& call, bool vectors, int64_t m, int64_t n, void* a, void* values, void* u, void* v,
                    int* info);
// The values are complex. `vectors` may be null; those of a real matrix are real: a pair's stand as real and imaginary parts.
bool eig_on_gpu(const SolverCall& call, int64_t n, void* a, void* values, void* vectors, int* info);

}  // namespace quern
