// The arrays of the public headers: values, views, aliasing, types, errors, and the lines that errors and the trace name. NumPy's
// results stand here as numbers; what the engine computes is tested from Python.
#include "arrays_fixture.h"

#include <cmath>
#include <sstream>

namespace {

using namespace arrays_test;
using arrays_test::nan;  // not the one of <cmath>

class Arrays : public OnDevices {};
ON_DEVICES(Arrays);

// ---- making and asking

TEST_P(Arrays, AreMade) {
  qn::Array z = qn::zeros({2, 3}, DType::float32, device());
  EXPECT_EQ(z.shape(), (qn::Shape{2, 3}));
  EXPECT_EQ(z.shape(-1), 3);
  EXPECT_EQ(z.ndim(), 2);
  EXPECT_EQ(z.size(), 6);
  EXPECT_EQ(z.dtype(), DType::float32);
  EXPECT_EQ(z.device(), device());
  EXPECT_EQ(reals(z), Reals(6, 0.0));
  EXPECT_EQ(reals(qn::ones({2}, DType::float16, device())), Reals(2, 1.0));
  EXPECT_EQ(qn::zeros({}, DType::float64, device()).size(), 1);
  EXPECT_EQ(qn::zeros({0, 5}, DType::float64, device()).to_vector<double>().size(), 0u);

  EXPECT_EQ(qn::full({2}, 7).dtype(), DType::int64);
  EXPECT_EQ(qn::full({2}, 7.5).dtype(), DType::float64);
  EXPECT_EQ(qn::full({2}, true).dtype(), DType::boolean);
  EXPECT_EQ(qn::full({2}, std::numeric_limits<uint64_t>::max()).to_vector<uint64_t>()[1], std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(qn::full({2}, std::complex<double>(1, 2), {}, device()).to_vector<std::complex<double>>()[1],
            std::complex<double>(1, 2));
  EXPECT_EQ(ints(qn::full({2, 2}, qn::array({3, 4}, device()), {}, device())), (Ints{3, 4, 3, 4}));
  EXPECT_EQ(ints(qn::full_like(grid()({0, 1}), 9)), (Ints{9, 9, 9, 9}));
  EXPECT_EQ(qn::zeros_like(grid(DType::int8)).dtype(), DType::int8);
}

TEST_P(Arrays, AreRanges) {
  EXPECT_EQ(ints(qn::arange(4, {}, device())), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(ints(qn::arange(2, 10, 3, {}, device())), (Ints{2, 5, 8}));
  EXPECT_EQ(ints(qn::arange(5, 0, -2, {}, device())), (Ints{5, 3, 1}));
  EXPECT_EQ(qn::arange(5, 0).size(), 0);
  EXPECT_EQ(qn::arange(1.0).dtype(), DType::float64);
  EXPECT_EQ(reals(qn::arange(0, 1, 0.25, {}, device())), (Reals{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(qn::arange(3, DType::float16).dtype(), DType::float16);
  EXPECT_EQ(reals(qn::linspace(0, 1, 5, true, DType::float64, device())), (Reals{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(reals(qn::linspace(0, 1, 4, false)), (Reals{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(reals(qn::linspace(2, 9, 1)), Reals{2});
  EXPECT_EQ(ints(qn::linspace(0, 1, 3, true, DType::int32)), (Ints{0, 0, 1}));
  EXPECT_EQ(ints(qn::eye(2, 3, 1, DType::int32, device())), (Ints{0, 1, 0, 0, 0, 1}));
}

TEST_P(Arrays, TakeValuesFromTheHost) {
  std::vector<float> values{1, 2, 3, 4};
  qn::Array a = qn::array(values, {2, 2}, device());
  EXPECT_EQ(a.dtype(), DType::float32);
  values[0] = 9;  // a copy was made
  EXPECT_EQ(a.to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(ints(qn::array({{1, 2, 3}, {4, 5, 6}}, device()).transpose()), (Ints{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(qn::array({1, 2}).dtype(), DType::int32);
  EXPECT_EQ(qn::array(std::span<const double>(Reals{})).size(), 0);
  EXPECT_EQ(qn::array({true, false}, device()).to_vector<bool>(), (std::vector<bool>{true, false}));
  std::vector<std::complex<float>> z{{1, 2}, {3, -4}};
  EXPECT_EQ(qn::array(z, device()).imag().to_vector<float>(), (std::vector<float>{2, -4}));
}

TEST_P(Arrays, GiveValuesToTheHost) {
  qn::Array a = grid();
  std::vector<float> out(12);
  a.copy_to(std::span<float>(out));
  EXPECT_EQ(out[11], 11.0f);
  EXPECT_EQ(a(1, 2).item<int>(), 6);
  EXPECT_EQ(a({}, 1).to_vector<uint8_t>(), (std::vector<uint8_t>{1, 5, 9}));
  EXPECT_EQ(a({0, 1}).to_vector<bool>(), (std::vector<bool>{false, true, true, true}));
  EXPECT_TRUE(a.sum() > 65);
  EXPECT_FALSE(bool(a(0, 0)));
  std::ostringstream text;
  text << a({0, 2}, {0, 2}) << " " << qn::array({0.5, nan}, device()) << " " << qn::array({true}, device());
  EXPECT_EQ(text.str(), "[[0, 1],\n [4, 5]] [0.5, nan] [true]");
  EXPECT_EQ(qn::arange(2000, {}, device()).to_string(), "[0, 1, 2, ..., 1997, 1998, 1999]");
}

// ---- views

TEST_P(Arrays, AreCutIntoViews) {
  qn::Array a = grid();
  EXPECT_EQ(ints(a(1)), (Ints{4, 5, 6, 7}));
  EXPECT_EQ(ints(a(-1, -1)), Ints{11});
  EXPECT_EQ(ints(a({}, {1, 3})), (Ints{1, 2, 5, 6, 9, 10}));
  EXPECT_EQ(ints(a({{}, {}, 2}, 0)), (Ints{0, 8}));
  EXPECT_EQ(ints(a(0, {{}, {}, -1})), (Ints{3, 2, 1, 0}));
  EXPECT_EQ(ints(a(0, {2, {}, -1})), (Ints{2, 1, 0}));
  EXPECT_EQ(ints(a(qn::ellipsis, -1)), (Ints{3, 7, 11}));
  EXPECT_EQ(a({}, qn::newaxis).shape(), (qn::Shape{3, 1, 4}));
  EXPECT_EQ(a({5, 9}).shape(), (qn::Shape{0, 4}));
  EXPECT_EQ(a({-100, 100}).shape(), (qn::Shape{3, 4}));
  EXPECT_EQ(ints(a(0, qn::Slice{.start = 1, .step = std::numeric_limits<int64_t>::max()})), Ints{1});
  EXPECT_EQ(ints(a(0, qn::Slice{.step = std::numeric_limits<int64_t>::min()})), Ints{3});
  EXPECT_EQ(ints(a.slice(1, 1, {}, 2)), (Ints{1, 3, 5, 7, 9, 11}));
  qn::Index places[] = {2, {1, 3}};
  EXPECT_EQ(ints(a.at(places)), (Ints{9, 10}));
  EXPECT_TRUE(a({1, 2}).shares_memory_with(a));
}

TEST_P(Arrays, AreRearranged) {
  qn::Array a = grid();
  EXPECT_EQ(a.reshape({2, -1}).shape(), (qn::Shape{2, 6}));
  EXPECT_EQ(ints(a.transpose().ravel()), (Ints{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_FALSE(a.slice(0, 0, 3, 2).ravel().shares_memory_with(a));  // which reshape() may show as a view
  EXPECT_FALSE(a.slice(1, 0, 1).ravel().shares_memory_with(a));
  EXPECT_TRUE(a.ravel().shares_memory_with(a));
  EXPECT_EQ(a.transpose({1, -2}).shape(), (qn::Shape{4, 3}));
  qn::Array b = a.reshape({1, 3, 4});
  EXPECT_EQ(b.swapaxes(0, -1).shape(), (qn::Shape{4, 3, 1}));
  EXPECT_EQ(b.moveaxis(0, 2).shape(), (qn::Shape{3, 4, 1}));
  EXPECT_EQ(b.squeeze().shape(), (qn::Shape{3, 4}));
  EXPECT_EQ(b.expand_dims(-1).shape(), (qn::Shape{1, 3, 4, 1}));
  EXPECT_EQ(ints(a(0).flip()), (Ints{3, 2, 1, 0}));
  EXPECT_EQ(ints(a.flip(0)(0)), (Ints{8, 9, 10, 11}));
  qn::Array wide = a(0).broadcast_to({2, 4});
  EXPECT_EQ(ints(wide), (Ints{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_TRUE(wide.is_read_only());
  EXPECT_EQ(ints(qn::concatenate({a({}, {0, 1}), a({}, {3, {}})}, 1)), (Ints{0, 3, 4, 7, 8, 11}));
  EXPECT_EQ(qn::concatenate({grid(DType::int8), grid(DType::float32)}).dtype(), DType::float32);
  EXPECT_EQ(qn::stack({a, a}, -1).shape(), (qn::Shape{3, 4, 2}));
  EXPECT_EQ(ints(qn::take(a, qn::array({2, -4}, device()), 1)), (Ints{2, 0, 6, 4, 10, 8}));
}

TEST_P(Arrays, AreWrittenThroughViews) {
  qn::Array a = grid(), row = a(1);
  a(0) = 100;
  a({}, 3) = qn::array({-1, -2, -3}, device());
  row += 10;
  EXPECT_EQ(ints(a), (Ints{100, 100, 100, -1, 14, 15, 16, 8, 8, 9, 10, -3}));
  a({}, {0, 2}) *= 2;
  EXPECT_EQ(ints(a({}, {0, 2})), (Ints{200, 200, 28, 30, 16, 18}));
  row.assign(0);
  EXPECT_EQ(ints(a(1)), (Ints{0, 0, 0, 0}));
  a(2, 2) = 3.9;  // as an assignment converts
  EXPECT_EQ(a(2, 2).item<int>(), 3);
}

TEST_P(Arrays, AreNames) {
  qn::Array a = grid(), b = a, row = a(0);
  b += 1;
  EXPECT_EQ(a(0, 0).item<int>(), 1);
  row = qn::zeros({4}, DType::int64, device());  // another name, not an assignment
  EXPECT_EQ(a(0, 0).item<int>(), 1);
  b = b + 1;
  EXPECT_EQ(a(0, 0).item<int>(), 1);
  EXPECT_EQ(b(0, 0).item<int>(), 2);
  qn::Array kept = a.copy();
  a({}) = 0;
  EXPECT_EQ(ints(kept(0)), (Ints{1, 2, 3, 4}));
  std::swap(a, kept);
  EXPECT_EQ(kept.sum().item<int>(), 0);
  a = std::move(kept);
  EXPECT_EQ(a.sum().item<int>(), 0);
}

TEST_P(Arrays, WithoutAxesAreNumbers) {
  qn::Array a = grid(), s = a.sum(), before = s;
  s += 0.5;  // a number of another type
  EXPECT_EQ(s.item<double>(), 66.5);
  EXPECT_EQ(before.item<int>(), 66);
  a(1, 2) += 10;  // a view is none
  qn::Array one = a(1, 2);
  one += 1;
  EXPECT_EQ(a(1, 2).item<int>(), 17);
  qn::Array zero = qn::zeros({}, DType::float64, device()), same = zero;
  zero += 1;
  EXPECT_EQ(same.item<int>(), 1);
}

// What is read keeps the values from before the write, as in NumPy.
TEST_P(Arrays, OverlapAsInNumPy) {
  for (int64_t n : {8, 5000}) {
    qn::Array a = qn::arange(n, {}, device());
    a({1, {}}) = a({{}, -1});
    Ints shifted(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) shifted[static_cast<size_t>(i)] = std::max<int64_t>(i - 1, 0);
    EXPECT_EQ(ints(a), shifted);
    a({}) = a.flip();
    EXPECT_EQ(a(-1).item<int64_t>(), 0);
    qn::Array before = a * 1;
    a({{}, -1}) += a({1, {}});
    for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(a(i).item<int64_t>(), (before(i) + before(i + 1)).item<int64_t>());
  }
}

// ---- arithmetic

TEST_P(Arrays, HaveNumPysTypes) {
  auto type = [&](DType a, auto&& f) { return f(qn::ones({3}, a, device())).dtype(); };
  EXPECT_EQ(type(DType::float32, [](const qn::Array& a) { return a * 2.0; }), DType::float32);
  EXPECT_EQ(type(DType::int32, [](const qn::Array& a) { return a * 2; }), DType::int32);
  EXPECT_EQ(type(DType::int32, [](const qn::Array& a) { return 2.0 - a; }), DType::float64);
  EXPECT_EQ(type(DType::int8, [](const qn::Array& a) { return a / a; }), DType::float64);
  EXPECT_EQ(type(DType::float32, [](const qn::Array& a) { return a + std::complex<double>(0, 1); }), DType::complex64);
  EXPECT_EQ(type(DType::uint8, [](const qn::Array& a) { return a + true; }), DType::uint8);
  EXPECT_EQ(type(DType::float64, [](const qn::Array& a) { return a < 2; }), DType::boolean);
  EXPECT_EQ(type(DType::boolean, [](const qn::Array& a) { return a.sum(); }), DType::int64);
  EXPECT_EQ(type(DType::uint8, [](const qn::Array& a) { return a.prod(); }), DType::uint64);
  EXPECT_EQ(type(DType::int32, [](const qn::Array& a) { return a.mean(); }), DType::float64);
  EXPECT_EQ(type(DType::float16, [](const qn::Array& a) { return a.mean(); }), DType::float16);
  EXPECT_EQ(type(DType::int32, [](const qn::Array& a) { return qn::sqrt(a); }), DType::float64);
  EXPECT_EQ(type(DType::int8, [](const qn::Array& a) { return a + qn::ones_like(a).astype<uint8_t>(); }), DType::int16);
  EXPECT_EQ(qn::sqrt(2).dtype(), DType::float64);  // numbers alone
}

TEST_P(Arrays, Compute) {
  qn::Array a = qn::array({-7, 7, 5}, device()), b = qn::array({2, -2, 3}, device());
  EXPECT_EQ(ints(a + b), (Ints{-5, 5, 8}));
  EXPECT_EQ(ints(1 - a), (Ints{8, -6, -4}));
  EXPECT_EQ(ints(a % b), (Ints{1, -1, 2}));
  EXPECT_EQ(ints(qn::floor_divide(a, b)), (Ints{-4, -4, 1}));
  EXPECT_EQ(reals(a / b), (Reals{-3.5, -3.5, 5.0 / 3}));
  EXPECT_EQ(ints(a == 7), (Ints{0, 1, 0}));
  EXPECT_EQ(ints(7 != a), (Ints{1, 0, 1}));
  EXPECT_EQ(ints((a > 0) & ~(b < 0)), (Ints{0, 0, 1}));
  EXPECT_EQ(ints((a | 1) ^ (b << 1)), (Ints{-3, -5, 3}));
  EXPECT_EQ(ints(!(a - 5)), (Ints{0, 0, 1}));
  EXPECT_EQ(ints(-qn::abs(a) >> 1), (Ints{-4, -4, -3}));
  EXPECT_EQ(ints(qn::where(a > 0, a, 0)), (Ints{0, 7, 5}));
  EXPECT_EQ(ints(qn::maximum(a, b)), (Ints{2, 7, 5}));
  EXPECT_EQ(ints(qn::clip(a, -1, 6)), (Ints{-1, 6, 5}));
  EXPECT_EQ(ints(qn::power(a, 2)), (Ints{49, 49, 25}));
  EXPECT_EQ(reals(qn::floor(qn::array({-0.5, 1.5}, device()))), (Reals{-1, 1}));
  EXPECT_EQ(ints(qn::array({1, 2}, device())({}, qn::newaxis) * qn::array({3, 4, 5}, device())), (Ints{3, 4, 5, 6, 8, 10}));
  qn::Array x = qn::linspace(0, 2, 1000, true, DType::float64, device());
  Reals got = reals(qn::exp(x) * qn::sin(x) + qn::sqrt(x));
  for (int i = 0; i < 1000; ++i) {
    double v = 2.0 / 999 * i;
    EXPECT_NEAR(got[static_cast<size_t>(i)], std::exp(v) * std::sin(v) + std::sqrt(v), 1e-12);
  }
  x /= 2;
  x -= x;
  EXPECT_EQ(x.max().item<double>(), 0);
}

TEST_P(Arrays, Reduce) {
  qn::Array a = grid();
  EXPECT_EQ(a.sum().item<int>(), 66);
  EXPECT_EQ(ints(a.sum(0)), (Ints{12, 15, 18, 21}));
  EXPECT_EQ(ints(qn::sum(a, -1)), (Ints{6, 22, 38}));
  EXPECT_EQ(a.sum({0, 1}).shape(), qn::Shape{});
  EXPECT_EQ(a.max(1, true).shape(), (qn::Shape{3, 1}));
  EXPECT_EQ(ints(a - a.min(1, true)), (Ints{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(reals(a.mean(0)), (Reals{4, 5, 6, 7}));
  EXPECT_EQ(a(0, {1, {}}).prod().item<int>(), 6);
  EXPECT_EQ(ints(qn::any(a > 8, 1)), (Ints{0, 0, 1}));
  EXPECT_EQ(ints(qn::all(a > 3, 1)), (Ints{0, 1, 1}));
  EXPECT_EQ(qn::zeros({0}).sum().item<double>(), 0);
  EXPECT_TRUE(std::isnan(qn::zeros({0}).mean().item<double>()));
  EXPECT_TRUE(std::isnan(qn::max(qn::array({1.0, nan}, device())).item<double>()));
}

TEST_P(Arrays, MultiplyMatrices) {
  if (name() == "cpu" && !has_blas()) GTEST_SKIP() << "no OpenBLAS with 64-bit integers";
  qn::Array a = grid(DType::float64);
  EXPECT_EQ(reals(qn::matmul(a, a.transpose())), (Reals{14, 38, 62, 38, 126, 214, 62, 214, 366}));
  EXPECT_EQ(reals(qn::matmul(a, qn::ones({4}, DType::float64, device()))), (Reals{6, 22, 38}));
  EXPECT_EQ(ints(qn::matmul(grid(), grid().transpose())(0)), (Ints{14, 38, 62}));
}

TEST_P(Arrays, AreKernelArguments) {
  qn::Program program(device(), R"(
    __global__ void twice(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; })");
  qn::Array x = qn::arange(4000, DType::float32, device()), y = x + 1;
  qn::Kernel twice = program.kernel("twice");
  twice({4}, {256}, x, 1000);
  EXPECT_EQ((x + 1)(999).item<float>(), 1999);
  EXPECT_EQ(y(999).item<float>(), 1000);  // recorded before
  expect_error(ErrorKind::value, "[launch]", [&] { twice({1}, {32}, x({{}, {}, 2}), 10); });
  expect_error(ErrorKind::value, "empty Array handle", [&] { twice({1}, {32}, qn::Array(), 10); });
}

TEST_P(Arrays, MoveBetweenDevices) {
  qn::Array a = grid()({}, {1, 3}), host = a.to_device(qn::Device::cpu());
  EXPECT_EQ(host.device(), qn::Device::cpu());
  EXPECT_EQ(ints(host), (Ints{1, 2, 5, 6, 9, 10}));
  EXPECT_EQ(ints(host.to_device(device())), ints(a));
  EXPECT_EQ(a.to_device(device()).shares_memory_with(a), true);
}

// ---- lines

TEST_P(Arrays, TellTheLine) {
  qn::Array a = qn::ones({300, 300}, DType::float64, device());
  std::string line = "array_test.cpp:" + std::to_string(__LINE__ + 1);
  qn::Array b = qn::sqrt(a) + 1;
  EXPECT_NE(b.explain().find(line), std::string::npos) << b.explain();
  qn::Trace trace;
  b.evaluate();
  qn::synchronize(device());
  bool found = false;
  for (const qn::TraceEvent& e : trace.stop()) {
    EXPECT_EQ(e.device, name());
    found |= e.kind == "launch" && e.site.ends_with(line);
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(trace.stop().empty());

  auto here = [](int line) { return "array_test.cpp:" + std::to_string(line); };
  expect_error(ErrorKind::value, here(__LINE__), [&] { a + qn::ones({2}, DType::float64, device()); });
  expect_error(ErrorKind::index, here(__LINE__), [&] { a(300) = 1; });
  expect_error(ErrorKind::index, here(__LINE__), [&] { a.sum(2); });
  std::string recorded = here(__LINE__ + 1);
  qn::Array wrong = qn::take(a, qn::full({5000}, 300, {}, device()));
  expect_error(ErrorKind::index, recorded, [&] { wrong.to_vector<double>(); });
  std::ostringstream out;
  expect_error(ErrorKind::index, recorded, [&] { out << wrong; });
  expect_error(ErrorKind::index, here(__LINE__), [&] { out << "values: " << wrong << "\n"; });
  expect_error(ErrorKind::index, here(__LINE__), [&] { wrong.to_string(); });
  a += 1;  // what is right goes on
  EXPECT_EQ(a(0, 0).item<double>(), 2);
}

// ---- what is wrong

TEST_P(Arrays, RefuseWhatIsWrong) {
  qn::Array a = grid(), f = grid(DType::float64);
  expect_error(ErrorKind::value, "broadcast", [&] { a + qn::ones({3}, DType::float64, device()); });
  expect_error(ErrorKind::value, "broadcast", [&] { a(0) = qn::ones({3}, DType::float64, device()); });
  expect_error(ErrorKind::value, "broadcast", [&] { a(0) += a; });
  expect_error(ErrorKind::type, "same_kind", [&] { a += 0.5; });
  expect_error(ErrorKind::type, "same_kind", [&] { a /= 2; });
  expect_error(ErrorKind::type, "bitwise_and", [&] { f & f; });
  expect_error(ErrorKind::overflow, "300", [&] { grid(DType::uint8) + 300; });
  expect_error(ErrorKind::value, "negative integer powers", [&] { qn::power(a, -1); });
  expect_error(ErrorKind::index, "axis 2 is out of bounds", [&] { a.sum(2); });
  expect_error(ErrorKind::value, "is repeated", [&] { a.sum({0, -2}); });
  expect_error(ErrorKind::value, "no identity", [&] { qn::zeros({0}).max(); });
  expect_error(ErrorKind::index, "out of bounds", [&] { a(3); });
  expect_error(ErrorKind::index, "out of bounds", [&] { a(0, -5); });
  expect_error(ErrorKind::index, "too many indices", [&] { a(0, 0, 0); });
  expect_error(ErrorKind::index, "too many indices", [&] { a({}, {}, {}); });
  expect_error(ErrorKind::index, "ellipsis", [&] { a(qn::ellipsis, qn::ellipsis); });
  expect_error(ErrorKind::value, "step", [&] { a.slice(0, {}, {}, 0); });
  expect_error(ErrorKind::value, "reshape", [&] { a.reshape({5, -1}); });
  expect_error(ErrorKind::value, "-1 twice", [&] { a.reshape({-1, -1}); });
  expect_error(ErrorKind::value, "reshape", [&] { a.reshape({5}); });
  expect_error(ErrorKind::value, "transpose", [&] { a.transpose({0}); });
  expect_error(ErrorKind::value, "transpose", [&] { a.transpose({0, 0}); });
  expect_error(ErrorKind::value, "squeeze", [&] { a.squeeze(0); });
  expect_error(ErrorKind::value, "broadcast", [&] { a.broadcast_to({4}); });
  expect_error(ErrorKind::value, "negative", [&] { a.broadcast_to({-1, 4}); });
  expect_error(ErrorKind::value, "read-only", [&] { a.broadcast_to({2, 3, 4})(0) = 1; });
  expect_error(ErrorKind::value, "read-only", [&] { a.broadcast_to({2, 3, 4}) += 1; });
  expect_error(ErrorKind::value, "negative", [&] { qn::zeros({-1}); });
  expect_error(ErrorKind::value, "too many elements", [&] { qn::zeros({int64_t{1} << 32, int64_t{1} << 32}); });
  expect_error(ErrorKind::value, "too big", [&] { qn::zeros({int64_t{1} << 31, int64_t{1} << 31}); });
  expect_error(ErrorKind::value, "too big", [&] { f(0, 0).broadcast_to({int64_t{1} << 31, int64_t{1} << 31}) + 1; });
  expect_error(ErrorKind::value, "step", [&] { qn::arange(0, 5, 0); });
  expect_error(ErrorKind::value, "finite", [&] { qn::arange(0.0, HUGE_VAL); });
  expect_error(ErrorKind::value, "too many", [&] { qn::arange(0.0, 1e300); });
  expect_error(ErrorKind::type, "bool", [&] { qn::arange(3, DType::boolean); });
  expect_error(ErrorKind::value, "linspace", [&] { qn::linspace(0, 1, -1); });
  expect_error(ErrorKind::value, "do not fill", [&] { qn::array({1, 2, 3}, {2, 2}); });
  expect_error(ErrorKind::value, "different lengths", [&] { qn::array({{1, 2}, {3}}); });
  expect_error(ErrorKind::value, "concatenate", [&] { qn::concatenate({}); });
  expect_error(ErrorKind::value, "all the input arrays must have same number of dimensions", [&] { qn::concatenate({a, a(0)}); });
  expect_error(ErrorKind::value, "matmul", [&] { qn::matmul(a, a); });
  expect_error(ErrorKind::index, "take", [&] { qn::take(a, f); });
  expect_error(ErrorKind::value, "12 elements", [&] { a.item<int>(); });
  expect_error(ErrorKind::value, "ambiguous", [&] { static_cast<void>(a > 3 ? 1 : 0); });
  expect_error(ErrorKind::type, "complex", [&] { (f * std::complex<double>(0, 1)).to_vector<double>(); });
  std::vector<int> room(3);
  expect_error(ErrorKind::value, "12 elements", [&] { a.copy_to(std::span<int>(room)); });
  EXPECT_EQ(a.sum().item<int>(), 66);  // nothing was changed
}

TEST(NoArray, Throws) {
  qn::Array none;
  EXPECT_FALSE(none.valid());
  expect_error(ErrorKind::value, "empty Array handle", [&] { none + 1; });
  expect_error(ErrorKind::value, "empty Array handle", [&] { none += 1; });
  expect_error(ErrorKind::value, "empty Array handle", [&] { none.shape(); });
  expect_error(ErrorKind::value, "empty Array handle", [&] { none(0) = 1; });
  expect_error(ErrorKind::value, "empty Array handle", [&] { none.to_vector<float>(); });
  qn::Array a = qn::zeros({2}), b = std::move(a);
  expect_error(ErrorKind::value, "empty Array handle", [&] { a.sum(); });
  EXPECT_EQ(b.sum().item<int>(), 0);
  std::ostringstream text;
  text << none;
  EXPECT_EQ(text.str(), "no array");
}

TEST(Types, HaveNames) {
  EXPECT_EQ(qn::name_of(DType::boolean), "bool");
  EXPECT_EQ(qn::name_of(qn::dtype_of<unsigned long>()), "uint64");
  EXPECT_EQ(qn::dtype_of<std::complex<float>>(), DType::complex64);
  EXPECT_EQ(qn::itemsize_of(DType::complex128), 16u);
}

TEST(Functions, ThatNumPyDoesNotHave) {
  qn::Array x = qn::array({0.5, 3.0});
  EXPECT_DOUBLE_EQ(qn::erf(x)(0).item<double>(), std::erf(0.5));
  EXPECT_DOUBLE_EQ(qn::erfc(x)(1).item<double>(), std::erfc(3.0));
  EXPECT_DOUBLE_EQ(qn::lgamma(x)(0).item<double>(), std::lgamma(0.5));
  EXPECT_DOUBLE_EQ(qn::sigmoid(x)(1).item<double>(), 1 / (1 + std::exp(-3.0)));
  EXPECT_DOUBLE_EQ(qn::digamma(x)(1).item<double>(), 1.5 - 0.57721566490153286);
  EXPECT_EQ(qn::digamma(1).dtype(), DType::float64);
  expect_error(ErrorKind::type, "digamma", [&] { qn::digamma(x.astype(DType::complex128)); });
}
TEST(Functions, AreThoseThatOthersHaveAsParts) {
  qn::Array x = qn::array({-8.0, 0.5});
  EXPECT_EQ(qn::frexp_exponent(x).to_vector<int>(), (std::vector<int>{4, 0}));
  EXPECT_EQ(qn::ldexp(qn::frexp_mantissa(x), qn::frexp_exponent(x)).to_vector<double>(), x.to_vector<double>());
  EXPECT_EQ(qn::where(x < 0, 1, 2).to_vector<int>(), (std::vector<int>{1, 2}));
}

}  // namespace
