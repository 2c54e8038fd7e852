// Products of matrices on a machine without a BLAS: loops of the engine's own, which QUERN_BLAS=own chooses.
#include "device/host_blas.h"

#include <gtest/gtest.h>
#include <quern/quern.h>

#include <cstdlib>
#include <sstream>
#include <string>

namespace {

using qn::DType;

const bool chosen = setenv("QUERN_BLAS", "own", 1) == 0;  // before anybody looks for a library

qn::Array numbers(const qn::Shape& shape, DType dtype) {
  int64_t count = 1;
  for (int64_t n : shape) count *= n;
  qn::Array x = (qn::arange(count) * 7 % 11 - 5).reshape(shape);
  if (dtype == DType::complex64 || dtype == DType::complex128) {
    qn::Array both = x + (qn::arange(count) * 3 % 5).reshape(shape) * std::complex<double>(0, 1);
    return both.astype(dtype);
  }
  return x.astype(dtype);
}

// Without matrix products: sums of products, in which no number is rounded.
qn::Array expected(const qn::Array& a, const qn::Array& b) { return (a.expand_dims(2) * b.expand_dims(0)).sum({1}); }

void expect_equal(const qn::Array& a, const qn::Array& b) {
  ASSERT_EQ(a.shape(), b.shape());
  if (a.size() > 0) EXPECT_EQ(qn::abs(a.astype(DType::complex128) - b.astype(DType::complex128)).max().item<double>(), 0);
}

TEST(OwnProducts, AreThoseOfTheDefinition) {
  ASSERT_TRUE(chosen);
  EXPECT_FALSE(quern::has_host_blas());
  const int64_t sizes[][3] = {{1, 1, 1},   {1, 7, 5},     {5, 3, 1},     {500, 4, 3},
                              {4, 500, 4}, {33, 65, 130}, {3, 300, 300}, {130, 1, 9}};
  for (DType dtype : {DType::float32, DType::float64, DType::complex64, DType::complex128, DType::float16}) {
    for (const auto& [m, k, n] : sizes) {
      if (dtype == DType::float16 && k > 60) continue;  // sums that it does not hold
      SCOPED_TRACE(std::to_string(m) + " " + std::to_string(k) + " " + std::to_string(n));
      qn::Array a = numbers({m, k}, dtype), b = numbers({k, n}, dtype);
      expect_equal(qn::matmul(a, b), expected(a, b));
      qn::Array c = numbers({k, m}, dtype).transpose(), d = numbers({n, k}, dtype).transpose();
      expect_equal(qn::matmul(c, d), expected(c, d));
      expect_equal(qn::matmul(a, d), expected(a, d));
    }
  }
}

TEST(OwnProducts, OfStacksVectorsAndViews) {
  qn::Array a = numbers({6, 20, 30}, DType::float64), b = numbers({30, 8}, DType::float64), all = qn::matmul(a, b);
  for (int64_t i = 0; i < 6; ++i) expect_equal(all(i), expected(a(i), b));
  qn::Array x = numbers({1000}, DType::float64), y = numbers({1000}, DType::float64) + 1;
  EXPECT_EQ(qn::matmul(x, y).item<double>(), (x * y).sum().item<double>());
  expect_equal(qn::matmul(a(0), x(qn::Slice(0, 30))), (a(0) * x(qn::Slice(0, 30))).sum({1}));
  qn::Array wide = numbers({40, 60}, DType::float32), part = wide(qn::Slice(3, 30), qn::Slice(5, 50, 2));
  expect_equal(qn::matmul(part, part.transpose()), expected(part, part.transpose()));
  qn::Array empty = qn::matmul(numbers({3, 0}, DType::float64), numbers({0, 2}, DType::float64));
  EXPECT_EQ(empty.sum().item<double>(), 0);
}

TEST(OwnProducts, LargeOnesAreSharedAmongThreads) {
  qn::Array a = qn::ones({900, 700}, DType::float32), b = qn::ones({700, 800}, DType::float32), c = qn::matmul(a, b);
  EXPECT_EQ(c.min().item<float>(), 700);
  EXPECT_EQ(c.max().item<float>(), 700);
}

TEST(OwnProducts, FactorizationsSayWhatIsMissing) {
  const std::string line = "own_products_test.cpp:" + std::to_string(__LINE__ + 3);
  std::string text;
  try {
    qn::Array x = qn::linalg::inv(qn::eye(3));
    std::ostringstream out;
    out << x;
  } catch (const quern::Error& e) {
    text = e.what();
  }
  EXPECT_NE(text.find("needs an OpenBLAS with 64-bit integers"), std::string::npos) << text;
  EXPECT_NE(text.find("QUERN_BLAS"), std::string::npos) << text;
  EXPECT_NE(text.find(line), std::string::npos) << text;
  EXPECT_EQ(text.find("pip install"), std::string::npos) << text;
  EXPECT_EQ(text.find("array.cpp"), std::string::npos) << text;
}

}  // namespace
