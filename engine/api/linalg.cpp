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

LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond, Here here) {
  std::vector<Array> f = call(here, of::lstsq, a, b, rcond);
  return {f[0], f[1], f[2].item<int64_t>(here), f[3]};
}

QR qr(const Array& a, bool complete, Here here) {
  std::vector<Array> f = factored("qr", a, complete ? "c" : "e", here);
  return {f[0], f[1]};
}

Eigen eigh(const Array& a, bool upper, Here here) {
  std::vector<Array> f = factored("eigh", a, upper ? "Uv" : "Lv", here);
  return {f[0], f[1]};
}
Array eigvalsh(const Array& a, bool upper, Here here) { return factored("eigh", a, upper ? "U" : "L", here)[0]; }

Array norm(const Array& a, const Axes& axes, bool keepdims, Here here) {
  return call(here, of::norm, a, Over{a, axes, keepdims});
}
Array matrix_norm(const Array& a, MatrixNorm which, Here here) {
  size_t rank = a.handle().rank();
  return call(here, of::matrix_norm, a, which, rank - 2, rank - 1, false);
}

}  // namespace qn::linalg
