// The tape and backward() from within: what is recorded and let go of, and what is refused. The formulas have their tests in
// tests/python/gradients/test_gradients.py.
#include "functions/backward.h"

#include "core/error.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "run/calls/indexing.h"
#include "run/calls/sorting.h"
#include "run/context.h"
#include "run/eval.h"

#include <gtest/gtest.h>

#include <cmath>

namespace quern {
namespace {

using namespace steps;

class Gradients : public testing::Test {
 protected:
  Gradients() {
    install_executor();
    before_ = live_entries;
  }
  ~Gradients() override { EXPECT_EQ(live_entries, before_) << "entries outlive their test"; }

  static Array numbers(const std::vector<double>& values) { return array_of(values, DeviceId::cpu()); }
  static Array leaf(const std::vector<double>& values) {
    Array out = numbers(values);
    want_gradient(out);
    return out;
  }
  static Array total(const Array& a) { return reduce(Reduction::sum, a, std::vector<bool>(a.rank(), true), false); }
  static void run(const Array& result, BackwardOptions options = {}) { backward({result}, {}, {}, options); }
  static std::vector<double> values(const Array& a) { return values_of<double>(a); }
  static std::vector<double> gradient(const Array& a) {
    std::shared_ptr<Array> g = gradient_of(a);
    return g ? values(*g) : std::vector<double>{};
  }
  static void into(Op op, const Array& target, const Argument& other) {
    Argument both[] = {Argument(target), other};
    elementwise(op, both, &target);
  }

