// Triangles and diagonals of matrices, and products of vectors and matrices. Axes count from the front; a stack of matrices has
// them in its last two.
#pragma once

#include <optional>
#include <vector>

#include "functions/elementwise.h"

namespace quern {

// Zeros above the k-th diagonal (`lower`) or below it. Of a vector: a matrix each of whose rows it is.
Array triangle(const Array& array, int64_t k, bool lower);
// The k-th diagonals of the planes of two axes, as the last axis: a view.
Array diagonal(const Array& array, int64_t k, size_t axis1, size_t axis2);
// The k-th diagonal of a matrix, a view, or a new matrix with a vector on it.
Array diagonal_or_matrix(const Array& array, int64_t k);
// Two different axes of an array of at least two dimensions.
struct Plane {
  size_t axis1, axis2;
};
Array diagonal_of_plane(const Array& array, int64_t k, Plane plane);
Array diagonal_of_matrices(const Array& array, int64_t k);
Array diagonal_sum(const Array& array, int64_t k, Plane plane, std::optional<DType> dtype);
Array diagonal_sum_of_matrices(const Array& array, int64_t k, std::optional<DType> dtype);
// triangle(), where the number of a diagonal may have a fraction, which is cut off.
struct DiagonalNumber {
  double value;
};
Array lower_triangle(const Array& array, DiagonalNumber k);
Array upper_triangle(const Array& array, DiagonalNumber k);

// The sums of products over the last axis of both, in their common type.
Array sum_of_products(const Array& a, const Array& b);
// Over the last axis of a and that axis of b; of numbers the product. dot(): the last axis of b but one, if it has so many.
Array product_over(const Array& a, const Array& b, int64_t axis);
Array dot(const Array& a, const Array& b);
Array product_of_alike(const Alike& of);
Array dot_of_alike(const Alike& of);
Array inner(const Rules& rules, const Array& a, const Array& b);
Array vdot(const Array& a, const Array& b);
Array outer(const Rules& rules, const Array& a, const Array& b);
// Over as many axes of each, as one product of matrices. Axes may count from the end.
Array tensordot(const Array& a, const Array& b, const std::vector<int64_t>& axes_of_a, const std::vector<int64_t>& axes_of_b);
Array outer_of_vectors(const Rules& rules, const Array& a, const Array& b);
// The axes that are summed over: so many of the last of a and the first of b, or those named.
struct DotAxes {
  std::optional<int64_t> count;
  std::vector<int64_t> of_a, of_b;
  DotAxes named() const;  // without a count
};
Array contracted(const Array& a, const Array& b, const DotAxes& axes);
// Of vectors of three components, or two, which have none along the third axis; of two such the third component alone.
Array cross(const Array& a, const Array& b, size_t axis_of_a, size_t axis_of_b, size_t axis);
// The same; `axis`: all three. cross_of_three: only of three components.
struct CrossAxes {
  size_t of_a, of_b, of_result;
};
Array crossed(const Array& a, const Array& b, const CrossAxes& axes);
Array cross_of_three(const Array& a, const Array& b, const CrossAxes& axes);

// Of the last axes: vectors with vectors (the first conjugated), matrices with vectors, vectors (conjugated) with matrices.
Array vecdot(const Array& a, const Array& b);
Array matvec(const Array& a, const Array& b);
Array vecmat(const Array& a, const Array& b);

}  // namespace quern
