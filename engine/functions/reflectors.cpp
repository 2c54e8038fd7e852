// Products of Householder reflections, and what is done with the factors of torch.linalg.lu_factor(). Start at
// orthogonal_of_reflectors().
#include "core/error.h"
#include "functions/matrices.h"
#include "functions/matrix_calls.h"
#include "functions/parts.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "functions/tensor_algebra.h"
#include "run/calls/matmul.h"

#include <algorithm>

namespace quern::linalg {

using namespace steps;

Array triangular_solution(const Array& a, const Array& b, bool upper, bool left, bool has_ones);

namespace {

Array adjoint_of(const Array& a) { return conj(matrix_transpose(a)); }

Array identity_of(int64_t rows, int64_t columns, const Array& like) {
  const Array is_one = equal(expand_dims(arange(rows, like.device()), 1), arange(columns, like.device()));
  return as_type(is_one, like.dtype());
}

// H1 H2 ... Hk = I - V T V^H with an upper triangular T (Schreiber and Van Loan, 1989).
struct Reflections {
  Array vectors, inner;
};
Reflections reflections_of(const char* caller, const Array& a, const Array& tau) {
  if (a.rank() < 2) raise(ErrorKind::runtime, "{}: input must have at least 2 dimensions.", caller);
  const int64_t rows = a.shape()[a.rank() - 2], count = last_size(tau);
  if (tau.rank() + 1 != a.rank())
    raise(ErrorKind::runtime,
          "{}: Expected tau to have one dimension less than input, but got tau.ndim equal to {} and input.ndim is equal to {}",
          caller, tau.rank(), a.rank());
  if (count > last_size(a) || count > rows)
    raise(ErrorKind::runtime, "{}: input.shape[-1] must be greater than or equal to tau.shape[-1]", caller);
  if (tau.dtype() != a.dtype())
    raise(ErrorKind::runtime, "{}: tau dtype {} does not match input dtype {}", caller, row(tau.dtype()).name,
          row(a.dtype()).name);
  const Array vectors = add(triangle(part(a, -1, 0, count), -1, true), identity_of(rows, count, a));
  const Array weights = expand_dims(tau, tau.rank()), ones = identity_of(count, count, a);
  const Array above = multiply(weights, triangle(matmul(adjoint_of(vectors), vectors), 1, false));
  return {vectors, triangular_solution(add(ones, above), multiply(weights, ones), true, true, true)};
}

// The order of rows after the swaps that `pivots` say, counted from 1, one after another.
Array order_of_rows(const Array& pivots, int64_t rows) {
  Shape shape = pivots.shape();
  const int64_t count = shape.back();
  shape.back() = rows;
  const Array places = arange(rows, pivots.device());
  Array order = places.view(places.layout().broadcast_to(shape));
  const Array to = as_type(subtract(pivots, 1), DType::int64);
  for (int64_t n = 0; n < count; ++n) {
    const Array other = part(to, -1, n, n + 1), own = part(order, -1, n, n + 1);
    const Array swapped = picked(order, other);
    order = where(equal(places, other), own, order);
    order = as_type(where(equal(places, n), swapped, order), DType::int64);
  }
  return order;
}

// P of A = P L U.
Array swaps_of(const Array& pivots, int64_t rows, DType type) {
  const Array order = order_of_rows(pivots, rows);
  return as_type(equal(expand_dims(arange(rows, order.device()), 1), expand_dims(order, order.rank() - 1)), type);
}

}  // namespace

// The first columns of the product, as many as `a` has.
Array orthogonal_of_reflectors(const Array& a, const Array& tau) {
  const Reflections all = reflections_of("torch.linalg.householder_product", a, tau);
  const int64_t rows = a.shape()[a.rank() - 2], columns = last_size(a);
  if (columns > rows)
    raise(ErrorKind::runtime,
          "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]");
  const Array first = part(all.vectors, -2, 0, columns);
  return subtract(identity_of(rows, columns, a), matmul(matmul(all.vectors, all.inner), adjoint_of(first)));
}

Array product_by_reflectors(const Array& a, const Array& tau, const Array& b, bool left, bool transposed) {
  const Reflections all = reflections_of("torch.ormqr", a, tau);
  const Array inner = transposed ? adjoint_of(all.inner) : all.inner;
  const Array seen = adjoint_of(all.vectors);
  if (b.rank() < 2 || b.shape()[b.rank() - (left ? 2 : 1)] != a.shape()[a.rank() - 2])
    raise(ErrorKind::runtime, "torch.ormqr: other.shape[{}] must be equal to input.shape[-2]", left ? -2 : -1);
  return left ? subtract(b, matmul(all.vectors, matmul(inner, matmul(seen, b))))
              : subtract(b, matmul(matmul(matmul(b, all.vectors), inner), seen));
}

// Of A @ x == b with A = P L U, of its adjoint, or of x @ A == b.
Array solution_by_lu(const Array& lu, const Array& pivots, const Array& b, bool left, bool adjoint) {
  if (lu.rank() < 2 || lu.shape()[lu.rank() - 2] != last_size(lu))
    raise(ErrorKind::runtime, "torch.linalg.lu_solve: Expected LU to be a batch of square matrices");
  if (last_size(pivots) != last_size(lu))
    raise(ErrorKind::runtime, "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix");
  if (lu.dtype() != b.dtype())
    raise(ErrorKind::runtime,
          "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {} and B of type {} instead",
          torch_name_of(lu.dtype()), torch_name_of(b.dtype()));
  if (b.rank() < 2 || b.shape()[b.rank() - (left ? 2 : 1)] != last_size(lu))
    raise(ErrorKind::runtime, "linalg.lu_solve: Incompatible shapes of LU and B for the equation {}", left ? "AX = B" : "XA = B");
  const Array swaps = swaps_of(pivots, last_size(lu), lu.dtype()), back = matrix_transpose(swaps);
  const Array turned = adjoint_of(lu);
  if (left && !adjoint)
    return triangular_solution(lu, triangular_solution(lu, matmul(back, b), false, true, true), true, true, false);
  if (left)
    return matmul(swaps, triangular_solution(turned, triangular_solution(turned, b, false, true, false), true, true, true));
  if (adjoint) {
    const Array first = triangular_solution(turned, matmul(b, swaps), true, false, true);
    return triangular_solution(turned, first, false, false, false);
  }
  const Array first = triangular_solution(lu, b, true, false, false);
  return matmul(triangular_solution(lu, first, false, false, true), back);
}

// P, L and U; without elements what is not asked for.
Factors parts_of_lu(const Array& lu, const Array& pivots, bool has_data, bool has_pivots) {
  if (lu.rank() < 2)
    raise(ErrorKind::runtime, "torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {} instead",
          in_brackets(lu.shape()));
  if (pivots.dtype() != DType::int32)
    raise(ErrorKind::runtime,
          "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
          "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor");
  const int64_t rows = lu.shape()[lu.rank() - 2], columns = last_size(lu), least = std::min(rows, columns);
  Shape wanted(lu.shape().begin(), lu.shape().end() - 1);
  wanted.back() = least;
  if (pivots.shape() != wanted)
    raise(ErrorKind::value, "Expected LU_pivots to have shape {} but got {} instead.", in_brackets(wanted),
          in_brackets(pivots.shape()));
  const Array nothing = full({0}, whole(0), lu.dtype(), lu.device());
  Factors out{{nothing, nothing, nothing}, false};
  if (has_pivots) out.arrays[0] = swaps_of(pivots, rows, lu.dtype());
  if (!has_data) return out;
  out.arrays[1] = add(triangle(part(lu, -1, 0, least), -1, true), identity_of(rows, least, lu));
  out.arrays[2] = triangle(part(lu, -2, 0, least), 0, false);
  return out;
}

}  // namespace quern::linalg
