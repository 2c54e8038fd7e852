// quern/random.h: the numbers that Python draws with the same seed and the same calls (tests/python/arrays/test_random.py has
// these constants too), and whether they are of the distribution.
#include "arrays_fixture.h"

#include <cmath>

namespace {

using namespace arrays_test;
using qn::random::Generator;

class Random : public OnDevices {};
ON_DEVICES(Random);

TEST_P(Random, DrawsAsPythonDoes) {
  Generator rng(42, device());
  EXPECT_EQ(rng.key(), 11465652750463011511u);
  EXPECT_EQ(reals(rng.random({3})), (Reals{0.06771607840373872, 0.20643347375413268, 0.9022433232869224}));
  EXPECT_EQ(reals(rng.random({3}, DType::float32)), (Reals{0.8239753246307373, 0.37762898206710815, 0.26797735691070557}));
  EXPECT_EQ(reals(rng.uniform(-2, 3, {3})), (Reals{-0.24428820221692993, -1.5358438178829559, 1.0331960072726334}));
  EXPECT_EQ(ints(rng.integers(-5, 1000, {4})), (Ints{357, 150, 735, 458}));
  EXPECT_EQ(ints(rng.integers(0, 255, {4}, DType::uint8, true)), (Ints{217, 52, 116, 90}));
  expect_near(rng.standard_normal({3}), {1.3252535798471379, 0.15870334183901996, -0.8850028826607866}, 1e-14);
  expect_near(rng.standard_normal({3}, DType::float32), {-1.1507304906845093, -1.0690314769744873, -0.20212659239768982}, 1e-6);
  expect_near(rng.normal(10, 2, {3}), {9.261289386473516, 8.682895429848395, 10.336882944373562}, 1e-13);
  expect_near(rng.exponential(2, {3}), {3.45344992272259, 1.8432105050136867, 0.12006958425337504}, 1e-14);
  expect_near(rng.gamma(2.5, 2, {3}), {5.711700624258908, 3.050442496945795, 5.757175702900551}, 1e-13);
  EXPECT_EQ(ints(rng.poisson(7.5, {4})), (Ints{4, 8, 6, 6}));
  EXPECT_EQ(ints(rng.binomial(20, 0.3, {4})), (Ints{10, 6, 11, 4}));
  EXPECT_EQ(ints(rng.permutation(8)), (Ints{5, 4, 2, 7, 3, 6, 0, 1}));
  EXPECT_EQ(ints(rng.choice(100, {4})), (Ints{78, 32, 15, 18}));
  EXPECT_EQ(ints(rng.choice(6, {4}, false)), (Ints{1, 0, 4, 3}));
  EXPECT_EQ(rng.counter(), 58u);
}

TEST_P(Random, SeedsAsPythonDoes) {
  EXPECT_EQ(Generator(0, device()).key(), 15793235383387715774u);
  EXPECT_EQ(Generator(uint64_t{1} << 40, device()).key(), 15836917337869523640u);
  EXPECT_EQ(Generator(~uint64_t{0}, device()).key(), 12591116029944179981u);
  EXPECT_EQ(Generator(std::vector<uint64_t>{1, 2, 3}, device()).key(), 12997252459554536576u);
  EXPECT_NE(Generator(device()).key(), Generator(device()).key());
}

TEST_P(Random, DrawsFromOneStream) {
  Generator rng(7, device()), same = rng, other(7, device());
  qn::Array first = rng.random({4}), second = same.random({4});
  EXPECT_EQ(reals(qn::concatenate({first, second})), reals(other.random({8})));
  other.set_counter(4);
  EXPECT_EQ(reals(other.random({2, 2})), reals(second));
  EXPECT_EQ(rng.random().shape(), qn::Shape{});
}

TEST_P(Random, IsOfTheDistribution) {
  Generator rng(1, device());
  const int64_t n = 200000;
  auto expect_moments = [&](const qn::Array& a, double mean, double deviation) {
    EXPECT_NEAR(a.mean().item<double>(), mean, 6 * deviation / std::sqrt(n));
    EXPECT_NEAR(qn::std(a).item<double>(), deviation, 0.02 * deviation);
  };
  expect_moments(rng.random({n}), 0.5, std::sqrt(1.0 / 12));
  expect_moments(rng.uniform(-1, 3, {n}, DType::float32), 1, 4 / std::sqrt(12.0));
  expect_moments(rng.normal(5, 3, {n}), 5, 3);
  expect_moments(rng.standard_exponential({n}), 1, 1);
  expect_moments(rng.gamma(4, 0.5, {n}), 2, 1);
  expect_moments(rng.poisson(9, {n}), 9, 3);
  expect_moments(rng.binomial(100, 0.5, {n}), 50, 5);
  qn::Array whole = rng.integers(-128, 128, {n}, DType::int8);
  EXPECT_EQ(whole.dtype(), DType::int8);
  EXPECT_EQ(qn::unique(whole).size(), 256);
  EXPECT_EQ(qn::unique(rng.integers(0, 2, {n}, DType::boolean)).size(), 2);
  EXPECT_TRUE(
      bool((rng.integers(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), {n}, DType::int64, true) < 0)
               .any()));
}

TEST_P(Random, PicksAndShuffles) {
  Generator rng(2, device());
  qn::Array a = qn::arange(50, {}, device()), once = rng.permutation(a);
  EXPECT_EQ(ints(qn::sort(once)), ints(a));
  EXPECT_NE(ints(once), ints(a));
  qn::Array kept = a;
  rng.shuffle(a);
  EXPECT_EQ(ints(a), ints(kept));
  EXPECT_EQ(ints(qn::sort(a)), ints(qn::arange(50, {}, device())));
  EXPECT_EQ(qn::unique(rng.choice(a, {20}, false)).size(), 20);
  EXPECT_EQ(rng.choice(grid(), {5}, true, 1).shape(), (qn::Shape{3, 5}));
  EXPECT_EQ(rng.permutation(grid(), 1).shape(), (qn::Shape{3, 4}));
}

TEST_P(Random, RefusesWhatIsWrong) {
  Generator rng(1, device());
  expect_error(ErrorKind::type, "float16", [&] { rng.random({2}, DType::float16); });
  expect_error(ErrorKind::value, "negative", [&] { rng.random({-2}); });
  expect_error(ErrorKind::value, "negative", [&] { rng.normal(0, -1, {2}); });
  expect_error(ErrorKind::value, "negative", [&] { rng.exponential(-1, {2}); });
  expect_error(ErrorKind::overflow, "finite", [&] { rng.uniform(0, infinity, {2}); });
  expect_error(ErrorKind::value, "out of bounds for uint8", [&] { rng.integers(0, 300, {2}, DType::uint8); });
  expect_error(ErrorKind::value, "out of bounds for uint8", [&] { rng.integers(-1, 3, {2}, DType::uint8); });
  expect_error(ErrorKind::value, "none", [&] { rng.integers(3, 3, {2}); });
  expect_error(ErrorKind::type, "float64", [&] { rng.integers(0, 3, {2}, DType::float64); });
  expect_error(ErrorKind::value, "more than", [&] { rng.choice(3, {4}, false); });
  expect_error(ErrorKind::value, "probability", [&] { rng.binomial(3, 1.5, {4}); });
  std::string line = "random_test.cpp:" + std::to_string(__LINE__ + 1);
  expect_error(ErrorKind::value, line, [&] { rng.poisson(-1, {4}); });
}

}  // namespace