  uint64_t before_;
};
using Values = std::vector<double>;

template <class F>
void expect_error(ErrorKind kind, const std::string& part, F&& f) {
  try {
    f();
    ADD_FAILURE() << "nothing is raised";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST_F(Gradients, NothingIsRecordedThatNobodyWants) {
  Array x = numbers({1, 2, 3});
  Array y = compute(Op::multiply, x, x);
  into(Op::add, part(y, 0, 1, 3), Argument(x.view(x.layout().sliced(0, 0, 2, 1))));
  EXPECT_EQ(live_entries, before_);
  EXPECT_FALSE(wants_gradient(total(y)));
}

TEST_F(Gradients, OfOps) {
  Array x = leaf({1, 2, 3});
  Array y = compute(Op::multiply, compute(Op::exp, x), x);
  run(total(y));
  for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(gradient(x)[static_cast<size_t>(i)], std::exp(i + 1.0) * (i + 2));
}

TEST_F(Gradients, AddUp) {
  Array x = leaf({1, 2});
  for (int i = 0; i < 2; ++i) run(total(compute(Op::square, x)));
  EXPECT_EQ(gradient(x), (Values{4, 8}));
  set_gradient(x, nullptr);
  EXPECT_EQ(gradient(x), Values{});
}

TEST_F(Gradients, OfLongChains) {  // nothing is recursive, neither backward nor when a chain is let go of
  constexpr int length = 1'000'000;
  Array x = leaf({1});
  Array y = x;
  for (int i = 0; i < length; ++i) y = compute(Op::add, y, 1.0);
  EXPECT_GE(live_entries, before_ + length);
  run(total(y));
  EXPECT_EQ(gradient(x), Values{1});
  Array z = x;
  for (int i = 0; i < length; ++i) z = compute(Op::negative, z);
  z = {}, y = {};
  EXPECT_LE(live_entries, before_ + 1);
}

TEST_F(Gradients, OfLongChainsOfWrites) {
  Array x = leaf({2, 3});
  Array y = copied(x, x.dtype());
  for (int i = 0; i < 20'000; ++i) into(Op::add, part(y, 0, i % 2, i % 2 + 1), Argument(real_number(1)));
  run(total(compute(Op::square, y)));
  EXPECT_EQ(gradient(x), (Values{2 * 10'002, 2 * 10'003}));
}

TEST_F(Gradients, OfViews) {
  Array x = leaf({1, 2, 3, 4});
  Array back = part(x, 0, 3, -1, -1), half = part(x, 0, 0, 4, 2);
  run(total(compute(Op::multiply, part(back, 0, 0, 2), half)));  // x3 x0 + x2 x2
  EXPECT_EQ(gradient(x), (Values{4, 0, 6, 1}));
}

TEST_F(Gradients, OfViewsThatOverlap) {
  Array x = leaf({1, 2, 3, 4});
  Array windows = x.view(Layout{{3, 2}, {1, 1}, 0});
  Array weights = reshape(numbers({1, 2, 3, 4, 5, 6}), {3, 2});
  run(total(compute(Op::multiply, windows, weights)));
  EXPECT_EQ(gradient(x), (Values{1, 5, 9, 6}));

  Array y = leaf({1, 2, 3, 4});  // a part of what overlaps, and of what is repeated
  Array of_y = y.view(Layout{{3, 2}, {1, 1}, 0});
  run(total(compute(Op::multiply, part(of_y, 0, 1, 3), part(weights, 0, 1, 3))));
  EXPECT_EQ(gradient(y), (Values{0, 3, 9, 6}));
  Array z = leaf({1, 2});
  Array wide = z.view(z.layout().broadcast_to({3, 2}));
  run(compute(Op::add, total(part(wide, 0, 1, 3)), total(compute(Op::square, wide))));
  EXPECT_EQ(gradient(z), (Values{2 + 6, 2 + 12}));
}

TEST_F(Gradients, OfWrites) {
  Array x = leaf({1, 2, 3});
  Array y = compute(Op::multiply, x, 2.0), first = part(y, 0, 0, 1), square = compute(Op::square, y);
  into(Op::multiply, first, Argument(real_number(5)));
  assign(part(y, 0, 2, 3), Argument(first));
  run(compute(Op::add, total(y), total(square)));  // 10 x0 + 2 x1 + 10 x0, and 4 x^2 as it was
  EXPECT_EQ(gradient(x), (Values{20 + 8, 2 + 16, 24}));
}

TEST_F(Gradients, LeavesAreNotWritten) {
  Array x = leaf({1, 2, 3});
  Array view = part(x, 0, 1, 3);
  auto write = [](const Array& a) { return [a] { into(Op::add, a, Argument(real_number(1))); }; };
  expect_error(ErrorKind::runtime, "a leaf Variable that requires grad is being used in an in-place operation", write(x));
  expect_error(ErrorKind::runtime, "a view of a leaf Variable that requires grad is being used", write(view));
  expect_error(ErrorKind::runtime, "a leaf Variable", [&] { assign(x, Argument(real_number(0))); });
  Pick pick{0, arange(2, DeviceId::cpu())};
  expect_error(ErrorKind::runtime, "a leaf Variable", [&] { put(x, {&pick, 1}, Argument(real_number(0))); });
  EXPECT_EQ(values(x), (Values{1, 2, 3}));

  GradientMode off(false);
  write(x)();
  write(view)();
  EXPECT_EQ(values(x), (Values{2, 4, 5}));
  EXPECT_TRUE(wants_gradient(x));
}

TEST_F(Gradients, Detached) {
  Array x = leaf({1, 2});
  Array y = compute(Op::multiply, x, 3.0), d = detached(y);
  EXPECT_FALSE(wants_gradient(d));
  EXPECT_FALSE(wants_gradient(compute(Op::square, part(d, 0, 0, 1))));
  EXPECT_TRUE(is_detached(part(d, 0, 0, 1)));
  run(total(compute(Op::multiply, y, d)));
  EXPECT_EQ(gradient(x), (Values{9, 18}));
  assign(d, Argument(real_number(7)));
  EXPECT_EQ(values(y), (Values{7, 7}));

  want_gradient(d);
  run(total(compute(Op::square, d)));
  EXPECT_EQ(gradient(d), (Values{14, 14}));
  EXPECT_EQ(gradient(x), (Values{9, 18}));
}

TEST_F(Gradients, PartsOfOtherMemoryAreLeaves) {
  Array memory = numbers({1, 2, 3, 4}), x = part(memory, 0, 1, 3);
  want_gradient(x);
  EXPECT_FALSE(wants_gradient(memory));
  run(total(compute(Op::square, part(x, 0, 1, 2))));
  EXPECT_EQ(gradient(x), (Values{0, 6}));
}

TEST_F(Gradients, ASecondBackward) {
  Array x = leaf({1, 2});
  Array y = total(compute(Op::exp, x));
  run(y, {.retain_graph = true});
  run(y);
  expect_error(ErrorKind::runtime, "Trying to backward through the graph a second time", [&] { run(y); });
  Array sums = total(compute(Op::add, x, x));  // where no value is kept nothing is spent
  run(sums);
  run(sums);
}

TEST_F(Gradients, OfTheSecondOrder) {
  Array x = leaf({0.5, 2});
  Array y = total(compute(Op::power, x, 3.0));
  BackwardOptions recorded{.retain_graph = true, .create_graph = true};
  Array g = *gradients({y}, {}, {x}, recorded)[0];
  EXPECT_EQ(values(g), (Values{0.75, 12}));
  EXPECT_TRUE(wants_gradient(g));
  Array h = *gradients({total(compute(Op::multiply, g, x))}, {}, {x}, {})[0];  // 3 x^3
  EXPECT_EQ(values(h), (Values{2.25, 36}));
  EXPECT_FALSE(wants_gradient(h));
}

TEST_F(Gradients, OfCallsOfTheSecondOrder) {
  Array x = leaf({0.5, 2, 1});
  Array y = running(compute(Op::square, x), "multiply", 0);  // whose result is kept
  BackwardOptions recorded{.retain_graph = true, .create_graph = true};
  Array g = *gradients({total(y)}, {}, {x}, recorded)[0];
  Array h = *gradients({total(g)}, {}, {x}, {})[0];
  double a = 0.5, b = 2, c = 1;  // of a^2 + a^2 b^2 + a^2 b^2 c^2
  EXPECT_NEAR(values(h)[0], 2 + 2 * b * b + 2 * b * b * c * c + 4 * a * b + 4 * a * b * c * c + 4 * a * b * b * c, 1e-12);
}

TEST_F(Gradients, WithoutAnyResult) {
  Array x = leaf({1, 2});
  expect_error(ErrorKind::runtime, "grad can be implicitly created only for scalar outputs", [&] { run(x); });
  expect_error(ErrorKind::runtime, "does not require grad", [&] { run(total(numbers({1}))); });
  Array y = compute(Op::square, x);
  backward({y}, {numbers({1, 10})}, {}, {});
  EXPECT_EQ(gradient(x), (Values{2, 40}));
  Array other = leaf({1});
  EXPECT_EQ(gradients({total(x)}, {}, {other}, {.allow_unused = true})[0], std::nullopt);
  expect_error(ErrorKind::runtime, "not have been used", [&] { gradients({total(x)}, {}, {other}, {}); });
}

TEST_F(Gradients, OnlyOfRealAndComplexNumbers) {
  Array whole_ones = arange(3, DeviceId::cpu());
  expect_error(ErrorKind::runtime, "only Tensors of floating point", [&] { want_gradient(whole_ones); });
  Array x = leaf({1, 2});
  EXPECT_FALSE(wants_gradient(as_type(x, DType::int64)));
  Array y = compute(Op::square, x);
  want_gradient(y);  // it does
  expect_error(ErrorKind::runtime, "you can only change requires_grad flags of leaf variables", [&] { want_gradient(y, false); });
}

TEST_F(Gradients, ValuesThatOthersMayWrite) {
  Array x = leaf({1, 2});
  Array y = compute(Op::exp, x), z = compute(Op::square, y);
  Exposure shared = expose(y);  // somebody else has its address
  Array w = compute(Op::square, y);
  into(Op::add, y, Argument(real_number(1)));
  expect_error(ErrorKind::runtime, "modified by an inplace operation", [&] { run(total(w)); });
}

TEST_F(Gradients, HooksSeeThem) {
  struct Twice : GradientHook {
    int calls = 0;
    std::optional<Array> seen(const Array& g) override {
      ++calls;
      return compute(Op::multiply, g, 2.0);
    }
  };
  Array x = leaf({1, 2});
  Array y = compute(Op::square, x);
  auto hook = std::make_shared<Twice>();
  add_hook(y, hook);
  keep_gradient(y);
  run(total(y), {.retain_graph = true});
  EXPECT_EQ(gradient(x), (Values{4, 8}));
  EXPECT_EQ(gradient(y), (Values{2, 2}));
  remove_hook(y, hook.get());
  run(total(y));
  EXPECT_EQ(gradient(x), (Values{6, 12}));
  EXPECT_EQ(hook->calls, 1);
}

TEST_F(Gradients, FunctionsThatAreOneEntry) {
  class Square : public GradientBody {
   public:
    std::string_view name() const override { return "my_square"; }
    std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
      return {compute(Op::multiply, compute(Op::multiply, call.operands[0], 2.0), *call.given[0])};
    }
  };
  Array x = leaf({1, 2});
  Array y = differentiable(std::make_shared<Square>(), {&x, 1}, {{true}, {}},
                           [&] { return std::vector<Array>{compute(Op::square, x)}; })[0];
  EXPECT_EQ(tape_name(*entry_of(y)), "MySquare");
  run(total(y));
  EXPECT_EQ(gradient(x), (Values{2, 4}));
}

TEST_F(Gradients, JoinedArraysAreOneEntry) {
  Array x = leaf({1, 2}), y = leaf({3});
  uint64_t entries = live_entries;
  Array z = joined({x, y, x}, 0);
  EXPECT_EQ(live_entries, entries + 1);
  run(total(compute(Op::multiply, z, numbers({1, 2, 3, 4, 5}))));
  EXPECT_EQ(gradient(x), (Values{5, 7}));
  EXPECT_EQ(gradient(y), (Values{3}));
}

TEST_F(Gradients, LetGoOfWhatTheyKept) {
  Array x = leaf({1, 2});
  {
    Array y = compute(Op::exp, x), z = compute(Op::multiply, y, y);
    uint64_t entries = live_entries;
    run(total(z));
    EXPECT_LE(live_entries, entries);
  }
  EXPECT_EQ(live_entries, before_ + 1);
  want_gradient(x, false);
  EXPECT_EQ(live_entries, before_);
}

}  // namespace
}  // namespace quern
