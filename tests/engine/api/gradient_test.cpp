// quern/gradient.h, and the derivatives of whole-array functions against central differences, on every device.
#include "arrays_fixture.h"

#include <cmath>
#include <complex>
#include <functional>

namespace arrays_test {
namespace {

using qn::Array;
using Complex = std::complex<double>;

// A real number to which each element, real and imaginary part, adds as much as nobody else does.
Array weighted(const Array& y) {
  Array weights = qn::cos(qn::arange(y.size(), DType::float64, y.device()) * 1.7 + 0.3).reshape(y.shape());
  if (y.dtype() != DType::complex128) return (y * weights).sum();
  return (y.real() * weights).sum() + (y.imag() * qn::sin(weights * 5.0)).sum();
}

Array numbers(const qn::Shape& shape, const qn::Device& device, bool is_complex = false) {
  qn::random::Generator rng(5, device);
  Array re = rng.standard_normal(shape);
  return is_complex ? re + Complex(0, 1) * rng.standard_normal(shape) : re;
}

class Gradients : public OnDevices {
 protected:
  using Function = std::function<Array(const Array&)>;

  // Of a function with one real number as its result.
  void expect_agrees(const Function& f, const Array& at, double error = 1e-5) {
    Array x = at.copy();
    qn::requires_grad(x);
    Array g = qn::gradients(f(x), x);
    ASSERT_EQ(g.shape(), at.shape());
    ASSERT_EQ(g.dtype(), at.dtype());
    bool is_complex = at.dtype() == DType::complex128;
    std::vector<Complex> got = g.to_vector<Complex>(), values = at.to_vector<Complex>();
    for (size_t i = 0; i < values.size(); ++i) {
      Complex expected = 0;
      for (Complex unit : is_complex ? std::vector<Complex>{1, Complex(0, 1)} : std::vector<Complex>{1}) {
        auto moved = [&](double step) {
          std::vector<Complex> there = values;
          there[i] += step * unit;
          Array a = qn::array(there, at.shape(), at.device());
          return f(is_complex ? a : a.real().copy()).item<double>();
        };
        expected += unit * ((moved(1e-6) - moved(-1e-6)) / 2e-6);
      }
      EXPECT_NEAR(std::abs(got[i] - expected), 0, error * std::max(1.0, std::abs(expected))) << "element " << i;
    }
  }

