#include "functions/losses.h"

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "core/error.h"
#include "functions/elementwise.h"
#include "functions/reductions.h"
#include "functions/refusals.h"
#include "functions/steps.h"

namespace quern {

using namespace steps;

namespace {

using nn::LossReduction;

double elements_in(const Shape& shape) {
  double n = 1;
  for (int64_t size : shape) n *= static_cast<double>(size);
  return n;
}
Array total(const Array& x) { return reduce(Reduction::sum, x, std::vector<bool>(x.rank(), true), false); }

// ---- of each element

using Inputs = std::vector<Array>;
using Value = Array (*)(const Inputs& in, double number);
using Slope = Array (*)(const Inputs& in, double number, size_t of);  // the derivative by input number `of`

Array signed_for(size_t of, const Array& slope) { return of == 0 ? slope : compute(Op::negative, slope); }

Array l1(const Inputs& in, double) { return absolute(subtract(in[0], in[1])); }
Array l1_slope(const Inputs& in, double, size_t of) { return signed_for(of, direction(numpys_rules, subtract(in[0], in[1]))); }

Array mse(const Inputs& in, double) { return compute(Op::square, subtract(in[0], in[1])); }
Array mse_slope(const Inputs& in, double, size_t of) { return multiply(subtract(in[0], in[1]), of == 0 ? 2.0 : -2.0); }

// Not by maximum(): no second derivative passes at the bends.
Array within(const Array& x, double bend) {
  Array low = where(less_equal(x, -bend), -bend, x);
  return where(greater_equal(low, bend), bend, low);
}
Array by_bend(const Array& x, double bend) { return bend == 1 ? x : true_divide(x, bend); }
Array huber(const Inputs& in, double bend) {
  Array away = subtract(in[0], in[1]), near = within(away, bend);
  return multiply(near, subtract(away, multiply(near, 0.5)));
}
Array huber_slope(const Inputs& in, double bend, size_t of) { return signed_for(of, within(subtract(in[0], in[1]), bend)); }
Array smooth_l1(const Inputs& in, double bend) { return by_bend(huber(in, bend), bend); }
Array smooth_l1_slope(const Inputs& in, double bend, size_t of) { return by_bend(huber_slope(in, bend, of), bend); }

Array kl_div(const Inputs& in, double) {
  const Array& target = in[1];
  Array own = where(equal(target, 0.0), 0.0, multiply(target, log(target)));
  return subtract(own, multiply(target, in[0]));
}
Array kl_div_slope(const Inputs& in, double, size_t of) {
  const Array& target = in[1];
  if (of == 0) return compute(Op::negative, target);
  Array one = true_divide(target, target);  // t log t has no derivative at 0
  return subtract(add(log(target), one), in[0]);
}
Array kl_div_log(const Inputs& in, double) { return multiply(exp(in[1]), subtract(in[1], in[0])); }
Array kl_div_log_slope(const Inputs& in, double, size_t of) {
  Array p = exp(in[1]);
  return of == 0 ? compute(Op::negative, p) : multiply(p, add(subtract(in[1], in[0]), 1.0));
}

// At 0 and 1 the logarithms end at -100, and what the gradient is divided by at 1e-12.
Array logarithm_of(const Array& x) { return maximum(log(x), -100.0); }
Array logarithm_of_rest(const Array& x) { return maximum(log1p(compute(Op::negative, x)), -100.0); }
Array binary_cross_entropy(const Inputs& in, double) {
  const Array &x = in[0], &target = in[1];
  return subtract(multiply(subtract(target, 1.0), logarithm_of_rest(x)), multiply(target, logarithm_of(x)));
}
Array binary_cross_entropy_slope(const Inputs& in, double, size_t of) {
  const Array& x = in[0];
  if (of == 1) return subtract(log1p(compute(Op::negative, x)), log(x));
  Array spread = maximum(multiply(x, subtract(1.0, x)), 1e-12);
  return true_divide(subtract(x, in[1]), spread);
}

Array log_sigmoid(const Array& x) {
  Array rest = log1p(exp(compute(Op::negative, absolute(x))));
  return subtract(minimum(x, 0.0), rest);
}
Array weight_of_true(const Inputs& in) { return add(multiply(subtract(in[2], 1.0), in[1]), 1.0); }
Array bce_with_logits(const Inputs& in, double) {
  Array log_p = log_sigmoid(in[0]);
  if (in.size() > 2) log_p = multiply(weight_of_true(in), log_p);
  return subtract(multiply(subtract(1.0, in[1]), in[0]), log_p);
}
Array bce_with_logits_slope(const Inputs& in, double, size_t of) {
  const Array &x = in[0], &target = in[1];
  if (in.size() == 2) return of == 0 ? subtract(sigmoid(x), target) : compute(Op::negative, x);
  if (of == 2) return compute(Op::negative, multiply(target, log_sigmoid(x)));
  if (of == 1) return compute(Op::negative, add(x, multiply(subtract(in[2], 1.0), log_sigmoid(x))));
  Array no = sigmoid(compute(Op::negative, x));
  return subtract(subtract(1.0, target), multiply(weight_of_true(in), no));
}

Array soft_margin(const Inputs& in, double) { return log1p(exp(compute(Op::negative, multiply(in[0], in[1])))); }
Array soft_margin_slope(const Inputs& in, double, size_t of) {
  Array no = compute(Op::negative, sigmoid(compute(Op::negative, multiply(in[0], in[1]))));
  return multiply(no, in[1 - of]);
}

Array poisson_nll_log(const Inputs& in, double) { return subtract(exp(in[0]), multiply(in[1], in[0])); }
Array poisson_nll_log_slope(const Inputs& in, double, size_t of) {
  return of == 0 ? subtract(exp(in[0]), in[1]) : compute(Op::negative, in[0]);
}
Array poisson_nll(const Inputs& in, double eps) { return subtract(in[0], multiply(in[1], log(add(in[0], eps)))); }
Array poisson_nll_slope(const Inputs& in, double eps, size_t of) {
  Array mean = add(in[0], eps);
  return of == 0 ? subtract(1.0, true_divide(in[1], mean)) : compute(Op::negative, log(mean));
}
// With Stirling's approximation, which counts above 1.
template <Value value>
Array with_stirling(const Inputs& in, double number) {
  const Array& target = in[1];
  Array is_low = less_equal(target, 1.0), safe = where(is_low, 1.0, target);
  Array more = subtract(multiply(target, log(safe)), target);
  more = add(more, multiply(log(multiply(safe, 2 * std::numbers::pi)), 0.5));
  return add(value(in, number), where(is_low, 0.0, more));
}
template <Slope slope>
Array with_stirling_slope(const Inputs& in, double number, size_t of) {
  if (of == 0) return slope(in, number, of);
  Array is_low = less_equal(in[1], 1.0), safe = where(is_low, 1.0, in[1]);
  Array more = add(log(safe), true_divide(0.5, safe));
  return add(slope(in, number, of), where(is_low, 0.0, more));
}

Array gaussian_nll(const Inputs& in, double constant) {
  Array square = true_divide(compute(Op::square, subtract(in[0], in[1])), in[2]);
  Array loss = multiply(add(log(in[2]), square), 0.5);
  return constant == 0 ? loss : add(loss, constant);
}
Array gaussian_nll_slope(const Inputs& in, double, size_t of) {
  Array ratio = true_divide(subtract(in[0], in[1]), in[2]);
  if (of < 2) return signed_for(of, ratio);
  return multiply(subtract(reciprocal(in[2]), compute(Op::square, ratio)), 0.5);
}

// What is below 0 is 0; no derivative passes there.
Array above_zero(const Array& x) { return where(less_equal(x, 0.0), 0.0, x); }

Array hinge_embedding(const Inputs& in, double margin) {
  Array near = where(equal(in[1], -1.0), 0.0, in[0]);
  Array far = above_zero(subtract(margin, in[0]));
  return add(near, where(equal(in[1], 1.0), 0.0, far));
}
Array is_far(const Inputs& in, double margin) { return logical_and(less(in[0], margin), not_equal(in[1], 1.0)); }
Array hinge_embedding_slope(const Inputs& in, double margin, size_t) {
  return subtract(as_type(not_equal(in[1], -1.0), in[0].dtype()), as_type(is_far(in, margin), in[0].dtype()));
}
Array hinge_embedding_passes(const Inputs& in, double margin) { return logical_or(not_equal(in[1], -1.0), is_far(in, margin)); }

// Inputs one and the other, and which of them should be larger.
Array ranked(const Inputs& in, double margin) {
  Array away = multiply(compute(Op::negative, in[2]), subtract(in[0], in[1]));
  return margin == 0 ? away : add(away, margin);
}
Array margin_ranking(const Inputs& in, double margin) { return above_zero(ranked(in, margin)); }
Array margin_ranking_slope(const Inputs& in, double margin, size_t of) {
  return of == 2 ? subtract(in[1], in[0]) : of == 1 ? in[2] : compute(Op::negative, in[2]);
}
Array margin_ranking_passes(const Inputs& in, double margin) { return greater(ranked(in, margin), 0.0); }

struct ElementLossKind {
  std::string_view name;
  Value value;
  Slope slope;
  std::array<uint8_t, 3> needs;  // of the derivative by each input: a bit for each input that it is made of
  Array (*passes)(const Inputs& in, double number) = nullptr;  // where a gradient passes: elsewhere it is 0, also of NaN
};
constexpr ElementLossKind l1_kind{"l1_loss", l1, l1_slope, {3, 3}}, mse_kind{"mse_loss", mse, mse_slope, {3, 3}},
    smooth_l1_kind{"smooth_l1_loss", smooth_l1, smooth_l1_slope, {3, 3}}, huber_kind{"huber_loss", huber, huber_slope, {3, 3}},
    kl_div_kind{"kl_div", kl_div, kl_div_slope, {2, 3}}, kl_div_log_kind{"kl_div", kl_div_log, kl_div_log_slope, {2, 3}},
    binary_kind{"binary_cross_entropy", binary_cross_entropy, binary_cross_entropy_slope, {3, 1}},
    with_logits_kind{"binary_cross_entropy_with_logits", bce_with_logits, bce_with_logits_slope, {7, 5, 3}},
    soft_margin_kind{"soft_margin_loss", soft_margin, soft_margin_slope, {3, 3}},
    gaussian_kind{"gaussian_nll_loss", gaussian_nll, gaussian_nll_slope, {7, 7, 7}},
    hinge_kind{"hinge_embedding_loss", hinge_embedding, hinge_embedding_slope, {3, 0}, hinge_embedding_passes},
    ranking_kind{"margin_ranking_loss", margin_ranking, margin_ranking_slope, {7, 7, 7}, margin_ranking_passes};
// By whether the target's own term counts, and whether x is a logarithm.
constexpr ElementLossKind poisson_kinds[2][2] = {
    {{"poisson_nll_loss", poisson_nll, poisson_nll_slope, {3, 1}},
     {"poisson_nll_loss", poisson_nll_log, poisson_nll_log_slope, {3, 1}}},
    {{"poisson_nll_loss", with_stirling<poisson_nll>, with_stirling_slope<poisson_nll_slope>, {3, 3}},
     {"poisson_nll_loss", with_stirling<poisson_nll_log>, with_stirling_slope<poisson_nll_log_slope>, {3, 3}}}};

Inputs in_type(std::span<const Array> inputs, DType type) {
  Inputs out;
  for (const Array& one : inputs) out.push_back(one ? as_type(one, type) : one);
  return out;
}

class ElementLoss : public GradientBody {
 public:
  ElementLoss(const ElementLossKind& kind, double number, bool is_mean, bool is_weighted)
      : kind_(kind), number_(number), is_mean_(is_mean), is_weighted_(is_weighted) {}
  std::string_view name() const override { return kind_.name; }
  // Inputs of the loss, then the weight.
  Gradients gradients(const GradientCall& call) const override {
    DType wide = wide_type(call.result_types[0]);
    Inputs in = in_type(call.operands, wide);
    std::vector<Shape> shapes;
    for (const Layout* layout : call.layouts) shapes.push_back(layout->shape);
    const Shape shape = broadcast_shapes(shapes);
    Array g = as_type(*call.given[0], wide);
    if (is_mean_) g = true_divide(g, elements_in(shape));
    if (is_weighted_) g = multiply(g, in.back()), in.pop_back();
    Gradients out(call.wanted.size());
    for (size_t i = 0; i < in.size(); ++i) {
      if (!call.wanted[i]) continue;
      Array gradient = multiply(g, kind_.slope(in, number_, i));
      if (kind_.passes) gradient = where(kind_.passes(in, number_), gradient, 0.0);
      out[i] = gradient.shape() == shape ? gradient : gradient.view(gradient.layout().broadcast_to(shape));
    }
    return out;
  }

