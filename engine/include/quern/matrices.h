// File: quern/matrices.h
//
// Triangles, diagonals, dot, outer and tensor products, einsum. matmul() is in array.h; solvers, factorisations and norms are in
// linalg.h.
//
//   qn::Array total = qn::trace(qn::dot(a, b));
#pragma once

#include "quern/array.h"

namespace qn {

// A copy with zeros above (tril) or below (triu) the k-th diagonal of the last two axes. Throws ErrorKind::value below two axes.
Array tril(const Array& a, int64_t k = 0, Here here = Here::current());
Array triu(const Array& a, int64_t k = 0, Here here = Here::current());

// The diagonals number `offset` over two axes, as the last axis of a view. Throws ErrorKind::value for fewer than two axes or
// equal ones.
Array diagonal(const Array& a, int64_t offset = 0, int axis1 = 0, int axis2 = 1, Here here = Here::current());
// Of a matrix: a view of its k-th diagonal. Of a 1-d array: a matrix with it on the k-th diagonal. Else throws ErrorKind::value.
Array diag(const Array& a, int64_t k = 0, Here here = Here::current());
// Sum of such a diagonal; 64-bit for integers.
Array trace(const Array& a, int64_t offset = 0, int axis1 = 0, int axis2 = 1, Here here = Here::current());

// Sum of products over the last axis of a and the second-to-last of b (the only one if b is 1-d); a product with a 0-d array is
// elementwise. Throws ErrorKind::value if the lengths differ.
Array dot(const Array& a, const Array& b, Here here = Here::current());
Array inner(const Array& a, const Array& b, Here here = Here::current());  // over the last axes of both
Array vdot(const Array& a, const Array& b, Here here = Here::current());   // of both flattened, a conjugated
// The matrix of products of each element of a with each of b, both flattened.
Array outer(const Array& a, const Array& b, Here here = Here::current());
// Kronecker product: each element of a is replaced by its product with b.
Array kron(const Array& a, const Array& b, Here here = Here::current());
// Cross products of vectors of 2 or 3 components along an axis. Throws ErrorKind::value for other lengths.
Array cross(const Array& a, const Array& b, int axis = -1, Here here = Here::current());

// Dot product along an axis, a conjugated; matrix times vector; vector, conjugated, times matrix. The other axes broadcast.
// Throws ErrorKind::value if the lengths differ.
Array vecdot(const Array& a, const Array& b, int axis = -1, Here here = Here::current());
Array matvec(const Array& a, const Array& b, Here here = Here::current());
Array vecmat(const Array& a, const Array& b, Here here = Here::current());
// A view with the last two axes swapped. Throws ErrorKind::value below two axes.
Array matrix_transpose(const Array& a, Here here = Here::current());

// Sum of products over the last `axes` axes of a and the first of b, or over the given axes of both. Throws ErrorKind::value if
// lengths differ or an axis is repeated.
Array tensordot(const Array& a, const Array& b, int axes = 2, Here here = Here::current());
Array tensordot(const Array& a, const Array& b, const std::vector<int>& of_a, const std::vector<int>& of_b,
                Here here = Here::current());

// Einstein summation: einsum("ij,jk->ik", {a, b}). "..." stands for the remaining axes; without "->" the result has the
// subscripts that occur once, in alphabetical order. Throws ErrorKind::value if the subscripts do not match the operands.
Array einsum(const std::string& subscripts, const std::vector<Array>& operands, Here here = Here::current());

}  // namespace qn
