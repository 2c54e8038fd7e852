// The functions of numpy.linalg as callers spell them, made of those of linalg.h: orders of norms, modes and limits by their
// names, results that are tuples.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "functions/linalg.h"
#include "functions/shaping.h"

namespace quern::linalg {

// A number, or the name of a norm of matrices ("fro", "nuc"); neither: the root of the sum of squares.
struct NormOrder {
  std::optional<Scalar> number;
  std::string name;
  bool is_valid = true;
  bool is_none() const { return is_valid && !number && name.empty(); }
};
double value_of(const Scalar& number);  // of an order
// Of one axis the norm of vectors, of two that of matrices; none: of all elements, or of a vector or a matrix.
Array norm_by(const Array& a, const NormOrder& order, const std::optional<Axes>& axes, bool keep_dims);
Array norm_of_matrices(const Array& a, bool keep_dims, const NormOrder& order);
// Several axes are one vector; none: all of them.
Array norm_of_vectors(const Array& a, const std::optional<Axes>& axes, bool keep_dims, const NormOrder& order);
Array condition(const Array& a, const NormOrder& order);

// A tuple with a name of its own (`is_named`), or a plain one; of one array that array.
struct Factors {
  std::vector<Array> arrays;
  bool is_named = true;
};
// Are eigenvalues given as real numbers where all of them are?
struct Eigenvalues {
  bool may_be_real;
};
Factors sign_and_logarithm(const Array& a);
Array log_of_determinant(const Array& a);  // of its absolute value
Array triangular_factor(const Array& a, bool upper);
Factors orthogonal_factors(const Array& a, std::optional<std::string_view> mode);
// Of float16 in float32.
Factors symmetric_factors(const Array& a, std::optional<std::string_view> triangle);
Array symmetric_values(const Array& a, std::optional<std::string_view> triangle);
Factors general_factors(const Array& a, Eigenvalues values);
Array general_values(const Array& a, Eigenvalues values);
Factors singular_factors(const Array& a, bool full_matrices, bool with_vectors, bool hermitian);
Array singular_values(const Array& a);

// Of `rcond` and `rtol` one at most.
struct Cutoff {
  const Argument* value;           // null: the type's step times the larger size
  const Argument* atol = nullptr;  // singular values up to it count as 0, whatever the largest is
};

// In the order that needs the fewest steps; the first and the last may be vectors.
Array product_of_all(const std::vector<Array>& arrays);
Array tensor_solution(const Array& a, const Array& b, const std::optional<Axes>& axes);
Array tensor_inverse(const Array& a, int64_t count);

}  // namespace quern::linalg
