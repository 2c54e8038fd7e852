#include "functions/linalg.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "functions/matrices.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/lapack.h"
#include "run/calls/matmul.h"
#include "run/calls/sorting.h"

namespace quern::linalg {

using namespace steps;

namespace {

DType work_type(DType type) {
  if (type == DType::float16 || type == DType::bfloat16)
    raise(ErrorKind::type, "[linalg] matrices of {} are not supported; convert them to float32", row(type).name);
  return is_whole(type) ? DType::float64 : type;
}
Array in_work_type(const Array& a) { return as_type(a, work_type(a.dtype())); }
Array in_reals(const Array& a) { return is_whole(a.dtype()) ? astype(a, DType::float64) : a; }

int64_t rows_of(const Array& a) { return a.shape()[a.rank() - 2]; }

// `what`: the function's name.
void check_stack(const Array& a, std::string_view what) {
  if (a.rank() < 2)
    raise(ErrorKind::algebra, "[{}] {}-dimensional array given. Array must be at least two-dimensional", what, a.rank());
}
void check_square(const Array& a, std::string_view what) {
  check_stack(a, what);
  if (last_size(a) != rows_of(a))
    raise(ErrorKind::algebra, "[{}] the matrices must be square, not of shape {}", what, to_string(a.shape()));
}

Array identity_beside(const Array& a, DType dtype) {
  int64_t n = last_size(a);
  Array numbers = arange(n, a.device());
  return as_type(equal(reshape(numbers, {n, 1}), numbers), dtype);
}

// b has columns; both have the type.
std::vector<Array> solutions(const Array& a, const Array& b, std::string_view mode) {
  auto stack = [](const Array& x) { return Shape(x.shape().begin(), x.shape().end() - 2); };
  Shape stacks[] = {stack(a), stack(b)}, shape = broadcast_shapes(stacks);
  auto repeated = [&](const Array& x) {
    Shape all = shape;
    all.insert(all.end(), x.shape().end() - 2, x.shape().end());
    return x.view(x.layout().broadcast_to(all));
  };
  Array both[] = {repeated(a), repeated(b)};
  return factor("solve", both, mode, 0);
}
Array solved(const Array& a, const Array& b, std::string_view mode = "") { return solutions(a, b, mode)[0]; }

double step_of(DType type) {
  bool is_single = type == DType::float32 || type == DType::complex64;
  return is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

// The norm of nothing is 0.
Array largest_or_zero(const Array& a, const Over& over) {
  return reduced(count_over(a, over) > 0 ? Reduction::maximum : Reduction::sum, a, over);
}

Array limit_of(const Array& values, const Array& a, const Argument* rtol) {
  Array most = largest_or_zero(values, last_axis(values, true));
  if (!rtol) return multiply(most, step_of(values.dtype()) * static_cast<double>(std::max(last_size(a), rows_of(a))));
  if (const Array* each = rtol->array()) return multiply(most, expand_dims(*each, each->rank()));
  return multiply(most, *rtol);
}

// `mode`: of svd, for values.
Array norm_of_planes(const Array& a, MatrixNorm which, size_t row, size_t column, bool keep_dims, std::string_view mode) {
  Over over{std::vector<bool>(a.rank(), false), keep_dims}, along{over.axes, true};
  over.axes[row] = over.axes[column] = true;
  if (which == MatrixNorm::frobenius) return norm(a, over);
  Array sizes;
  if (which < MatrixNorm::largest_column) {
    sizes = factored("svd", with_last(with_last(a, row), column - (column > row)), mode)[0];
    along = last_axis(sizes);
  } else {
    size_t summed = which < MatrixNorm::largest_row ? row : column;
    along.axes[summed] = true;
    sizes = sum(absolute(a), along);
    along.axes = over.axes;  // of the summed one there is one element
  }
  bool is_least =
      which == MatrixNorm::smallest_value || which == MatrixNorm::smallest_column || which == MatrixNorm::smallest_row;
  Array out = which == MatrixNorm::nuclear ? sum(sizes, along)
              : is_least                   ? reduced(Reduction::minimum, sizes, along)
                                           : largest_or_zero(sizes, along);
  Shape shape = shape_over(a, over);
  return out.shape() == shape ? out : reshape(out, shape);
}

}  // namespace

std::vector<Array> factored(std::string_view name, const Array& a, std::string_view mode) {
  name == "qr" || name == "svd" ? check_stack(a, name) : check_square(a, name == "slogdet" ? "linalg" : name);
  Array given = in_work_type(a);
  if (name == "eig" && !values_of<uint8_t>(reduced(Reduction::all, isfinite(given), all_axes(given)))[0])
    raise(ErrorKind::algebra, "[linalg] Array must not contain infs or NaNs");
  return factor(name, {&given, 1}, mode, 0);
}

std::vector<Array> svd(const Array& a, std::string_view mode, bool hermitian) {
  if (!hermitian) return factored("svd", a, mode);
  check_square(a, "svd");
  Array given = in_work_type(a);
  Array above = conj(matrix_transpose(triangle(given, -1, true)));
  Array whole = add(triangle(given, 0, true), above);
  if (is_complex(whole.dtype()))  // the diagonal is real
    whole = multiply(add(whole, conj(matrix_transpose(whole))), 0.5);
  return factored("svd", whole, mode);
}

static std::vector<Array> solve_by(const Array& a, const Array& b, std::string_view mode) {
  check_square(a, "solve");
  if (b.rank() == 0) raise(ErrorKind::value, "[solve] the right side must be at least 1-D");
  Array right = b.rank() == 1 ? expand_dims(b, 1) : b;
  if (rows_of(right) != last_size(a))
    raise(ErrorKind::value, "[solve] the matrix has {} rows and the right side {}", last_size(a), rows_of(right));
  DType type = common(work_type(a.dtype()), work_type(b.dtype()));
  std::vector<Array> out = solutions(as_type(a, type), as_type(right, type), mode);
  if (b.rank() == 1) out[0] = element(out[0], -1, 0);
  return out;
}

std::vector<Array> solve_with_status(const Array& a, const Array& b) { return solve_by(a, b, "i"); }
Array solve(const Array& a, const Array& b) { return solve_by(a, b, "")[0]; }

// The derivative needs the result alone.
class Inverse : public GradientBody {
 public:
  std::string_view name() const override { return "linalg_inv_ex"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    Array y = adjoint(call.results[0]);
    return {negative(matmul(y, matmul(*call.given[0], y)))};
  }
};

static std::vector<Array> inv_by(const Array& a, std::string_view mode) {
  check_square(a, "inv");
  Array given = in_work_type(a);
  auto make = [&] { return solutions(given, identity_beside(given, given.dtype()), mode); };
  if (!wants_gradient(given)) return make();
  return differentiable(std::make_shared<Inverse>(), {&given, 1}, {{}, {true, false}}, make);
}
std::vector<Array> inv_with_status(const Array& a) { return inv_by(a, "i"); }
Array inv(const Array& a) { return inv_by(a, "")[0]; }

static std::vector<Array> least_squares_of(const Array& a, const Array& b, std::optional<double> rcond) {
  Array right = b.rank() == 1 ? expand_dims(b, 1) : b;
  for (const Array& x : {a, right})
    if (x.rank() != 2) raise(ErrorKind::algebra, "[lstsq] {}-dimensional array given. Array must be two-dimensional", x.rank());
  int64_t m = rows_of(a), n = last_size(a);
  if (rows_of(right) != m) raise(ErrorKind::algebra, "[lstsq] the matrix has {} rows and the right side {}", m, rows_of(right));
  DType type = common(work_type(a.dtype()), work_type(b.dtype()));
  Array both[] = {as_type(a, type), as_type(right, type)};
  std::vector<Array> out = factor("lstsq", both, "", rcond.value_or(step_of(type) * static_cast<double>(std::max(m, n))));
  if (m <= n) out[1] = part(out[1], 0, 0, 0);
  if (b.rank() == 1) out[0] = element(out[0], 1, 0);
  return out;
}
std::vector<Array> lstsq(const Array& a, const Array& b, std::optional<double> rcond) {
  std::vector<Array> out = least_squares_of(a, b, rcond);
  if (out[1].size() > 0 && values_of<int32_t>(out[2])[0] != last_size(a)) out[1] = part(out[1], 0, 0, 0);
  return out;
}

// Without singular vectors, which have no derivative where singular values are equal (Golub and Pereyra, 1973): holds for all
// matrices near which the rank is the same.
class PseudoInverse : public GradientBody {
 public:
  std::string_view name() const override { return "linalg_pinv"; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    const Array &a = call.operands[0], &y = call.results[0], g = adjoint(*call.given[0]), yh = adjoint(y);
    if (rows_of(a) <= last_size(a)) {
      Array k = matmul(g, y), ky = matmul(k, yh);
      Array inside = ky - adjoint(matmul(y, k)) - matmul(matmul(a, y), ky);
      return {inside + matmul(matmul(yh, y), g - matmul(k, a))};
    }
    Array k = matmul(y, g), yk = matmul(yh, k);
    Array inside = yk - adjoint(matmul(k, y)) - matmul(matmul(yk, y), a);
    return {inside + matmul(matmul(g - matmul(a, k), y), yh)};
  }
};

static Array pinv_by_values(const Array& a, const Argument* rtol, bool hermitian) {
  Array given = in_work_type(a);
  if (last_size(a) == 0 || rows_of(a) == 0) return full(matrix_transpose(a).shape(), whole(0), a.dtype(), a.device());
  std::vector<Array> f = svd(conj(given), "s", hermitian);
  Array& s = f[1];
  Array is_zero = less_equal(s, limit_of(s, a, rtol));  // false for NaN, which stays NaN
  Array inverted = true_divide(1, where(is_zero, 1, s));
  s = as_type(where(is_zero, 0, inverted), s.dtype());
  return matmul(matrix_transpose(f[2]), multiply(expand_dims(s, s.rank()), matrix_transpose(f[0])));
}

Array pinv(const Array& a, const Argument* rtol, bool hermitian) {
  check_stack(a, "pinv");
  auto make = [&] { return std::vector<Array>{pinv_by_values(a, rtol, hermitian)}; };
  if (!wants_gradient(a)) return make()[0];
  return differentiable(std::make_shared<PseudoInverse>(), {&a, 1}, {{true}, {true}}, make)[0];
}

// The solution without its rank, for which lstsq() waits.
Array least_squares_alone(const Array& a, const Array& b, std::optional<double> rcond) {
  if (!wants_gradient(a) && !wants_gradient(b)) return least_squares_of(a, b, rcond)[0];
  const Argument least(real_number(rcond.value_or(0)));
  return matmul(pinv(a, rcond ? &least : nullptr, false), b);
}

Array matrix_rank(const Array& a, const Array* tol, const Argument* rtol, bool hermitian) {
  if (a.rank() < 2) return as_type(reduced(Reduction::any, not_equal(a, 0), all_axes(a)), DType::int64);
  Array s = svd(a, "n", hermitian)[0];
  Array counts = greater(s, tol ? expand_dims(*tol, tol->rank()) : limit_of(s, a, rtol));
  return sum(counts, last_axis(counts));
}

Array matrix_power(const Array& a, int64_t n) {
  check_square(a, "matrix_power");
  if (n == 0) {
    Array one = identity_beside(a, a.dtype());
    bool in_columns = a.layout().is_fortran() && !a.layout().is_contiguous();
    return copied(one.view(one.layout().broadcast_to(a.shape())), a.dtype(), in_columns ? Order::fortran : Order::c);
  }
  Array power = n < 0 ? inv(a) : a;
  if (n == 1) return copied(a, a.dtype(), Order::keep);
  std::optional<Array> out;
  for (uint64_t left = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n); left > 0; left >>= 1) {
    if (left & 1) out = out ? matmul(*out, power) : power;
    if (left > 1) power = matmul(power, power);
  }
  return *out;
}

Array norm(const Array& a, const Over& over) {
  Array x = in_reals(a);
  if (!is_complex(x.dtype())) return sqrt(sum(multiply(x, x), over));
  Array re = x.real(), im = x.imag();
  return sqrt(sum(add(multiply(re, re), multiply(im, im)), over));
}

Array vector_norm(const Array& a, const Scalar& ord, const Over& over) {
  if (ord.kind == WeakScalar::complex) raise(ErrorKind::type, "[norm] the order is complex; it must be a real number");
  double order = ord.kind == WeakScalar::real ? ord.re : static_cast<double>(ord.integer);
  if (order == 2) return norm(a, over);
  Array x = in_reals(a), size = absolute(x);
  if (order == HUGE_VAL) return largest_or_zero(size, over);
  if (order == -HUGE_VAL) return reduced(Reduction::minimum, size, over);
  if (order == 0) return sum(as_type(not_equal(x, 0), size.dtype()), over);
  if (order == 1) return sum(size, over);
  Scalar root = real_number(1 / order);  // of the order's type, if it has one
  root.is_weak = ord.is_weak;
  root.dtype = is_whole(ord.dtype) ? DType::float64 : ord.dtype;
  if (root.dtype == DType::float32) root.re = static_cast<float>(root.re);
  return raised(sum(raised(size, ord), over), root);
}

Array matrix_norm(const Array& a, MatrixNorm which, size_t row, size_t column, bool keep_dims) {
  if (row == column) raise(ErrorKind::value, "[norm] Duplicate axes given.");
  check_stack(a, "norm");
  return norm_of_planes(in_reals(a), which, row, column, keep_dims, "n");
}

Array cond(const Array& a, MatrixNorm which) {
  check_stack(a, "cond");
  if (last_size(a) == 0 || rows_of(a) == 0) raise(ErrorKind::algebra, "[cond] cond is not defined on empty arrays");
  Array given = in_work_type(a), out;
  // Where there is no inverse, and where values do not converge, is NaN.
  if (which == MatrixNorm::largest_value || which == MatrixNorm::smallest_value) {
    Array s = factored("svd", given, "nq")[0];
    Array most = element(s, -1, 0), least = element(s, -1, last_size(s) - 1);
    out = which == MatrixNorm::largest_value ? true_divide(most, least) : true_divide(least, most);
  } else {
    check_square(a, "cond");
    auto size = [&](const Array& x) { return norm_of_planes(x, which, x.rank() - 2, x.rank() - 1, false, "nq"); };
    out = multiply(size(given), size(solved(given, identity_beside(a, given.dtype()), "q")));
  }
  // 0 / 0 is infinite too, unless there was a NaN.
  Over planes{std::vector<bool>(a.rank(), false)};
  planes.axes[a.rank() - 2] = planes.axes[a.rank() - 1] = true;
  Array had_nan = reduced(Reduction::any, isnan(given), planes);
  Array lost = logical_and(isnan(out), logical_not(had_nan));
  return as_type(where(lost, HUGE_VAL, out), out.dtype());
}

}  // namespace quern::linalg
