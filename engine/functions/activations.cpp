#include "functions/activations.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "functions/gradient_words.h"
#include "functions/shaping.h"

namespace quern {

using namespace steps;

namespace {

// ---- lines

// Whether x is inside; of not_below whether it is outside.
Array is_inside(const Array& x, const Bend& bend) {
  switch (bend.inside) {
    case Bend::Inside::above:
      return compute(Op::greater, x, bend.low);
    case Bend::Inside::not_below:
      return compute(Op::less_equal, x, bend.low);
    case Bend::Inside::between:
      return compute(Op::logical_and, compute(Op::greater, x, bend.low), compute(Op::less, x, bend.high));
    case Bend::Inside::far:
      return compute(Op::greater, compute(Op::absolute, x), bend.low);
  }
  bug("a bend of kind {}", static_cast<int>(bend.inside));
}

// Inside of the range one of them, elsewhere the other.
template <class X, class Y>
Array chosen(const Array& x, const Bend& bend, const X& inner, const Y& outer) {
  if (bend.inside == Bend::Inside::not_below) return compute(Op::where, is_inside(x, bend), outer, inner);
  return compute(Op::where, is_inside(x, bend), inner, outer);
}

Array bent_gradient(const Array& g, const Array& x, const Bend& bend, const Array* slopes) {
  Array inner = bend.inner == 1 ? g : product(g, bend.inner);
  if (slopes) return chosen(x, bend, inner, product(g, *slopes));
  return bend.slope == 0 ? chosen(x, bend, inner, 0.0) : chosen(x, bend, inner, product(g, bend.slope));
}

std::vector<Array> with_slopes(std::vector<Array> inputs, const Array* slopes) {
  if (slopes) inputs.push_back(*slopes);
  return inputs;
}

// Inputs g, x and, where there are some, the slopes.
class BendGradient : public GradientBody {
 public:
  explicit BendGradient(const Bend& bend) : bend_(bend) {}
  std::string_view name() const override { return "threshold_slope"; }
  Gradients gradients(const GradientCall& call) const override {
    Gradients out(call.wanted.size());
    const Array &g = call.operands[0], &x = call.operands[1], &given = *call.given[0];
    const Array* slopes = call.wanted.size() > 2 ? &call.operands[2] : nullptr;
    if (call.wanted[0]) out[0] = through_bend(given, x, bend_, slopes);
    if (call.wanted[1]) out[1] = full(call.layouts[1]->shape, real_number(0), call.types[1], call.device);
    if (slopes && call.wanted[2]) out[2] = chosen(x, bend_, 0.0, product(given, g));
    return out;
  }

 private:
  Bend bend_;
};

// Inputs x and, where there are some, the slopes.
class BendBody : public GradientBody {
 public:
  explicit BendBody(const Bend& bend) : bend_(bend) {}
  std::string_view name() const override {
    if (bend_.inside == Bend::Inside::between) return bend_.inner == 1 ? "hardtanh" : "hardsigmoid";
    if (bend_.inside == Bend::Inside::far) return "hardshrink";
    return bend_.inside == Bend::Inside::above ? "leaky_relu" : "threshold";
  }
  Gradients gradients(const GradientCall& call) const override {
    Gradients out(call.wanted.size());
    const Array &x = call.operands[0], &given = *call.given[0];
    const Array* slopes = call.wanted.size() > 1 ? &call.operands[1] : nullptr;
    if (call.wanted[0]) out[0] = through_bend(given, x, bend_, slopes);
    if (slopes && call.wanted[1]) out[1] = chosen(x, bend_, 0.0, product(given, x));
    return out;
  }

