// Arrays between the brackets, and quern/picking.h. NumPy's results stand here as numbers.
#include "arrays_fixture.h"

namespace {

using namespace arrays_test;

class Indexing : public OnDevices {
 protected:
  qn::Array places(const Ints& values) const { return qn::array(values, device()); }
};
ON_DEVICES(Indexing);

TEST_P(Indexing, PicksByPlaces) {
  qn::Array a = grid();
  EXPECT_EQ(ints(a(places({2, 0, -1}))), (Ints{8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(ints(a({}, places({3, 1}))), (Ints{3, 1, 7, 5, 11, 9}));
  EXPECT_EQ(ints(a(places({0, 2}), places({1, -1}))), (Ints{1, 11}));
  EXPECT_EQ(ints(a(places({0, 2})({}, qn::newaxis), places({1, 3}))), (Ints{1, 3, 9, 11}));
  EXPECT_EQ(ints(a({1, {}}, places({0, 0}))), (Ints{4, 4, 8, 8}));
  EXPECT_EQ(ints(a(-1, places({1, 2}))), (Ints{9, 10}));
  EXPECT_EQ(ints(a({{}, {}, -2}, places({3}))), (Ints{11, 3}));
  EXPECT_EQ(ints(a(qn::ellipsis, places({2}))), (Ints{2, 6, 10}));
  EXPECT_EQ(a(qn::array({{0, 1}, {2, 0}}, device())).shape(), (qn::Shape{2, 2, 4}));
  EXPECT_EQ(a(places({})).shape(), (qn::Shape{0, 4}));
  EXPECT_EQ(ints(a(qn::array({1, 2}, device()).astype<uint8_t>(), 0)), (Ints{4, 8}));
  // One integer without axes is a number, so that what it takes is a view.
  qn::Array best = qn::argmax(a.sum(1));
  EXPECT_TRUE(a(best).shares_memory_with(a));
  EXPECT_EQ(ints(a(best)), (Ints{8, 9, 10, 11}));
}

// Where the picks' shape goes: where the first stands, or in front when a slice is between them.
TEST_P(Indexing, PlacesThePicks) {
  qn::Array a = qn::arange(120, {}, device()).reshape({2, 3, 4, 5});
  EXPECT_EQ(a({}, places({0, 1}), places({0, 1})).shape(), (qn::Shape{2, 2, 5}));
  EXPECT_EQ(a({}, places({0, 1}), {}, places({0, 1})).shape(), (qn::Shape{2, 2, 4}));
  EXPECT_EQ(ints(a({}, places({0, 2}), {1, 2}, places({4, 0}))), (Ints{9, 69, 45, 105}));
  EXPECT_EQ(a(0, {}, places({1, 2, 3})).shape(), (qn::Shape{3, 3, 5}));
  EXPECT_EQ(a(qn::newaxis, places({1}), qn::ellipsis).shape(), (qn::Shape{1, 1, 3, 4, 5}));
  EXPECT_EQ(ints(a({}, places({1, 2}), 3, {{}, {}, 4})), (Ints{35, 39, 55, 59, 95, 99, 115, 119}));
}

TEST_P(Indexing, PicksByMasks) {
  qn::Array a = grid();
  EXPECT_EQ(ints(a(a % 3 == 0)), (Ints{0, 3, 6, 9}));
  EXPECT_EQ(ints(a(a.sum(1) > 10)), (Ints{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(ints(a({}, a(0) > 1)), (Ints{2, 3, 6, 7, 10, 11}));
  EXPECT_EQ(ints(a(qn::array({true, false, true}, device()), places({0, 3}))), (Ints{0, 11}));
  EXPECT_EQ(ints(a.transpose()(a.transpose() > 8)), (Ints{9, 10, 11}));
  EXPECT_EQ(a(a > 100).shape(), qn::Shape{0});
  EXPECT_EQ(a(qn::full({}, true, {}, device())).shape(), (qn::Shape{1, 3, 4}));
  EXPECT_EQ(a(qn::full({}, false, {}, device())).shape(), (qn::Shape{0, 3, 4}));
  EXPECT_EQ(a(a > 4).sum().item<int>(), 56);
  EXPECT_EQ((a(a > 9) * 2 + 1).to_vector<int>(), (std::vector<int>{21, 23}));
  for (int64_t n : {50, 100000}) {
    qn::Array many = qn::arange(n, {}, device());
    EXPECT_EQ(many(many % 7 == 3).size(), (n + 3) / 7);
  }
}

TEST_P(Indexing, WritesWhatIsPicked) {
  qn::Array a = grid();
  a(a % 3 == 0) = -1;
  EXPECT_EQ(ints(a), (Ints{-1, 1, 2, -1, 4, 5, -1, 7, 8, -1, 10, 11}));
  a(a < 0) = places({20, 21, 22, 23});
  EXPECT_EQ(ints(a), (Ints{20, 1, 2, 21, 4, 5, 22, 7, 8, 23, 10, 11}));
  a(a > 9) *= 2;
  EXPECT_EQ(ints(a), (Ints{40, 1, 2, 42, 4, 5, 44, 7, 8, 46, 20, 22}));
  a(places({0, 2})) = 0;
  EXPECT_EQ(ints(a), (Ints{0, 0, 0, 0, 4, 5, 44, 7, 0, 0, 0, 0}));
  a({}, places({3, 1})) = qn::array({{1, 2}, {3, 4}, {5, 6}}, device());
  EXPECT_EQ(ints(a), (Ints{0, 2, 0, 1, 4, 4, 44, 3, 0, 6, 0, 5}));
  a({1, 2})({}, places({0, 2})) += places({1, -1});
  EXPECT_EQ(ints(a(1)), (Ints{5, 4, 43, 3}));
  a(qn::array({false, true, true}, device()), 0) -= 5;
  EXPECT_EQ(ints(a({}, 0)), (Ints{0, 0, -5}));
  a(places({0, 1}), places({1, 1})).assign(9.7);  // converted, as an assignment does
  EXPECT_EQ(ints(a({}, 1)), (Ints{9, 9, 6}));
}

// The last value stays, and sums do not add up.
TEST_P(Indexing, WritesOnePlaceOnce) {
  qn::Array a = qn::zeros({4}, DType::int64, device()), twice = places({1, 1, 3});
  a(twice) += 1;
  EXPECT_EQ(ints(a), (Ints{0, 1, 0, 1}));
  a(twice) = places({5, 6, 7});
  EXPECT_EQ(ints(a), (Ints{0, 6, 0, 7}));
  a(twice) = a(twice) + places({1, 2, 3});
  EXPECT_EQ(ints(a), (Ints{0, 8, 0, 10}));
}

// What was picked is an array of its own, with the values from when it was picked.
TEST_P(Indexing, KeepsWhatIsNamed) {
  for (int64_t n : {12, 40000}) {
    qn::Array a = qn::arange(n, {}, device()), mask = a % 2 == 0, where = qn::arange(0, n, 2, {}, device());
    qn::Array by_mask = a(mask), by_places = a(where), same = by_mask;
    a += 100;
    mask(qn::Index()) = false;
    where *= 0;
    EXPECT_EQ(by_mask(1).item<int>(), 2);
    EXPECT_EQ(by_places(1).item<int>(), 2);
    EXPECT_EQ(by_mask.size(), n / 2);
    EXPECT_FALSE(by_mask.shares_memory_with(a));
    EXPECT_TRUE(by_mask.shares_memory_with(same));
    by_mask += 1;  // writes into what it names
    EXPECT_EQ(same(1).item<int>(), 3);
    EXPECT_EQ(a(2).item<int>(), 102);
    a = a(a > 103);
    a = a(a > 104);
    EXPECT_EQ(a(0).item<int>(), 105);
  }
}

TEST_P(Indexing, KeepsWhatIsNamedFromKernels) {
  qn::Program program(device(), "__global__ void clear(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] = 0; }");
  qn::Array a = qn::arange(40, DType::float32, device()) + 0, picked = a(a > 36);
  program.kernel("clear")({1}, {64}, a, 40);
  EXPECT_EQ(picked.to_vector<int>(), (std::vector<int>{37, 38, 39}));
  EXPECT_EQ(a.sum().item<float>(), 0);
}

TEST_P(Indexing, RefusesWhatIsWrong) {
  qn::Array a = grid();
  expect_error(ErrorKind::index, "integer (or boolean) type", [&] { a(grid(DType::float64)); });
  expect_error(ErrorKind::index, "boolean index did not match", [&] { a(qn::array({true, false}, device())); });
  expect_error(ErrorKind::index, "too many indices", [&] { a(places({0}), places({0}), places({0})); });
  expect_error(ErrorKind::index, "too many indices", [&] { a(a > 3, 0); });
  expect_error(ErrorKind::index, "broadcast", [&] { a(places({0, 1}), places({0, 1, 2})).evaluate(); });
  expect_error(ErrorKind::value, "cannot assign 3 input values", [&] { a(a > 7) = places({1, 2, 3}); });
  expect_error(ErrorKind::value, "broadcast", [&] { a(places({0, 1})) = places({1, 2, 3}); });
  expect_error(ErrorKind::type, "same_kind", [&] { a(places({0, 1})) += 0.5; });
  expect_error(ErrorKind::value, "read-only", [&] { a.broadcast_to({2, 3, 4})(places({0})) = 1; });
  std::string line = "array_index_test.cpp:" + std::to_string(__LINE__ + 1);
  qn::Array wrong = a(places({0, 3}));
  expect_error(ErrorKind::index, line, [&] { wrong.to_vector<int>(); });
  EXPECT_EQ(a.sum().item<int>(), 66);  // nothing was changed
}

TEST_P(Indexing, FindsPlaces) {
  qn::Array a = qn::array({{0, 3, 0}, {5, 0, -1}}, device());
  std::vector<qn::Array> where = qn::nonzero(a);
  ASSERT_EQ(where.size(), 2u);
  EXPECT_EQ(ints(where[0]), (Ints{0, 1, 1}));
  EXPECT_EQ(ints(where[1]), (Ints{1, 0, 2}));
  EXPECT_EQ(ints(qn::flatnonzero(a)), (Ints{1, 3, 5}));
  EXPECT_EQ(ints(qn::argwhere(a)), (Ints{0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(qn::argwhere(qn::full({}, 1, {}, device())).shape(), (qn::Shape{1, 0}));
  EXPECT_EQ(qn::count_nonzero(a).item<int>(), 3);
  EXPECT_EQ(ints(qn::count_nonzero(a, 0)), (Ints{1, 1, 1}));
  EXPECT_EQ(qn::count_nonzero(a, 1, true).shape(), (qn::Shape{2, 1}));
  expect_error(ErrorKind::value, "0d arrays", [&] { qn::nonzero(qn::full({}, 1, {}, device())); });
}

TEST_P(Indexing, TakesAndPuts) {
  qn::Array a = grid();
  EXPECT_EQ(ints(qn::take(a, places({2, -4}), 1)), (Ints{2, 0, 6, 4, 10, 8}));
  qn::Array order = qn::argsort(a, 1, true);
  EXPECT_EQ(ints(qn::take_along_axis(a, order)(0)), (Ints{3, 2, 1, 0}));
  EXPECT_EQ(ints(qn::take_along_axis(a, qn::argmax(a, 0, true), 0)), (Ints{8, 9, 10, 11}));
  qn::put_along_axis(a, qn::array({{0}, {1}, {2}}, device()), -1);
  EXPECT_EQ(ints(a), (Ints{-1, 1, 2, 3, 4, -1, 6, 7, 8, 9, -1, 11}));
  qn::put(a, places({0, -1, 5}), places({50, 60}));
  EXPECT_EQ(ints(a), (Ints{50, 1, 2, 3, 4, 50, 6, 7, 8, 9, -1, 60}));
  qn::put(a.transpose(), places({1, 2}), 0);
  EXPECT_EQ(ints(a({}, 0)), (Ints{50, 0, 0}));
  EXPECT_EQ(ints(qn::compress(qn::array({true, false, true}, device()), a, 1)), (Ints{50, 2, 0, 6, 0, -1}));
  EXPECT_EQ(ints(qn::extract(a > 9, a)), (Ints{50, 50, 60}));
  expect_error(ErrorKind::index, "integer array", [&] { qn::take_along_axis(a, a > 3); });
  expect_error(ErrorKind::value, "number of dimensions", [&] { qn::take_along_axis(a, places({0})); });
  expect_error(ErrorKind::type, "integers", [&] { qn::put(a, qn::ones({2}, DType::float64, device()), 1); });
  expect_error(ErrorKind::value, "must be a 1-d array", [&] { qn::compress(a > 3, a, 0); });
  expect_error(ErrorKind::index, "empty", [&] { qn::take(qn::zeros({0}, DType::float64, device()), places({0})); });
}

}  // namespace
