#include "functions/losses.h"

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <span>
#include <string>

#include "core/error.h"
#include "functions/gradient_words.h"
#include "functions/refusals.h"
#include "run/calls/indexing.h"

namespace quern {

using namespace steps;

namespace {

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

Array l1(const Inputs& in, double) { return compute(Op::absolute, difference(in[0], in[1])); }
Array l1_slope(const Inputs& in, double, size_t of) { return signed_for(of, compute(Op::sign, difference(in[0], in[1]))); }

Array mse(const Inputs& in, double) { return compute(Op::square, difference(in[0], in[1])); }
Array mse_slope(const Inputs& in, double, size_t of) { return product(difference(in[0], in[1]), of == 0 ? 2.0 : -2.0); }

// Not by maximum(): no second derivative passes at the bends.
Array within(const Array& x, double bend) {
  Array low = compute(Op::where, compute(Op::less_equal, x, -bend), -bend, x);
  return compute(Op::where, compute(Op::greater_equal, low, bend), bend, low);
}
Array by_bend(const Array& x, double bend) { return bend == 1 ? x : compute(Op::true_divide, x, bend); }
Array huber(const Inputs& in, double bend) {
  Array away = difference(in[0], in[1]), near = within(away, bend);
  return product(near, difference(away, product(near, 0.5)));
}
Array huber_slope(const Inputs& in, double bend, size_t of) { return signed_for(of, within(difference(in[0], in[1]), bend)); }
Array smooth_l1(const Inputs& in, double bend) { return by_bend(huber(in, bend), bend); }
Array smooth_l1_slope(const Inputs& in, double bend, size_t of) { return by_bend(huber_slope(in, bend, of), bend); }

Array kl_div(const Inputs& in, double) {
  const Array& target = in[1];
  Array own = compute(Op::where, compute(Op::equal, target, 0.0), 0.0, product(target, compute(Op::log, target)));
  return difference(own, product(target, in[0]));
}
Array kl_div_slope(const Inputs& in, double, size_t of) {
  const Array& target = in[1];
  if (of == 0) return compute(Op::negative, target);
  Array one = compute(Op::true_divide, target, target);  // t log t has no derivative at 0
  return difference(plus(compute(Op::log, target), one), in[0]);
}
Array kl_div_log(const Inputs& in, double) { return product(compute(Op::exp, in[1]), difference(in[1], in[0])); }
Array kl_div_log_slope(const Inputs& in, double, size_t of) {
  Array p = compute(Op::exp, in[1]);
  return of == 0 ? compute(Op::negative, p) : product(p, plus(difference(in[1], in[0]), 1.0));
}

// At 0 and 1 the logarithms end at -100, and what the gradient is divided by at 1e-12.
Array logarithm_of(const Array& x) { return compute(Op::maximum, compute(Op::log, x), -100.0); }
Array logarithm_of_rest(const Array& x) { return compute(Op::maximum, compute(Op::log1p, compute(Op::negative, x)), -100.0); }
Array binary_cross_entropy(const Inputs& in, double) {
  const Array &x = in[0], &target = in[1];
  return difference(product(difference(target, 1.0), logarithm_of_rest(x)), product(target, logarithm_of(x)));
}
Array binary_cross_entropy_slope(const Inputs& in, double, size_t of) {
  const Array& x = in[0];
  if (of == 1) return difference(logarithm_of_rest(x), logarithm_of(x));
  Array spread = compute(Op::maximum, product(x, difference(1.0, x)), 1e-12);
  return compute(Op::true_divide, difference(x, in[1]), spread);
}

Array log_sigmoid(const Array& x) {
  Array rest = compute(Op::log1p, compute(Op::exp, compute(Op::negative, compute(Op::absolute, x))));
  return difference(compute(Op::minimum, x, 0.0), rest);
}
Array weight_of_true(const Inputs& in) { return plus(product(difference(in[2], 1.0), in[1]), 1.0); }
Array bce_with_logits(const Inputs& in, double) {
  Array log_p = log_sigmoid(in[0]);
  if (in.size() > 2) log_p = product(weight_of_true(in), log_p);
  return difference(product(difference(1.0, in[1]), in[0]), log_p);
}
Array bce_with_logits_slope(const Inputs& in, double, size_t of) {
  const Array &x = in[0], &target = in[1];
  if (in.size() == 2) return of == 0 ? difference(compute(Op::sigmoid, x), target) : compute(Op::negative, x);
  if (of == 2) return compute(Op::negative, product(target, log_sigmoid(x)));
  if (of == 1) return compute(Op::negative, plus(x, product(difference(in[2], 1.0), log_sigmoid(x))));
  Array no = compute(Op::sigmoid, compute(Op::negative, x));
  return difference(difference(1.0, target), product(weight_of_true(in), no));
}

Array soft_margin(const Inputs& in, double) {
  return compute(Op::log1p, compute(Op::exp, compute(Op::negative, product(in[0], in[1]))));
}
Array soft_margin_slope(const Inputs& in, double, size_t of) {
  Array no = compute(Op::negative, compute(Op::sigmoid, compute(Op::negative, product(in[0], in[1]))));
  return product(no, in[1 - of]);
}

Array poisson_nll_log(const Inputs& in, double) { return difference(compute(Op::exp, in[0]), product(in[1], in[0])); }
Array poisson_nll_log_slope(const Inputs& in, double, size_t of) {
  return of == 0 ? difference(compute(Op::exp, in[0]), in[1]) : compute(Op::negative, in[0]);
}
Array poisson_nll(const Inputs& in, double eps) { return difference(in[0], product(in[1], compute(Op::log, plus(in[0], eps)))); }
Array poisson_nll_slope(const Inputs& in, double eps, size_t of) {
  Array mean = plus(in[0], eps);
  return of == 0 ? difference(1.0, compute(Op::true_divide, in[1], mean)) : compute(Op::negative, compute(Op::log, mean));
}
// With Stirling's approximation, which counts above 1.
template <Value value>
Array with_stirling(const Inputs& in, double number) {
  const Array& target = in[1];
  Array is_low = compute(Op::less_equal, target, 1.0), safe = compute(Op::where, is_low, 1.0, target);
  Array more = difference(product(target, compute(Op::log, safe)), target);
  more = plus(more, product(compute(Op::log, product(safe, 2 * std::numbers::pi)), 0.5));
  return plus(value(in, number), compute(Op::where, is_low, 0.0, more));
}
template <Slope slope>
Array with_stirling_slope(const Inputs& in, double number, size_t of) {
  if (of == 0) return slope(in, number, of);
  Array is_low = compute(Op::less_equal, in[1], 1.0), safe = compute(Op::where, is_low, 1.0, in[1]);
  Array more = plus(compute(Op::log, safe), compute(Op::true_divide, 0.5, safe));
  return plus(slope(in, number, of), compute(Op::where, is_low, 0.0, more));
}

Array gaussian_nll(const Inputs& in, double constant) {
  Array square = compute(Op::true_divide, compute(Op::square, difference(in[0], in[1])), in[2]);
  Array loss = product(plus(compute(Op::log, in[2]), square), 0.5);
  return constant == 0 ? loss : plus(loss, constant);
}
Array gaussian_nll_slope(const Inputs& in, double, size_t of) {
  Array ratio = compute(Op::true_divide, difference(in[0], in[1]), in[2]);
  if (of < 2) return signed_for(of, ratio);
  return product(difference(compute(Op::reciprocal, in[2]), compute(Op::square, ratio)), 0.5);
}

// What is below 0 is 0; no derivative passes there.
Array above_zero(const Array& x) { return compute(Op::where, compute(Op::less_equal, x, 0.0), 0.0, x); }

Array hinge_embedding(const Inputs& in, double margin) {
  Array near = compute(Op::where, compute(Op::equal, in[1], -1.0), 0.0, in[0]);
  Array far = above_zero(difference(margin, in[0]));
  return plus(near, compute(Op::where, compute(Op::equal, in[1], 1.0), 0.0, far));
}
Array hinge_embedding_slope(const Inputs& in, double margin, size_t) {
  Array is_far = compute(Op::less, in[0], margin), near = as_type(compute(Op::not_equal, in[1], -1.0), in[0].dtype());
  Array far = compute(Op::logical_and, is_far, compute(Op::not_equal, in[1], 1.0));
  return difference(near, as_type(far, in[0].dtype()));
}

// Inputs one and the other, and which of them should be larger.
Array ranked(const Inputs& in, double margin) {
  Array away = product(compute(Op::negative, in[2]), difference(in[0], in[1]));
  return margin == 0 ? away : plus(away, margin);
}
Array margin_ranking(const Inputs& in, double margin) { return above_zero(ranked(in, margin)); }
Array margin_ranking_slope(const Inputs& in, double margin, size_t of) {
  Array slope = of == 2 ? difference(in[1], in[0]) : of == 1 ? in[2] : compute(Op::negative, in[2]);
  return compute(Op::where, compute(Op::less_equal, ranked(in, margin), 0.0), 0.0, slope);
}

struct ElementLossKind {
  std::string_view loss, name;
  Value value;
  Slope slope;
  std::array<uint8_t, 3> needs;  // of the derivative by each input: a bit for each input that it is made of
};
constexpr std::array<ElementLossKind, 16> kinds{{
    {"l1", "l1_loss", l1, l1_slope, {3, 3}},
    {"mse", "mse_loss", mse, mse_slope, {3, 3}},
    {"smooth_l1", "smooth_l1_loss", smooth_l1, smooth_l1_slope, {3, 3}},
    {"huber", "huber_loss", huber, huber_slope, {3, 3}},
    {"kl_div", "kl_div", kl_div, kl_div_slope, {2, 3}},
    {"kl_div_log", "kl_div", kl_div_log, kl_div_log_slope, {2, 3}},
    {"binary_cross_entropy", "binary_cross_entropy", binary_cross_entropy, binary_cross_entropy_slope, {3, 1}},
    {"bce_with_logits", "binary_cross_entropy_with_logits", bce_with_logits, bce_with_logits_slope, {7, 5, 3}},
    {"soft_margin", "soft_margin_loss", soft_margin, soft_margin_slope, {3, 3}},
    {"poisson_nll_log", "poisson_nll_loss", poisson_nll_log, poisson_nll_log_slope, {3, 1}},
    {"poisson_nll", "poisson_nll_loss", poisson_nll, poisson_nll_slope, {3, 1}},
    {"poisson_nll_log_full",
     "poisson_nll_loss",
     with_stirling<poisson_nll_log>,
     with_stirling_slope<poisson_nll_log_slope>,
     {3, 3}},
    {"poisson_nll_full", "poisson_nll_loss", with_stirling<poisson_nll>, with_stirling_slope<poisson_nll_slope>, {3, 3}},
    {"gaussian_nll", "gaussian_nll_loss", gaussian_nll, gaussian_nll_slope, {7, 7, 7}},
    {"hinge_embedding", "hinge_embedding_loss", hinge_embedding, hinge_embedding_slope, {3, 0}},
    {"margin_ranking", "margin_ranking_loss", margin_ranking, margin_ranking_slope, {7, 7, 7}},
}};

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
    if (is_mean_) g = compute(Op::true_divide, g, elements_in(shape));
    if (is_weighted_) g = product(g, in.back()), in.pop_back();
    Gradients out(call.wanted.size());
    for (size_t i = 0; i < in.size(); ++i) {
      if (!call.wanted[i]) continue;
      Array gradient = product(g, kind_.slope(in, number_, i));
      out[i] = gradient.shape() == shape ? gradient : gradient.view(gradient.layout().broadcast_to(shape));
    }
    return out;
  }