  void for_both(const std::function<void(bool)>& f) {
    for (bool is_complex : {false, true}) {
      SCOPED_TRACE(is_complex ? "complex" : "real");
      f(is_complex);
    }
  }
};
ON_DEVICES(Gradients);

TEST_P(Gradients, OfALoss) {
  Array w = qn::array({1.0, 2.0, 3.0}, device());
  EXPECT_FALSE(qn::wants_gradient(w));
  qn::requires_grad(w);
  EXPECT_TRUE(qn::wants_gradient(w));
  Array loss = qn::square(w * 2.0).sum();
  EXPECT_FALSE(qn::gradient(w).has_value());
  qn::backward(loss);
  EXPECT_EQ(reals(*qn::gradient(w)), (Reals{8, 16, 24}));
  {
    qn::NoGradient off;
    w -= 0.125 * *qn::gradient(w);
    EXPECT_FALSE(qn::wants_gradient(w * 2));
  }
  EXPECT_EQ(reals(w), (Reals{0, 0, 0}));
  qn::backward(w.sum());
  EXPECT_EQ(reals(*qn::gradient(w)), (Reals{9, 17, 25}));
  qn::clear_gradient(w);
  EXPECT_FALSE(qn::gradient(w).has_value());
  EXPECT_FALSE(qn::wants_gradient(qn::detach(w * 2)));
}

TEST_P(Gradients, OptionsSayWhatIsKept) {
  Array x = qn::array({1.0, 2.0}, device()), y = qn::array({3.0, 4.0}, device());
  qn::requires_grad(x);
  qn::requires_grad(y);
  Array z = x * x * y;
  qn::backward(z, qn::array({1.0, 10.0}, device()), {.retain_graph = true, .inputs = {x}});
  EXPECT_EQ(reals(*qn::gradient(x)), (Reals{6, 160}));
  EXPECT_FALSE(qn::gradient(y).has_value());
  Array g = qn::gradients(z.sum(), x, {.create_graph = true});
  EXPECT_EQ(reals(qn::gradients(g.sum(), y)), (Reals{2, 4}));
  EXPECT_EQ(reals(qn::gradients({x.sum()}, {x, y}, {.allow_unused = true})[1]), (Reals{0, 0}));
}

TEST_P(Gradients, ErrorsNameTheLine) {
  Array x = qn::array({1.0, 2.0}, device()), whole = qn::arange(3, DType::int64, device());
  expect_error(ErrorKind::runtime, "does not require grad", [&] { qn::backward(x.sum()); });
  expect_error(ErrorKind::runtime, "gradient_test.cpp", [&] { qn::backward(x.sum()); });
  expect_error(ErrorKind::runtime, "floating point", [&] { qn::requires_grad(whole); });
  qn::requires_grad(x);
  expect_error(ErrorKind::runtime, "a leaf Variable", [&] { x += 1; });
  expect_error(ErrorKind::runtime, "a view of a leaf Variable", [&] { x(0) = 1; });
  Array y = qn::exp(x).sum();
  qn::backward(y);
  expect_error(ErrorKind::runtime, "a second time", [&] { qn::backward(y); });
}

TEST_P(Gradients, OfViewsAndWrites) {
  Array x = numbers({3, 4}, device());
  expect_agrees(
      [](const Array& a) {
        Array y = a * 2.0, row = y(0);
        y({}, {{}, {}, 2}) *= qn::sin(a({}, {{}, {}, 2}));
        row += y(1);
        y(qn::array({2, 1}, a.device())) = a({0, 2}) * 3.0;
        return weighted(y * y) + weighted(row);
      },
      x);
}

TEST_P(Gradients, OfPicks) {
  Array x = numbers({3, 4}, device()), places = qn::array({2, 0, 2}, device());
  expect_agrees([&](const Array& a) { return weighted(a(places) * a(places)); }, x);
  expect_agrees([&](const Array& a) { return weighted(a({}, places)); }, x);
  expect_agrees([&](const Array& a) { return weighted(a(a > 0)); }, x);
  expect_agrees([&](const Array& a) { return weighted(qn::take_along_axis(a, qn::argsort(a, 0), 0)); }, x);
  expect_agrees(  // several values for one element: the last one stays
      [&](const Array& a) {
        Array y = a * 2.0;
        y(places) = a * a;
        return weighted(y);
      },
      x);
}

TEST_P(Gradients, OfPicksAddUpInEveryType) {
  for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::complex64, DType::complex128}) {
    SCOPED_TRACE(qn::name_of(dtype));
    Array x = qn::zeros({3}, dtype, device());
    qn::requires_grad(x);
    Array picked = x(qn::array({2, 0, 2, 2}, device()));
    qn::backward((picked * qn::array({1.0, 2.0, 3.0, 4.0}, device()).astype(dtype)).real().sum());
    EXPECT_EQ(reals(qn::gradient(x)->real()), (Reals{2, 0, 8}));
  }
}

TEST_P(Gradients, OfSortsAndRunningSums) {
  Array x = numbers({3, 4}, device()), holes = x.copy();
  holes(0, 1) = 0;
  holes(1, 0) = 0;
  holes(1, 2) = 0;
  for (int axis : {0, 1}) {
    expect_agrees([&](const Array& a) { return weighted(qn::sort(a, axis)) + weighted(qn::sort(a, axis, true) * 2.0); }, x);
    expect_agrees([&](const Array& a) { return weighted(qn::cumsum(a, axis)); }, x);
    expect_agrees([&](const Array& a) { return weighted(qn::cumprod(a, axis)); }, x);
    expect_agrees([&](const Array& a) { return weighted(qn::cumprod(a, axis)); }, holes);
  }
  expect_agrees([](const Array& a) { return weighted(qn::cumprod(a, 1)); }, numbers({3, 4}, device(), true));
  expect_agrees([](const Array& a) { return weighted(qn::median(a, 1)) + weighted(qn::quantile(a, {0.2, 0.7}, 0)); }, x);
}

TEST_P(Gradients, OfFourierTransforms) {
  namespace fft = qn::fft;
  for (int64_t n : {1, 2, 5, 6}) {
    Array x = numbers({2, n}, device()), c = numbers({2, n}, device(), true), half = numbers({2, n / 2 + 1}, device(), true);
    for (fft::Norm norm : {fft::Norm::backward, fft::Norm::ortho, fft::Norm::forward}) {
      SCOPED_TRACE(n);
      expect_agrees([&](const Array& a) { return weighted(fft::fft(a, {}, -1, norm)); }, c);
      expect_agrees([&](const Array& a) { return weighted(fft::ifft(a, {}, -1, norm)); }, c);
      expect_agrees([&](const Array& a) { return weighted(fft::rfft(a, {}, -1, norm)); }, x);
      expect_agrees([&](const Array& a) { return weighted(fft::irfft(a, n, -1, norm)); }, half);
    }
  }
}

