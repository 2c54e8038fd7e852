// Triangles and diagonals of matrices, and products of vectors and matrices. Axes count from the front; a stack of matrices has
// them in its last two.
#pragma once

#include <vector>

#include "graph/array.h"

namespace quern {

// Zeros above the k-th diagonal (`lower`) or below it. Of a vector: a matrix each of whose rows it is.
Array triangle(const Array& array, int64_t k, bool lower);
// The k-th diagonals of the planes of two axes, as the last axis: a view.
Array diagonal(const Array& array, int64_t k, size_t axis1, size_t axis2);
// The k-th diagonal of a matrix, a view, or a new matrix with a vector on it.
Array diagonal_or_matrix(const Array& array, int64_t k);
// Columns of powers of a vector, falling unless `rising`.
Array powers_in_columns(const Array& vector, int64_t columns, bool rising, DType dtype);

// The sums of products over the last axis of both, in their common type.
Array sum_of_products(const Array& a, const Array& b);
// Over the last axis of a and that axis of b; of numbers the product. dot(): the last axis of b but one, if it has so many.
Array product_over(const Array& a, const Array& b, int64_t axis);
Array dot(const Array& a, const Array& b);
Array inner(const Array& a, const Array& b);
Array vdot(const Array& a, const Array& b);
Array outer(const Array& a, const Array& b);
// Over as many axes of each, as one product of matrices. Axes may count from the end.
Array tensordot(const Array& a, const Array& b, const std::vector<int64_t>& axes_of_a, const std::vector<int64_t>& axes_of_b);
// Of vectors of three components, or two, which have none along the third axis; of two such the third component alone.
Array cross(const Array& a, const Array& b, size_t axis_of_a, size_t axis_of_b, size_t axis);

// Of the last axes: vectors with vectors (the first conjugated), matrices with vectors, vectors (conjugated) with matrices.
Array vecdot(const Array& a, const Array& b);
Array matvec(const Array& a, const Array& b);
Array vecmat(const Array& a, const Array& b);

}  // namespace quern
