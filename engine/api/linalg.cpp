// quern/linalg.h on functions/linalg.h.
#include "quern/linalg.h"

#include "api/bodies.h"
#include "functions/linalg.h"

namespace qn::linalg {

using namespace inside;
namespace of = quern::linalg;

namespace {

std::vector<Array> factored(std::string_view name, const Array& a, std::string_view mode, Here here) {
  return call(here, of::factored, name, a, mode);
}

}  // namespace

Array solve(const Array& a, const Array& b, Here here) { return call(here, of::solve, a, b); }
Array inv(const Array& a, Here here) { return call(here, of::inv, a); }
Array pinv(const Array& a, double rcond, Here here) {
  quern::Argument limit(real_number(rcond));
  return call(here, of::pinv, a, &limit, false);
}

LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond, Here here) {
  std::vector<Array> f = call(here, of::lstsq, a, b, rcond);
  return {f[0], f[1], f[2].item<int64_t>(here), f[3]};
}

SignAndLogarithm slogdet(const Array& a, Here here) {
  std::vector<Array> f = factored("slogdet", a, "", here);
  return {f[0], f[1]};
}
Array det(const Array& a, Here here) { return call(here, of::det, a); }

Array cholesky(const Array& a, bool upper, Here here) { return factored("cholesky", a, upper ? "u" : "l", here)[0]; }
QR qr(const Array& a, bool complete, Here here) {
  std::vector<Array> f = factored("qr", a, complete ? "c" : "e", here);
  return {f[0], f[1]};
}
SVD svd(const Array& a, bool full_matrices, Here here) {
  std::vector<Array> f = factored("svd", a, full_matrices ? "a" : "s", here);
  return {f[0], f[1], f[2]};
}
Array svdvals(const Array& a, Here here) { return factored("svd", a, "n", here)[0]; }

Eigen eigh(const Array& a, bool upper, Here here) {
  std::vector<Array> f = factored("eigh", a, upper ? "Uv" : "Lv", here);
  return {f[0], f[1]};
}
Array eigvalsh(const Array& a, bool upper, Here here) { return factored("eigh", a, upper ? "U" : "L", here)[0]; }
Eigen eig(const Array& a, Here here) {
  std::vector<Array> f = factored("eig", a, "v", here);
  return {f[0], f[1]};
}
Array eigvals(const Array& a, Here here) { return factored("eig", a, "", here)[0]; }

Array matrix_power(const Array& a, int64_t n, Here here) { return call(here, of::matrix_power, a, n); }

Array norm(const Array& a, const Axes& axes, bool keepdims, Here here) {
  return call(here, of::norm, a, Over{a, axes, keepdims});
}
Array vector_norm(const Array& a, double ord, int axis, bool keepdims, Here here) {
  return call(here, of::vector_norm, a, real_number(ord), Over{a, axis, keepdims});
}
Array matrix_norm(const Array& a, MatrixNorm which, Here here) {
  size_t rank = a.handle().rank();
  return call(here, of::matrix_norm, a, which, rank - 2, rank - 1, false);
}
Array cond(const Array& a, Here here) { return call(here, of::cond, a, MatrixNorm::largest_value); }
Array matrix_rank(const Array& a, std::optional<double> rtol, Here here) {
  quern::Argument limit(real_number(rtol.value_or(0)));
  return call(here, of::matrix_rank, a, nullptr, rtol ? &limit : nullptr, false);
}

}  // namespace qn::linalg
