// Factorisations of stacks of matrices: by the host's LAPACK for arrays on the CPU, by cuSOLVER (solver.h) on a GPU, where there
// is one for what is asked.
#pragma once

#include "graph/array.h"

#include <string_view>

namespace quern {

// The operands have one of LAPACK's types, all the same, and at least two dimensions; their stacks have the same shape. What is
// wrong with a matrix is raised at evaluation (ErrorKind::algebra).
//
//   name      operands     mode                                          results
//   solve     a, b         q: NaN where there is none, without an error  x[, status]
//                          i: likewise, with LAPACK's status (int32)
//   slogdet   a                                                          sign, logarithm of the size
//   cholesky  a            l, u: the triangle that is read and given;    factor[, status]
//                          a second letter i: with LAPACK's status,
//                          without an error
//   qr        a            r: r;  e: q, r, reduced;  c: q, r, complete;  w: the transposed factors as LAPACK leaves them, tau
//   eigh      a            L, U: the triangle that is read; a second     values[, vectors]
//                          letter v: with vectors
//   eig       a            v: with vectors                               values[, vectors], complex
//   svd       a            n: values (nq: NaN where there are none,      u, values, v (transposed and conjugated)
//                          without an error);  s: reduced;  a: full
//   lstsq     a, b         (number: what counts as 0, relative)          x, squares of what is left, rank (int32), singular
//   values
//   lu        a            i                                             factors (L below the diagonal of U), swaps of rows
//                                                                        (int32, from 1), rows of a in their order (int64),
//                                                                        status
//   ldl       a            i, hi: of the Hermitian matrix, not of the    factors (D on the diagonal), swaps (int32), status
//                          symmetric one; the lower triangle is read
std::vector<Array> factor(std::string_view name, std::span<const Array> operands, std::string_view mode, double number);

// On this thread: does what is recorded keep to itself what is wrong with a matrix? Results are then what the library leaves, of
// solve NaN. Gives what held before.
bool set_quiet_factors(bool on);
bool has_quiet_factors();

}  // namespace quern