 private:
  const ElementLossKind& kind_;
  double number_;
  bool is_mean_, is_weighted_;
};

// ---- of classes

// 0, 1, 2 ... A few are kept from step to step: on the CPU so small an array is computed when it is recorded, on a GPU it is a
// launch.
Array class_numbers(int64_t count, DeviceId device) {
  constexpr int64_t most = 1024;
  if (count > most) return counted(count, device);
  static auto* kept = new std::map<std::pair<DeviceId, int64_t>, Array>;  // guarded by the graph's lock
  GraphLock lock;
  if (kept->size() > 64) kept->clear();
  auto found = kept->find({device, count});
  if (found == kept->end()) found = kept->emplace(std::pair(device, count), counted(count, device)).first;
  return found->second;
}

// Of one dimension, along the axis of arrays of so many.
Array along(const Array& line, size_t rank, size_t axis) {
  Shape shape(rank, 1);
  shape[axis] = line.shape()[0];
  return reshape(line, shape);
}

// True where the place along the axis is the target's class.
Array is_target(const Array& target, const Shape& shape, size_t axis, DeviceId device) {
  Array classes = along(class_numbers(shape[axis], device), shape.size(), axis);
  return compute(Op::equal, with_axis(target, axis), classes);
}

Array reduced_loss(const Array& loss, std::string_view reduction, const Array& count) {
  if (reduction == "none") return loss;
  return reduction == "mean" ? compute(Op::true_divide, total(loss), count) : total(loss);
}

