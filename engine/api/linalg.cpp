// quern/linalg.h on functions/linalg.h.
#include "quern/linalg.h"

#include "api/bodies.h"
#include "functions/linalg.h"

namespace qn::linalg {

using namespace inside;
namespace of = quern::linalg;

namespace {

// f() gives an array of the engine's, or several.
template <class F>
Array one(Here here, F&& f) {
  return asked(here, [&] { return wrap(f()); });
}
template <class F>
std::vector<Array> several(Here here, F&& f) {
  return asked(here, [&] {
    std::vector<Array> out;
    for (quern::Array& result : f()) out.push_back(wrap(std::move(result)));
    return out;
  });
}
std::vector<Array> factored(std::string_view name, const Array& a, std::string_view mode, Here here) {
  return several(here, [&] { return of::factored(name, a.handle(), mode); });
}

}  // namespace

Array solve(const Array& a, const Array& b, Here here) {
  return one(here, [&] { return of::solve(a.handle(), b.handle()); });
}
Array inv(const Array& a, Here here) {
  return one(here, [&] { return of::inv(a.handle()); });
}
Array pinv(const Array& a, double rcond, Here here) {
  quern::Argument limit = operand(rcond);
  return one(here, [&] { return of::pinv(a.handle(), &limit, false); });
}

LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond, Here here) {
  std::vector<Array> f = several(here, [&] { return of::lstsq(a.handle(), b.handle(), rcond); });
  return {f[0], f[1], f[2].item<int64_t>(here), f[3]};
}

SignAndLogarithm slogdet(const Array& a, Here here) {
  std::vector<Array> f = factored("slogdet", a, "", here);
  return {f[0], f[1]};
}
Array det(const Array& a, Here here) {
  return one(here, [&] { return of::det(a.handle()); });
}

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

Array matrix_power(const Array& a, int64_t n, Here here) {
  return one(here, [&] { return of::matrix_power(a.handle(), n); });
}

Array norm(const Array& a, const Axes& axes, bool keepdims, Here here) {
  return one(here, [&] { return of::norm(a.handle(), over(a, axes, keepdims)); });
}
Array vector_norm(const Array& a, double ord, int axis, bool keepdims, Here here) {
  return one(here, [&] { return of::vector_norm(a.handle(), real_number(ord), over(a, axis, keepdims)); });
}
Array matrix_norm(const Array& a, MatrixNorm which, Here here) {
  return one(here, [&] {
    size_t rank = a.handle().rank();
    return of::matrix_norm(a.handle(), which, rank - 2, rank - 1, false);
  });
}
Array cond(const Array& a, Here here) {
  return one(here, [&] { return of::cond(a.handle(), MatrixNorm::largest_value); });
}
Array matrix_rank(const Array& a, std::optional<double> rtol, Here here) {
  quern::Argument limit = operand(rtol.value_or(0));
  return one(here, [&] { return of::matrix_rank(a.handle(), nullptr, rtol ? &limit : nullptr, false); });
}

}  // namespace qn::linalg
