// Functions of torch.linalg that differ from NumPy's: norms as a single autograd node, and results with the status of each
// matrix, by which errors are raised at the call.
#pragma once

#include "functions/elementwise.h"
#include "functions/matrix_calls.h"

namespace quern::linalg {

// Norms in `dtype`; halves are computed in float32. No axes: all elements are one vector.
Array tensor_vector_norm(const Array& a, const NormOrder& order, const std::optional<Axes>& axes, bool keep_dims,
                         std::optional<DType> dtype);
Array tensor_matrix_norm(const Array& a, const NormOrder& order, const Axes& axes, bool keep_dims, std::optional<DType> dtype);
Array tensor_norm(const Array& a, const NormOrder& order, const std::optional<Axes>& axes, bool keep_dims,
                  std::optional<DType> dtype);

// Results and LAPACK's status of each matrix, 0 where all is well. `has_status`: it is given, too; `is_checked`: what is wrong is
// raised.
struct WithStatus {
  std::vector<Array> results;
  Array status;
  bool has_status, is_checked;
};
WithStatus checked_inverse(const Array& a);
WithStatus inverse_and_status(const Array& a, bool check_errors);
WithStatus checked_factor(const Array& a, bool upper);
WithStatus factor_and_status(const Array& a, bool upper, bool check_errors);
// Is b a vector, or one for each matrix of a?
bool has_vectors(const Array& a, const Array& b);
// Of a @ x == b, or of x @ a == b.
WithStatus checked_solution(const Array& a, const Array& b, bool left);
WithStatus solution_and_status(const Array& a, const Array& b, bool left, bool check_errors);
WithStatus checked_power(const Array& a, int64_t n);

// Factors with L below the diagonal of U, and the swaps of rows.
WithStatus checked_lu(const Array& a, bool pivot);
WithStatus lu_and_status(const Array& a, bool pivot, bool check_errors);
// P, L and U.
Factors lu_factors(const Array& a, bool pivot);
WithStatus checked_ldl(const Array& a, bool hermitian);
WithStatus ldl_and_status(const Array& a, bool hermitian, bool check_errors);

Factors tensor_singular_factors(const Array& a, bool full_matrices);
// The solution, squared sizes of what is left, ranks and singular values, the last three as the driver gives them.
Factors least_squares(const Array& a, const Array& b, std::optional<double> rcond, std::optional<std::string_view> driver);

}  // namespace quern::linalg
