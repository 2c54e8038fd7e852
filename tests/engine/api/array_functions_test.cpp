// quern/sorting.h, statistics.h, shaping.h and matrices.h. NumPy's results stand here as numbers.
#include "arrays_fixture.h"

#include <cmath>
#include <complex>

namespace {

using namespace arrays_test;
using arrays_test::nan;  // not the one of <cmath>

class Functions : public OnDevices {};
ON_DEVICES(Functions);

// ---- sorting.h

TEST_P(Functions, Sort) {
  qn::Array a = qn::array({{3, 1, 2}, {9, 7, 8}}, device());
  EXPECT_EQ(ints(qn::sort(a)), (Ints{1, 2, 3, 7, 8, 9}));
  EXPECT_EQ(ints(qn::sort(a, 0, true)), (Ints{9, 7, 8, 3, 1, 2}));
  EXPECT_EQ(ints(qn::argsort(a)), (Ints{1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(ints(qn::argsort(qn::array({1, 0, 1, 0}, device()))), (Ints{1, 3, 0, 2}));
  EXPECT_EQ(ints(qn::argsort(qn::array({1, 0, 1, 0}, device()), -1, true)), (Ints{0, 2, 1, 3}));
  Reals sorted = reals(qn::sort(qn::array({2.0, nan, -infinity, 1.0}, device())));
  EXPECT_EQ((Reals{sorted[0], sorted[1], sorted[2]}), (Reals{-infinity, 1, 2}));
  EXPECT_TRUE(std::isnan(sorted[3]));
  std::vector<std::complex<double>> z{{2, 1}, {1, 5}, {1, -5}};
  EXPECT_EQ(qn::sort(qn::array(z, device())).to_vector<std::complex<double>>(),
            (std::vector<std::complex<double>>{{1, -5}, {1, 5}, {2, 1}}));
  qn::Array many = qn::random::Generator(1, device()).random({20000});
  EXPECT_TRUE(bool((qn::diff(qn::sort(many)) >= 0).all()));
  expect_error(ErrorKind::index, "out of bounds", [&] { qn::sort(a, 2); });
}

TEST_P(Functions, FindExtremes) {
  qn::Array a = qn::array({{3.0, 1.0, 2.0}, {nan, 7.0, 8.0}}, device());
  EXPECT_EQ(qn::argmax(a).item<int>(), 3);
  EXPECT_EQ(ints(qn::argmax(a, 1)), (Ints{0, 0}));
  EXPECT_EQ(ints(qn::argmin(a, 0)), (Ints{1, 0, 0}));
  EXPECT_EQ(qn::argmin(a, 1, true).shape(), (qn::Shape{2, 1}));
  EXPECT_EQ(qn::argmin(a, {}, true).shape(), (qn::Shape{1, 1}));
  EXPECT_EQ(qn::argmin(qn::full({}, 5, {}, device())).item<int>(), 0);
  expect_error(ErrorKind::value, "attempt to get argmax of an empty sequence", [&] { qn::argmax(qn::zeros({0})); });
}

TEST_P(Functions, FindPlacesAndDistinctValues) {
  qn::Array a = qn::array({1, 3, 3, 7}, device());
  EXPECT_EQ(ints(qn::searchsorted(a, qn::array({{3, 0}, {8, 7}}, device()))), (Ints{1, 0, 4, 3}));
  EXPECT_EQ(ints(qn::searchsorted(a, qn::array({3.5, 3.0}, device()), true)), (Ints{3, 3}));
  EXPECT_EQ(ints(qn::unique(qn::array({{3, 1}, {3, 2}}, device()))), (Ints{1, 2, 3}));
  EXPECT_EQ(qn::unique(qn::array({nan, 1.0, nan}, device())).size(), 2);
  EXPECT_EQ(qn::unique(qn::zeros({0}, DType::float64, device())).size(), 0);
  auto [values, counts] = qn::unique_counts(qn::array({5, 1, 5, 5}, device()));
  EXPECT_EQ(ints(values), (Ints{1, 5}));
  EXPECT_EQ(ints(counts), (Ints{1, 3}));
  EXPECT_EQ(ints(qn::isin(qn::array({{0, 3}, {7, 9}}, device()), a)), (Ints{0, 1, 1, 0}));
  EXPECT_EQ(ints(qn::isin(a, qn::zeros({0}, DType::int64, device()))), (Ints{0, 0, 0, 0}));
  expect_error(ErrorKind::value, "must be 1-D", [&] { qn::searchsorted(qn::zeros({2, 2}, DType::float64, device()), a); });
}

// ---- statistics.h

TEST_P(Functions, MeasureSpread) {
  qn::Array a = grid();
  expect_near(qn::var(a), {11.916666666666666});
  expect_near(qn::std(a, 1), {1.118033988749895, 1.118033988749895, 1.118033988749895});
  expect_near(qn::var(a, 0, 1), {16, 16, 16, 16});
  EXPECT_EQ(qn::std(a, 0, 0, true).shape(), (qn::Shape{1, 4}));
  EXPECT_EQ(qn::var(a.astype<float>()).dtype(), DType::float32);
  EXPECT_TRUE(std::isnan(qn::var(qn::ones({1}, DType::float64, device()), {}, 1).item<double>()));
  std::vector<std::complex<double>> z{{0, 1}, {0, -1}};
  EXPECT_EQ(qn::var(qn::array(z, device())).item<double>(), 1);
  EXPECT_EQ(ints(qn::ptp(a, 0)), (Ints{8, 8, 8, 8}));
  EXPECT_EQ(qn::median(a).item<double>(), 5.5);
  EXPECT_EQ(reals(qn::median(a, 0)), (Reals{4, 5, 6, 7}));
  EXPECT_EQ(qn::median(a, 1, true).shape(), (qn::Shape{3, 1}));
  EXPECT_TRUE(std::isnan(qn::median(qn::array({1.0, nan, 2.0}, device())).item<double>()));
  EXPECT_TRUE(std::isnan(qn::median(qn::zeros({0}, DType::float64, device())).item<double>()));
}

TEST_P(Functions, AddUp) {
  qn::Array a = qn::array({{1, 2}, {3, 4}}, device());
  EXPECT_EQ(ints(qn::cumsum(a)), (Ints{1, 3, 6, 10}));
  EXPECT_EQ(ints(qn::cumsum(a, 0)), (Ints{1, 2, 4, 6}));
  EXPECT_EQ(ints(qn::cumprod(a, 1)), (Ints{1, 2, 3, 12}));
  EXPECT_EQ(qn::cumsum(a).dtype(), DType::int64);
  EXPECT_EQ(qn::cumsum(a, {}, DType::float32).dtype(), DType::float32);
  EXPECT_EQ(ints(qn::cumsum(qn::full({}, 3, {}, device()))), Ints{3});
  EXPECT_EQ(ints(qn::diff(a)), (Ints{1, 1}));
  EXPECT_EQ(ints(qn::diff(a, 1, 0)), (Ints{2, 2}));
  EXPECT_EQ(ints(qn::diff(qn::array({1, 4, 9, 16}, device()), 2)), (Ints{2, 2}));
  EXPECT_EQ(ints(qn::diff(qn::array({true, false, false}, device()))), (Ints{1, 0}));
  expect_error(ErrorKind::value, "[diff]", [&] { qn::diff(a, -1); });
  expect_error(ErrorKind::index, "out of bounds", [&] { qn::cumsum(a, 2); });
}

TEST_P(Functions, RoundAndCompare) {
  expect_near(qn::round(qn::array({1.25, 2.5, -0.04}, device()), 1), {1.2, 2.5, -0.0});
  EXPECT_EQ(ints(qn::round(qn::array({15, 25, -149}, device()), -1)), (Ints{20, 20, -150}));
  EXPECT_EQ(reals(qn::round(qn::array({0.5, 1.5}, device()))), (Reals{0, 2}));
  qn::Array a = qn::array({1.0, nan, infinity}, device());
  EXPECT_EQ(ints(qn::isclose(a, a)), (Ints{1, 0, 1}));
  EXPECT_EQ(ints(qn::isclose(a, a, 1e-5, 1e-8, true)), (Ints{1, 1, 1}));
  EXPECT_EQ(ints(qn::isclose(a, 1 + 1e-9)), (Ints{1, 0, 0}));
  EXPECT_TRUE(qn::allclose(qn::array({1.0, 2.0}, device()), qn::array({1.0, 2.0 + 1e-9}, device())));
  EXPECT_FALSE(qn::allclose(1.0, 1.1));
  EXPECT_TRUE(qn::allclose(qn::ones({3}, DType::float32, device()) * 0.1, 0.1));
  EXPECT_TRUE(qn::array_equal(grid(), grid()));
  EXPECT_FALSE(qn::array_equal(grid(), grid()(0)));
}

// ---- shaping.h

TEST_P(Functions, CutAndJoin) {
  qn::Array a = grid();
  std::vector<qn::Array> parts = qn::split(a, 2, 1);
  EXPECT_EQ(ints(parts[1]), (Ints{2, 3, 6, 7, 10, 11}));
  EXPECT_TRUE(parts[0].shares_memory_with(a));
  EXPECT_EQ(qn::array_split(a, 2)[0].shape(), (qn::Shape{2, 4}));
  EXPECT_EQ(ints(qn::split_at(a(0), {1, 3})[1]), (Ints{1, 2}));
  expect_error(ErrorKind::value, "an equal division: 3 elements in 2 parts", [&] { qn::split(a, 2); });
  expect_error(ErrorKind::value, "number of sections must be larger than 0, got 0", [&] { qn::split(a, 0); });
}

TEST_P(Functions, RepeatMoveAndFrame) {
  qn::Array a = qn::array({{1, 2}, {3, 4}}, device());
  EXPECT_EQ(ints(qn::tile(a, {1, 2})), (Ints{1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(qn::tile(a, {2, 1, 1}).shape(), (qn::Shape{2, 2, 2}));
  EXPECT_EQ(ints(qn::repeat(a, 2)), (Ints{1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(ints(qn::repeat(a, 2, 0)), (Ints{1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(qn::repeat(a, 0, 1).shape(), (qn::Shape{2, 0}));
  qn::Array copy = qn::tile(a, {1});
  copy += 1;
  EXPECT_EQ(a(0, 0).item<int>(), 1);
  EXPECT_EQ(ints(qn::roll(qn::arange(5, {}, device()), 2)), (Ints{3, 4, 0, 1, 2}));
  EXPECT_EQ(ints(qn::roll(grid(), -1, 0)(2)), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(ints(qn::roll(a, 1)), (Ints{4, 1, 2, 3}));
  EXPECT_EQ(ints(qn::pad(qn::array({1, 2}, device()), 1)), (Ints{0, 1, 2, 0}));
  EXPECT_EQ(ints(qn::pad(a, {{1, 0}, {0, 1}}, 9)), (Ints{9, 9, 9, 1, 2, 9, 3, 4, 9}));
  expect_error(ErrorKind::value, "[repeat]", [&] { qn::repeat(a, -1); });
  expect_error(ErrorKind::value, "[pad]", [&] { qn::pad(a, -1); });
}

TEST_P(Functions, MakeGrids) {
  qn::Array x = qn::arange(2, {}, device()), y = qn::arange(3, {}, device());
  std::vector<qn::Array> xy = qn::meshgrid({x, y});
  EXPECT_EQ(xy[0].shape(), (qn::Shape{3, 2}));
  EXPECT_EQ(ints(xy[0]), (Ints{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(ints(xy[1]), (Ints{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(ints(qn::meshgrid({x, y}, true)[0]), (Ints{0, 0, 0, 1, 1, 1}));
  expect_near(qn::logspace(0, 2, 3, true, 10, DType::float64, device()), {1, 10, 100});
}

// ---- matrices.h

TEST_P(Functions, TakeTrianglesAndDiagonals) {
  qn::Array a = grid();
  EXPECT_EQ(ints(qn::tril(a)), (Ints{0, 0, 0, 0, 4, 5, 0, 0, 8, 9, 10, 0}));
  EXPECT_EQ(ints(qn::triu(a, 1)), (Ints{0, 1, 2, 3, 0, 0, 6, 7, 0, 0, 0, 11}));
  EXPECT_EQ(ints(qn::diagonal(a)), (Ints{0, 5, 10}));
  EXPECT_EQ(ints(qn::diagonal(a, -1)), (Ints{4, 9}));
  EXPECT_EQ(ints(qn::diag(qn::array({1, 2}, device()), 1)), (Ints{0, 1, 0, 0, 0, 2, 0, 0, 0}));
  EXPECT_EQ(ints(qn::diag(a, 3)), Ints{3});
  EXPECT_EQ(qn::trace(a).item<int>(), 15);
  qn::diagonal(a) = 0;
  EXPECT_EQ(a(1, 1).item<int>(), 0);
  expect_error(ErrorKind::value, "two or more", [&] { qn::tril(a(0)); });
  expect_error(ErrorKind::value, "the same", [&] { qn::diagonal(a, 0, 1, -1); });
  expect_error(ErrorKind::value, "one or two", [&] { qn::diag(qn::zeros({1, 1, 1}, DType::float64, device())); });
}

TEST_P(Functions, MultiplyAndSum) {
  if (name() == "cpu" && !has_blas()) GTEST_SKIP() << "no OpenBLAS with 64-bit integers";
  qn::Array a = grid(DType::float64), v = qn::arange(4, DType::float64, device());
  EXPECT_EQ(qn::dot(v, v).item<double>(), 14);
  EXPECT_EQ(reals(qn::dot(a, v)), (Reals{14, 38, 62}));
  EXPECT_EQ(reals(qn::dot(a, a.transpose())(0)), (Reals{14, 38, 62}));
  EXPECT_EQ(reals(qn::inner(a, a)(0)), (Reals{14, 38, 62}));
  EXPECT_EQ(ints(qn::outer(qn::array({1, 2}, device()), qn::array({3, 4}, device()))), (Ints{3, 4, 6, 8}));
  std::vector<std::complex<double>> z{{0, 1}, {2, 0}};
  EXPECT_EQ(qn::vdot(qn::array(z, device()), qn::array(z, device())).item<std::complex<double>>(), std::complex<double>(5, 0));
  EXPECT_EQ(qn::tensordot(a, a).item<double>(), 506);
  EXPECT_EQ(qn::tensordot(a, a, 0).shape(), (qn::Shape{3, 4, 3, 4}));
  EXPECT_EQ(reals(qn::tensordot(a, v, {1}, {0})), (Reals{14, 38, 62}));
  EXPECT_EQ(qn::dot(qn::array({true, false}, device()), qn::array({true, true}, device())).item<bool>(), true);
  expect_error(ErrorKind::value, "[dot]", [&] { qn::dot(a, a); });
  expect_error(ErrorKind::value, "[tensordot]", [&] { qn::tensordot(a, a, {0}, {1}); });
  expect_error(ErrorKind::value, "is repeated", [&] { qn::tensordot(a, a, {0, 0}, {0, 0}); });
  expect_error(ErrorKind::value, "[vdot]", [&] { qn::vdot(a, v); });
}

// What a function records is asked for by the caller's line, and its errors name it.
TEST_P(Functions, TellTheLine) {
  qn::Array a = qn::ones({300, 300}, DType::float64, device());
  std::string line = "array_functions_test.cpp:" + std::to_string(__LINE__ + 1);
  qn::Array b = qn::var(a, 0);
  EXPECT_NE(b.explain().find(line), std::string::npos) << b.explain();
  EXPECT_EQ(b.explain().find("public_"), std::string::npos) << b.explain();
  line = "array_functions_test.cpp:" + std::to_string(__LINE__ + 1);
  expect_error(ErrorKind::index, line, [&] { qn::diff(a, 1, 5); });
}

}  // namespace
