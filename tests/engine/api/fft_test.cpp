// quern/fft.h: what is transformed comes back; NumPy's results stand here as numbers.
#include "arrays_fixture.h"

#include <cmath>
#include <complex>

namespace {

using namespace arrays_test;
using qn::fft::Norm;
using Complex = std::complex<double>;

class Fft : public OnDevices {
 protected:
  qn::Array random(const qn::Shape& shape, DType dtype = DType::float64) const {
    return qn::random::Generator(5, device()).random(shape, dtype);
  }
  void expect_close(const qn::Array& a, const qn::Array& b, double error = 1e-10) const {
    EXPECT_EQ(a.shape(), b.shape());
    EXPECT_LT(qn::abs(a - b).max().item<double>(), error);
  }
};
ON_DEVICES(Fft);

TEST_P(Fft, Transforms) {
  qn::Array spectrum = qn::fft::fft(qn::array({1.0, 2.0, 3.0, 4.0}, device()));
  EXPECT_EQ(spectrum.dtype(), DType::complex128);
  expect_near(spectrum.real(), {10, -2, -2, -2});
  expect_near(spectrum.imag(), {0, 2, 0, -2});
  expect_near(qn::fft::rfft(qn::array({1.0, 2.0, 3.0}, device())).imag(), {0, 0.8660254037844386});
  EXPECT_EQ(qn::fft::fft(random({4}, DType::float32)).dtype(), DType::complex64);
  EXPECT_EQ(qn::fft::irfft(qn::fft::rfft(random({4}, DType::float32))).dtype(), DType::float32);
  EXPECT_EQ(qn::fft::fft(random({3, 4}), 6, 0).shape(), (qn::Shape{6, 4}));
  expect_close(qn::fft::fft(random({6}), 4), qn::fft::fft(random({6})({0, 4})));
  expect_close(qn::fft::fft(random({4}), 7), qn::fft::fft(qn::pad(random({4}), {{0, 3}})));
}

TEST_P(Fft, ComesBack) {
  for (int64_t n : {1, 2, 7, 60, 1000}) {
    qn::Array a = random({3, n});
    for (Norm norm : {Norm::backward, Norm::ortho, Norm::forward}) {
      expect_close(qn::fft::ifft(qn::fft::fft(a, {}, -1, norm), {}, -1, norm).real(), a);
      expect_close(qn::fft::irfft(qn::fft::rfft(a, {}, -1, norm), n, -1, norm), a);
      expect_close(qn::fft::ifft(qn::fft::fft(a, {}, 0, norm), {}, 0, norm).real(), a);
    }
  }
  qn::Array a = random({4, 5, 6});
  expect_close(qn::fft::ifftn(qn::fft::fftn(a)).real(), a);
  expect_close(qn::fft::irfftn(qn::fft::rfftn(a)), a);
  expect_close(qn::fft::ifft2(qn::fft::fft2(a)).real(), a);
  expect_close(qn::fft::irfft2(qn::fft::rfft2(a)), a);
  expect_close(qn::fft::irfft2(qn::fft::rfft2(a({}, {}, {0, 5})), {5, 5}), a({}, {}, {0, 5}));
  expect_close(qn::fft::fftn(a, {0, 2}), qn::fft::fft(qn::fft::fft(a, {}, 2), {}, 0));
  expect_close(qn::fft::rfftn(a, {2, 0}), qn::fft::fft(qn::fft::rfft(a, {}, 0), {}, 2));
  expect_close(qn::fft::fftn(a, {}, {3, 8}), qn::fft::fft(qn::fft::fft(a, 8, 2), 3, 1));
}

// The norm moves the scale, and Parseval's equation holds.
TEST_P(Fft, Scales) {
  qn::Array a = random({64});
  expect_close(qn::fft::fft(a, {}, -1, Norm::forward) * 64, qn::fft::fft(a));
  qn::Array both = qn::abs(qn::fft::fft(a, {}, -1, Norm::ortho));
  EXPECT_NEAR((both * both).sum().item<double>(), (a * a).sum().item<double>(), 1e-10);
}

TEST_P(Fft, NamesFrequencies) {
  expect_near(qn::fft::fftfreq(5, 0.1, device()), {0, 2, 4, -4, -2});
  expect_near(qn::fft::fftfreq(4, 1, device()), {0, 0.25, -0.5, -0.25});
  expect_near(qn::fft::rfftfreq(5, 0.1, device()), {0, 2, 4});
  qn::Array a = qn::arange(5, {}, device());
  EXPECT_EQ(ints(qn::fft::fftshift(a)), (Ints{3, 4, 0, 1, 2}));
  EXPECT_EQ(ints(qn::fft::ifftshift(qn::fft::fftshift(a))), ints(a));
  EXPECT_EQ(ints(qn::fft::fftshift(grid(), 1)(0)), (Ints{2, 3, 0, 1}));
}

TEST_P(Fft, RefusesWhatIsWrong) {
  qn::Array a = random({4, 4});
  expect_error(ErrorKind::value, "[fft]", [&] { qn::fft::fft(a, 0); });
  expect_error(ErrorKind::index, "out of bounds", [&] { qn::fft::fft(a, {}, 2); });
  expect_error(ErrorKind::type, "complex", [&] { qn::fft::rfft(a * Complex(0, 1)); });
  expect_error(ErrorKind::value, "lengths", [&] { qn::fft::fftn(a, {0, 1}, {4}); });
  expect_error(ErrorKind::value, "[fftfreq]", [&] { qn::fft::fftfreq(-1); });
  expect_error(ErrorKind::zero_division, "", [&] { qn::fft::rfftfreq(4, 0); });
  std::string line = "fft_test.cpp:" + std::to_string(__LINE__ + 1);
  expect_error(ErrorKind::value, line, [&] { qn::fft::irfft(a({}, {0, 1})); });
}

}  // namespace
