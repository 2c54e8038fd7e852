// File: quern/linalg.h
//
// Linear algebra, as in numpy.linalg: equations, factorisations, eigenvalues, norms. Matrices are in the last two axes, those
// before them are stacks; integers count as float64.
//
//   qn::Array x = qn::linalg::solve(a, b);
//   auto [values, vectors] = qn::linalg::eigh(a);
//   auto [u, s, vh] = qn::linalg::svd(a, false);
//
// Factorisations are LAPACK's on the CPU (the OpenBLAS that matmul() uses); arrays on a GPU are brought there and the results
// back. Every function throws ErrorKind::algebra for matrices of a shape that does not allow what is asked, at once, and for
// those whose values do not (singular, not positive definite) at a look; ErrorKind::type for float16 and bfloat16.
#pragma once

#include "quern/array.h"

namespace qn::linalg {

// ---- equations

// The x with a @ x == b, for square a. A vector b gives a vector. Throws ErrorKind::value where b does not fit.
Array solve(const Array& a, const Array& b, Here here = Here::current());
Array inv(const Array& a, Here here = Here::current());
// The inverse in the sense of Moore and Penrose; singular values below `rcond` times the largest count as 0.
Array pinv(const Array& a, double rcond = 1e-15, Here here = Here::current());

struct LeastSquares {
  Array x;                // the shape of b, but with a's columns
  Array residuals;        // the squared norms of b - a @ x; empty when the rank is lower than the columns or a is not taller
  int64_t rank;           // of a
  Array singular_values;  // of a
};
// The x with the smallest norm of b - a @ x, for one matrix and a vector or matrix b. Singular values below `rcond` times the
// largest count as 0: by default the type's step times the larger size. This looks at the rank.
LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond = {}, Here here = Here::current());

// ---- determinants

struct SignAndLogarithm {
  Array sign, logarithm;  // (0, -inf) for singular matrices
};
Array det(const Array& a, Here here = Here::current());
SignAndLogarithm slogdet(const Array& a, Here here = Here::current());

// ---- factorisations

// The triangular L with a == L @ L^H, of the lower triangle of a; `upper`: the U with a == U^H @ U, of the upper one.
Array cholesky(const Array& a, bool upper = false, Here here = Here::current());

struct QR {
  Array q, r;
};
// q has columns of length 1 that are perpendicular, min(m, n) of them or, `complete`, m; r is upper triangular; a == q @ r.
QR qr(const Array& a, bool complete = false, Here here = Here::current());

struct SVD {
  Array u, s, vh;  // s falls
};
// a == u @ diag(s) @ vh; `full_matrices`: u and vh are square.
SVD svd(const Array& a, bool full_matrices = true, Here here = Here::current());
Array svdvals(const Array& a, Here here = Here::current());

struct Eigen {
  Array values, vectors;  // the vectors are columns
};
// Of symmetric or Hermitian matrices, of which the lower triangle is read (`upper`: the upper one): real values, from the
// smallest on.
Eigen eigh(const Array& a, bool upper = false, Here here = Here::current());
Array eigvalsh(const Array& a, bool upper = false, Here here = Here::current());
// Of square matrices: always complex. Throws ErrorKind::algebra for values that are not finite; so this looks at them.
Eigen eig(const Array& a, Here here = Here::current());
Array eigvals(const Array& a, Here here = Here::current());

// ---- products, norms, rank

// The product of n matrices a, of the inverse for a negative n.
Array matrix_power(const Array& a, int64_t n, Here here = Here::current());

// The root of the sum of squares over the axes: the length of a vector, the Frobenius norm of a matrix.
Array norm(const Array& a, const Axes& axes = {}, bool keepdims = false, Here here = Here::current());
// The norm of order `ord` of vectors along an axis: any number, 0 (how many are not zero), infinity (the largest), -infinity.
Array vector_norm(const Array& a, double ord, int axis = -1, bool keepdims = false, Here here = Here::current());
// Of matrices: the root of the sum of squares; the sum, largest or smallest of the singular values; the largest or smallest sum
// of sizes of a column or of a row.
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
// How much an error grows: the largest singular value over the smallest.
Array cond(const Array& a, Here here = Here::current());
// How many singular values are above `rtol` times the largest one (by default the type's step times the larger size): int64.
Array matrix_rank(const Array& a, std::optional<double> rtol = {}, Here here = Here::current());

}  // namespace qn::linalg
