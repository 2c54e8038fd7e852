#include "functions/tensor_algebra.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "functions/matrices.h"
#include "functions/norms.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/lapack.h"

namespace quern::linalg {

using namespace steps;

namespace {

double value_of(const Scalar& number) {
  return number.kind == WeakScalar::real || number.kind == WeakScalar::complex ? number.re : static_cast<double>(number.integer);
}

bool is_short(DType type) { return type == DType::float16 || type == DType::bfloat16; }

// LAPACK has no status for matrices without elements.
WithStatus with_status(const Array& a, std::vector<Array>&& both, bool has_status, bool is_checked) {
  if (last_size(a) > 0) return {{both[0]}, both[1], has_status, is_checked};
  Shape stack(a.shape().begin(), a.shape().end() - 2);
  return {{both[0]}, full(stack, whole(0), DType::int32, a.device()), has_status, is_checked};
}

Array turned(const Array& a) { return moved(a, a.rank() - 2, a.rank() - 1); }

}  // namespace

Array tensor_vector_norm(const Array& a, const NormOrder& order, const std::optional<Axes>& axes, bool keep_dims,
                         std::optional<DType> dtype) {
  const Array x = dtype ? as_type(a, *dtype) : a;
  Over over{std::vector<bool>(x.rank(), !axes || axes->empty()), keep_dims};
  for (size_t axis : axes ? *axes : Axes())
    if (axis < x.rank()) over.axes[axis] = true;
  const Scalar number = order.number.value_or(whole(2));
  const Array plain = is_short(x.dtype()) ? astype(detached(x), DType::float32) : detached(x);
  Array made = vector_norm(plain, number, over);
  if (is_short(x.dtype())) made = astype(made, x.dtype());
  if (!GradientMode::is_on() || !wants_gradient(x)) return made;
  std::vector<int> along;
  for (size_t d = 0; d < x.rank(); ++d)
    if (over.axes[d]) along.push_back(static_cast<int>(d));
  return vector_norm_of(x, made, value_of(number), along);
}

Array tensor_matrix_norm(const Array& a, const NormOrder& order, const Axes& axes, bool keep_dims, std::optional<DType> dtype) {
  if (order.name == "fro") return tensor_vector_norm(a, {}, axes, keep_dims, dtype);
  return norm_by(dtype ? as_type(a, *dtype) : a, order, axes, keep_dims);
}

Array tensor_norm(const Array& a, const NormOrder& order, const std::optional<Axes>& axes, bool keep_dims,
                  std::optional<DType> dtype) {
  const bool is_of_matrices = axes ? axes->size() == 2 : a.rank() == 2;
  if (order.name.empty() && (order.is_none() || !is_of_matrices)) return tensor_vector_norm(a, order, axes, keep_dims, dtype);
  return tensor_matrix_norm(a, order, axes ? *axes : Axes{a.rank() - 2, a.rank() - 1}, keep_dims, dtype);
}

WithStatus inverse_and_status(const Array& a, bool check_errors) {
  return with_status(a, inv_with_status(a), true, check_errors);
}
WithStatus checked_inverse(const Array& a) { return with_status(a, inv_with_status(a), false, true); }

WithStatus factor_and_status(const Array& a, bool upper, bool check_errors) {
  return with_status(a, factored("cholesky", a, upper ? "ui" : "li"), true, check_errors);
}
WithStatus checked_factor(const Array& a, bool upper) {
  WithStatus out = factor_and_status(a, upper, true);
  out.has_status = false;
  return out;
}

bool has_vectors(const Array& a, const Array& b) {
  return b.rank() == 1 || b.shape() == Shape(a.shape().begin(), a.shape().end() - 1);
}

WithStatus solution_and_status(const Array& a, const Array& b, bool left, bool check_errors) {
  if (!left) {
    WithStatus out = solution_and_status(turned(a), turned(b), true, check_errors);
    out.results[0] = turned(out.results[0]);
    return out;
  }
  const Array right = has_vectors(a, b) && b.rank() > 1 ? with_axis(b, b.rank()) : b;
  WithStatus out = with_status(a, solve_with_status(a, right), true, check_errors);
  if (right.rank() != b.rank()) out.results[0] = element(out.results[0], -1, 0);
  return out;
}
WithStatus checked_solution(const Array& a, const Array& b, bool left) {
  WithStatus out = solution_and_status(a, b, left, true);
  out.has_status = false;
  return out;
}

WithStatus checked_power(const Array& a, int64_t n) {
  if (n < 0) {
    WithStatus out = checked_inverse(a);
    if (n < -1) out.results[0] = matrix_power(out.results[0], -n);
    return out;
  }
  Array power = matrix_power(a, n);
  if (n == 0 && GradientMode::is_on() && wants_gradient(a)) {  // whose gradient is 0
    Array nothing = part(reshape(a, {a.size()}), 0, 0, 0);
    power = compute(Op::add, power, reduced(Reduction::sum, nothing));
  }
  return {{power}, Array(), false, false};
}

static std::vector<Array> lu_of(const Array& a) { return factor("lu", {&a, 1}, "i", 0); }
WithStatus lu_and_status(const Array& a, bool, bool check_errors) {
  std::vector<Array> f = lu_of(a);
  return {{f[0], f[1]}, f[3], true, check_errors};
}
WithStatus checked_lu(const Array& a, bool pivot) {
  WithStatus out = lu_and_status(a, pivot, true);
  out.has_status = false;
  return out;
}

Factors lu_factors(const Array& a, bool) {
  std::vector<Array> f = lu_of(a);
  const int64_t m = a.shape()[a.rank() - 2], n = last_size(a), least = std::min(m, n);
  const Array places = counted(m, a.device());
  const Array swaps = as_type(compute(Op::equal, with_axis(places, 1), with_axis(f[2], f[2].rank() - 1)), a.dtype());
  const Array ones = as_type(compute(Op::equal, with_axis(places, 1), counted(least, a.device())), a.dtype());
  const Array lower = compute(Op::add, triangle(part(f[0], -1, 0, least), -1, true), ones);
  return {{swaps, lower, triangle(part(f[0], -2, 0, least), 0, false)}};
}

WithStatus ldl_and_status(const Array& a, bool hermitian, bool check_errors) {
  std::vector<Array> f = factor("ldl", {&a, 1}, hermitian ? "hi" : "i", 0);
  return {{f[0], f[1]}, f[2], true, check_errors};
}
WithStatus checked_ldl(const Array& a, bool hermitian) {
  WithStatus out = ldl_and_status(a, hermitian, true);
  out.has_status = false;
  return out;
}

Factors tensor_singular_factors(const Array& a, bool full_matrices) { return {svd(a, full_matrices ? "a" : "s", false)}; }

Array product_of_chain(const std::vector<Array>& arrays) { return arrays.size() == 1 ? arrays[0] : product_of_all(arrays); }

Array tensor_rank(const Array& a, const Argument* tol, const Argument* atol, const Argument* rtol, bool hermitian) {
  const Array values = hermitian ? compute(Op::absolute, factored("eigh", a, "L")[0]) : svd(a, "n", false)[0];
  auto column = [&](const Argument& limit) {
    if (!limit.array()) return full({}, limit.scalar(), values.dtype(), a.device());
    return with_axis(*limit.array(), limit.array()->rank());
  };
  auto count_above = [&](const Array& limit) {
    return reduced(Reduction::sum, compute(Op::greater, values, limit), -1, false, DType::int64);
  };
  if (tol) return count_above(column(*tol));
  if (last_size(values) == 0) return count_above(column(operand(0)));
  const bool is_single = values.dtype() == DType::float32;
  const double step = is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double usual = step * static_cast<double>(std::max(a.shape()[a.rank() - 1], a.shape()[a.rank() - 2]));
  Array limit = reduced(Reduction::maximum, values, -1, true);
  limit = compute(Op::multiply, limit, rtol ? column(*rtol) : column(operand(usual)));
  if (!atol) return count_above(limit);
  if (!rtol) limit = as_type(compute(Op::where, compute(Op::greater, column(*atol), 0), 0, limit), values.dtype());
  return count_above(compute(Op::maximum, limit, as_type(column(*atol), values.dtype())));
}

}  // namespace quern::linalg