 private:
  const ElementLossKind& kind_;
  double number_;
  bool is_mean_, is_weighted_;
};

using Operands = std::initializer_list<const Array*>;  // null: not there

// A loss of each element, times a weight that has no derivative, and its mean or sum: a single autograd node.
Array one_entry(const ElementLossKind& kind, Operands operands, double number, LossReduction reduction, const Array* weight) {
  std::vector<Array> all;
  for (const Array* one : operands)
    if (one) all.push_back(*one);
  const size_t count = all.size();
  if (weight) all.push_back(*weight);
  if (&kind == &l1_kind)  // PyTorch keeps the sign of the difference alone: the operands may be inference tensors
    for (Array& one : all) one = is_inference(one) ? one.apart() : one;
  std::vector<OperandType> types;
  for (const Array& one : all) types.push_back({one.dtype(), false, WeakScalar::boolean, one.rank() == 0});
  DType type = common_type_as_torch(types);
  if (is_whole(type)) type = torch_default();
  if (is_complex(type)) raise(ErrorKind::not_implemented, "[{}] complex numbers are not supported", kind.name);
  Kept kept{std::vector<bool>(all.size(), false), {}};
  if (weight) kept.inputs.back() = true;
  for (size_t i = 0; i < count; ++i) {
    if (!wants_gradient(all[i])) continue;
    for (size_t j = 0; j < count; ++j)
      if (kind.needs[i] >> j & 1) kept.inputs[j] = true;
  }
  auto body = std::make_shared<ElementLoss>(kind, number, reduction == LossReduction::mean, weight != nullptr);
  return differentiable(std::move(body), all, kept, [&]() -> std::vector<Array> {
    Inputs in = in_type(all, wide_type(type));
    if (weight) in.pop_back();
    Array y = kind.value(in, number);
    if (weight) y = multiply(y, as_type(*weight, wide_type(type)));
    const double elements = elements_in(y.shape());
    if (reduction != LossReduction::none) y = total(y);
    if (reduction == LossReduction::mean) y = true_divide(y, elements);
    return {as_type(y, type)};
  })[0];
}

}  // namespace

namespace nn {

static Array element_loss(const ElementLossKind& kind, Operands operands, double number, LossReduction reduction,
                          const Array* weight = nullptr) {
  const Array& first = **operands.begin();
  if (reduction == LossReduction::batch_mean) {
    Array sum = element_loss(kind, operands, number, LossReduction::sum, weight);
    return first.rank() == 0 ? sum : true_divide(sum, first.shape()[0]);
  }
  if (!weight || !wants_gradient(*weight)) return one_entry(kind, operands, number, reduction, weight);
  return reduced(multiply(one_entry(kind, operands, number, LossReduction::none, nullptr), *weight), reduction);
}

// A loss in the type of one of its operands, if that is of real numbers, as PyTorch has it.
static Array in_type_of(const Array& one, const Array& loss) { return is_whole(one.dtype()) ? loss : as_type(loss, one.dtype()); }

Array reduced(const Array& loss, LossReduction reduction) {
  if (reduction == LossReduction::none) return loss;
  return reduction == LossReduction::mean ? mean(loss, all_axes(loss)) : total(loss);
}

// A loss with a weight for each element, whose mean is that of the weights.
static Array weighted(const Array& loss, const Array& weight, LossReduction reduction) {
  Array out = multiply(loss, weight);
  if (reduction != LossReduction::mean) return reduced(out, reduction);
  return true_divide(reduced(out, LossReduction::sum), reduced(weight, LossReduction::sum));
}

static void check_weight(const Array& x, const Array* weight) {
  if (weight && weight->shape() != x.shape()) raise(ErrorKind::value, "Weights and input must have the same size.");
}

// In the shape of both: an array without axes then counts for the type, too.
static Array stretched(const Array& x, const Array& other) {
  if (x.shape() == other.shape()) return x;
  const Shape shapes[] = {x.shape(), other.shape()};
  return x.view(x.layout().broadcast_to(broadcast_shapes(shapes)));
}

static Array maybe_weighted(const ElementLossKind& kind, Operands operands, const Array* weight, LossReduction reduction) {
  if (!weight) return element_loss(kind, operands, 0, reduction);
  return weighted(element_loss(kind, operands, 0, LossReduction::none), *weight, reduction);
}

Array l1_loss(const Rules& rules, const Array& given, const Array& given_target, const Array* weight, LossReduction reduction) {
  const Array x = stretched(given, given_target), target = stretched(given_target, given);
  check_weight(given, weight);
  const bool is_real = row(x.dtype()).kind == DTypeKind::real || row(target.dtype()).kind == DTypeKind::real;
  if (is_real && !is_complex(x.dtype()) && !is_complex(target.dtype()))
    return maybe_weighted(l1_kind, {&x, &target}, weight, reduction);
  const Array loss = rules(Op::absolute, rules(Op::subtract, x, target));
  if (reduction == LossReduction::mean && !weight && is_whole(loss.dtype()))
    raise(ErrorKind::not_implemented,
          "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}",
          torch_name_of(loss.dtype()));
  return weight ? weighted(loss, *weight, reduction) : reduced(loss, reduction);
}

Array mse_loss(const Array& given, const Array& given_target, const Array* weight, LossReduction reduction) {
  const Array x = stretched(given, given_target), target = stretched(given_target, given);
  check_weight(given, weight);
  return maybe_weighted(mse_kind, {&x, &target}, weight, reduction);
}

Array smooth_l1_loss(const Array& given, const Array& given_target, double beta, LossReduction reduction) {
  const Array x = stretched(given, given_target), target = stretched(given_target, given);
  if (beta < 0) raise(ErrorKind::runtime, "smooth_l1_loss does not support negative values for beta.");
  if (beta == 0) return element_loss(l1_kind, {&x, &target}, 0, reduction);
  return element_loss(smooth_l1_kind, {&x, &target}, beta, reduction);
}

Array huber_loss(const Array& given, const Array& given_target, double delta, const Array* weight, LossReduction reduction) {
  const Array x = stretched(given, given_target), target = stretched(given_target, given);
  if (!(delta > 0)) raise(ErrorKind::runtime, "huber_loss does not support non-positive values for delta.");
  check_weight(given, weight);
  return in_type_of(given, element_loss(huber_kind, {&x, &target}, delta, reduction, weight));
}

Array kl_div(const Array& x, const Array& target, bool of_log_target, LossReduction reduction) {
  return element_loss(of_log_target ? kl_div_log_kind : kl_div_kind, {&x, &target}, 0, reduction);
}

Array binary_cross_entropy(const Array& x, const Array& target, const Array* weight, LossReduction reduction) {
  if (target.dtype() != x.dtype())
    raise(ErrorKind::runtime, "Found dtype {} but expected {}; convert the target", torch_name_of(target.dtype()),
          torch_name_of(x.dtype()));
  Array loss = element_loss(binary_kind, {&x, &target}, 0, reduction, weight);
  const std::optional<Array> is_good = unless_known_within(x, 0, 1), is_good_target = unless_known_within(target, 0, 1);
  if (!is_good && !is_good_target) return loss;
  auto number_of = [&](const std::optional<Array>& good, int64_t of_bad) {
    return good ? where(*good, whole(0), whole(of_bad)) : full({}, whole(0), DType::int64, x.device());
  };
  Array code;
  {
    GradientMode off(false);
    Array first = number_of(is_good, -1);
    code = where(equal(first, 0), number_of(is_good_target, 1), first);
  }
  const Refusal outside{ErrorKind::runtime,
                        {"all elements of input should be between 0 and 1", "all elements of target should be between 0 and 1"},
                        0,
                        1,
                        0};
  return unless_refused(loss, code, outside);
}

Array binary_cross_entropy_with_logits(const Array& x, const Array& target, const Array* weight, const Array* pos_weight,
                                       LossReduction reduction) {
  return in_type_of(target, element_loss(with_logits_kind, {&x, &target, pos_weight}, 0, reduction, weight));
}

Array soft_margin_loss(const Array& x, const Array& target, LossReduction reduction) {
  return in_type_of(x, element_loss(soft_margin_kind, {&x, &target}, 0, reduction));
}

Array multilabel_soft_margin_loss(const Array& x, const Array& target, const Array* weight, LossReduction reduction) {
  Array loss = element_loss(with_logits_kind, {&x, &target}, 0, LossReduction::none, weight);
  if (x.rank() == 0) raise(ErrorKind::index, "Dimension specified as -1 but tensor has no dimensions");
  // As PyTorch where the two broadcast: over the last dimension of x, divided by its size.
  const size_t axis = x.rank() - 1;
  Array sums = quern::steps::reduced(Reduction::sum, loss, static_cast<int>(axis));
  return reduced(true_divide(sums, x.shape()[axis]), reduction);
}

Array poisson_nll_loss(const Array& x, const Array& target, bool of_log, bool is_full, double eps, LossReduction reduction) {
  return element_loss(poisson_kinds[is_full][of_log], {&x, &target}, eps, reduction);
}

// Have both one shape but for one axis, along which `shape` has one element?
static bool differs_by_one(const Shape& shape, const Shape& other) {
  if (shape.size() != other.size()) return false;
  int64_t sum = 0;
  for (size_t i = 0; i < shape.size(); ++i) sum += shape[i] == other[i] ? 0 : shape[i];
  return sum == 1;
}

// `variance`: an array or a number; those below eps count as eps.
Array gaussian_nll_loss(const Array& x, const Array& target, const Argument& variance, bool is_full, double eps,
                        LossReduction reduction) {
  constexpr const char* negative = "var has negative entry/entries";
  const double constant = is_full ? 0.5 * std::log(2 * std::numbers::pi) : 0;
  const Array* given = variance.array();
  Array spread;
  if (given) {
    Shape shape = given->shape(), shorter = x.shape();
    if (!shorter.empty()) shorter.pop_back();
    if (shape != x.shape() && shape == shorter) shape.push_back(1);
    if (shape != x.shape() && shape.size() == given->rank() && !differs_by_one(shape, x.shape()))
      raise(ErrorKind::value, "var is of incorrect size");
    spread = copied(reshape(*given, shape), given->dtype());
  } else {
    const Scalar& number = variance.scalar();
    if (number.kind == WeakScalar::real ? number.re < 0 : number.integer < 0) raise(ErrorKind::value, negative);
    spread = full({}, number, x.dtype(), x.device());
  }
  {
    GradientMode off(false);  // the derivative is that of the variance itself
    assign(spread, Argument(as_type(maximum(spread, eps), spread.dtype())));
  }
  Array loss = element_loss(gaussian_kind, {&x, &target, &spread}, constant, reduction);
  if (!given) return loss;
  Array is_good;
  {
    GradientMode off(false);
    Array is_negative = less(*given, 0);
    is_good = logical_not(reduce(Reduction::any, is_negative, std::vector<bool>(is_negative.rank(), true), false));
  }
  return unless_refused(loss, is_good, {ErrorKind::value, {negative}, 1, 2, 1});
}

Array hinge_embedding_loss(const Array& x, const Array& target, double margin, LossReduction reduction) {
  const Array fixed = detached(target);
  return in_type_of(x, element_loss(hinge_kind, {&x, &fixed}, margin, reduction));
}

Array margin_ranking_loss(const Array& x1, const Array& x2, const Array& target, double margin, LossReduction reduction) {
  return element_loss(ranking_kind, {&x1, &x2, &target}, margin, reduction);
}

}  // namespace nn

}  // namespace quern
