// Fourier transforms on the CPU: what plans are kept, and several threads that use them at once (.ci/run runs these with
// ThreadSanitizer). Values and errors of every length stand in tests/python/arrays/test_array_fft_lines.py.
#include "run/calls/fourier_lines.h"
#include "run/calls/fourier_plan.h"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <thread>

namespace {

using namespace quern;
using namespace quern::fft;
using Complex = std::complex<double>;

TEST(FourierPlans, AreKept) {
  auto plan = plan_of<double>(360);
  plan->lanes();
  EXPECT_EQ(plan, plan_of<double>(360));
  let_go_of_plans<double>();
  EXPECT_EQ(plan, plan_of<double>(360));
}

TEST(FourierPlans, FewAreKept) {
  std::weak_ptr<const Plan<double>> first = plan_of<double>(1001);
  for (int64_t n = 2000; n < 2100; ++n) plan_of<double>(n);
  EXPECT_TRUE(first.expired());
}

TEST(FourierPlans, LargeOnesGoBeforeOthers) {
  std::weak_ptr<const Plan<double>> old = plan_of<double>(100), large = plan_of<double>(700001);
  old.lock()->lanes();
  large.lock()->line();  // 34 MB
  std::weak_ptr<const Plan<double>> other = plan_of<double>(1000003);
  other.lock()->line();
  let_go_of_plans<double>();
  EXPECT_TRUE(old.expired());
  EXPECT_TRUE(large.expired());
  EXPECT_FALSE(other.expired());
}

TEST(FourierPlans, OneThatIsTooLargeIsNotKept) {
  std::weak_ptr<const Plan<double>> plan = plan_of<double>(6000011);
  plan.lock()->line();
  let_go_of_plans<double>();
  EXPECT_TRUE(plan.expired());
}

// A wave's transform is one number.
void transform_wave(const Shape& shape, size_t axis, int64_t frequency) {
  Layout layout = Layout::contiguous(shape);
  const int64_t n = shape[axis];
  Work work{{{Kind::forward, n, 1.0, axis}}, layout, {}, layout};
  std::vector<Complex> x(static_cast<size_t>(layout.size())), y(x.size());
  const size_t bytes = memory_for<double>(work);
  std::vector<char> memory(bytes + 64);
  auto number_of = [&](size_t i) { return static_cast<int64_t>(i) / layout.strides[axis] % n; };
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::polar(1.0, 2 * std::numbers::pi / static_cast<double>(n) * static_cast<double>(frequency * number_of(i) % n));
  void* aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  transform<double>(work, reinterpret_cast<const char*>(x.data()), nullptr, reinterpret_cast<char*>(y.data()),
                    bytes ? aligned : nullptr);
  double off = 0;
  for (size_t i = 0; i < y.size(); ++i)
    off = std::max(off, std::abs(y[i] - (number_of(i) == frequency ? static_cast<double>(n) : 0.0)));
  EXPECT_LT(off, 1e-12 * static_cast<double>(n)) << n;
}

TEST(Fourier, SeveralThreadsAtOnce) {
  auto work = [] {
    for (int round = 0; round < 3; ++round) {
      for (int64_t n : {8, 37, 60, 131, 1000, 1009, 4096}) transform_wave({5, n}, 1, 3);
      for (int64_t n : {300, 301, 302, 303}) transform_wave({n, 20}, 0, 5);
      transform_wave({65536}, 0, 17);
      transform_wave({16384, 8}, 0, 11);
    }
  };
  std::thread one(work), other(work), third([] {
    for (int64_t n = 1; n < 200; ++n) plan_of<double>(n), let_go_of_plans<double>();
  });
  one.join();
  other.join();
  third.join();
}

}  // namespace
