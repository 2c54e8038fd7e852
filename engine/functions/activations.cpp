#include "functions/activations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "functions/ranking.h"
#include "functions/rounding.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/tape.h"

namespace quern {

using namespace steps;

namespace {

// ---- lines

// Whether x is inside; of not_below whether it is outside.
Array is_inside(const Array& x, const Bend& bend) {
  switch (bend.inside) {
    case Bend::Inside::above:
      return greater(x, bend.low);
    case Bend::Inside::not_below:
      return less_equal(x, bend.low);
    case Bend::Inside::between:
      return logical_and(greater(x, bend.low), less(x, bend.high));
    case Bend::Inside::far:
      return greater(absolute(x), bend.low);
  }
  bug("a bend of kind {}", static_cast<int>(bend.inside));
}

// Inside of the range one of them, elsewhere the other.
template <class X, class Y>
Array chosen(const Array& x, const Bend& bend, const X& inner, const Y& outer) {
  if (bend.inside == Bend::Inside::not_below) return where(is_inside(x, bend), outer, inner);
  return where(is_inside(x, bend), inner, outer);
}

Array bent_gradient(const Array& g, const Array& x, const Bend& bend, const Array* slopes) {
  Array inner = bend.inner == 1 ? g : multiply(g, bend.inner);
  if (slopes) return chosen(x, bend, inner, multiply(g, *slopes));
  return bend.slope == 0 && !bend.multiplies ? chosen(x, bend, inner, 0.0) : chosen(x, bend, inner, multiply(g, bend.slope));
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
    if (slopes && call.wanted[2]) out[2] = chosen(x, bend_, 0.0, multiply(given, g));
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
    if (slopes && call.wanted[1]) out[1] = chosen(x, bend_, 0.0, multiply(given, x));
    return out;
  }