// The logarithm of the sum of exponentials along the axis, which stays.
struct LogSum {
  Array top, log, all;  // the largest one, the logarithm of the sum beside it, their sum
};
LogSum log_sum(const Array& logits, size_t axis) {
  const int along = static_cast<int>(axis);
  Array top = reduced(Reduction::maximum, logits, along, true);
  Array log = compute(Op::log, reduced(Reduction::sum, compute(Op::exp, difference(logits, top)), along, true));
  return {top, log, plus(log, top)};
}

// Where in an array of that shape, as one line, each place's class is; what is no class is somewhere else.
Pick class_places(const Array& classes, const Shape& shape, size_t axis) {
  int64_t outer = 1, inner = 1, n = shape[axis];
  for (size_t i = 0; i < shape.size(); ++i)
    if (i != axis) (i < axis ? outer : inner) *= shape[i];
  auto numbers = [&](int64_t step, int64_t count, const Shape& as) {
    return reshape(evenly_spaced(whole(0), whole(step), count, DType::int64, classes.device()), as);
  };
  Array place = reshape(classes, {outer, inner});
  if (inner > 1) place = plus(product(place, inner), numbers(1, inner, {1, inner}));
  if (outer > 1) place = plus(place, numbers(n * inner, outer, {outer, 1}));
  return {0, reshape(place, {outer * inner}), true};
}
Array at_classes(const Array& x, const Array& classes, size_t axis) {
  Pick pick = class_places(classes, x.shape(), axis);
  return reshape(take(reshape(x, {x.size()}), {&pick, 1}), classes.shape());
}
// Zeros with a value at each place's class.
Array only_at_classes(const Array& values, const Array& classes, const Shape& shape, size_t axis) {
  constexpr int64_t few = 64;  // are looked at one by one, in one kernel with what uses them
  if (shape[axis] <= few)
    return compute(Op::where, is_target(classes, shape, axis, values.device()), with_axis(values, axis), 0.0);
  Array out = full(shape, real_number(0), values.dtype(), values.device());
  Pick pick = class_places(classes, shape, axis);
  put(reshape(out, {out.size()}), {&pick, 1}, Argument(reshape(values, {values.size()})));
  return out;
}

