// Quantiles, averages, counts, keys, Einstein's sums, borders, and the array API standard's names. NumPy's results stand here as
// numbers.
#include "arrays_fixture.h"

#include <cmath>
#include <complex>

namespace {

using namespace arrays_test;
using arrays_test::nan;  // not the one of <cmath>
using qn::PadMode;
using qn::QuantileMethod;

class Standard : public OnDevices {
 protected:
  qn::Array some() const { return qn::array({3.0, 1.0, 4.0, 1.5, 9.0}, device()); }
};
ON_DEVICES(Standard);

// ---- statistics.h

TEST_P(Standard, Quantiles) {
  qn::Array a = some();
  EXPECT_EQ(qn::quantile(a, 0.5).item<double>(), 3);
  expect_near(qn::quantile(a, {0.0, 0.3, 1.0}), {1, 1.8, 9});
  expect_near(qn::percentile(a, 90), {7});
  expect_near(qn::percentile(a, {10.0, 25.0}), {1.2, 1.5});
  std::pair<QuantileMethod, double> each[] = {{QuantileMethod::lower, 1.5},
                                              {QuantileMethod::higher, 3},
                                              {QuantileMethod::midpoint, 2.25},
                                              {QuantileMethod::nearest, 3},
                                              {QuantileMethod::inverted_cdf, 1.5},
                                              {QuantileMethod::averaged_inverted_cdf, 2.25},
                                              {QuantileMethod::closest_observation, 1.5},
                                              {QuantileMethod::interpolated_inverted_cdf, 1.5},
                                              {QuantileMethod::hazen, 2.25},
                                              {QuantileMethod::weibull, 2.1},
                                              {QuantileMethod::median_unbiased, 2.2},
                                              {QuantileMethod::normal_unbiased, 2.2125}};
  for (auto [method, expected] : each)
    EXPECT_NEAR(qn::quantile(a, 0.4, {}, method).item<double>(), expected, 1e-12) << static_cast<int>(method);
  EXPECT_EQ(reals(qn::quantile(grid(), 0.5, 0)), (Reals{4, 5, 6, 7}));
  EXPECT_EQ(qn::quantile(grid(), {0.5, 1.0}, 1).shape(), (qn::Shape{2, 3}));
  EXPECT_EQ(qn::quantile(grid(), {0.5, 1.0}, 1, QuantileMethod::linear, true).shape(), (qn::Shape{2, 3, 1}));
  EXPECT_EQ(qn::quantile(grid(), 0.5, {}, QuantileMethod::linear, true).shape(), (qn::Shape{1, 1}));
  EXPECT_EQ(qn::quantile(a.astype<float>(), 0.3).dtype(), DType::float32);
  EXPECT_TRUE(std::isnan(qn::quantile(qn::array({1.0, nan}, device()), 0.2).item<double>()));
  expect_error(ErrorKind::value, "[quantile] 1.5", [&] { qn::quantile(a, 1.5); });
  expect_error(ErrorKind::index, "the array is empty", [&] { qn::quantile(qn::zeros({0}, DType::float64, device()), 0.5); });
  expect_error(ErrorKind::type, "dtype bool", [&] { qn::quantile(qn::array({true, false}, device()), 0.5); });
  expect_error(ErrorKind::type, "complex", [&] { qn::quantile(qn::zeros({2}, DType::complex64, device()), 0.5); });
}

TEST_P(Standard, AverageAndVaryTogether) {
  qn::Array a = grid(), w = qn::array({1.0, 2.0, 3.0, 4.0}, device());
  EXPECT_EQ(reals(qn::average(a, w, 1)), (Reals{2, 6, 10}));
  EXPECT_EQ(qn::average(a, w, 1, true).shape(), (qn::Shape{3, 1}));
  EXPECT_EQ(qn::average(some(), some()).item<double>(), 109.25 / 18.5);
  expect_error(ErrorKind::zero_division, "zero", [&] { qn::average(w, qn::zeros({4}, DType::float64, device())); });
  expect_error(ErrorKind::type, "Axis must be specified", [&] { qn::average(a, w); });
  expect_error(ErrorKind::value, "Shape of weights", [&] { qn::average(a, w, 0); });
  qn::Array m = qn::array({{0.0, 1.0, 2.0}, {2.0, 1.0, 3.0}}, device());
  expect_near(qn::cov(m), {1, 0.5, 0.5, 1});
  expect_near(qn::cov(m, {.ddof = 0}), {2 / 3.0, 1 / 3.0, 1 / 3.0, 2 / 3.0});
  EXPECT_EQ(qn::cov(m(0)).shape(), qn::Shape{});
  expect_near(qn::cov(m, {.fweights = qn::array({1, 2, 1}, device())}), {2 / 3.0, 1 / 3.0, 1 / 3.0, 0.9166666666666666});
  expect_near(qn::cov(m, {.aweights = qn::array({1.0, 2.0, 1.0}, device())}), {0.8, 0.4, 0.4, 1.1});
  expect_near(qn::corrcoef(m), {1, 0.5, 0.5, 1});
  EXPECT_EQ(qn::cov(qn::zeros({0, 3}, DType::float64, device())).shape(), (qn::Shape{0, 0}));
  std::vector<std::complex<double>> z{{1, 2}, {3, -1}, {0, 1}};
  EXPECT_NEAR(qn::cov(qn::array(z, device())).item<std::complex<double>>().real(), 14 / 3.0, 1e-12);
  expect_error(ErrorKind::value, "more than 2 dimensions", [&] { qn::cov(qn::zeros({2, 2, 2}, DType::float64, device())); });
  expect_error(ErrorKind::type, "must be integer", [&] { qn::cov(m, {.fweights = qn::array({1.5, 1.0, 1.0}, device())}); });
  expect_error(ErrorKind::runtime, "incompatible numbers", [&] { qn::cov(m, {.aweights = qn::array({1.0, 1.0}, device())}); });
}

TEST_P(Standard, Count) {
  qn::Array a = qn::array({0, 2, 2, 5}, device());
  EXPECT_EQ(ints(qn::bincount(a)), (Ints{1, 0, 2, 0, 0, 1}));
  EXPECT_EQ(qn::bincount(a, 8).size(), 8);
  EXPECT_EQ(reals(qn::bincount(a, qn::array({0.5, 1.0, 2.0, 4.0}, device()))), (Reals{0.5, 0, 3, 0, 0, 4}));
  EXPECT_EQ(qn::bincount(qn::zeros({0}, DType::int64, device())).size(), 0);
  expect_error(ErrorKind::value, "negative", [&] { qn::bincount(qn::array({-1}, device())); });
  expect_error(ErrorKind::type, "Cannot cast", [&] { qn::bincount(some()); });
  expect_error(ErrorKind::value, "same length", [&] { qn::bincount(a, some()); });

  auto [counts, edges] = qn::histogram(qn::array({1, 2, 2, 4}, device()), 3);
  EXPECT_EQ(ints(counts), (Ints{1, 2, 1}));
  EXPECT_EQ(reals(edges), (Reals{1, 2, 3, 4}));
  EXPECT_EQ(ints(qn::histogram(some(), 4, {.range = std::pair(0.0, 4.0)}).counts), (Ints{0, 2, 0, 2}));
  EXPECT_EQ(ints(qn::histogram(some(), std::vector<double>{1, 1.5, 4, 4, 10}).counts), (Ints{1, 2, 0, 2}));
  EXPECT_EQ(reals(qn::histogram(some(), std::vector<double>{0, 2, 10}, {.weights = some()}).counts), (Reals{2.5, 16}));
  EXPECT_EQ(reals(qn::histogram(some(), 2, {.weights = some()}).counts), (Reals{9.5, 9}));
  expect_near(qn::histogram(some(), 2, {.density = true}).counts, {0.2, 0.05});
  EXPECT_EQ(reals(qn::histogram(qn::zeros({0}, DType::float64, device()), 2).edges), (Reals{0, 0.5, 1}));
  expect_error(ErrorKind::value, "must be positive", [&] { qn::histogram(a, 0); });
  expect_error(ErrorKind::value, "not finite", [&] { qn::histogram(qn::array({1.0, nan}, device())); });
  expect_error(ErrorKind::value, "must be larger than min", [&] { qn::histogram(a, 2, {.range = std::pair(2.0, 1.0)}); });
  expect_error(ErrorKind::value, "`bins` must increase monotonically", [&] { qn::histogram(a, std::vector<double>{2, 1}); });
  expect_error(ErrorKind::value, "same shape", [&] { qn::histogram(a, 2, {.weights = some()}); });
}

TEST_P(Standard, AddUpAlongAnAxis) {
  EXPECT_EQ(ints(qn::cumulative_sum(qn::array({1, 2, 3}, device()), {}, {}, true)), (Ints{0, 1, 3, 6}));
  EXPECT_EQ(ints(qn::cumulative_prod(qn::array({{1, 2}, {3, 4}}, device()), 0, {}, true)), (Ints{1, 1, 1, 2, 3, 8}));
  expect_error(ErrorKind::value, "several axes", [&] { qn::cumulative_sum(grid()); });
}

// ---- sorting.h

TEST_P(Standard, SortByKeysAndPlaces) {
  qn::Array second = qn::array({1, 0, 1, 0}, device()), first = qn::array({5, 5, 4, 4}, device());
  EXPECT_EQ(ints(qn::lexsort({second, first})), (Ints{3, 2, 1, 0}));
  EXPECT_EQ(ints(qn::lexsort({grid()}, 0)), (Ints{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  expect_error(ErrorKind::type, "need sequence of keys", [&] { qn::lexsort({}); });
  expect_error(ErrorKind::value, "same shape", [&] { qn::lexsort({first, some()}); });
  Reals parted = reals(qn::partition(some(), 2));
  EXPECT_EQ(parted[2], 3);
  EXPECT_EQ(ints(qn::argpartition(some(), -1))[4], 4);
  expect_error(ErrorKind::value, "kth(=5) out of bounds (5)", [&] { qn::partition(some(), 5); });
  expect_error(ErrorKind::value, "out of bounds", [&] { qn::argpartition(some(), -6); });
  qn::Array order = qn::argsort(some());
  EXPECT_EQ(ints(qn::searchsorted(some(), qn::array({2.0, 10.0}, device()), false, order)), (Ints{2, 5}));
  qn::UniqueAll all = qn::unique_all(qn::array({{5, 1}, {5, 7}}, device()));
  EXPECT_EQ(ints(all.values), (Ints{1, 5, 7}));
  EXPECT_EQ(ints(all.indices), (Ints{1, 0, 3}));
  EXPECT_EQ(ints(all.inverse_indices), (Ints{1, 0, 1, 2}));
  EXPECT_EQ(all.inverse_indices.shape(), (qn::Shape{2, 2}));
  EXPECT_EQ(ints(all.counts), (Ints{1, 2, 1}));
  auto [values, inverse] = qn::unique_inverse(qn::zeros({0}, DType::float64, device()));
  EXPECT_EQ(values.size() + inverse.size(), 0);
}

// ---- matrices.h

TEST_P(Standard, EinsteinsSums) {
  qn::Array a = grid(), b = qn::arange(4, {}, device());
  EXPECT_EQ(ints(qn::einsum("ij->ji", {a})), (Ints{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(ints(qn::einsum("ij,j", {a, b})), (Ints{14, 38, 62}));
  EXPECT_EQ(ints(qn::einsum("ij, kj -> ik", {a, a})), (Ints{14, 38, 62, 38, 126, 214, 62, 214, 366}));
  EXPECT_EQ(qn::einsum("ii", {a({}, {0, 3})}).item<int>(), 15);
  EXPECT_EQ(ints(qn::einsum("ii->i", {a({}, {0, 3})})), (Ints{0, 5, 10}));
  EXPECT_EQ(ints(qn::einsum("...j->...", {a})), (Ints{6, 22, 38}));
  EXPECT_EQ(qn::einsum("i,j,k", {b, b, b}).shape(), (qn::Shape{4, 4, 4}));
  EXPECT_EQ(qn::einsum("ij,j,i->", {a, b, qn::arange(3, {}, device())}).item<int>(), 162);
  EXPECT_TRUE(qn::einsum("ii->i", {a({}, {0, 3})}).shares_memory_with(a));
  EXPECT_EQ(ints(qn::einsum("ij,ij->ij", {qn::ones({1, 4}, DType::int64, device()), a})), ints(a));
  expect_error(ErrorKind::value, "subscript '1'", [&] { qn::einsum("i1", {a}); });
  expect_error(ErrorKind::value, "too many", [&] { qn::einsum("ijk", {a}); });
  expect_error(ErrorKind::value, "too few", [&] { qn::einsum("i", {a}); });
  expect_error(ErrorKind::value, "more operands", [&] { qn::einsum("ij", {a, a}); });
  expect_error(ErrorKind::value, "never appeared", [&] { qn::einsum("ij->k", {a}); });
  expect_error(ErrorKind::value, "multiple times", [&] { qn::einsum("ij->ii", {a}); });
  expect_error(ErrorKind::value, "broadcast", [&] { qn::einsum("ij,ji", {a, a}); });
  expect_error(ErrorKind::value, "one operand at least", [&] { qn::einsum("", {}); });
}

TEST_P(Standard, MoreProducts) {
  qn::Array x = qn::array({1, 10}, device()), y = qn::array({1, 2, 3}, device());
  EXPECT_EQ(ints(qn::kron(x, y)), (Ints{1, 2, 3, 10, 20, 30}));
  EXPECT_EQ(ints(qn::kron(qn::eye(2, {}, 0, DType::int64, device()), x)), (Ints{1, 10, 0, 0, 0, 0, 1, 10}));
  EXPECT_EQ(ints(qn::cross(y, qn::array({4, 5, 6}, device()))), (Ints{-3, 6, -3}));
  expect_error(ErrorKind::value, "three", [&] { qn::cross(x, x); });
  EXPECT_EQ(ints(qn::vecdot(grid(), qn::arange(4, {}, device()))), (Ints{14, 38, 62}));
  EXPECT_EQ(ints(qn::vecdot(grid(), grid(), 0)), (Ints{80, 107, 140, 179}));
  std::vector<std::complex<double>> z{{0, 1}, {2, 0}};
  EXPECT_EQ(qn::vecdot(qn::array(z, device()), qn::array(z, device())).item<std::complex<double>>(), std::complex<double>(5));
  EXPECT_EQ(ints(qn::matvec(grid(), qn::arange(4, {}, device()))), (Ints{14, 38, 62}));
  EXPECT_EQ(ints(qn::vecmat(qn::arange(3, {}, device()), grid())), (Ints{20, 23, 26, 29}));
  EXPECT_EQ(qn::matrix_transpose(grid()).shape(), (qn::Shape{4, 3}));
  expect_error(ErrorKind::value, "[vecdot]", [&] { qn::vecdot(x, y); });
  expect_error(ErrorKind::value, "[matvec]", [&] { qn::matvec(x, y); });
  expect_error(ErrorKind::value, "[vecmat]", [&] { qn::vecmat(x, grid()); });
  expect_error(ErrorKind::value, "[matrix_transpose]", [&] { qn::matrix_transpose(x); });
}

// ---- shaping.h

TEST_P(Standard, Borders) {
  qn::Array a = qn::array({1, 2, 4}, device());
  EXPECT_EQ(ints(qn::pad(a, 2, PadMode::edge)), (Ints{1, 1, 1, 2, 4, 4, 4}));
  EXPECT_EQ(ints(qn::pad(a, 4, PadMode::reflect)), (Ints{1, 2, 4, 2, 1, 2, 4, 2, 1, 2, 4}));
  EXPECT_EQ(ints(qn::pad(a, 2, PadMode::reflect, true)), (Ints{-2, 0, 1, 2, 4, 6, 7}));
  EXPECT_EQ(ints(qn::pad(a, 2, PadMode::symmetric)), (Ints{2, 1, 1, 2, 4, 4, 2}));
  EXPECT_EQ(ints(qn::pad(a, 2, PadMode::wrap)), (Ints{2, 4, 1, 2, 4, 1, 2}));
  EXPECT_EQ(ints(qn::pad(a, 1, PadMode::maximum)), (Ints{4, 1, 2, 4, 4}));
  EXPECT_EQ(ints(qn::pad(a, 1, PadMode::minimum)), (Ints{1, 1, 2, 4, 1}));
  EXPECT_EQ(ints(qn::pad(a, 1, PadMode::mean)), (Ints{2, 1, 2, 4, 2}));
  EXPECT_EQ(ints(qn::pad(a, 1, PadMode::median)), (Ints{2, 1, 2, 4, 2}));
  EXPECT_EQ(ints(qn::pad(a, 2, PadMode::linear_ramp)), (Ints{0, 0, 1, 2, 4, 2, 0}));
  EXPECT_EQ(ints(qn::pad(qn::array({{1, 2}, {3, 4}}, device()), {{1, 0}, {0, 2}}, PadMode::wrap)),
            (Ints{3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4}));
  expect_error(ErrorKind::value, "empty axis", [&] { qn::pad(qn::zeros({0}, DType::float64, device()), 1, PadMode::edge); });
  expect_error(ErrorKind::value, "can't contain negative values", [&] { qn::pad(a, -1, PadMode::edge); });
}

TEST_P(Standard, TakeApartAndRepeat) {
  qn::Array a = grid();
  std::vector<qn::Array> rows = qn::unstack(a), columns = qn::unstack(a, 1);
  EXPECT_EQ(rows.size() + columns.size(), 7u);
  EXPECT_EQ(ints(columns[1]), (Ints{1, 5, 9}));
  EXPECT_TRUE(rows[0].shares_memory_with(a));
  std::vector<qn::Array> alike = qn::broadcast_arrays({a, qn::ones({3, 1}, DType::int64, device())});
  EXPECT_EQ(alike[1].shape(), a.shape());
  expect_error(ErrorKind::value, "broadcast", [&] { qn::broadcast_arrays({a, rows[0]({0, 3})}); });
  EXPECT_EQ(ints(qn::repeat(qn::array({7, 8, 9}, device()), qn::array({2, 0, 1}, device()))), (Ints{7, 7, 9}));
  EXPECT_EQ(qn::repeat(a, qn::array({1, 2, 1}, device()), 0).shape(), (qn::Shape{4, 4}));
  expect_error(ErrorKind::value, "same length", [&] { qn::repeat(a, qn::array({1, 2}, device()), 0); });
  expect_error(ErrorKind::type, "integers", [&] { qn::repeat(a, some(), 0); });
  EXPECT_EQ(ints(qn::roll(a, {1, 1}, {0, 1})), (Ints{11, 8, 9, 10, 3, 0, 1, 2, 7, 4, 5, 6}));
  expect_error(ErrorKind::value, "[roll]", [&] { qn::roll(a, {1}, {0, 1}); });
}

// ---- fft.h

TEST_P(Standard, HermitianTransforms) {
  std::vector<std::complex<double>> z{{1, 0}, {0, 1}, {2, 0}};
  expect_near(qn::fft::hfft(qn::array(z, device())), {3, 1, 3, -3});
  qn::Array line = qn::array({1.0, 2.0, 4.0, 8.0}, device());
  expect_near(qn::fft::hfft(qn::fft::ihfft(line), 4), {1, 2, 4, 8}, 1e-12);
  expect_near(qn::fft::ihfft(line).real(), {3.75, -0.75, -1.25}, 1e-12);
}

// ---- standard.h

TEST_P(Standard, OtherNames) {
  qn::Array a = qn::array({0.5, 1.0}, device());
  expect_near(qn::acos(a), {std::acos(0.5), 0});
  expect_near(qn::atan2(a, 1.0), {std::atan2(0.5, 1.0), std::atan2(1.0, 1.0)});
  expect_near(qn::pow(a, 2), {0.25, 1});
  expect_near(qn::divide(1, a), {2, 1});
  EXPECT_EQ(ints(qn::bitwise_left_shift(qn::array({1, 2}, device()), 3)), (Ints{8, 16}));
  EXPECT_EQ(ints(qn::bitwise_invert(qn::array({0}, device()))), Ints{-1});
  EXPECT_EQ(ints(qn::permute_dims(grid(), {1, 0})), ints(grid().transpose()));
  EXPECT_EQ(qn::concat({a, a}).size(), 4);
  EXPECT_EQ(qn::expand_dims(a, 0).shape(), (qn::Shape{1, 2}));
  EXPECT_EQ(qn::squeeze(qn::expand_dims(a, 0)).shape(), qn::Shape{2});
  EXPECT_EQ(reals(qn::flip(a)), (Reals{1, 0.5}));
  EXPECT_EQ(qn::reshape(grid(), {2, -1}).shape(), (qn::Shape{2, 6}));
  EXPECT_EQ(qn::broadcast_to(a, {3, 2}).shape(), (qn::Shape{3, 2}));
  EXPECT_EQ(qn::moveaxis(grid(), 0, 1).shape(), (qn::Shape{4, 3}));
  EXPECT_EQ(qn::astype(a, DType::int32).dtype(), DType::int32);
  EXPECT_EQ(qn::unique_values(grid()).size(), 12);
  EXPECT_EQ(qn::linalg::trace(grid()).item<int>(), 15);
  EXPECT_EQ(ints(qn::linalg::diagonal(grid())), (Ints{0, 5, 10}));
  EXPECT_EQ(qn::linalg::vecdot(a, a).item<double>(), 1.25);
  EXPECT_EQ(qn::result_type({DType::int32, DType::float32}), DType::float64);
  EXPECT_TRUE(qn::can_cast(DType::int32, DType::float64));
  EXPECT_FALSE(qn::can_cast(DType::float64, DType::float32));
  EXPECT_TRUE(qn::isdtype(DType::uint8, "integral"));
  EXPECT_FALSE(qn::isdtype(DType::complex64, "real floating"));
  expect_error(ErrorKind::value, "[isdtype]", [&] { qn::isdtype(DType::int8, "floating"); });
  expect_error(ErrorKind::value, "[result_type]", [&] { qn::result_type({}); });
}

}  // namespace
