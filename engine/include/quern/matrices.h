// File: quern/matrices.h
//
// Triangles, diagonals, and products that are sums of products, also Einstein's. matmul() is in array.h; equations,
// factorisations and norms are in linalg.h.
//
//   qn::Array total = qn::trace(qn::dot(a, b));
#pragma once

#include "quern/array.h"

namespace qn {

// A copy of matrices (the last two axes) with zeros above (tril) or below (triu) the k-th diagonal. Throws ErrorKind::value for
// fewer axes.
Array tril(const Array& a, int64_t k = 0, Here here = Here::current());
Array triu(const Array& a, int64_t k = 0, Here here = Here::current());

// The k-th diagonals of the planes of two axes: a view, in which they are the last axis. Throws ErrorKind::value for fewer than
// two axes or the same one twice.
Array diagonal(const Array& a, int64_t k = 0, int axis1 = 0, int axis2 = 1, Here here = Here::current());
// Of a matrix its k-th diagonal, a view; of one dimension a new matrix with it on the k-th diagonal. Else ErrorKind::value.
Array diag(const Array& a, int64_t k = 0, Here here = Here::current());
// The sum of the diagonal; of integers in 64 bits.
Array trace(const Array& a, int64_t k = 0, int axis1 = 0, int axis2 = 1, Here here = Here::current());

// The sums of products over the last axis of a and the last but one of b (the only one of one dimension): the products of
// matrices. With an array without axes each element is multiplied. Throws ErrorKind::value for sizes that differ.
Array dot(const Array& a, const Array& b, Here here = Here::current());
Array inner(const Array& a, const Array& b, Here here = Here::current());  // over the last axes of both
Array vdot(const Array& a, const Array& b, Here here = Here::current());   // of both in C order, a conjugated
// The products of each element of a with each of b, both in C order: a matrix.
Array outer(const Array& a, const Array& b, Here here = Here::current());
// b in place of each element of a, times it: the Kronecker product.
Array kron(const Array& a, const Array& b, Here here = Here::current());
// The cross products of vectors of three components along an axis. Throws ErrorKind::value for others.
Array cross(const Array& a, const Array& b, int axis = -1, Here here = Here::current());

// The sums of products of vectors along an axis, a conjugated; of matrices and vectors; of vectors, conjugated, and matrices. All
// but the last axes broadcast. Throws ErrorKind::value for sizes that differ.
Array vecdot(const Array& a, const Array& b, int axis = -1, Here here = Here::current());
Array matvec(const Array& a, const Array& b, Here here = Here::current());
Array vecmat(const Array& a, const Array& b, Here here = Here::current());
// The last two axes exchanged: a view. Throws ErrorKind::value for fewer.
Array matrix_transpose(const Array& a, Here here = Here::current());

// The sums of products over so many last axes of a and first ones of b, or over named axes of both. Throws ErrorKind::value for
// axes whose sizes differ or that are named twice.
Array tensordot(const Array& a, const Array& b, int axes = 2, Here here = Here::current());
Array tensordot(const Array& a, const Array& b, const std::vector<int>& of_a, const std::vector<int>& of_b,
                Here here = Here::current());

// Einstein's sums: einsum("ij,jk->ik", {a, b}). "..." stands for further axes; without "->" the result has the subscripts that
// occur once, in order. Throws ErrorKind::value for subscripts that do not fit the operands.
Array einsum(const std::string& subscripts, const std::vector<Array>& operands, Here here = Here::current());

}  // namespace qn