struct ClassLossKind {
  size_t axis;
  int64_t ignored;
  std::string reduction;
  bool of_logits, has_weight, is_checked;
  double smoothing;
};

class ClassLoss : public GradientBody {
 public:
  explicit ClassLoss(ClassLossKind kind) : kind_(std::move(kind)) {}
  std::string_view name() const override { return "nll_loss"; }
  // Inputs x, target, where there is one the weight, and where that is not known, are they all classes; results the loss, how
  // many count, of logits the logarithm of the sum of exponentials, and where there is a weight that of each place.
  Gradients gradients(const GradientCall& call) const override {
    const auto& [axis, ignored, reduction, of_logits, has_weight, is_checked, smoothing] = kind_;
    const Array& target = call.operands[1];
    const Shape& shape = call.layouts[0]->shape;
    auto only_first = [&](std::optional<Array> gradient) {
      Gradients all(call.wanted.size());
      all[0] = std::move(gradient);
      return all;
    };
    DType wide = wide_type(call.types[0]);
    Array p;
    std::optional<Array> out;
    if (of_logits) p = compute(Op::exp, difference(as_type(call.operands[0], wide), call.results[2]));
    if (call.given[0]) {
      Array g = as_type(*call.given[0], wide);
      if (is_checked) g = compute(Op::where, call.operands.back(), g, 0.0);
      if (of_logits && smoothing == 0 && !has_weight && reduction != "none") {
        // Element by element, so that it is one kernel with what reads it: a scale for each place would be one before.
        Array away = difference(p, as_type(is_target(target, shape, axis, call.device), wide));
        away = product(compute(Op::where, with_axis(compute(Op::not_equal, target, ignored), axis), away, 0.0), g);
        out = reduction == "mean" ? compute(Op::true_divide, away, call.results[1]) : away;
        if (call.given[2]) out = added(out, product(p, *call.given[2]));
        return only_first(out);
      }
      if (reduction == "mean") g = compute(Op::true_divide, g, call.results[1]);
      Array counts = compute(Op::not_equal, target, ignored);
      Array scale = compute(Op::where, counts, has_weight ? product(call.results.back(), g) : g, 0.0);
      if (!of_logits)
        return only_first(only_at_classes(difference(0.0, scale), compute(Op::where, counts, target, 0), shape, axis));
      Array hit = is_target(target, shape, axis, call.device);
      if (smoothing == 0) {
        out = product(difference(p, as_type(hit, wide)), with_axis(scale, axis));
      } else {
        // The target's share is `hard`, that of each class `soft` times its weight.
        const double part = smoothing / static_cast<double>(shape[axis]);
        Array hard = with_axis(product(scale, 1 - smoothing), axis);
        Array soft = with_axis(compute(Op::where, counts, product(g, part), 0.0), axis);
        Array line = has_weight ? along(as_type(call.operands[2], wide), shape.size(), axis) : Array();
        Array all_soft = has_weight ? product(soft, total(line)) : product(soft, static_cast<double>(shape[axis]));
        Array share = has_weight ? product(line, soft) : soft;
        share = compute(Op::where, hit, plus(share, hard), share);
        out = difference(product(p, plus(hard, all_soft)), share);
      }
    }
    if (of_logits && call.given[2]) {  // of second derivatives
      out = added(out, product(p, *call.given[2]));
    }
    return only_first(out);
  }

