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
#include "run/calls/matmul.h"

namespace quern::linalg {

using namespace steps;

namespace {

bool is_short(DType type) { return type == DType::float16 || type == DType::bfloat16; }

// LAPACK has no status for matrices without elements.
WithStatus with_status(const Array& a, std::vector<Array>&& both, bool has_status, bool is_checked) {
  if (last_size(a) > 0) return {{both[0]}, both[1], has_status, is_checked};
  Shape stack(a.shape().begin(), a.shape().end() - 2);
  return {{both[0]}, full(stack, whole(0), DType::int32, a.device()), has_status, is_checked};
}

}  // namespace

// The extreme of no elements, and powers of their norm below 0, are no numbers.
static void check_has_elements(const Array& x, double order, const std::optional<Axes>& axes) {
  if (x.size() > 0 || (order >= 0 && !std::isinf(order))) return;
  if (!axes || axes->empty())
    raise(ErrorKind::runtime,
          "linalg.vector_norm cannot compute the {} norm on an empty tensor because the operation does not have an identity",
          order);
  for (size_t axis : *axes)
    if (axis < x.rank() && x.shape()[axis] == 0)
      raise(ErrorKind::runtime,
            "linalg.vector_norm cannot compute the {} norm on the dimension {} because this dimension is empty and the operation "
            "does not have an identity",
            order, axis);
}

Array tensor_vector_norm(const Array& a, const NormOrder& order, const std::optional<Axes>& axes, bool keep_dims,
                         std::optional<DType> dtype) {
  const Array x = dtype ? as_type(a, *dtype) : a;
  Over over{std::vector<bool>(x.rank(), !axes || axes->empty()), keep_dims};
  for (size_t axis : axes ? *axes : Axes())
    if (axis < x.rank()) over.axes[axis] = true;
  const Scalar number = order.number.value_or(whole(2));
  check_has_elements(x, value_of(number), axes);
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
    WithStatus out = solution_and_status(matrix_transpose(a), matrix_transpose(b), true, check_errors);
    out.results[0] = matrix_transpose(out.results[0]);
    return out;
  }
  const Array right = has_vectors(a, b) && b.rank() > 1 ? expand_dims(b, b.rank()) : b;
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
    power = add(power, reduced(Reduction::sum, nothing));
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
  const Array places = arange(m, a.device());
  const Array swaps = as_type(equal(expand_dims(places, 1), expand_dims(f[2], f[2].rank() - 1)), a.dtype());
  const Array ones = as_type(equal(expand_dims(places, 1), arange(least, a.device())), a.dtype());
  const Array lower = add(triangle(part(f[0], -1, 0, least), -1, true), ones);
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

// The first columns of U and V (not V^H) alone, unless all are asked for; of Q likewise.
Factors old_singular_factors(const Array& a, bool some) {
  Factors out = tensor_singular_factors(a, !some);
  out.arrays[2] = adjoint(out.arrays[2]);
  return out;
}
Factors old_orthogonal_factors(const Array& a, bool some) { return orthogonal_factors(a, some ? "reduced" : "complete"); }

// NaN where the determinant is negative.
Array log_determinant(const Array& a) {
  std::vector<Array> f = factored("slogdet", a, "");
  if (is_complex(a.dtype())) return add(log(f[0]), f[1]);
  return as_type(where(less(f[0], 0), std::nan(""), f[1]), f[1].dtype());
}

// Sums over an axis, counted in the result's axes, of the products with the first conjugated.
Array product_along(const Rules& rules, const Array& a, const Array& b, int64_t axis) {
  Array product = rules(Op::multiply, conj(a), b);
  return product.rank() == 0 ? product : reduced(Reduction::sum, product, static_cast<int>(axis), false, product.dtype());
}

Array condition_of_tensor(const Array& a, const NormOrder& order) {
  if (a.size() == 0) {  // 0 of matrices without elements
    std::vector<bool> planes(a.rank(), false);
    planes[a.rank() - 2] = planes[a.rank() - 1] = true;
    return reduce(Reduction::sum, absolute(a), planes, false);
  }
  const double number = order.number ? value_of(*order.number) : 2;
  if (order.name.empty() && std::abs(number) == 2) {
    const Array values = singular_values(a), most = element(values, -1, 0), least = element(values, -1, last_size(values) - 1);
    return number > 0 ? true_divide(most, least) : true_divide(least, most);
  }
  const WithStatus inverse = inverse_and_status(a, false);
  auto size = [&](const Array& x) { return tensor_matrix_norm(x, order, Axes{a.rank() - 2, a.rank() - 1}, false, {}); };
  const Array is_singular = not_equal(inverse.status, 0);
  const Array finite = as_type(where(of_matrices(is_singular), 0, inverse.results[0]), a.dtype());  // which an SVD needs
  const Array made = multiply(size(a), size(finite));
  return as_type(where(is_singular, HUGE_VAL, made), made.dtype());
}

// The other triangle is not read, and with `has_ones` nor is the diagonal.
Array triangular_solution(const Array& a, const Array& b, bool upper, bool left, bool has_ones) {
  Array factor = triangle(a, has_ones ? (upper ? 1 : -1) : 0, !upper);
  if (has_ones) {
    const Array places = arange(last_size(a), a.device());
    factor = where(equal(expand_dims(places, 1), places), 1, factor);
    factor = as_type(factor, a.dtype());
  }
  Array right = b;
  while (right.rank() < a.rank()) right = expand_dims(right, 0);
  return solution_and_status(factor, right, left, false).results[0];
}

// Keras's: `b` may hold a vector for each matrix.
Array solution_by_triangle(const Array& a, const Array& b, bool lower) {
  const Array factor = triangle(a, 0, lower);
  return has_vectors(a, b) ? element(solve(factor, expand_dims(b, b.rank())), -1, 0) : solve(factor, b);
}
// Of the matrix whose Cholesky factor is given.
Array inverse_by_factor(const Array& a, bool upper) {
  const Array inverse = inv(triangle(a, 0, !upper)), turned = matrix_transpose(inverse);
  return upper ? matmul(inverse, turned) : matmul(turned, inverse);
}

// The triangle of a factor, without what the other one holds; its derivative is that of the whole matrix, as PyTorch has it.
static Array triangle_of(const Array& factor, bool upper) {
  const Array shown = detached(factor), kept = triangle(shown, 0, !upper);
  return wants_gradient(factor) ? add(kept, subtract(factor, shown)) : kept;
}

Array cholesky_solution(const Array& b, const Array& given, bool upper) {
  const Array factor = triangle_of(given, upper);
  const Array product = upper ? matmul(adjoint(factor), factor) : matmul(factor, adjoint(factor));
  Array right = b;
  while (right.rank() < product.rank()) right = expand_dims(right, 0);
  return solution_and_status(product, right, true, false).results[0];
}

// By scaling, a series and squaring (Higham, 2005). This waits for the size of the matrices.
Array matrix_exponential(const Array& a) {
  if (a.size() == 0) return copied(a, a.dtype());
  // Each squaring doubles the rounding errors: no more of them than the series needs.
  const NormOrder sums{whole(1), {}, true};
  const Array sizes = tensor_matrix_norm(detached(a), sums, Axes{a.rank() - 2, a.rank() - 1}, false, {});
  const std::vector<double> each = values_of<double>(sizes);
  const double largest = *std::max_element(each.begin(), each.end());
  const int times = std::isfinite(largest) ? std::max(0, static_cast<int>(std::ceil(std::log2(std::max(largest, 1e-30))))) : 0;
  const Array x = multiply(a, std::ldexp(1.0, -times));
  const Array one = matrix_power(detached(a), 0);
  const bool is_double = a.dtype() == DType::float64 || a.dtype() == DType::complex128;
  Array made = one;
  for (int k = is_double ? 18 : 12; k > 0; --k)  // Horner's scheme: the smallest terms first
    made = add(one, multiply(matmul(x, made), 1.0 / k));
  for (int k = 0; k < times; ++k) made = matmul(made, made);
  return made;
}

static int64_t product(Shape::const_iterator from, Shape::const_iterator to) {
  int64_t out = 1;
  for (; from != to; ++from) out *= *from;
  return out;
}

WithStatus checked_tensor_inverse(const Array& a, int64_t count) {
  if (count <= 0) raise(ErrorKind::value, "Expected a strictly positive integer for 'ind', but got {}", count);
  const auto cut = a.shape().begin() + std::min(count, static_cast<int64_t>(a.rank()));
  const int64_t rows = product(a.shape().begin(), cut), columns = product(cut, a.shape().end());
  if (rows != columns)
    raise(ErrorKind::value,
          "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {} != {}", columns,
          rows);
  Shape shape(cut, a.shape().end());
  shape.insert(shape.end(), a.shape().begin(), cut);
  WithStatus out = checked_inverse(reshape(a, {rows, columns}));
  out.results[0] = reshape(out.results[0], shape);
  return out;
}

WithStatus checked_tensor_solution(const Array& a, const Array& b, const std::optional<Axes>& axes) {
  std::vector<int> order;
  for (size_t n = 0; n < a.rank(); ++n)
    if (!axes || std::find(axes->begin(), axes->end(), n) == axes->end()) order.push_back(static_cast<int>(n));
  for (size_t n : axes ? *axes : Axes()) order.push_back(static_cast<int>(n));
  const Array whole = transpose(a, order);
  const auto cut = whole.shape().begin() + static_cast<ptrdiff_t>(std::min(a.rank(), b.rank()));
  const Shape shape(cut, whole.shape().end());
  const int64_t columns = product(shape.begin(), shape.end());
  if (columns != b.size())
    raise(ErrorKind::value,
          "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got {} "
          "!= {}",
          columns, b.size());
  WithStatus out = checked_solution(reshape(whole, {columns, columns}), reshape(b, {b.size()}), true);
  out.results[0] = reshape(out.results[0], shape);
  return out;
}

// The results of each matrix of a stack, as one array.
static Array joined(const std::vector<Array>& parts, const Shape& shape, DType dtype, DeviceId device) {
  if (parts.empty()) return full(shape, whole(0), dtype, device);
  return reshape(as_type(stacked_along(parts, NewAxis{0}, {}), dtype), shape);
}

Factors least_squares(const Array& a, const Array& b, std::optional<double> rcond, std::optional<std::string_view> driver) {
  const bool is_vector = has_vectors(a, b);
  const Array right = is_vector ? expand_dims(b, b.rank()) : b;
  const int64_t m = a.shape()[a.rank() - 2], n = last_size(a), k = last_size(right);
  const DType real = real_part_type(a.dtype());
  Shape stacks[] = {Shape(a.shape().begin(), a.shape().end() - 2), Shape(right.shape().begin(), right.shape().end() - 2)};
  const Shape lead = broadcast_shapes(stacks);
  const int64_t count = product(lead.begin(), lead.end());
  auto with = [&](std::initializer_list<int64_t> more) {
    Shape shape = lead;
    shape.insert(shape.end(), more);
    return shape;
  };
  auto each = [&](const Array& x, int64_t columns) {
    const Array plain = detached(x);
    return reshape(plain.view(plain.layout().broadcast_to(with({m, columns}))), {count, m, columns});
  };
  const Array left = each(a, n), sides = each(right, k);
  std::vector<Array> solutions, ranks, values;
  for (int64_t i = 0; i < count && m > 0 && n > 0; ++i) {
    std::vector<Array> f = lstsq(element(left, 0, i), element(sides, 0, i), rcond);
    solutions.push_back(f[0]), ranks.push_back(f[2]), values.push_back(f[3]);
  }
  Array x = joined(solutions, with({n, k}), a.dtype(), a.device());
  if (GradientMode::is_on() && (wants_gradient(a) || wants_gradient(b))) {  // what is added is 0, with the derivative
    const Array same = matmul(pinv(a, nullptr, false), right);
    x = add(x, subtract(same, detached(same)));
  }
  Array rank = joined(ranks, lead, DType::int64, a.device()), nothing = full({0}, whole(0), real, a.device()), rest = nothing;
  const std::string_view by = driver.value_or("");
  if (m > n && !by.empty() && by != "gelsy") {
    const std::vector<int64_t> found = values_of<int64_t>(rank);
    Array away = subtract(matmul(a, x), right);
    if (std::all_of(found.begin(), found.end(), [&](int64_t one) { return one == n; }))
      rest = reduced(Reduction::sum, as_type(square(absolute(away)), real), -2);
  }
  const bool has_values = by == "gelsd" || by == "gelss";
  if (is_vector) x = element(x, -1, 0);
  return {{x, rest, by == "gels" ? full({0}, whole(0), DType::int64, a.device()) : rank,
           has_values ? joined(values, with({std::min(m, n)}), real, a.device()) : nothing}};
}

// The product of one or more matrices.
Array product_of_chain(const std::vector<Array>& arrays) { return arrays.size() == 1 ? arrays[0] : product_of_all(arrays); }

// Counts singular values above `tol`, or else above the larger of `atol` and `rtol` times the largest.
Array tensor_rank(const Array& a, const Argument* tol, const Argument* atol, const Argument* rtol, bool hermitian) {
  const Array values = hermitian ? absolute(factored("eigh", a, "L")[0]) : svd(a, "n", false)[0];
  auto column = [&](const Argument& limit) {
    if (!limit.array()) return full({}, limit.scalar(), values.dtype(), a.device());
    return expand_dims(*limit.array(), limit.array()->rank());
  };
  auto count_above = [&](const Array& limit) { return reduced(Reduction::sum, greater(values, limit), -1, false, DType::int64); };
  if (tol) return count_above(column(*tol));
  if (last_size(values) == 0) return count_above(column(operand(0)));
  const bool is_single = values.dtype() == DType::float32;
  const double step = is_single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double usual = step * static_cast<double>(std::max(a.shape()[a.rank() - 1], a.shape()[a.rank() - 2]));
  Array limit = reduced(Reduction::maximum, values, -1, true);
  limit = multiply(limit, rtol ? column(*rtol) : column(operand(usual)));
  if (!atol) return count_above(limit);
  if (!rtol) limit = as_type(where(greater(column(*atol), 0), 0, limit), values.dtype());
  return count_above(maximum(limit, as_type(column(*atol), values.dtype())));
}

}  // namespace quern::linalg