TEST_P(Gradients, OfJoinedArrays) {
  Array x = numbers({2, 3}, device());
  expect_agrees([](const Array& a) { return weighted(qn::concatenate({a, a * 2.0, a({}, {1, 3})}, 1)); }, x);
  expect_agrees([](const Array& a) { return weighted(qn::stack({a, a * a}, 1)) + weighted(qn::roll(a, 2, 1)); }, x);
}

TEST_P(Gradients, OnTheWayToAnotherDevice) {
  Array x = numbers({2, 3}, device());
  expect_agrees(
      [&](const Array& a) {
        Array there = (a * 2.0)({}, {1, 3}).to_device(qn::Device::cpu());
        return weighted((there * there).to_device(device()) * a({}, {0, 2}));
      },
      x);
}

TEST_P(Gradients, OfMatrixProducts) {
  if (!has_blas()) GTEST_SKIP() << "no OpenBLAS";
  for_both([&](bool is_complex) {
    Array x = numbers({2, 3, 3}, device(), is_complex);
    expect_agrees([](const Array& a) { return weighted(qn::matmul(a, a.swapaxes(1, 2))); }, x);
    expect_agrees([](const Array& a) { return weighted(qn::matmul(a(0), a)); }, x);
  });
}

Array adjoint(const Array& a) { return qn::conjugate(a.swapaxes(-1, -2)); }
Array positive(const Array& a) {
  int64_t n = a.shape(-1);
  return qn::matmul(a, adjoint(a)) + qn::eye(n, {}, 0, DType::float64, a.device());
}

TEST_P(Gradients, OfEquations) {
  if (!has_blas()) GTEST_SKIP() << "no OpenBLAS";
  namespace linalg = qn::linalg;
  for_both([&](bool is_complex) {
    Array x = numbers({2, 3, 3}, device(), is_complex), right = numbers({3, 2}, device());
    expect_agrees([&](const Array& a) { return weighted(linalg::solve(a, right)); }, x);
    expect_agrees([&](const Array& b) { return weighted(linalg::solve(x, b)); }, numbers({3, 2}, device(), is_complex));
    expect_agrees([](const Array& a) { return weighted(linalg::inv(a)); }, x);
    expect_agrees([](const Array& a) { return weighted(linalg::det(a)); }, x);
    expect_agrees(
        [](const Array& a) {
          auto [sign, logarithm] = linalg::slogdet(a);
          return weighted(sign) + weighted(logarithm);
        },
        x);
    expect_agrees([](const Array& a) { return weighted(linalg::cholesky(positive(a))); }, x);
    expect_agrees([](const Array& a) { return weighted(linalg::cholesky(positive(a), true)); }, x);
  });
}

TEST_P(Gradients, OfFactorisations) {
  if (!has_blas()) GTEST_SKIP() << "no OpenBLAS";
  namespace linalg = qn::linalg;
  for_both([&](bool is_complex) {
    for (qn::Shape shape : {qn::Shape{2, 3, 3}, qn::Shape{4, 2}, qn::Shape{2, 4}}) {
      SCOPED_TRACE(shape.back());
      Array x = numbers(shape, device(), is_complex);
      expect_agrees(
          [](const Array& a) {
            auto [q, r] = linalg::qr(a);
            return weighted(q) + weighted(r * 2.0);
          },
          x);
      expect_agrees(
          [](const Array& a) {
            auto [u, s, vh] = linalg::svd(a, false);
            return weighted(qn::abs(u)) + weighted(s * 2.0) + weighted(qn::abs(vh) * 3.0);
          },
          x, 1e-4);
      expect_agrees([](const Array& a) { return weighted(linalg::svdvals(a)); }, x);
    }
    Array x = numbers({2, 3, 3}, device(), is_complex);
    expect_agrees(
        [](const Array& a) {
          auto [values, vectors] = linalg::eigh((a + adjoint(a)) * 0.5);
          return weighted(values) + weighted(qn::abs(vectors));
        },
        x, 1e-4);
    expect_agrees([](const Array& a) { return weighted(linalg::eigvalsh((a + adjoint(a)) * 0.5)); }, x);
    expect_agrees(
        [](const Array& a) {
          auto [values, vectors] = linalg::eig(a);
          return qn::square(qn::square(qn::abs(vectors))).sum() + qn::square(qn::abs(values)).sum();
        },
        x, 1e-4);
  });
}

}  // namespace
}  // namespace arrays_test