 private:
  ClassLossKind kind_;
};

Array class_loss(const Array& x, const Array& target, ClassLossKind kind, const Array* weight) {
  std::vector<Array> inputs{x, target};
  if (weight) inputs.push_back(*weight);
  if (kind.is_checked) inputs.push_back(nothing_refused(target, no_class(x.shape()[kind.axis], kind.ignored)));
  Kept kept{{kind.of_logits, true, weight ? kind.smoothing != 0 : kind.is_checked, true},
            {false, kind.reduction == "mean", true, true}};
  return differentiable(std::make_shared<ClassLoss>(kind), inputs, kept, [&]() -> std::vector<Array> {
    const size_t axis = kind.axis;
    DType wide = wide_type(x.dtype());
    Array values = as_type(x, wide), counts = compute(Op::not_equal, target, kind.ignored), scale, loss;
    Array place = compute(Op::where, counts, target, 0);  // what does not count reads some class
    if (weight) {
      Pick pick{0, place, true};
      scale = compute(Op::where, counts, as_type(take(*weight, {&pick, 1}), wide), 0.0);
    }
    LogSum sums;
    if (kind.of_logits) {
      sums = log_sum(values, axis);
      Array picked = compute(Op::where, is_target(target, x.shape(), axis, x.device()), values, 0.0);
      loss = difference(reshape(sums.all, target.shape()), reduced(Reduction::sum, picked, static_cast<int>(axis)));
    } else {
      loss = compute(Op::negative, as_type(at_classes(x, place, axis), wide));
    }
    if (weight) loss = product(loss, scale);
    if (kind.smoothing != 0) {
      Array away = difference(values, sums.top), weights;
      if (weight) {
        Array line = along(as_type(*weight, wide), x.rank(), axis);
        away = product(away, line), weights = total(line);
      }
      Array rest = reduced(Reduction::sum, away, static_cast<int>(axis));
      Array log = reshape(sums.log, target.shape());
      Array whole = weight ? product(log, weights) : product(log, static_cast<double>(x.shape()[axis]));
      Array soft = product(difference(whole, rest), kind.smoothing / static_cast<double>(x.shape()[axis]));
      loss = plus(product(loss, 1 - kind.smoothing), soft);
    }
    loss = compute(Op::where, counts, loss, 0.0);
    Array count = total(weight ? scale : as_type(counts, wide));
    loss = reduced_loss(loss, kind.reduction, count);
    if (kind.is_checked) loss = compute(Op::where, inputs.back(), loss, 0.0);
    std::vector<Array> results{as_type(loss, x.dtype()), count};
    if (kind.of_logits) results.push_back(sums.all);
    if (weight) results.push_back(scale);
    return results;
  })[0];
}