 private:
  Bend bend_;
};

// ---- smooth functions

struct Parameters {
  double a = 0, b = 0;
};
// A value, and where the slope is made of a part of it, that part.
struct Made {
  Array y, part{};
};
using Value = Made (*)(const Array& x, const Parameters& p);
// At x, with the part that the forward pass has computed already, where there is one.
using Slope = Array (*)(const Array& x, const Array& part, const Parameters& p);

Array up_to_one(const Array& x) { return subtract(1.0, x); }

// The probability of being below x, and its slope.
Array gelu_part(const Array& x) { return multiply(add(erf(multiply(x, std::numbers::sqrt2 / 2)), 1.0), 0.5); }
Made gelu_value(const Array& x, const Parameters&) {
  Array below = gelu_part(x);
  return {multiply(x, below), below};
}
Array gelu_part_slope(const Array& x, const Array&, const Parameters&) {
  return multiply(exp(multiply(square(x), -0.5)), std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}
Array gelu_slope(const Array& x, const Array& below, const Parameters& p) {
  return add(below ? below : gelu_part(x), multiply(x, gelu_part_slope(x, below, p)));
}

constexpr double tanh_cube = 0.044715, tanh_scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
Array gelu_tanh_part(const Array& x) { return tanh(multiply(multiply(x, add(multiply(square(x), tanh_cube), 1.0)), tanh_scale)); }
Made gelu_tanh_value(const Array& x, const Parameters&) {
  Array t = gelu_tanh_part(x);
  return {multiply(multiply(x, 0.5), add(t, 1.0)), t};
}
Array gelu_tanh_part_slope(const Array& x, const Array& t, const Parameters&) {
  Array inner = multiply(add(multiply(square(x), 3 * tanh_cube), 1.0), tanh_scale);
  return multiply(up_to_one(square(t)), inner);
}
Array gelu_tanh_slope(const Array& x, const Array& part, const Parameters& p) {
  Array t = part ? part : gelu_tanh_part(x);
  return multiply(add(add(t, 1.0), multiply(x, gelu_tanh_part_slope(x, t, p))), 0.5);
}

Array mish_part(const Array& x) {
  // Beyond 20 log(1 + exp(x)) is x; exp of more would be infinite, and its derivative 0 * inf.
  Array above = greater(x, 20.0);
  Array soft = where(above, x, log1p(exp(where(above, 0.0, x))));
  return tanh(soft);
}
Made mish_value(const Array& x, const Parameters&) {
  Array t = mish_part(x);
  return {multiply(x, t), t};
}
Array mish_part_slope(const Array& x, const Array& t, const Parameters&) { return multiply(sigmoid(x), up_to_one(square(t))); }
Array mish_slope(const Array& x, const Array& part, const Parameters& p) {
  Array t = part ? part : mish_part(x);
  return add(t, multiply(x, mish_part_slope(x, t, p)));
}

Made silu_value(const Array& x, const Parameters&) {
  Array s = logistic(numpys_rules, x);
  return {multiply(x, s), s};
}
Array silu_part_slope(const Array&, const Array& s, const Parameters&) { return multiply(s, up_to_one(s)); }
Array silu_slope(const Array& x, const Array& part, const Parameters&) {
  Array s = part ? part : sigmoid(x);
  return multiply(s, add(multiply(x, up_to_one(s)), 1.0));
}

// `a`: beta; `b`: the threshold.
Made softplus_value(const Array& x, const Parameters& p) {
  Array scaled = p.a == 1 ? x : multiply(x, p.a), soft = log1p(exp(scaled));
  return {where(greater(scaled, p.b), x, p.a == 1 ? soft : true_divide(soft, p.a))};
}
Array softplus_slope(const Array& x, const Array&, const Parameters& p) {
  Array scaled = p.a == 1 ? x : multiply(x, p.a);
  return where(greater(scaled, p.b), 1.0, sigmoid(scaled));
}

// log(1 + exp(-|x|))
Array log_of_rest(const Array& x) { return log1p(exp(negative(absolute(x)))); }
Made whole_softplus_value(const Array& x, const Parameters& p) {
  Array scaled = p.a == 1 ? x : multiply(x, p.a), soft = add(maximum(scaled, 0.0), log_of_rest(scaled));
  return {p.a == 1 ? soft : true_divide(soft, p.a)};
}
Array whole_softplus_slope(const Array& x, const Array&, const Parameters& p) { return sigmoid(p.a == 1 ? x : multiply(x, p.a)); }

Made log_sigmoid_value(const Array& x, const Parameters&) { return {subtract(minimum(x, 0.0), log_of_rest(x))}; }
Array log_sigmoid_slope(const Array& x, const Array&, const Parameters&) { return sigmoid(negative(x)); }

Array log_odds_slope(const Array& x, const Array&, const Parameters&) {
  Array is_one = logical_and(greater_equal(x, 0.0), less_equal(x, 1.0));
  Array slope = reciprocal(multiply(x, up_to_one(x)));
  return where(is_one, slope, std::numeric_limits<double>::quiet_NaN());
}

// b * x where x is positive, elsewhere a * (exp(x) - 1). At 0 the slope is that of what lies below (but TensorFlow's), and does
// not change. Above, exp would be infinite, and its derivative 0 * inf.
Array below(const Array& x) { return where(less(x, 0.0), x, 0.0); }
Array with_slope_above(const Array& x, const Array& low, double high) {
  const bool is_above = WithSlopes::now() == Slopes::tensorflow;
  return where(is_above ? less(x, 0.0) : less_equal(x, 0.0), low, high);
}
Made elu_value(const Array& x, const Parameters& p) {
  Array low = expm1(x);
  return {where(greater_equal(x, 0.0), p.b == 1 ? x : multiply(x, p.b), p.a == 1 ? low : multiply(low, p.a))};
}
Array elu_slope(const Array& x, const Array&, const Parameters& p) {
  Array low = exp(below(x));
  return with_slope_above(x, p.a == 1 ? low : multiply(low, p.a), p.b);
}
Array elu_result_slope(const Array& y, const Array&, const Parameters& p) { return with_slope_above(y, add(below(y), p.a), p.b); }
// `a`: alpha.
Made celu_value(const Array& x, const Parameters& p) {
  Array low = p.a == 1 ? expm1(x) : multiply(expm1(multiply(x, 1 / p.a)), p.a);
  return {where(greater_equal(x, 0.0), x, low)};
}
Array celu_slope(const Array& x, const Array&, const Parameters& p) {
  Array low = below(x);
  return with_slope_above(x, exp(p.a == 1 ? low : multiply(low, 1 / p.a)), 1.0);
}
Array celu_result_slope(const Array& y, const Array&, const Parameters& p) {
  return with_slope_above(y, add(multiply(below(y), 1 / p.a), 1.0), 1.0);
}

Array within(const Array& x, double low, double high) { return minimum(maximum(x, low), high); }
Made hardswish_value(const Array& x, const Parameters&) { return {true_divide(multiply(x, within(add(x, 3.0), 0, 6)), 6.0)}; }
Array hardswish_slope(const Array& x, const Array&, const Parameters&) {
  Array inside = add(true_divide(x, 3.0), 0.5);
  return where(less_equal(x, -3.0), 0.0, where(less(x, 3.0), inside, 1.0));
}

Array inverse_error_slope(const Array& y, const Array&, const Parameters&) { return multiply(exp(square(y)), 0.886226925452758); }
Array inverse_root_slope(const Array& y, const Array&, const Parameters&) { return multiply(conj(multiply(y, square(y))), -0.5); }

// Of a square root whose slope at 0 is 0.
Array root_slope(const Array& y, const Array&, const Parameters&) {
  Array is_zero = equal(y, 0.0);
  return where(is_zero, 0.0, true_divide(0.5, where(is_zero, 1.0, y)));
}

Made entropy_value(const Array& x, const Parameters&) {
  Array inside = where(greater(x, 0.0), x, 1.0);
  Array made = subtract(0.0, multiply(inside, log(inside)));
  made = where(less(x, 0.0), -std::numeric_limits<double>::infinity(), made);
  return {where(isnan(x), x, made)};
}
Array entropy_slope(const Array& x, const Array&, const Parameters&) { return subtract(-1.0, log(x)); }

Made softsign_value(const Array& x, const Parameters&) { return {true_divide(x, add(absolute(x), 1.0))}; }
Array softsign_slope(const Array& x, const Array&, const Parameters&) {
  Array size = absolute(x), slope = reciprocal(square(add(size, 1.0)));
  constexpr double infinite = std::numeric_limits<double>::infinity();  // there the function is inf / inf
  return where(equal(size, infinite), std::numeric_limits<double>::quiet_NaN(), slope);
}

Made tanhshrink_value(const Array& x, const Parameters&) {
  Array t = tanh(x);
  return {subtract(x, t), t};
}
Array tanhshrink_slope(const Array& x, const Array& t, const Parameters&) { return square(t ? t : tanh(x)); }
Array tanhshrink_part_slope(const Array&, const Array& t, const Parameters&) { return up_to_one(square(t)); }

struct Smooth {
  std::string_view name;  // of the entry of the tape
  Value value;
  Slope slope, part_slope = nullptr;
  enum class Keeps : uint8_t { x, y, part } keeps = Keeps::x;  // what the slope is made of, beside a part
  bool only_saves_memory = false;                              // by keeping y: it is no operand of second derivatives
  bool rounds_steps = false;                                   // of halves each operation is rounded, as in PyTorch
};
constexpr Smooth gelu_row{"gelu", gelu_value, gelu_slope, gelu_part_slope},
    gelu_tanh_row{"gelu", gelu_tanh_value, gelu_tanh_slope, gelu_tanh_part_slope},
    mish_row{"mish", mish_value, mish_slope, mish_part_slope}, silu_row{"silu", silu_value, silu_slope, silu_part_slope},
    softplus_row{"softplus", softplus_value, softplus_slope},
    whole_softplus_row{"softplus", whole_softplus_value, whole_softplus_slope},
    log_sigmoid_row{"log_sigmoid", log_sigmoid_value, log_sigmoid_slope}, elu_row{"elu", elu_value, elu_slope},
    elu_result_row{"elu", elu_value, elu_result_slope, nullptr, Smooth::Keeps::y, true}, celu_row{"celu", celu_value, celu_slope},
    celu_result_row{"celu", celu_value, celu_result_slope, nullptr, Smooth::Keeps::y, true},
    hardswish_row{"hardswish", hardswish_value, hardswish_slope},
    softsign_row{"softsign", softsign_value, softsign_slope, nullptr, Smooth::Keeps::x, false, true},
    entropy_row{"special_entr", entropy_value, entropy_slope},
    tanhshrink_row{"tanhshrink", tanhshrink_value, tanhshrink_slope, tanhshrink_part_slope, Smooth::Keeps::part, false, true};
// By their numbers: SmoothValue.
constexpr Smooth smooth_values[] = {{"rsqrt", nullptr, inverse_root_slope, nullptr, Smooth::Keeps::y},
                                    {"logit", nullptr, log_odds_slope},
                                    {"std", nullptr, root_slope, nullptr, Smooth::Keeps::y},
                                    {"erfinv", nullptr, inverse_error_slope, nullptr, Smooth::Keeps::y, true}};

class SmoothBody : public GradientBody {
 public:
  SmoothBody(const Smooth& function, Parameters parameters) : function_(function), parameters_(parameters) {}
  std::string_view name() const override { return function_.name; }
  bool goes_through_results() const override { return !function_.only_saves_memory; }
  // Results y and, where it is kept, its part.
  Gradients gradients(const GradientCall& call) const override {
    DType wide = wide_type(call.types[0]);
    Array x = function_.keeps == Smooth::Keeps::y ? call.results[0] : call.operands[0];  // none: the part decides
    if (x) x = as_type(x, wide);
    Array part = call.results.size() > 1 ? as_type(call.results[1], wide) : Array();
    std::optional<Array> out;
    if (call.given[0]) {
      const Array g = as_type(*call.given[0], wide);
      out = multiply(g, function_.slope(x, part, parameters_));
      if (function_.slope == hardswish_slope) out = where(less_equal(x, -3.0), 0.0, *out);  // also of NaN
      // TensorFlow's root has the gradient 0 with that of the result, as in tensorflow_grads.def.
      if (function_.slope == inverse_root_slope && WithSlopes::now() == Slopes::tensorflow) out = where(equal(g, 0.0), 0.0, *out);
    }
    if (call.given.size() > 1 && call.given[1]) {  // of second derivatives
      Array more = multiply(as_type(*call.given[1], wide), function_.part_slope(x, part, parameters_));
      out = added(out, more);
    }
    return {out};
  }

 private:
  const Smooth& function_;
  Parameters parameters_;
};

Array smooth(const Smooth& function, const Array& given, Parameters parameters = {}) {
  const Array x = as_reals(numpys_rules, given);
  const DType type = x.dtype(), wide = wide_type(type);
  if (is_complex(type)) return function.value(x, parameters).y;  // its operations have the derivatives
  const bool keeps_part = function.part_slope && type == wide;   // of halves it is computed once more, in float32
  const bool keeps_y = function.keeps == Smooth::Keeps::y;
  const bool keeps_x = !keeps_y && !(function.keeps == Smooth::Keeps::part && keeps_part);
  return differentiable(std::make_shared<SmoothBody>(function, parameters), {&x, 1}, {{keeps_x}, {keeps_y, true}},
                        [&]() -> std::vector<Array> {
                          Made made = function.value(function.rounds_steps ? x : as_type(x, wide), parameters);
                          std::vector<Array> results{as_type(made.y, type)};
                          if (keeps_part) results.push_back(made.part);
                          return results;
                        })[0];
}

// For increasing functions the slope follows from the result, and x need not be kept.
Array elu_by(const Smooth& by_x, const Smooth& by_result, const Array& x, Parameters p, bool rises) {
  return smooth(rises && x.dtype() == wide_type(x.dtype()) ? by_result : by_x, x, p);
}

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
    Array g = as_type(*call.given[0], wide), s = sigmoid(b), through = multiply(g, s);
    return {joined({through, multiply(through, multiply(a, subtract(1.0, s)))}, axis_)};
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
    for (size_t axis : gone_) y = expand_dims(y, axis), g = expand_dims(g, axis);
    return {multiply(g, conj(exp(subtract(x, y))))};
  }

