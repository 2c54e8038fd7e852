#include "functions/matrices.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "core/error.h"
#include "core/room.h"
#include "functions/parts.h"
#include "functions/reductions.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/calls/matmul.h"

namespace quern {

using namespace steps;

namespace {

Array flat(const Array& a) { return a.rank() == 1 ? a : reshape(a, {a.size()}); }

size_t checked(const char* name, const Array& a, int64_t axis) {
  auto rank = static_cast<int64_t>(a.rank());
  if (axis < -rank || axis >= rank)
    raise(ErrorKind::index, "[{}] axis {} is out of bounds for an array of {} dimension{}", name, axis, rank,
          rank == 1 ? "" : "s");
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

void check_rank(const char* name, const Array& a, size_t least) {
  if (a.rank() < least) raise(ErrorKind::value, "[{}] the array has {} axes; it must have {} or more", name, a.rank(), least);
}

void check_sizes(const char* name, const Array& a, const Array& b, int64_t left, int64_t right) {
  if (left != right)
    raise(ErrorKind::value, "[{}] shapes {} and {} not aligned: {} != {}", name, to_string(a.shape()), to_string(b.shape()), left,
          right);
}

// Two or three components of vectors, which are the last axis.
std::vector<Array> components(const Array& vectors, size_t axis, DType dtype) {
  Array lines = as_type(with_last(vectors, axis), dtype);
  if (last_size(lines) != 2 && last_size(lines) != 3)
    raise(ErrorKind::value, "[cross] the vectors have {} components; they must have three, or two", last_size(lines));
  std::vector<Array> out;
  for (int64_t n = 0; n < last_size(lines); ++n) out.push_back(element(lines, -1, n));
  return out;
}

int64_t count_of(const Shape& sizes) { return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>()); }

}  // namespace

Array triangle(const Array& array, int64_t k, bool lower) {
  if (array.rank() == 0) raise(ErrorKind::type, "[{}] the array has no axes; it must have two or more", lower ? "tril" : "triu");
  int64_t columns = last_size(array), rows = array.rank() > 1 ? array.shape()[array.rank() - 2] : columns;
  Array row = reshape(arange(rows, array.device()), {rows, 1});
  Array below = greater_equal(add(row, lower ? k : k - 1), arange(columns, array.device()));
  Array zero = full({1}, whole(0), array.dtype(), array.device());
  return lower ? where(below, array, zero) : where(below, zero, array);
}

Array diagonal(const Array& array, int64_t k, size_t axis1, size_t axis2) {
  check_rank("diagonal", array, 2);
  if (axis1 == axis2) raise(ErrorKind::value, "[diagonal] axis1 and axis2 cannot be the same");
  Layout part = sliced(array.layout(), k >= 0 ? axis2 : axis1, std::abs(k), {}, 1), out;
  out.offset = part.offset;
  for (size_t n = 0; n < array.rank(); ++n) {
    if (n == axis1 || n == axis2) continue;
    out.shape.push_back(part.shape[n]);
    out.strides.push_back(part.strides[n]);
  }
  out.shape.push_back(std::min(part.shape[axis1], part.shape[axis2]));
  out.strides.push_back(part.strides[axis1] + part.strides[axis2]);
  return array.view(std::move(out));
}

Array diagonal_or_matrix(const Array& array, int64_t k) {
  if (array.rank() == 2) return diagonal(array, k, 0, 1);
  if (array.rank() != 1) raise(ErrorKind::value, "[diag] the array has {} axes; it must have one or two", array.rank());
  int64_t n = array.size() + std::abs(k);
  Array out = full({n, n}, whole(0), array.dtype(), array.device());
  assign(diagonal(out, k, 0, 1), Argument(array));
  return out;
}

// The same of any array, whose elements are put on the diagonal; in torch's spelling the diagonal is a copy.
Array matrix_of_all(const Array& array, int64_t k) { return diagonal_or_matrix(flat(array), k); }
Array diagonal_copy_or_matrix(const Array& array, int64_t k) {
  Array out = diagonal_or_matrix(array, k);
  return array.rank() == 2 ? copied(out, out.dtype()) : out;
}

static Plane last_two(const Array& array) {
  check_rank("diagonal", array, 2);
  return {array.rank() - 2, array.rank() - 1};
}
Array diagonal_of_plane(const Array& array, int64_t k, Plane plane) { return diagonal(array, k, plane.axis1, plane.axis2); }
Array diagonal_of_matrices(const Array& array, int64_t k) { return diagonal_of_plane(array, k, last_two(array)); }
Array diagonal_sum(const Array& array, int64_t k, Plane plane, std::optional<DType> dtype) {
  Array line = diagonal_of_plane(array, k, plane);
  Over over{std::vector<bool>(line.rank(), false), false, dtype};
  over.axes.back() = true;
  return sum(line, over);
}
Array diagonal_sum_of_matrices(const Array& array, int64_t k, std::optional<DType> dtype) {
  return diagonal_sum(array, k, last_two(array), dtype);
}

// Matrices with the elements of the last axis on a diagonal; they are in `plane` of the result.
Array embedded_diagonal(const Array& array, int64_t k, Plane plane) {
  const size_t rank = array.rank() + 1;
  Shape shape = array.shape();
  shape.back() += std::abs(k);
  shape.push_back(shape.back());
  Array out = full(shape, whole(0), array.dtype(), array.device());
  assign(diagonal(out, k, rank - 2, rank - 1), Argument(array));
  const bool is_turned = plane.axis1 > plane.axis2;
  if (is_turned) std::swap(plane.axis1, plane.axis2);
  Array moved_to = moveaxis(moveaxis(out, rank - 2, plane.axis1), rank - 1, plane.axis2);
  return is_turned ? swapped_axes(moved_to, plane.axis1, plane.axis2) : moved_to;
}

Array lower_triangle(const Array& array, DiagonalNumber k) { return triangle(array, -static_cast<int64_t>(-k.value), true); }
Array upper_triangle(const Array& array, DiagonalNumber k) {
  return triangle(array, 1 - static_cast<int64_t>(1 - k.value), false);
}

static int64_t columns_of(const Array& vector, std::optional<int64_t> wanted) {
  if (vector.rank() != 1) raise(ErrorKind::value, "x must be a one-dimensional array or sequence.");
  const int64_t columns = wanted.value_or(vector.size());
  if (columns < 0) raise(ErrorKind::value, "N must be non-negative, not {}", columns);
  return columns;
}

static Array columns_of_powers(const Array& vector, int64_t columns, bool rising, DType dtype) {
  int64_t size = 0;  // refused before there is a step for each column
  if (__builtin_mul_overflow(vector.size(), columns, &size)) size = std::numeric_limits<int64_t>::max();
  check_room(size, dtype, vector.device());
  Array out = full({vector.size(), columns}, whole(1), dtype, vector.device());
  Array x = as_type(vector, dtype), power = x;
  for (int64_t n = 1; n < columns; ++n) {
    assign(element(out, -1, rising ? n : columns - 1 - n), Argument(power));
    power = multiply(power, x);
  }
  return out;
}

// Columns of powers of a vector, falling unless `rising`; as many as it has elements where nothing else is asked for.
Array powers_in_columns(const Rules& rules, const Array& vector, std::optional<int64_t> wanted, bool rising) {
  const bool is_torchs = rules.types == TypeRules::torch;
  if (is_torchs && vector.rank() != 1) raise(ErrorKind::runtime, "x must be a one-dimensional tensor.");
  if (is_torchs && wanted.value_or(0) < 0) raise(ErrorKind::runtime, "N must be non-negative.");
  const int64_t columns = columns_of(vector, wanted);
  const bool keeps_type = is_torchs && !is_whole(vector.dtype()), is_int64 = is_torchs && is_whole(vector.dtype());
  const DType dtype = keeps_type ? vector.dtype() : is_int64 ? DType::int64 : common(vector.dtype(), DType::int64);
  return columns_of_powers(vector, columns, rising, dtype);
}

// The same in the vector's own type.
Array powers_in_type(const Array& vector, std::optional<int64_t> wanted, bool rising) {
  const DType type = vector.dtype();
  if (type == DType::boolean) raise(ErrorKind::type, "[vander] dtype bool is not supported; convert with cast()");
  return as_type(columns_of_powers(vector, columns_of(vector, wanted), rising, wide_type(type)), type);
}

Array sum_of_products(const Array& a, const Array& b) {
  if (a.dtype() == DType::boolean && b.dtype() == DType::boolean) return reduced(Reduction::any, bitwise_and(a, b));
  Array product = multiply(a, b);
  return reduced(Reduction::sum, product, -1, false, product.dtype());
}

Array product_over(const Array& a, const Array& b, int64_t axis) {
  if (a.rank() == 0 || b.rank() == 0) return multiply(a, b);
  check_sizes("dot", a, b, last_size(a), b.shape()[checked("dot", b, axis)]);
  // On the CPU the library's sums of products are faster than a kernel's, small ones by far.
  const bool by_library = a.dtype() == b.dtype() && (a.dtype() == DType::float32 || a.dtype() == DType::float64);
  if (a.rank() == 1 && b.rank() == 1) return by_library && a.device().is_cpu() ? matmul(a, b) : sum_of_products(a, b);
  return tensordot(a, b, {-1}, {axis});
}
Array dot(const Array& a, const Array& b) { return product_over(a, b, b.rank() > 1 ? -2 : -1); }
Array product_of_alike(const Alike& of) { return matmul(of.a, of.b); }
Array dot_of_alike(const Alike& of) { return dot(of.a, of.b); }
Array inner(const Rules& rules, const Array& a, const Array& b) {
  return a.rank() == 0 || b.rank() == 0 ? rules(Op::multiply, a, b) : product_over(a, b, -1);
}

Array vdot(const Array& a, const Array& b) {
  check_sizes("vdot", a, b, a.size(), b.size());
  return sum_of_products(conj(flat(a)), flat(b));
}

Array outer(const Rules& rules, const Array& a, const Array& b) {
  return rules(Op::multiply, reshape(a, {a.size(), 1}), reshape(b, {1, b.size()}));
}

Array vdot_of_alike(const Alike& of) { return vdot(of.a, of.b); }
Array inner_of_alike(const Rules& rules, const Alike& of) { return inner(rules, of.a, of.b); }
Array outer_of_alike(const Rules& rules, const Alike& of) { return outer(rules, of.a, of.b); }

Array outer_of_vectors(const Rules& rules, const Array& a, const Array& b) {
  if (a.rank() != 1 || b.rank() != 1)
    raise(ErrorKind::value, "Input arrays must be one-dimensional, but they are x1.ndim={} and x2.ndim={}.", a.rank(), b.rank());
  return outer(rules, a, b);
}

Array tensordot(const Array& a, const Array& b, const std::vector<int64_t>& axes_of_a, const std::vector<int64_t>& axes_of_b) {
  if (axes_of_a.size() != axes_of_b.size())
    raise(ErrorKind::value, "[tensordot] shape-mismatch for sum: {} axes of `a` and {} of `b`", axes_of_a.size(),
          axes_of_b.size());
  std::vector<int> left, right, rows, columns;
  int64_t inner = 1;
  for (size_t i = 0; i < axes_of_a.size(); ++i) {
    size_t n = checked("tensordot", a, axes_of_a[i]), m = checked("tensordot", b, axes_of_b[i]);
    check_sizes("tensordot", a, b, a.shape()[n], b.shape()[m]);
    left.push_back(static_cast<int>(n));
    right.push_back(static_cast<int>(m));
    inner *= a.shape()[n];
  }
  Shape shape;
  auto others = [&](const Array& array, const std::vector<int>& gone, std::vector<int>& out) {
    size_t before = shape.size();
    for (int n = 0; n < static_cast<int>(array.rank()); ++n) {
      auto times = std::count(gone.begin(), gone.end(), n);
      if (times > 1) raise(ErrorKind::value, "[tensordot] axis {} is repeated", n);
      if (times == 1) continue;
      out.push_back(n);
      shape.push_back(array.shape()[static_cast<size_t>(n)]);
    }
    return count_of(Shape(shape.begin() + static_cast<ptrdiff_t>(before), shape.end()));
  };
  int64_t height = others(a, left, rows), width = others(b, right, columns);
  rows.insert(rows.end(), left.begin(), left.end());
  right.insert(right.end(), columns.begin(), columns.end());
  return reshape(matmul(reshape(transpose(a, rows), {height, inner}), reshape(transpose(b, right), {inner, width})), shape);
}

DotAxes DotAxes::named() const {
  DotAxes out{{}, of_a, of_b};
  for (int64_t i = 0; count && i < *count; ++i) {
    out.of_a.push_back(i - *count);
    out.of_b.push_back(i);
  }
  return out;
}

Array contracted(const Array& a, const Array& b, const DotAxes& axes) {
  DotAxes named = axes.named();
  return tensordot(a, b, named.of_a, named.of_b);
}
Array contraction_of_alike(const Alike& of, const DotAxes& axes) { return contracted(of.a, of.b, axes); }

// The same, where one element stands for all of the other's axis.
Array contracted_with_ones(const Array& a, const Array& b, const DotAxes& axes) {
  DotAxes named = axes.named();
  Array x = a, y = b;
  auto summed = [](const Array& array, size_t axis) {
    return reduced(Reduction::sum, array, static_cast<int>(axis), true, array.dtype());
  };
  for (size_t i = 0; i < named.of_a.size(); ++i) {
    const size_t n = checked("tensordot", x, named.of_a[i]), m = checked("tensordot", y, named.of_b[i]);
    const bool has_one = x.shape()[n] == 1, other_has_one = y.shape()[m] == 1;
    if (has_one && !other_has_one) y = summed(y, m);
    if (other_has_one && !has_one) x = summed(x, n);
  }
  return tensordot(x, y, named.of_a, named.of_b);
}

Array cross(const Array& a, const Array& b, size_t axis_of_a, size_t axis_of_b, size_t axis) {
  DType dtype = common(a.dtype(), b.dtype());
  std::vector<Array> x = components(a, axis_of_a, dtype), y = components(b, axis_of_b, dtype);
  auto part = [&](size_t i, size_t j) -> std::optional<Array> {  // x[i] y[j] - x[j] y[i]; what is missing is 0
    bool first = i < x.size() && j < y.size(), second = j < x.size() && i < y.size();
    if (first && second) return subtract(multiply(x[i], y[j]), multiply(x[j], y[i]));
    if (first) return multiply(x[i], y[j]);
    if (second) return negative(multiply(x[j], y[i]));
    return std::nullopt;
  };
  Array third = *part(0, 1);
  if (x.size() == 2 && y.size() == 2) return copied(third, dtype);
  Shape shape = third.shape();
  shape.push_back(3);
  Array out = full(shape, whole(0), dtype, a.device());
  assign(element(out, -1, 0), Argument(*part(1, 2)));
  assign(element(out, -1, 1), Argument(*part(2, 0)));
  assign(element(out, -1, 2), Argument(third));
  return from_last(out, axis);
}

Array crossed(const Array& a, const Array& b, const CrossAxes& axes) {
  Array out = cross(a, b, axes.of_a, axes.of_b, axes.of_result);
  out.set_value(false);
  return out;
}

Array cross_of_alike(const AlikeArrays& of, const CrossAxes& axes) { return crossed(of.a, *of.b, axes); }

Array cross_of_three(const Array& a, const Array& b, const CrossAxes& axes) {
  const int64_t left = a.shape()[axes.of_a], right = b.shape()[axes.of_b];
  if (left != 3 || right != 3)
    raise(ErrorKind::value,
          "Both input arrays must be (arrays of) 3-dimensional vectors, but they are {} and {} dimensional instead.", left,
          right);
  return crossed(a, b, axes);
}

// Of arrays of one rank that broadcast, along one axis; none: the first of three elements.
Array cross_along(const Array& a, const Array& b, std::optional<size_t> axis) {
  const Shape& shape = a.shape();
  const size_t along = axis ? *axis : static_cast<size_t>(std::find(shape.begin(), shape.end(), 3) - shape.begin());
  if (along == shape.size()) raise(ErrorKind::value, "[cross] no axis has three elements; pass `axis`");
  std::vector<Array> both{a, b};
  both = broadcast_together(both);
  return in_result_order(cross(both[0], both[1], along, along, along));
}

// beta a + alpha product
static Array weighted(const Rules& rules, const Array& a, const Array& product, const Argument& beta, const Argument& alpha) {
  const DType type = product.dtype();
  if (const DType wide = wide_type(type); wide != type && a.dtype() == type)
    return as_type(weighted(rules, as_type(a, wide), as_type(product, wide), beta, alpha), type);
  auto number = [](const Argument& given) {
    const Scalar& scalar = given.scalar();
    return scalar.kind == WeakScalar::real || scalar.kind == WeakScalar::complex ? scalar.re
                                                                                 : static_cast<double>(scalar.integer);
  };
  if (is_whole(type) && a.dtype() == type) {
    auto times = [&](const Array& array, const Argument& given) {
      if (type == DType::boolean)
        return number(given) != 0 ? array : rules(Op::logical_and, array, rules(Op::logical_not, array));
      return rules(Op::multiply, array, fitted_as_torch(given.scalar(), type));
    };
    return as_type(rules(Op::add, times(a, beta), times(product, alpha)), type);
  }
  auto is = [&](const Argument& given, double value) { return number(given) == value && given.scalar().im == 0; };
  for (const Argument* factor : {&alpha, &beta}) fitted_as_torch(factor->scalar(), wide_type(type));
  Array right = is(alpha, 1) ? product : rules(Op::multiply, product, alpha);
  if (is(beta, 0)) {  // not even its NaN: but it has a gradient, of zeros
    if (!wants_gradient(a)) return right;
    const Array never = full({}, Scalar{}, DType::boolean, a.device());
    return rules(Op::add, right, rules(Op::where, never, a, 0.0));
  }
  return rules(Op::add, is(beta, 1) ? a : rules(Op::multiply, a, beta), right);
}

// beta a + alpha (x @ y), and with the sum of a stack's products, and with the outer product of vectors. Where beta is 0, a does
// not count. Of integers and bools the factors are, too.
Array plus_matmul(const Rules& rules, const Array& a, const Array& x, const Array& y, const Argument& beta,
                  const Argument& alpha) {
  return weighted(rules, a, matmul(x, y), beta, alpha);
}
Array plus_summed_matmul(const Rules& rules, const Array& a, const Array& x, const Array& y, const Argument& beta,
                         const Argument& alpha) {
  return weighted(rules, a, reduced(Reduction::sum, matmul(x, y), 0, false, x.dtype()), beta, alpha);
}
Array plus_outer(const Rules& rules, const Array& a, const Array& x, const Array& y, const Argument& beta,
                 const Argument& alpha) {
  return weighted(rules, a, outer(rules, x, y), beta, alpha);
}

Array vecdot(const Array& a, const Array& b) {
  check_rank("vecdot", a, 1);
  check_rank("vecdot", b, 1);
  check_sizes("vecdot", a, b, last_size(a), last_size(b));
  return sum_of_products(conj(a), b);
}

Array matvec(const Array& a, const Array& b) {
  check_rank("matvec", a, 2);
  check_rank("matvec", b, 1);
  check_sizes("matvec", a, b, last_size(a), last_size(b));
  return element(matmul(a, expand_dims(b, b.rank())), -1, 0);
}

Array vecmat(const Array& a, const Array& b) {
  check_rank("vecmat", a, 1);
  check_rank("vecmat", b, 2);
  check_sizes("vecmat", a, b, last_size(a), b.shape()[b.rank() - 2]);
  return element(matmul(expand_dims(conj(a), a.rank() - 1), b), -2, 0);
}

}  // namespace quern