class SoftCrossEntropy : public GradientBody {
 public:
  SoftCrossEntropy(size_t axis, double count, double smoothing) : axis_(axis), count_(count), smoothing_(smoothing) {}
  std::string_view name() const override { return "cross_entropy_loss"; }
  // Inputs x, target, where there is one the weight; results the loss, the logarithm of the sum of exponentials, the sum of what
  // the target's classes weigh.
  Gradients gradients(const GradientCall& call) const override {
    Gradients out(call.wanted.size());
    DType wide = wide_type(call.types[0]);
    Array x = as_type(call.operands[0], wide), target = smoothed(as_type(call.operands[1], wide)), weight;
    if (call.operands.size() > 2) weight = along(as_type(call.operands[2], wide), x.rank(), axis_);
    auto weighted = [&](const Array& a) { return weight ? product(a, weight) : a; };
    auto add = [&](size_t i, const Array& more) { out[i] = added(out[i], more); };
    Array away = difference(call.results[1], x), p = compute(Op::exp, compute(Op::negative, away));
    auto each_class = [&](const Array& a) {
      std::vector<bool> others(a.rank(), true);
      others[axis_] = false;
      return reduce(Reduction::sum, a, others, false);
    };
    if (call.given[0]) {
      Array g = as_type(*call.given[0], wide);
      if (count_ != 1) g = compute(Op::true_divide, g, count_);
      if (call.result_shapes[0].size() + 1 == x.rank()) g = with_axis(g, axis_);
      if (call.wanted[0]) out[0] = product(difference(product(p, call.results[2]), weighted(target)), g);
      if (call.wanted[1]) out[1] = product(weighted(away), product(g, 1 - smoothing_));
      if (weight && call.wanted[2]) out[2] = each_class(product(product(away, target), g));
    }
    if (call.given[1] && call.wanted[0]) add(0, product(p, *call.given[1]));  // of second derivatives
    if (call.given[2]) {
      const Array& g = *call.given[2];
      if (call.wanted[1]) add(1, weighted(product(g, full(x.shape(), real_number(1 - smoothing_), wide, call.device))));
      if (weight && call.wanted[2]) add(2, each_class(product(target, g)));
    }
    return out;
  }
  Array smoothed(const Array& target) const {
    if (smoothing_ == 0) return target;
    return plus(product(target, 1 - smoothing_), smoothing_ / static_cast<double>(target.shape()[axis_]));
  }

