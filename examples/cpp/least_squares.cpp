// A curve through noisy points: random data, a matrix of powers, the least squares by three ways, and outliers that a mask leaves
// out.
//
//   least_squares [points]
#include <quern/quern.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

// The columns 1, x, x^2, x^3.
qn::Array powers(const qn::Array& x) { return qn::stack({qn::ones_like(x), x, x * x, x * x * x}, 1); }

double residual(const qn::Array& a, const qn::Array& c, const qn::Array& y) {
  return qn::linalg::norm(qn::matmul(a, c) - y).item<double>();
}

int main(int count, char** arguments) try {
  const int64_t n = count > 1 ? std::atoi(arguments[1]) : 10000;
  if (n < 10) {
    std::fprintf(stderr, "least_squares [points, 10 or more]\n");
    return 1;
  }

  qn::Device device;
  qn::random::Generator rng(42, device);
  qn::Array truth = qn::array({1.0, -2.0, 0.5, 3.0}, device);
  qn::Array x = rng.uniform(-1, 1, {n}), a = powers(x);
  qn::Array y = qn::matmul(a, truth) + rng.normal(0, 0.01, {n});
  qn::Array wrong = rng.choice(n, {n / 10}, false);  // a tenth of the points is far off
  y(wrong) += 5;

  qn::Array first = qn::linalg::lstsq(a, y).x;
  qn::Array far = qn::abs(qn::matmul(a, first) - y);
  qn::Array good = far < 2;
  qn::Array kept = a(good), of_kept = y(good);  // the rows, and the values, at which it is true

  qn::linalg::LeastSquares fit = qn::linalg::lstsq(kept, of_kept);
  qn::Array turned = kept.transpose();
  qn::Array normal = qn::linalg::solve(qn::matmul(turned, kept), qn::matmul(turned, of_kept));
  auto [q, r] = qn::linalg::qr(kept);
  qn::Array by_qr = qn::linalg::solve(r, qn::matmul(q.transpose(), of_kept));

  std::printf("least squares: %lld points on %s, %lld of them kept\n", static_cast<long long>(n), device.description().c_str(),
              static_cast<long long>(kept.shape(0)));
  std::printf("coefficients: %s, residual %.4f\n", fit.x.to_string().c_str(), residual(kept, fit.x, of_kept));
  double apart = qn::abs(qn::stack({normal, by_qr}) - fit.x).max().item<double>();
  double error = qn::abs(fit.x - truth).max().item<double>();
  std::printf("three ways differ by %.1e at most; the truth is %.1e away\n", apart, error);
  return !(fit.rank == 4 && kept.shape(0) == n - n / 10 && apart < 1e-9 && error < 0.05);
} catch (const quern::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