 private:
  std::vector<size_t> gone_;  // axes that the result lacks, in their order
};

}  // namespace

Array recorded_as(SmoothValue function, const Array& x, const Array& y) {
  const Smooth& row = smooth_values[static_cast<size_t>(function)];
  const bool keeps_y = row.keeps == Smooth::Keeps::y;
  return differentiable(std::make_shared<SmoothBody>(row, Parameters{}), {&x, 1}, {{!keeps_y}, {keeps_y}},
                        [&] { return std::vector<Array>{y}; })[0];
}

Array through_bend(const Array& g, const Array& x, const Bend& bend, const Array* slopes) {
  if (!GradientMode::is_on() || !wants_gradient(x)) return bent_gradient(g, x, bend, slopes);
  return differentiable(std::make_shared<BendGradient>(bend), with_slopes({g, x}, slopes), {{slopes != nullptr, true, true}, {}},
                        [&] { return std::vector<Array>{bent_gradient(g, x, bend, slopes)}; })[0];
}

Array log_sum_exp(const Array& x, const Array& y, const std::vector<size_t>& axes) {
  std::vector<size_t> gone = axes;
  std::ranges::sort(gone);
  auto make = [&] { return std::vector<Array>{without_axes(y, gone)}; };
  return differentiable(std::make_shared<LogSumExp>(gone), {&x, 1}, {{true}, {true}}, make)[0];
}

