// File: quern/linalg.h
//
// Linear algebra, as in numpy.linalg: systems of equations, factorisations, eigenvalues, norms. Matrices are the last two axes,
// leading axes are batches; integers are converted to float64.
//
//   qn::Array x = qn::linalg::solve(a, b);
//   auto [values, vectors] = qn::linalg::eigh(a);
//   auto [u, s, vh] = qn::linalg::svd(a, false);
//
// Factorisations use LAPACK on the CPU (the OpenBLAS of matmul()) and cuSOLVER on a GPU, where one is found; else data on a GPU
// is copied to the host and back. Every function throws ErrorKind::algebra: for a wrong shape at the call, for unsuitable values
// (singular, not positive definite) when the result is evaluated. float16 and bfloat16 throw ErrorKind::type.
#pragma once

#include "quern/array.h"

namespace qn::linalg {

// ---- equations

// Solves a @ x == b for square a. b is a vector or a matrix. Throws ErrorKind::value if the shapes do not match.
Array solve(const Array& a, const Array& b, Here here = Here::current());
// The inverses of square matrices, (*, n, n). Throws ErrorKind::algebra for a singular one, when the result is evaluated.
Array inv(const Array& a, Here here = Here::current());
// Moore-Penrose pseudo-inverses, (*, m, n) -> (*, n, m); singular values below `rcond` times the largest are taken as 0.
Array pinv(const Array& a, double rcond = 1e-15, Here here = Here::current());

// What lstsq() returns.
struct LeastSquares {
  Array x;                // one row for each column of a
  Array residuals;        // squared norms of b - a @ x; empty if a is rank-deficient or has no more rows than columns
  int64_t rank;           // of a
  Array singular_values;  // of a
};
// Least squares: minimises the norm of b - a @ x, for one matrix a and a vector or matrix b. Singular values below `rcond` times
// the largest are taken as 0; default: the machine epsilon times the larger dimension. Evaluates, to return the rank.
LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond = {}, Here here = Here::current());

// ---- determinants

// What slogdet() returns: the determinant is sign * exp(logarithm).
struct SignAndLogarithm {
  Array sign, logarithm;  // 0 and -inf for singular matrices
};
// The determinants of square matrices, and their signs and logarithms, which do not overflow.
Array det(const Array& a, Here here = Here::current());
SignAndLogarithm slogdet(const Array& a, Here here = Here::current());

// ---- factorisations

// Cholesky factor L with a == L @ L^H, from the lower triangle of a; `upper`: U with a == U^H @ U, from the upper triangle.
Array cholesky(const Array& a, bool upper = false, Here here = Here::current());

// What qr() returns.
struct QR {
  Array q, r;
};
// a == q @ r with orthonormal columns of q, min(m, n) of them or m (`complete`), and upper triangular r.
QR qr(const Array& a, bool complete = false, Here here = Here::current());

// What svd() returns.
struct SVD {
  Array u, s, vh;  // s in descending order
};
// a == u @ diag(s) @ vh; `full_matrices`: u and vh are square.
SVD svd(const Array& a, bool full_matrices = true, Here here = Here::current());
// The singular values alone, in descending order: (*, m, n) -> (*, min(m, n)).
Array svdvals(const Array& a, Here here = Here::current());

// What eigh() and eig() return.
struct Eigen {
  Array values, vectors;  // eigenvectors are columns
};
// Of symmetric or Hermitian matrices: real values in ascending order. Reads the lower triangle, or the upper one (`upper`).
Eigen eigh(const Array& a, bool upper = false, Here here = Here::current());
// The eigenvalues of eigh() alone: (*, n, n) -> (*, n).
Array eigvalsh(const Array& a, bool upper = false, Here here = Here::current());
// Of general square matrices; always complex. Throws ErrorKind::algebra for non-finite elements, which it evaluates to check.
Eigen eig(const Array& a, Here here = Here::current());
// The eigenvalues of eig() alone: (*, n, n) -> (*, n), complex.
Array eigvals(const Array& a, Here here = Here::current());

// ---- products, norms, rank

// a to the power n; for negative n, powers of the inverse.
Array matrix_power(const Array& a, int64_t n, Here here = Here::current());

// Square root of the sum of squares over the axes: the 2-norm of vectors, the Frobenius norm of matrices.
Array norm(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current());
// Vector norm of order `ord` along an axis; 0 counts non-zero elements, infinity and -infinity give the largest and smallest
// absolute value.
Array vector_norm(const Array& a, double ord, int axis = -1, bool keepdims = false, Here here = Here::current());
// Matrix norms: Frobenius; the sum (nuclear), the largest or the smallest of the singular values; the largest or smallest sum of
// absolute values of a column or a row.
enum class MatrixNorm {
  frobenius,
  nuclear,
  largest_value,
  smallest_value,
  largest_column,
  smallest_column,
  largest_row,
  smallest_row
};
Array matrix_norm(const Array& a, MatrixNorm which = MatrixNorm::frobenius, Here here = Here::current());
// Condition number: the ratio of the largest to the smallest singular value.
Array cond(const Array& a, Here here = Here::current());
// Number of singular values above `rtol` times the largest (default: the machine epsilon times the larger dimension): int64.
Array matrix_rank(const Array& a, std::optional<double> rtol = {}, Here here = Here::current());

}  // namespace qn::linalg
