// File: quern/matrices.h
//
// Triangles, diagonals, and products that are sums of products. matmul() is in array.h; equations, factorisations and norms are
// in linalg.h.
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

// The sums of products over so many last axes of a and first ones of b, or over named axes of both. Throws ErrorKind::value for
// axes whose sizes differ or that are named twice.
Array tensordot(const Array& a, const Array& b, int axes = 2, Here here = Here::current());
Array tensordot(const Array& a, const Array& b, const std::vector<int>& of_a, const std::vector<int>& of_b,
                Here here = Here::current());

}  // namespace qn