namespace nn {

namespace {

// A number that is compared with elements, or takes their place.
Scalar number_for(double value, DType type) {
  if (!is_whole(type)) return real_number(value);
  const bool is_signed = row(type).kind == DTypeKind::integer;  // the nearest number of the type
  const double most = std::ldexp(1, std::min(static_cast<int>(8 * size_of(type)) - is_signed, 62)) - 1;
  return whole(static_cast<int64_t>(std::clamp(value, is_signed ? -most - 1 : 0, most)));
}

template <class Y>
Array bent(const Array& x, const Bend& bend, const Array* slopes, const Y& y) {
  auto make = [&] { return std::vector<Array>{as_type(y(as_type(x, wide_type(x.dtype()))), x.dtype())}; };
  return differentiable(std::make_shared<BendBody>(bend), with_slopes({x}, slopes), {{true, true}, {}}, make)[0];
}

// x where it is positive, elsewhere x times a slope.
Array leaky(const Array& x, double slope, const Array* slopes) {
  return bent(x, {Bend::Inside::above, 0, 0, slope, 1, true}, slopes, [&](const Array& wide) {
    return where(greater(wide, 0.0), wide, slopes ? multiply(wide, *slopes) : multiply(wide, slope));
  });
}

}  // namespace

namespace {
void check_fits(std::initializer_list<double> numbers, DType type) {
  if (!is_whole(type))
    for (double one : numbers) fitted_as_torch(real_number(one), type);
}
}  // namespace

Array hardtanh(const Array& x, double low, double high) {
  if (is_whole(x.dtype()) && (std::isnan(low) || std::isnan(high)))
    raise(ErrorKind::runtime, "hardtanh: NaN is not a limit of integers; pass numbers as min_val and max_val");
  if (low > high) raise(ErrorKind::value, "min_val cannot be greater than max_val");
  const Scalar least = number_for(low, x.dtype()), most = number_for(high, x.dtype());
  check_fits({low, high}, x.dtype());
  return bent(x, {Bend::Inside::between, low, high, 0, 1}, nullptr, [&](const Array& wide) {
    if (std::isnan(low) || std::isnan(high)) return multiply(wide, std::numeric_limits<double>::quiet_NaN());
    Array under = where(greater_equal(wide, most), most, wide);
    return where(less_equal(wide, least), least, under);
  });
}
Array relu6(const Array& x) { return hardtanh(x, 0, 6); }

Array threshold(const Array& x, double threshold, double value) {
  const DType type = x.dtype();
  const Scalar least = fitted_as_torch(real_number(threshold), type), other = fitted_as_torch(real_number(value), type);
  return bent(x, {Bend::Inside::not_below, threshold, 0, 0, 1}, nullptr,
              [&](const Array& wide) { return where(less_equal(wide, least), other, wide); });
}

Array leaky_relu(const Array& x, double slope) {
  check_fits({slope}, wide_type(x.dtype()));
  return leaky(as_reals(numpys_rules, x), slope, nullptr);
}

// Keras's leaky_relu and hardtanh: the derivative at 0, and at the ends, is 1. Integers stay integers in hard_tanh().
// TensorFlow's slope at 0 is that of what lies below.
Array leaky_relu_from_zero(const Array& x, double slope) {
  if (WithSlopes::now() == Slopes::tensorflow && !is_whole(x.dtype())) return leaky(x, slope, nullptr);
  return where(greater_equal(x, 0), x, multiply(x, slope));
}
Array hard_tanh(const Array& given) {
  const Array x = given.dtype() == DType::boolean ? as_type(given, DType::int32) : given;
  const Array under = where(greater(x, 1), 1, x);
  const bool is_natural = row(x.dtype()).kind == DTypeKind::natural;
  return is_natural ? under : where(less(x, -1), -1, under);
}

Array sparsemax(const Array& x, size_t axis) {
  const int along = static_cast<int>(axis);
  const Array ordered = sorted_along(x, axis, true).values, sums = running_sum(ordered, axis, {});
  Shape sizes(x.rank(), 1);
  sizes[axis] = x.shape()[axis];
  const Array counts = reshape(add(as_type(arange(sizes[axis], x.device()), x.dtype()), 1.0), sizes);
  const Array inside = greater(subtract(ordered, true_divide(subtract(sums, 1.0), counts)), 0.0);
  const Array kept = reduced(Reduction::sum, as_type(inside, x.dtype()), along, true);
  const Array total = reduced(Reduction::sum, where(inside, sums, 0.0), along, true);
  return maximum(subtract(x, true_divide(subtract(total, 1.0), kept)), 0.0);
}

Array prelu(const Array& x, const Array& weight) {
  const int64_t channels = x.rank() > 1 ? x.shape()[1] : 1;
  if (weight.rank() > 1)
    raise(ErrorKind::runtime, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}", weight.rank());
  if (weight.rank() == 0) return leaky(x, 0, &weight);
  if (weight.size() != 1 && weight.size() != channels)
    raise(ErrorKind::runtime,
          "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and channel size = {}.",
          weight.size(), channels);
  Shape shape(x.rank(), 1);
  if (x.rank() > 1) shape[1] = weight.size();
  const Array slopes = reshape(weight, shape);
  return leaky(x, 0, &slopes);
}

Array rrelu(const Rules& rules, const Array& x, double lower, double upper, bool is_training, const random::Stream& draws) {
  if (lower > upper) raise(ErrorKind::runtime, "Lower bound should be less than or equal to the upper bound");
  if (!is_training) return leaky_relu(x, (lower + upper) / 2);
  const Array slopes = random::uniform_for(rules, detached(x), lower, upper, draws);
  return leaky(x, 0, &slopes);
}

Array hardsigmoid(const Array& given) {
  return bent(as_reals(numpys_rules, given), {Bend::Inside::between, -3, 3, 0, 1.0 / 6}, nullptr,
              [](const Array& x) { return true_divide(within(add(x, 3.0), 0, 6), 6.0); });
}

Array softshrink(const Array& given, double lambda) {
  return bent(as_reals(numpys_rules, given), {Bend::Inside::far, lambda, 0, 0, 1}, nullptr, [&](const Array& x) {
    Array is_near = less_equal(absolute(x), lambda);
    return where(is_near, 0.0, subtract(x, within(x, -lambda, lambda)));
  });
}

Array hardshrink(const Array& given, double lambda) {
  check_fits({lambda}, given.dtype());
  return bent(as_reals(numpys_rules, given), {Bend::Inside::far, lambda, 0, 0, 1}, nullptr,
              [&](const Array& x) { return where(less_equal(absolute(x), lambda), 0.0, x); });
}

// Keras's, made of operations: a number or an array is taken in the type of x, and NaN is no farther from 0 than a threshold.
static Argument in_type_of(const Array& x, const Argument& given, std::optional<Array>& kept) {
  return given.array() ? Argument(kept.emplace(as_type(*given.array(), x.dtype()))) : given;
}
Array soft_shrink(const Array& x, const Argument& threshold) {
  std::optional<Array> kept;
  const Argument t = in_type_of(x, threshold, kept);
  const Array above = subtract(x, t), below = add(x, t);
  return where(greater(x, t), above, where(greater(negative(x), t), below, 0.0));
}
Array kept_above(const Alike& x, const Argument& threshold) { return where(greater(x.a, threshold), x.a, x.b); }
Array hard_shrink(const Array& x, const Argument& threshold) {
  std::optional<Array> kept;
  return where(greater(absolute(x), in_type_of(x, threshold, kept)), x, 0.0);
}
Array sparse_plus(const Array& x) {
  return where(less_equal(x, -1.0), 0.0, where(less(x, 1.0), multiply(square(add(x, 1.0)), 0.25), x));
}
Array sparse_sigmoid(const Array& x) {
  return where(less_equal(x, -1.0), 0.0, where(greater_equal(x, 1.0), 1.0, multiply(add(x, 1.0), 0.5)));
}
Array squareplus(const Array& x, const Argument& b) {
  std::optional<Array> kept;
  return multiply(add(x, sqrt(add(square(x), in_type_of(x, b, kept)))), 0.5);
}

Array gelu(const Array& x, GeluFormula formula) { return smooth(formula == GeluFormula::exact ? gelu_row : gelu_tanh_row, x); }
Array silu(const Array& x) { return smooth(silu_row, x); }
Array mish(const Array& x) { return smooth(mish_row, x); }
Array softplus(const Array& x, std::optional<double> beta, std::optional<double> threshold) {
  check_fits({beta.value_or(1), threshold.value_or(0)}, wide_type(x.dtype()));
  return smooth(threshold ? softplus_row : whole_softplus_row, x, {beta.value_or(1), threshold.value_or(0)});
}
Array log_sigmoid(const Array& x) { return smooth(log_sigmoid_row, x); }
Array elu(const Array& x, double alpha) {
  check_fits({alpha}, wide_type(x.dtype()));
  return elu_by(elu_row, elu_result_row, x, {alpha, 1}, alpha > 0);
}
Array selu(const Array& x) {
  constexpr double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
  return elu_by(elu_row, elu_result_row, x, {alpha * scale, scale}, true);
}
Array celu(const Array& x, double alpha) {
  check_fits({alpha}, wide_type(x.dtype()));
  return elu_by(celu_row, celu_result_row, x, {alpha}, alpha > 0);
}
Array hardswish(const Array& x) { return smooth(hardswish_row, x); }
Array softsign(const Rules& rules, const Array& x) { return smooth(softsign_row, as_reals(rules, x)); }
Array tanhshrink(const Rules& rules, const Array& x) { return smooth(tanhshrink_row, as_reals(rules, x)); }
Array entropy(const Rules& rules, const Array& x) { return smooth(entropy_row, as_reals(rules, x)); }

Array glu(const Array& given, size_t axis) {
  const Array x = as_reals(numpys_rules, given);
  if (x.rank() == 0) raise(ErrorKind::runtime, "glu does not support scalars because halving size must be even");
  if (x.shape()[axis] % 2)
    raise(ErrorKind::runtime, "Halving dimension must be even, but dimension {} is size {}", axis, x.shape()[axis]);
  return differentiable(std::make_shared<Gated>(axis), {&x, 1}, {{true}, {}}, [&]() -> std::vector<Array> {
    auto [a, b] = Gated::halves(as_type(x, wide_type(x.dtype())), axis);
    return {as_type(multiply(a, sigmoid(b)), x.dtype())};
  })[0];
}

}  // namespace nn
}  // namespace quern
