// How groups are walked: the form of each as text, and which groups share a key, hence a kernel.
#include "codegen/form.h"
#include "recorded.h"

namespace recorded {
namespace {

class FormOf : public Recorded {
 protected:
  static Form only_form() {
    std::vector<Group> groups = scheduled();
    EXPECT_EQ(groups.size(), 1u);
    return form_of(groups[0]);
  }
  static Key only_key() {
    std::vector<Group> groups = scheduled();
    EXPECT_EQ(groups.size(), 1u);
    return key_of(groups[0], form_of(groups[0]));
  }
  static std::string text(const Form& form) {
    constexpr const char* walks[] = {"elements", "threads", "lanes inside", "lanes outside", "columns", "block", "rows"};
    auto places = [](const std::vector<Path>& all) {
      std::string out;
      for (const Path& path : all) {
        out += out.empty() ? "" : " ";
        for (Step step : path.steps) out += ".1s"[static_cast<int>(step)];
        if (path.offset) out += formatted("+{}", path.offset);
      }
      return out;
    };
    std::string out = formatted("{} kept, {} reduced: {}, {}", form.kept, form.reduced, numbers_text(form.shape),
                                walks[static_cast<int>(form.walk)]);
    if (form.wide) out += ", wide";
    if (form.pack > 1) out += formatted(", packs of {}", form.pack);
    if (form.chunked) out += formatted(", {} chunks of {}", form.chunks, form.chunk);
    if (form.combines) out += ", combines";
    if (form.has_long_rows) out += ", long rows";
    return out + formatted("; {} -> {}; numbers {}", places(form.loads), places(form.stores), numbers_text(form.numbers));
  }
};

// In what follows: '1' a step of one element, 's' a step that is an argument, '.' none, for each dimension.

TEST_F(FormOf, WhatLiesInOrderIsOneRow) {
  Array a = memory("a", {50, 60, 7}), b = memory("b", {50, 60, 7});
  Array c = op(Op::add, a, b);
  EXPECT_EQ(text(only_form()), "1 kept, 0 reduced: (21000), elements; 1 1 -> 1; numbers (21000)");
}

// One text for all layouts: sizes and steps are arguments, in four dimensions.
TEST_F(FormOf, ASharedFormHasItsStepsAsArguments) {
  Array a = memory("a", {50, 60}), b = memory("b", {60});
  Array c = op(Op::add, a, b);
  const Form own = only_form();
  EXPECT_EQ(text(own), "2 kept, 0 reduced: (50, 60), elements; s1 .1 -> s1; numbers (50, 60, 60, 60)");
  EXPECT_EQ(
      text(*shared_form(own, Shared::rows)),
      "4 kept, 0 reduced: (1, 1, 50, 60), elements; sss1 sss1 -> sss1; numbers (1, 1, 50, 60, 0, 0, 60, 0, 0, 0, 0, 0, 60)");
  EXPECT_EQ(text(*shared_form(own, Shared::elements)),
            "4 kept, 0 reduced: (1, 1, 50, 60), elements; ssss ssss -> ssss; numbers (1, 1, 50, 60, 0, 0, 60, 1, 0, 0, 0, 1, 0, "
            "0, 60, 1)");
}

TEST_F(FormOf, ReductionsHaveNoSharedForm) {
  Array a = memory("a", {50, 60});
  Array c = sum(a, {false, true});
  EXPECT_FALSE(shared_form(only_form(), Shared::elements));
}

TEST_F(FormOf, ArraysThatAreTurnedAlikeAreOneRow) {
  Array a = memory("a", {50, 60}), b = memory("b", {50, 60});
  Array c = op(Op::add, transposed(a), transposed(b));
  EXPECT_EQ(text(only_form()), "1 kept, 0 reduced: (3000), elements; 1 1 -> 1; numbers (3000)");
}

TEST_F(FormOf, ViewsHaveStepsAndOffsets) {
  Array a = memory("a", {50, 60});
  Array b = op(Op::sin, a.view(a.layout().sliced(0, 1, 20, 2).sliced(1, 3, 40, 1)));
  EXPECT_EQ(text(only_form()), "2 kept, 0 reduced: (20, 40), elements; s1+63 -> s1; numbers (20, 40, 120, 40)");
}

TEST_F(FormOf, WhatIsRepeatedDoesNotMove) {
  Array a = memory("a", {50, 60}), row = memory("row", {60}), column = memory("column", {50, 1});
  Array b = op(Op::add, op(Op::add, a, row), column);
  EXPECT_EQ(text(only_form()), "2 kept, 0 reduced: (50, 60), elements; s1 .1 1. -> s1; numbers (50, 60, 60, 60)");
}

TEST_F(FormOf, OnAGpuNeighboursGoTogether) {
  struct Case {
    DType dtype;
    int64_t size, from;
    DeviceId device;
    int pack;
  };
  constexpr Case cases[] = {
      {DType::float32, 1 << 16, 0, gpu, 4},  {DType::float16, 1 << 16, 0, gpu, 8},    {DType::int8, 1 << 16, 0, gpu, 8},
      {DType::float64, 1 << 16, 0, gpu, 2},  {DType::complex128, 1 << 16, 0, gpu, 1}, {DType::float32, (1 << 16) - 1, 0, gpu, 1},
      {DType::float32, 1 << 16, 16, gpu, 4}, {DType::float32, 1 << 16, 1, gpu, 1},    {DType::float32, 1 << 16, 0, cpu, 1}};
  for (const Case& c : cases) {
    Array a = memory("a", {c.size + c.from}, c.dtype, c.device);
    Array b = op(Op::negative, a.view(a.layout().sliced(0, c.from, c.size, 1)));
    EXPECT_EQ(only_form().pack, c.pack) << row(c.dtype).name << " of " << c.size << " from " << c.from << " on "
                                        << c.device.name();
  }
}

TEST_F(FormOf, IndicesAreAsWideAsNeeded) {
  for (int64_t size : {(int64_t{1} << 31) - 1, int64_t{1} << 31}) {
    Array a = memory("a", {size});
    Array b = op(Op::sin, a);
    EXPECT_EQ(only_form().wide, size == int64_t{1} << 31);
  }
  // Few elements, far from each other.
  Array a = memory("a", {3, int64_t{1} << 31});
  Array b = op(Op::sin, a.view(a.layout().sliced(1, 0, 2, 1)));
  EXPECT_TRUE(only_form().wide);
}

TEST_F(FormOf, ReductionsAreWalkedAsTheyLie) {
  struct Case {
    Shape shape;
    std::vector<bool> axes;
    DeviceId device;
    std::string text;
  };
  const Case cases[] = {
      {{100000, 20}, {false, true}, gpu, "1 kept, 1 reduced: (100000, 20), threads; s1 -> 1.; numbers (100000, 20, 20)"},
      {{100000, 300}, {false, true}, gpu, "1 kept, 1 reduced: (100000, 300), lanes inside; s1 -> 1.; numbers (100000, 300, 300)"},
      {{300, 100000},
       {true, false},
       gpu,
       "1 kept, 1 reduced: (100000, 300), lanes outside; 1s -> 1.; numbers (100000, 300, 100000)"},
      {{300, 100000}, {true, false}, cpu, "1 kept, 1 reduced: (100000, 300), columns; 1s -> 1.; numbers (100000, 300, 100000)"},
      {{40, 300}, {false, true}, gpu, "1 kept, 1 reduced: (40, 300), block; s1 -> 1.; numbers (40, 300, 300)"},
      {{40, 300}, {false, true}, cpu, "1 kept, 1 reduced: (40, 300), rows; s1 -> 1.; numbers (40, 300, 300)"},
      {{10000000}, {true}, gpu, "0 kept, 1 reduced: (10000000), lanes inside, 2442 chunks of 4096; 1 -> .; numbers (10000000)"},
      {{500000}, {true}, gpu, "0 kept, 1 reduced: (500000), block, 489 chunks of 1024, combines; 1 -> .; numbers (500000)"},
      {{500000}, {true}, cpu, "0 kept, 1 reduced: (500000), rows, 123 chunks of 4096; 1 -> .; numbers (500000)"},
      {{10, 5, 40},
       {true, false, true},
       gpu,
       "1 kept, 2 reduced: (5, 10, 40), block, long rows; ss1 -> 1..; numbers (5, 10, 40, 40, 200)"},
  };
  for (const Case& c : cases) {
    Array a = memory("a", c.shape, DType::float32, c.device);
    Array b = sum(a, c.axes);
    EXPECT_EQ(text(only_form()), c.text) << to_string(c.shape) << " on " << c.device.name();
  }
}

// ---- keys

TEST_F(FormOf, KeysKnowNoSizesAndNoValues) {
  std::vector<Key> keys;
  for (int64_t size : {5000, 6000}) {
    Array a = memory("a", {size}), b = memory("b", {size});
    Array c = op(Op::add, op(Op::multiply, a, number(static_cast<double>(size))), b);
    keys.push_back(only_key());
  }
  EXPECT_EQ(keys[0], keys[1]);
}

TEST_F(FormOf, KeysKnowAllThatTextsDependOn) {
  std::vector<Key> keys;
  auto add = [&](Op which, DType dtype, int64_t size, int64_t step, DeviceId device) {
    Array a = memory("a", {size * step}, dtype, device), b = memory("b", {size}, dtype, device);
    Array c = op(which, a.view(a.layout().sliced(0, 0, size, step)), b);
    keys.push_back(only_key());
  };
  add(Op::add, DType::float32, 5000, 1, gpu);
  add(Op::add, DType::float32, 5000, 2, gpu);
  add(Op::add, DType::float32, 100000, 1, gpu);  // in packs
  add(Op::add, DType::float32, 5000, 1, cpu);
  add(Op::add, DType::float64, 5000, 1, gpu);
  add(Op::subtract, DType::float32, 5000, 1, gpu);
  add(Op::less, DType::float32, 5000, 1, gpu);
  add(Op::add, DType::float32, int64_t{1} << 32, 1, gpu);
  {
    Array a = memory("a", {5000});  // twice the same
    Array c = op(Op::add, a, a);
    keys.push_back(only_key());
  }
  {
    Array a = memory("a", {5000}), b = memory("b", {5000});
    Array c = op(Op::add, a, b), d = op(Op::multiply, c, b);  // two stores
    keys.push_back(only_key());
    c = Array();
    keys.push_back(only_key());
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_NE(keys[i], keys[k]) << k << " and " << i;
  }
}

}  // namespace
}  // namespace recorded
