#include "functions/matrix_calls.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/error.h"
#include "functions/matrices.h"
#include "functions/reductions.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/matmul.h"

namespace quern::linalg {

using namespace steps;

double value_of(const Scalar& number) {
  return number.kind == WeakScalar::real || number.kind == WeakScalar::complex ? number.re : static_cast<double>(number.integer);
}

namespace {

MatrixNorm matrix_norm_of(const NormOrder& order) {
  static const std::map<double, MatrixNorm> numbers = {
      {2, MatrixNorm::largest_value},    {-2, MatrixNorm::smallest_value},    {1, MatrixNorm::largest_column},
      {-1, MatrixNorm::smallest_column}, {HUGE_VAL, MatrixNorm::largest_row}, {-HUGE_VAL, MatrixNorm::smallest_row}};
  if (order.is_none() || order.name == "f" || order.name == "fro") return MatrixNorm::frobenius;
  if (order.name == "nuc") return MatrixNorm::nuclear;
  const bool is_real = order.number && order.number->kind != WeakScalar::complex;
  auto found = is_real ? numbers.find(value_of(*order.number)) : numbers.end();
  if (found == numbers.end()) raise(ErrorKind::value, "Invalid norm order for matrices.");
  return found->second;
}

Over over_axes(const Array& a, const Axes& axes, bool keep_dims) {
  Over over{std::vector<bool>(a.rank(), false), keep_dims};
  for (size_t axis : axes) over.axes[axis] = true;
  return over;
}

Axes every_axis(const Array& a) {
  Axes axes(a.rank());
  std::iota(axes.begin(), axes.end(), size_t{0});
  return axes;
}

Array norm_of_lines(const Array& a, const NormOrder& order, const Over& over) {
  if (order.is_none()) return norm(a, over);
  if (order.number) return vector_norm(a, *order.number, over);
  if (order.name.empty()) raise(ErrorKind::value, "Invalid norm order for vectors.");
  raise(ErrorKind::value, "Invalid norm order '{}' for vectors", order.name);
}

}  // namespace

Array norm_by(const Array& a, const NormOrder& order, const std::optional<Axes>& axes, bool keep_dims) {
  if (!axes) {
    const bool is_frobenius = a.rank() == 2 && (order.name == "f" || order.name == "fro");
    const bool is_euclidean = a.rank() == 1 && order.number && value_of(*order.number) == 2;
    if (order.is_none() || is_frobenius || is_euclidean) return norm(a, over_axes(a, every_axis(a), keep_dims));
  }
  const Axes along = axes ? *axes : every_axis(a);
  if (along.size() == 1) return norm_of_lines(a, order, over_axes(a, along, keep_dims));
  if (along.size() == 2) return matrix_norm(a, matrix_norm_of(order), along[0], along[1], keep_dims);
  raise(ErrorKind::value, "Improper number of dimensions to norm.");
}

Array norm_of_matrices(const Array& a, bool keep_dims, const NormOrder& order) {
  if (a.rank() < 2)
    raise(ErrorKind::value, "[matrix_norm] {}-dimensional array given. Array must be at least two-dimensional", a.rank());
  return norm_by(a, order, Axes{a.rank() - 2, a.rank() - 1}, keep_dims);
}

Array norm_of_vectors(const Array& a, const std::optional<Axes>& axes, bool keep_dims, const NormOrder& order) {
  return norm_of_lines(a, order, over_axes(a, axes ? *axes : every_axis(a), keep_dims));
}

Array condition(const Array& a, const NormOrder& order) {
  if (order.is_none()) return cond(a, MatrixNorm::largest_value);
  const bool is_by_values = order.number && std::abs(value_of(*order.number)) == 2;
  if (!is_by_values && a.rank() >= 2 && a.shape()[a.rank() - 1] != a.shape()[a.rank() - 2])
    raise(ErrorKind::algebra, "[cond] the matrices must be square for that norm, not of shape {}", to_string(a.shape()));
  return cond(a, matrix_norm_of(order));
}

Factors sign_and_logarithm(const Array& a) { return {factored("slogdet", a, "")}; }

Array log_of_determinant(const Array& a) { return factored("slogdet", a, "")[1]; }

Array triangular_factor(const Array& a, bool upper) { return factored("cholesky", a, upper ? "u" : "l")[0]; }

Factors orthogonal_factors(const Array& a, std::optional<std::string_view> mode) {
  static constexpr std::pair<std::string_view, const char*> modes[] = {
      {"reduced", "e"}, {"complete", "c"}, {"r", "r"}, {"raw", "w"}, {"f", "e"}, {"full", "e"}, {"e", "w"}, {"economic", "w"}};
  const std::string_view asked = mode.value_or("reduced");
  const auto* found = std::find_if(std::begin(modes), std::end(modes), [&](const auto& one) { return one.first == asked; });
  if (found == std::end(modes)) raise(ErrorKind::value, "Unrecognized mode '{}'", asked);
  Factors out{factored("qr", a, found->second), asked != "raw"};
  if (asked.front() == 'e') out.arrays = {moveaxis(out.arrays[0], a.rank() - 2, a.rank() - 1)};  // NumPy's old mode
  return out;
}

static Factors symmetric(const Array& a, std::optional<std::string_view> triangle, bool with_vectors) {
  std::string mode(triangle.value_or("L"));
  std::transform(mode.begin(), mode.end(), mode.begin(), [](unsigned char c) { return std::toupper(c); });
  if (mode != "L" && mode != "U") raise(ErrorKind::value, "UPLO argument must be 'L' or 'U'");
  const bool is_half = a.dtype() == DType::float16;
  Factors out{factored("eigh", is_half ? astype(a, DType::float32) : a, mode + (with_vectors ? "v" : ""))};
  for (Array& one : out.arrays)
    if (is_half) one = astype(one, DType::float16);
  return out;
}
Factors symmetric_factors(const Array& a, std::optional<std::string_view> triangle) { return symmetric(a, triangle, true); }
Array symmetric_values(const Array& a, std::optional<std::string_view> triangle) {
  return symmetric(a, triangle, false).arrays[0];
}

static Factors general(const Array& a, Eigenvalues values, const char* mode) {
  Factors out{factored("eig", a, mode)};
  if (is_complex(a.dtype()) || !values.may_be_real) return out;
  Array imaginary = not_equal(out.arrays[0].imag(), 0);
  if (values_of<uint8_t>(reduce(Reduction::any, imaginary, std::vector<bool>(imaginary.rank(), true), false))[0]) return out;
  for (Array& one : out.arrays) {
    Array real = one.real();
    one = copied(real, real.dtype());
  }
  return out;
}
Factors general_factors(const Array& a, Eigenvalues values) { return general(a, values, "v"); }
Array general_values(const Array& a, Eigenvalues values) { return general(a, values, "").arrays[0]; }

Factors singular_factors(const Array& a, bool full_matrices, bool with_vectors, bool hermitian) {
  return {svd(a, !with_vectors ? "n" : full_matrices ? "a" : "s", hermitian)};
}
Array singular_values(const Array& a) { return svd(a, "n", false)[0]; }

Array pseudo_inverse(const Array& a, const Cutoff& limit, bool hermitian) {
  if (!limit.atol) return pinv(a, limit.value, hermitian);
  Array values = svd(detached(a), "n", hermitian)[0];
  Array relative = true_divide(*limit.atol, largest(values, last_axis(values), {}));
  if (limit.value) relative = maximum(relative, *limit.value);
  Argument both(relative);
  return pinv(a, &both, hermitian);
}

Array rank_above(const Array& a, const Array* tol, const Argument* rtol, bool hermitian) {
  if (tol && rtol) raise(ErrorKind::value, "`tol` and `rtol` can't be both set.");
  return matrix_rank(a, tol, rtol, hermitian);
}

// The best place to cut the product of matrices i to j, whose sizes are `sizes[i]` to `sizes[j + 1]`.
static std::map<std::pair<size_t, size_t>, size_t> cuts_of(const std::vector<double>& sizes) {
  const size_t count = sizes.size() - 1;
  std::map<std::pair<size_t, size_t>, double> least;
  std::map<std::pair<size_t, size_t>, size_t> cuts;
  for (size_t i = 0; i < count; ++i) least[{i, i}] = 0;
  for (size_t span = 1; span < count; ++span)
    for (size_t i = 0; i + span < count; ++i) {
      const size_t j = i + span;
      for (size_t k = i; k < j; ++k) {
        const double steps = least[{i, k}] + least[{k + 1, j}] + sizes[i] * sizes[k + 1] * sizes[j + 1];
        if (k > i && steps >= least[{i, j}]) continue;
        least[{i, j}] = steps;
        cuts[{i, j}] = k;
      }
    }
  return cuts;
}

Array product_of_all(const std::vector<Array>& arrays) {
  if (arrays.size() < 2) raise(ErrorKind::value, "Expecting at least two arrays.");
  std::vector<Array> matrices = arrays;
  const bool from_vector = arrays.front().rank() == 1, to_vector = arrays.back().rank() == 1;
  if (from_vector) matrices.front() = expand_dims(arrays.front(), 0);
  if (to_vector) matrices.back() = expand_dims(arrays.back(), 1);
  std::vector<double> sizes;
  for (const Array& one : matrices) {
    if (one.rank() != 2) raise(ErrorKind::algebra, "{}-dimensional array given. Array must be two-dimensional", one.rank());
    sizes.push_back(static_cast<double>(one.shape()[0]));
  }
  sizes.push_back(static_cast<double>(matrices.back().shape()[1]));
  const auto cuts = cuts_of(sizes);
  auto product = [&](auto& self, size_t i, size_t j) -> Array {
    if (i == j) return matrices[i];
    const size_t k = cuts.at({i, j});
    return dot(self(self, i, k), self(self, k + 1, j));
  };
  Array out = product(product, 0, matrices.size() - 1);
  if (to_vector) out = element(out, 1, 0);
  return from_vector ? element(out, 0, 0) : out;
}

Array tensor_solution(const Array& a, const Array& b, const std::optional<Axes>& axes) {
  Axes order;
  for (size_t n = 0; n < a.rank(); ++n)
    if (!axes || std::find(axes->begin(), axes->end(), n) == axes->end()) order.push_back(n);
  if (axes) order.insert(order.end(), axes->begin(), axes->end());
  const Array turned = transpose(a, std::vector<int>(order.begin(), order.end()));
  const size_t rank = a.rank() < b.rank() ? 0 : a.rank() - b.rank();
  const Shape shape(turned.shape().end() - static_cast<ptrdiff_t>(rank), turned.shape().end());
  const int64_t size = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  if (a.size() != size * size)
    raise(ErrorKind::algebra, "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])");
  return reshape(solve(reshape(turned, {size, size}), reshape(b, {b.size()})), shape);
}

Array tensor_inverse(const Array& a, int64_t count) {
  if (count <= 0) raise(ErrorKind::value, "Invalid ind argument.");
  const auto cut = a.shape().begin() + static_cast<ptrdiff_t>(std::min<int64_t>(count, static_cast<int64_t>(a.rank())));
  const int64_t rows = std::accumulate(a.shape().begin(), cut, int64_t{1}, std::multiplies<>());
  Shape shape(cut, a.shape().end());
  shape.insert(shape.end(), a.shape().begin(), cut);
  return reshape(inv(reshape(a, {rows, rows == 0 ? 0 : a.size() / rows})), shape);
}

}  // namespace quern::linalg
