// Linear algebra on factor() of run/calls/lapack.h. Matrices are in the last two axes, those before them are stacks; integers
// count as float64.
//
// Raises ErrorKind::algebra for matrices of a shape that does not allow what is asked, at once, and for their values at
// evaluation; ErrorKind::type for float16 and bfloat16.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "functions/reductions.h"
#include "quern/linalg.h"

namespace quern::linalg {

using MatrixNorm = qn::linalg::MatrixNorm;

// The results of a factorisation of `a` alone, by name and mode of factor(). Only qr and svd are of matrices that are not square;
// eig checks that the values are finite.
std::vector<Array> factored(std::string_view name, const Array& a, std::string_view mode);
// `hermitian`: only the lower triangle counts.
std::vector<Array> svd(const Array& a, std::string_view mode, bool hermitian);

// The x with a @ x == b. A vector b gives a vector.
Array solve(const Array& a, const Array& b);
Array inv(const Array& a);
// The same without an error for singular matrices; also LAPACK's status (int32) of each matrix: 0 is good.
std::vector<Array> solve_with_status(const Array& a, const Array& b);
std::vector<Array> inv_with_status(const Array& a);
Array det(const Array& a);
// The x with the smallest norm of b - a @ x, the squares of what is left, the rank, the singular values. Reads the rank.
std::vector<Array> lstsq(const Array& a, const Array& b, std::optional<double> rcond);

// Singular values count that are above `rtol` times the largest: a number or one for each matrix, by default the type's step
// times the larger size. `tol`: the limit itself, for each matrix.
Array pinv(const Array& a, const Argument* rtol, bool hermitian);
Array matrix_rank(const Array& a, const Array* tol, const Argument* rtol, bool hermitian);
// The product of n matrices, of the inverse for a negative n.
Array matrix_power(const Array& a, int64_t n);

// The root of the sum of squares; of vectors by any order, the axes of `over` being one vector; of the planes of two axes.
Array norm(const Array& a, const Over& over);
Array vector_norm(const Array& a, const Scalar& ord, const Over& over);
Array matrix_norm(const Array& a, MatrixNorm which, size_t row, size_t column, bool keep_dims);
// The norm times that of the inverse; of the largest and the smallest singular value their ratio. Infinite for what is singular.
Array cond(const Array& a, MatrixNorm which);

}  // namespace quern::linalg