 private:
  Bend bend_;
};

// ---- smooth functions

struct Parameters {
  double a, b;
};
// At x, with the part that the forward pass has computed already, where there is one.
using Slope = Array (*)(const Array& x, const Array& part, const Parameters& p);

// The probability of being below x, and its slope.
Array gelu_part(const Array& x) { return product(plus(compute(Op::erf, product(x, std::numbers::sqrt2 / 2)), 1.0), 0.5); }
Array gelu_part_slope(const Array& x, const Array&, const Parameters&) {
  return product(compute(Op::exp, product(compute(Op::square, x), -0.5)), std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}
Array gelu_slope(const Array& x, const Array& below, const Parameters& p) {
  return plus(below ? below : gelu_part(x), product(x, gelu_part_slope(x, below, p)));
}

constexpr double tanh_cube = 0.044715, tanh_scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
Array gelu_tanh_part(const Array& x) {
  return compute(Op::tanh, product(product(x, plus(product(compute(Op::square, x), tanh_cube), 1.0)), tanh_scale));
}
Array gelu_tanh_part_slope(const Array& x, const Array& t, const Parameters&) {
  Array inner = product(plus(product(compute(Op::square, x), 3 * tanh_cube), 1.0), tanh_scale);
  return product(compute(Op::subtract, 1.0, compute(Op::square, t)), inner);
}
Array gelu_tanh_slope(const Array& x, const Array& part, const Parameters& p) {
  Array t = part ? part : gelu_tanh_part(x);
  return product(plus(plus(t, 1.0), product(x, gelu_tanh_part_slope(x, t, p))), 0.5);
}

Array mish_part(const Array& x) {
  // Beyond 20 log(1 + exp(x)) is x; exp of more would be infinite, and its derivative 0 * inf.
  Array above = compute(Op::greater, x, 20.0);
  Array soft = compute(Op::where, above, x, compute(Op::log1p, compute(Op::exp, compute(Op::where, above, 0.0, x))));
  return compute(Op::tanh, soft);
}
Array mish_part_slope(const Array& x, const Array& t, const Parameters&) {
  return product(compute(Op::sigmoid, x), compute(Op::subtract, 1.0, compute(Op::square, t)));
}
Array mish_slope(const Array& x, const Array& part, const Parameters& p) {
  Array t = part ? part : mish_part(x);
  return plus(t, product(x, mish_part_slope(x, t, p)));
}

Array silu_part_slope(const Array&, const Array& s, const Parameters&) { return product(s, compute(Op::subtract, 1.0, s)); }
Array silu_slope(const Array& x, const Array& part, const Parameters&) {
  Array s = part ? part : compute(Op::sigmoid, x);
  return product(s, plus(product(x, compute(Op::subtract, 1.0, s)), 1.0));
}

Array softplus_slope(const Array& x, const Array&, const Parameters& p) {
  Array scaled = p.a == 1 ? x : product(x, p.a);
  return compute(Op::where, compute(Op::greater, scaled, p.b), 1.0, compute(Op::sigmoid, scaled));
}

Array log_sigmoid_slope(const Array& x, const Array&, const Parameters&) {
  return compute(Op::sigmoid, compute(Op::negative, x));
}

Array logit_slope(const Array& x, const Array&, const Parameters&) {
  Array is_one = compute(Op::logical_and, compute(Op::greater_equal, x, 0.0), compute(Op::less_equal, x, 1.0));
  Array slope = compute(Op::reciprocal, product(x, compute(Op::subtract, 1.0, x)));
  return compute(Op::where, is_one, slope, std::numeric_limits<double>::quiet_NaN());
}

// At 0 the slope is that of what lies below, and does not change. Above, exp would be infinite, and its derivative 0 * inf.
Array below(const Array& x) { return compute(Op::where, compute(Op::less, x, 0.0), x, 0.0); }
Array with_slope_above(const Array& x, const Array& low, double high) {
  return compute(Op::where, compute(Op::less_equal, x, 0.0), low, high);
}
Array elu_slope(const Array& x, const Array&, const Parameters& p) {
  Array low = compute(Op::exp, below(x));
  return with_slope_above(x, p.a == 1 ? low : product(low, p.a), p.b);
}
Array elu_result_slope(const Array& y, const Array&, const Parameters& p) {
  return with_slope_above(y, plus(below(y), p.a), p.b);
}
Array celu_slope(const Array& x, const Array&, const Parameters& p) {
  Array low = below(x);
  return with_slope_above(x, compute(Op::exp, p.a == 1 ? low : product(low, 1 / p.a)), 1.0);
}
Array celu_result_slope(const Array& y, const Array&, const Parameters& p) {
  return with_slope_above(y, plus(product(below(y), 1 / p.a), 1.0), 1.0);
}

Array hardswish_slope(const Array& x, const Array&, const Parameters&) {
  Array inside = plus(compute(Op::true_divide, x, 3.0), 0.5);
  return compute(Op::where, compute(Op::less_equal, x, -3.0), 0.0, compute(Op::where, compute(Op::less, x, 3.0), inside, 1.0));
}

Array rsqrt_slope(const Array& y, const Array&, const Parameters&) {
  return product(conjugated(product(y, compute(Op::square, y))), -0.5);
}

// Of a square root whose slope at 0 is 0.
Array root_slope(const Array& y, const Array&, const Parameters&) {
  Array is_zero = compute(Op::equal, y, 0.0);
  return compute(Op::where, is_zero, 0.0, compute(Op::true_divide, 0.5, compute(Op::where, is_zero, 1.0, y)));
}

Array entr_slope(const Array& x, const Array&, const Parameters&) { return compute(Op::subtract, -1.0, compute(Op::log, x)); }

Array softsign_slope(const Array& x, const Array&, const Parameters&) {
  Array size = compute(Op::absolute, x), slope = compute(Op::reciprocal, compute(Op::square, plus(size, 1.0)));
  constexpr double infinite = std::numeric_limits<double>::infinity();  // there the function is inf / inf
  return compute(Op::where, compute(Op::equal, size, infinite), std::numeric_limits<double>::quiet_NaN(), slope);
}

Array tanhshrink_slope(const Array& x, const Array& t, const Parameters&) {
  return compute(Op::square, t ? t : compute(Op::tanh, x));
}
Array tanhshrink_part_slope(const Array&, const Array& t, const Parameters&) {
  return compute(Op::subtract, 1.0, compute(Op::square, t));
}

struct Smooth {
  std::string_view function, name;
  Slope slope, part_slope = nullptr;
  enum class Keeps : uint8_t { x, y, part } keeps = Keeps::x;  // what the slope is made of, beside a part
};
constexpr std::array<Smooth, 17> smooth{
    {{"gelu", "gelu", gelu_slope, gelu_part_slope},
     {"gelu_tanh", "gelu", gelu_tanh_slope, gelu_tanh_part_slope},
     {"mish", "mish", mish_slope, mish_part_slope},
     {"silu", "silu", silu_slope, silu_part_slope},
     {"softplus", "softplus", softplus_slope},
     {"log_sigmoid", "log_sigmoid", log_sigmoid_slope},
     {"logit", "logit", logit_slope},
     {"elu", "elu", elu_slope},
     {"elu_result", "elu", elu_result_slope, nullptr, Smooth::Keeps::y},
     {"celu", "celu", celu_slope},
     {"celu_result", "celu", celu_result_slope, nullptr, Smooth::Keeps::y},
     {"hardswish", "hardswish", hardswish_slope},
     {"softsign", "softsign", softsign_slope},
     {"entr", "special_entr", entr_slope},
     {"rsqrt", "rsqrt", rsqrt_slope, nullptr, Smooth::Keeps::y},
     {"root", "std", root_slope, nullptr, Smooth::Keeps::y},
     {"tanhshrink", "tanhshrink", tanhshrink_slope, tanhshrink_part_slope, Smooth::Keeps::part}}};

class SmoothBody : public GradientBody {
 public:
  SmoothBody(const Smooth& function, Parameters parameters) : function_(function), parameters_(parameters) {}
  std::string_view name() const override { return function_.name; }
  bool goes_through_results() const override { return !function_.function.ends_with("_result"); }  // it only saves memory
  // Results y and, where it is kept, its part.
  Gradients gradients(const GradientCall& call) const override {
    DType wide = wide_type(call.types[0]);
    Array x = function_.keeps == Smooth::Keeps::y ? call.results[0] : call.operands[0];  // none: the part tells
    if (x) x = as_type(x, wide);
    Array part = call.results.size() > 1 ? as_type(call.results[1], wide) : Array();
    std::optional<Array> out;
    if (call.given[0]) out = product(as_type(*call.given[0], wide), function_.slope(x, part, parameters_));
    if (call.given.size() > 1 && call.given[1]) {  // of second derivatives
      Array more = product(as_type(*call.given[1], wide), function_.part_slope(x, part, parameters_));
      out = added(out, more);
    }
    return {out};
  }

 private:
  const Smooth& function_;
  Parameters parameters_;
};

// Of x, in two halves along the axis: a * sigmoid(b).
class Gated : public GradientBody {
 public:
  explicit Gated(size_t axis) : axis_(axis) {}
  std::string_view name() const override { return "glu"; }
  static std::pair<Array, Array> halves(const Array& x, size_t axis) {
    int64_t n = x.shape()[axis];
    return {part(x, static_cast<int>(axis), 0, n / 2), part(x, static_cast<int>(axis), n / 2, n)};
  }
  Gradients gradients(const GradientCall& call) const override {
    DType wide = wide_type(call.types[0]);
    auto [a, b] = halves(as_type(call.operands[0], wide), axis_);
    Array g = as_type(*call.given[0], wide), s = compute(Op::sigmoid, b), through = product(g, s);
    return {joined({through, product(through, product(a, compute(Op::subtract, 1.0, s)))}, axis_)};
  }

 private:
  size_t axis_;
};

// ---- sums

class LogSumExp : public GradientBody {
 public:
  explicit LogSumExp(std::vector<size_t> gone) : gone_(std::move(gone)) {}
  std::string_view name() const override { return "logsumexp"; }
  Gradients gradients(const GradientCall& call) const override {
    DType wide = wide_type(call.types[0]);
    Array x = as_type(call.operands[0], wide), y = as_type(call.results[0], wide), g = as_type(*call.given[0], wide);
    for (size_t axis : gone_) y = with_axis(y, axis), g = with_axis(g, axis);
    return {product(g, conjugated(compute(Op::exp, compute(Op::subtract, x, y))))};
  }

 private:
  std::vector<size_t> gone_;  // axes that the result lacks, in their order
};

std::vector<bool> last_axes(const Array& x, size_t count) {
  std::vector<bool> out(x.rank(), false);
  for (size_t i = x.rank() - count; i < x.rank(); ++i) out[i] = true;
  return out;
}

Array mean_over(const Array& x, const std::vector<bool>& axes) {
  double n = 1;
  for (size_t i = 0; i < x.rank(); ++i)
    if (axes[i]) n *= static_cast<double>(x.shape()[i]);
  return compute(Op::true_divide, reduce(Reduction::sum, x, axes, true), n);
}

class RmsNorm : public GradientBody {
 public:
  explicit RmsNorm(size_t count) : count_(count) {}
  std::string_view name() const override { return "fused_rms_norm"; }
  // Inputs x, weight; results y, one over the root.
  Gradients gradients(const GradientCall& call) const override {
    Gradients out(call.wanted.size());
    const Array& x = call.operands[0];
    DType wide = wide_type(x.dtype());
    const Array scale = conjugated(call.results[1]);
    Array normal = product(conjugated(as_type(x, wide)), scale);
    std::vector<bool> inner = last_axes(x, count_);
    if (call.given[0]) {
      Array g = as_type(*call.given[0], wide);
      if (call.wanted[0]) {
        Array scaled = call.wanted.size() > 1 ? product(g, conjugated(as_type(call.operands[1], wide))) : g;
        Array along = product(normal, mean_over(product(scaled, normal), inner));
        out[0] = product(compute(Op::subtract, scaled, along), scale);
      }
      if (call.wanted.size() > 1 && call.wanted[1]) {
        std::vector<bool> outer = inner;
        outer.flip();
        out[1] = reduce(Reduction::sum, product(g, normal), outer, false);
      }
    }
    if (call.given[1] && call.wanted[0]) {  // of second derivatives
      double n = 1;
      for (size_t i = x.rank() - count_; i < x.rank(); ++i) n *= static_cast<double>(x.shape()[i]);
      Array slope = product(product(compute(Op::square, scale), normal), *call.given[1]);
      Array more = compute(Op::true_divide, slope, -n);
      out[0] = added(out[0], more);
    }
    return out;
  }

 private:
  size_t count_;
};

}  // namespace

Array bent(const Array& x, const Array& y, Bend::Inside inside, double low, double high, double slope, double inner,
           const Array* slopes) {
  auto body = std::make_shared<BendBody>(Bend{inside, low, high, slope, inner});
  return differentiable(std::move(body), with_slopes({x}, slopes), {{true, true}, {}}, [&] { return std::vector<Array>{y}; })[0];
}

Array through_bend(const Array& g, const Array& x, const Bend& bend, const Array* slopes) {
  if (!GradientMode::is_on() || !wants_gradient(x)) return bent_gradient(g, x, bend, slopes);
  return differentiable(std::make_shared<BendGradient>(bend), with_slopes({g, x}, slopes), {{slopes != nullptr, true, true}, {}},
                        [&] { return std::vector<Array>{bent_gradient(g, x, bend, slopes)}; })[0];
}

Array activated(const Array& x, const Array& y, std::string_view function, double a, double b, const Array* part) {
  for (const Smooth& one : smooth) {
    if (one.function != function) continue;
    std::vector<Array> results{y};
    if (part && one.part_slope) results.push_back(*part);
    const bool keeps_y = one.keeps == Smooth::Keeps::y, keeps_x = !keeps_y && !(one.keeps == Smooth::Keeps::part && part);
    Kept kept{{keeps_x}, {keeps_y, true}};
    auto body = std::make_shared<SmoothBody>(one, Parameters{a, b});
    return differentiable(std::move(body), {&x, 1}, kept, [&] { return results; })[0];
  }
  bug("an activation named {}", function);
}

Array gated(const Array& x, size_t axis) {
  return differentiable(std::make_shared<Gated>(axis), {&x, 1}, {{true}, {}}, [&]() -> std::vector<Array> {
    auto [a, b] = Gated::halves(as_type(x, wide_type(x.dtype())), axis);
    return {as_type(product(a, compute(Op::sigmoid, b)), x.dtype())};
  })[0];
}

Array log_sum_exp(const Array& x, const Array& y, const std::vector<size_t>& axes) {
  std::vector<size_t> gone = axes;
  std::ranges::sort(gone);
  auto make = [&] { return std::vector<Array>{without_axes(y, gone)}; };
  return differentiable(std::make_shared<LogSumExp>(gone), {&x, 1}, {{true}, {true}}, make)[0];
}

Array rms_norm(const Array& x, size_t count, const Array* weight, double eps) {
  std::vector<Array> inputs{x};
  if (weight) inputs.push_back(*weight);
  return differentiable(std::make_shared<RmsNorm>(count), inputs, {{true, true}, {false, true}}, [&]() -> std::vector<Array> {
    DType wide = wide_type(x.dtype());
    Array a = as_type(x, wide);
    Array mean = mean_over(compute(Op::square, a), last_axes(x, count));
    Array scale = compute(Op::reciprocal, compute(Op::sqrt, plus(mean, eps)));
    Array y = product(a, scale);
    if (weight) y = product(y, as_type(*weight, wide));
    return {as_type(y, x.dtype()), scale};
  })[0];
}

}  // namespace quern