 private:
  size_t axis_;
  double count_, smoothing_;
};

}  // namespace

Array element_loss(const std::vector<Array>& inputs, std::string_view loss, double number, std::string_view reduction,
                   const Array* weight) {
  const auto* kind = std::ranges::find(kinds, loss, &ElementLossKind::loss);
  if (kind == kinds.end()) bug("a loss named {}", loss);
  std::vector<Array> all = inputs;
  if (weight) all.push_back(*weight);
  if (loss == "l1")  // PyTorch keeps the sign of the difference alone: the operands may be inference tensors
    for (Array& one : all) one = is_inference(one) ? one.apart() : one;
  std::vector<OperandType> types;
  for (const Array& one : all) types.push_back({one.dtype(), false, WeakScalar::boolean, one.rank() == 0});
  DType type = common_type_as_torch(types);
  if (is_whole(type)) type = torch_default();
  if (is_complex(type)) raise(ErrorKind::not_implemented, "[{}] there is no such loss of complex numbers", kind->name);
  Kept kept{std::vector<bool>(all.size(), false), {}};
  if (weight) kept.inputs.back() = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!wants_gradient(inputs[i])) continue;
    for (size_t j = 0; j < inputs.size(); ++j)
      if (kind->needs[i] >> j & 1) kept.inputs[j] = true;
  }
  auto body = std::make_shared<ElementLoss>(*kind, number, reduction == "mean", weight != nullptr);
  return differentiable(std::move(body), all, kept, [&]() -> std::vector<Array> {
    Inputs in = in_type(all, wide_type(type));
    if (weight) in.pop_back();
    Array y = kind->value(in, number);
    if (weight) y = product(y, as_type(*weight, wide_type(type)));
    const double count = elements_in(y.shape());
    if (reduction != "none") y = total(y);
    if (reduction == "mean") y = compute(Op::true_divide, y, count);
    return {as_type(y, type)};
  })[0];
}

Array cross_entropy(const Array& x, const Array& target, size_t axis, int64_t ignored, std::string_view reduction,
                    bool are_classes, const Array* weight, double smoothing) {
  ClassLossKind kind{axis, ignored, std::string(reduction), true, weight != nullptr, !are_classes, smoothing};
  return class_loss(x, target, std::move(kind), weight);
}

Array nll_loss(const Array& log_p, const Array& target, size_t axis, int64_t ignored, std::string_view reduction,
               bool are_classes, const Array* weight) {
  ClassLossKind kind{axis, ignored, std::string(reduction), false, weight != nullptr, !are_classes, 0};
  return class_loss(log_p, target, std::move(kind), weight);
}

Array soft_cross_entropy(const Array& x, const Array& target, size_t axis, std::string_view reduction, const Array* weight,
                         double smoothing) {
  std::vector<Array> inputs{x, target};
  if (weight) inputs.push_back(*weight);
  const double places = static_cast<double>(x.size()) / static_cast<double>(x.shape()[axis]);
  auto body = std::make_shared<SoftCrossEntropy>(axis, reduction == "mean" ? places : 1.0, smoothing);
  return differentiable(body, inputs, {{true, true, true}, {false, true, true}}, [&]() -> std::vector<Array> {
    DType wide = wide_type(x.dtype());
    Array logits = as_type(x, wide), share = body->smoothed(as_type(target, wide));
    if (weight) share = product(share, along(as_type(*weight, wide), x.rank(), axis));
    LogSum sums = log_sum(logits, axis);
    Array loss = reduced(Reduction::sum, product(difference(sums.all, logits), share), static_cast<int>(axis));
    if (reduction != "none") loss = total(loss);
    if (reduction == "mean") loss = compute(Op::true_divide, loss, places);
    return {as_type(loss, x.dtype()), sums.all, reduced(Reduction::sum, share, static_cast<int>(axis), true)};
  })[0];
}

}  // namespace quern
