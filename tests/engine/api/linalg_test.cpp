// quern/linalg.h: what is factorised is put together again; NumPy's results stand here as numbers.
#include "arrays_fixture.h"

#include <cmath>
#include <complex>

namespace {

using namespace arrays_test;
namespace la = qn::linalg;

class Linalg : public OnDevices {
 protected:
  void SetUp() override {
    OnDevices::SetUp();
    if (!IsSkipped() && !has_blas()) GTEST_SKIP() << "no OpenBLAS with 64-bit integers";
  }
  // 2 1 0 / 1 3 1 / 0 1 4: symmetric, positive definite
  qn::Array matrix(DType dtype = DType::float64) const {
    return qn::array({2, 1, 0, 1, 3, 1, 0, 1, 4}, {3, 3}, device()).astype(dtype);
  }
  qn::Array random(const qn::Shape& shape) const { return qn::random::Generator(3, device()).normal(0, 1, shape); }
  void expect_close(const qn::Array& a, const qn::Array& b, double error = 1e-10) const {
    EXPECT_EQ(a.shape(), b.shape());
    EXPECT_LT(qn::abs(a - b).max().item<double>(), error);
  }
};
ON_DEVICES(Linalg);

TEST_P(Linalg, SolvesEquations) {
  qn::Array a = matrix(), b = qn::array({1.0, 2.0, 3.0}, device());
  expect_near(la::solve(a, b), {1.0 / 3, 1.0 / 3, 2.0 / 3}, 1e-12);
  EXPECT_EQ(la::solve(a, b).shape(), qn::Shape{3});
  expect_close(qn::matmul(a, la::inv(a)), qn::eye(3, {}, 0, DType::float64, device()));
  qn::Array stack = random({4, 5, 5}), right = random({5, 2});
  expect_close(qn::matmul(stack, la::solve(stack, right)), right.broadcast_to({4, 5, 2}), 1e-8);
  EXPECT_EQ(la::inv(matrix(DType::int32)).dtype(), DType::float64);
  EXPECT_EQ(la::inv(matrix(DType::float32)).dtype(), DType::float32);
  EXPECT_EQ(la::inv(a).device(), device());
  qn::Array tall = random({6, 3});
  expect_close(qn::matmul(la::pinv(tall), tall), qn::eye(3, {}, 0, DType::float64, device()));
  qn::Array turned = tall * std::complex<double>(0.6, 0.8);
  expect_close(qn::matmul(la::pinv(turned), turned), qn::eye(3, {}, 0, DType::complex128, device()));
}

TEST_P(Linalg, FitsLeastSquares) {
  // A line through (0, 1), (1, 3), (2, 5), (3, 8).
  qn::Array a = qn::array({{0.0, 1.0}, {1.0, 1.0}, {2.0, 1.0}, {3.0, 1.0}}, device());
  la::LeastSquares fit = la::lstsq(a, qn::array({1.0, 3.0, 5.0, 8.0}, device()));
  expect_near(fit.x, {2.3, 0.8}, 1e-12);
  expect_near(fit.residuals, {0.3}, 1e-12);
  EXPECT_EQ(fit.rank, 2);
  EXPECT_EQ(fit.singular_values.size(), 2);
  EXPECT_EQ(la::lstsq(a * 0, qn::ones({4, 2}, DType::float64, device())).residuals.size(), 0);
}

TEST_P(Linalg, GivesDeterminants) {
  EXPECT_NEAR(la::det(matrix()).item<double>(), 18, 1e-10);
  auto [sign, logarithm] = la::slogdet(-matrix());
  EXPECT_EQ(sign.item<double>(), -1);
  EXPECT_NEAR(logarithm.item<double>(), std::log(18), 1e-12);
  EXPECT_EQ(la::det(qn::zeros({2, 3, 3}, DType::float64, device())).shape(), qn::Shape{2});
}

TEST_P(Linalg, Factorises) {
  qn::Array a = matrix(), tall = random({2, 6, 4});
  qn::Array lower = la::cholesky(a), upper = la::cholesky(a, true);
  expect_close(qn::matmul(lower, lower.transpose()), a);
  expect_close(upper, lower.transpose());
  auto [q, r] = la::qr(tall);
  EXPECT_EQ(q.shape(), (qn::Shape{2, 6, 4}));
  expect_close(qn::matmul(q, r), tall);
  expect_close(r, qn::triu(r));
  EXPECT_EQ(la::qr(tall, true).q.shape(), (qn::Shape{2, 6, 6}));
  auto [u, s, vh] = la::svd(tall, false);
  expect_close(qn::matmul(u * s({}, qn::newaxis), vh), tall);
  EXPECT_EQ(la::svd(tall).u.shape(), (qn::Shape{2, 6, 6}));
  expect_close(la::svdvals(tall), s);
}

TEST_P(Linalg, FindsEigenvalues) {
  qn::Array a = matrix();
  auto [values, vectors] = la::eigh(a);
  expect_near(values, {1.2679491924311226, 3, 4.732050807568877}, 1e-12);
  expect_close(qn::matmul(a, vectors), vectors * values);
  expect_close(la::eigvalsh(a, true), values);
  qn::Array turn = qn::array({{0.0, -1.0}, {1.0, 0.0}}, device());
  la::Eigen all = la::eig(turn);
  EXPECT_EQ(all.values.dtype(), DType::complex128);
  expect_close(qn::matmul(turn.astype(DType::complex128), all.vectors), all.vectors * all.values);
  expect_near(qn::sort(la::eigvals(turn).imag()), {-1, 1});
}

TEST_P(Linalg, MeasuresAndMultiplies) {
  qn::Array a = matrix(), v = qn::array({3.0, -4.0, 0.0}, device());
  expect_close(la::matrix_power(a, 3), qn::matmul(a, qn::matmul(a, a)));
  expect_close(la::matrix_power(a, -2), qn::matmul(la::inv(a), la::inv(a)));
  expect_close(la::matrix_power(a, 0), qn::eye(3, {}, 0, DType::float64, device()));
  EXPECT_EQ(la::norm(v).item<double>(), 5);
  EXPECT_NEAR(la::norm(a).item<double>(), std::sqrt(33), 1e-12);
  EXPECT_EQ(reals(la::norm(qn::array({{3, 4}, {6, 8}}, device()), 1)), (Reals{5, 10}));
  EXPECT_EQ(la::vector_norm(v, 1).item<double>(), 7);
  EXPECT_EQ(la::vector_norm(v, 0).item<double>(), 2);
  EXPECT_EQ(la::vector_norm(v, infinity).item<double>(), 4);
  EXPECT_EQ(la::vector_norm(v, -infinity).item<double>(), 0);
  EXPECT_NEAR(la::vector_norm(v, 3).item<double>(), std::cbrt(91), 1e-12);
  EXPECT_NEAR(la::matrix_norm(a, la::MatrixNorm::largest_value).item<double>(), 4.732050807568877, 1e-12);
  EXPECT_NEAR(la::matrix_norm(a, la::MatrixNorm::nuclear).item<double>(), 9, 1e-12);
  EXPECT_EQ(la::matrix_norm(a, la::MatrixNorm::largest_row).item<double>(), 5);
  EXPECT_EQ(la::matrix_norm(a, la::MatrixNorm::smallest_column).item<double>(), 3);
  EXPECT_NEAR(la::cond(a).item<double>(), 3.7320508075688763, 1e-12);
  EXPECT_TRUE(std::isinf(la::cond(qn::zeros({2, 2}, DType::float64, device())).item<double>()));
  EXPECT_EQ(la::matrix_rank(a).item<int>(), 3);
  EXPECT_EQ(la::matrix_rank(qn::ones({3, 3}, DType::float64, device())).item<int>(), 1);
}

TEST_P(Linalg, RefusesWhatIsWrong) {
  qn::Array a = matrix();
  expect_error(ErrorKind::algebra, "square", [&] { la::inv(a({0, 2})); });
  expect_error(ErrorKind::algebra, "at least two-dimensional", [&] { la::det(a(0)); });
  expect_error(ErrorKind::value, "[solve]", [&] { la::solve(a, qn::ones({2}, DType::float64, device())); });
  expect_error(ErrorKind::type, "float16", [&] { la::inv(a.astype(DType::float16)); });
  expect_error(ErrorKind::algebra, "infs or NaNs", [&] { la::eig(a * infinity); });
  expect_error(ErrorKind::algebra, "rows", [&] { la::lstsq(a, qn::ones({2}, DType::float64, device())); });
  std::string line = "linalg_test.cpp:" + std::to_string(__LINE__ + 1);
  expect_error(ErrorKind::algebra, line, [&] { la::inv(qn::zeros({2, 2}, DType::float64, device())).to_vector<double>(); });
  expect_error(ErrorKind::algebra, "positive", [&] { la::cholesky(-a).to_vector<double>(); });
}

}  // namespace
