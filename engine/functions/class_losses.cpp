// Losses of classes: the negative logarithm of a probability, and cross entropy of logits.
#include <algorithm>

#include "core/error.h"
#include "functions/embeddings.h"
#include "functions/losses.h"
#include "functions/parts.h"
#include "functions/refusals.h"
#include "functions/steps.h"
#include "run/calls/indexing.h"

namespace quern {

using namespace steps;

namespace {

using nn::LossReduction;

Array total(const Array& x) { return reduce(Reduction::sum, x, std::vector<bool>(x.rank(), true), false); }

// Of one dimension, along the axis of arrays of so many.
Array along(const Array& line, size_t rank, size_t axis) {
  Shape shape(rank, 1);
  shape[axis] = line.shape()[0];
  return reshape(line, shape);
}

Array reduced_loss(const Array& loss, LossReduction reduction, const Array& count) {
  if (reduction == LossReduction::none) return loss;
  return reduction == LossReduction::mean ? true_divide(total(loss), count) : total(loss);
}

// The logarithm of the sum of exponentials along the axis, which stays.
struct LogSum {
  Array top, log, all;  // the largest one, the logarithm of the sum beside it, their sum
};
LogSum log_sum(const Array& logits, size_t axis) {
  const int along = static_cast<int>(axis);
  Array top = reduced(Reduction::maximum, logits, along, true);
  Array log = compute(Op::log, reduced(Reduction::sum, exp(subtract(logits, top)), along, true));
  return {top, log, add(log, top)};
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
  if (inner > 1) place = add(multiply(place, inner), numbers(1, inner, {1, inner}));
  if (outer > 1) place = add(place, numbers(n * inner, outer, {outer, 1}));
  return {0, reshape(place, {outer * inner}), true};
}
Array at_classes(const Array& x, const Array& classes, size_t axis) {
  Pick pick = class_places(classes, x.shape(), axis);
  return reshape(take(reshape(x, {x.size()}), {&pick, 1}), classes.shape());
}
// Zeros with a value at each place's class.
Array only_at_classes(const Array& values, const Array& classes, const Shape& shape, size_t axis) {
  constexpr int64_t few = 64;  // are checked one by one, in the kernel that uses them
  if (shape[axis] <= few) return where(is_class(classes, shape[axis], axis), expand_dims(values, axis), 0.0);
  Array out = full(shape, real_number(0), values.dtype(), values.device());
  Pick pick = class_places(classes, shape, axis);
  put(reshape(out, {out.size()}), {&pick, 1}, Argument(reshape(values, {values.size()})));
  return out;
}

struct ClassLossKind {
  size_t axis;
  int64_t ignored;
  LossReduction reduction;
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
    if (of_logits) p = exp(subtract(as_type(call.operands[0], wide), call.results[2]));
    if (call.given[0]) {
      Array g = as_type(*call.given[0], wide);
      if (is_checked) g = where(call.operands.back(), g, 0.0);
      if (of_logits && smoothing == 0 && !has_weight && reduction != LossReduction::none) {
        // Element by element, so that it is one kernel with what reads it: a scale for each place would be one before.
        Array away = subtract(p, as_type(is_class(target, shape[axis], axis), wide));
        away = multiply(where(expand_dims(not_equal(target, ignored), axis), away, 0.0), g);
        out = reduction == LossReduction::mean ? true_divide(away, call.results[1]) : away;
        if (call.given[2]) out = added(out, multiply(p, *call.given[2]));
        return only_first(out);
      }
      if (reduction == LossReduction::mean) g = true_divide(g, call.results[1]);
      Array counts = not_equal(target, ignored);
      Array scale = where(counts, has_weight ? multiply(call.results.back(), g) : g, 0.0);
      if (!of_logits) return only_first(only_at_classes(subtract(0.0, scale), where(counts, target, 0), shape, axis));
      Array hit = is_class(target, shape[axis], axis);
      if (smoothing == 0) {
        out = multiply(subtract(p, as_type(hit, wide)), expand_dims(scale, axis));
      } else {
        // The target's share is `hard`, that of each class `soft` times its weight.
        const double part = smoothing / static_cast<double>(shape[axis]);
        Array hard = expand_dims(multiply(scale, 1 - smoothing), axis);
        Array soft = expand_dims(where(counts, multiply(g, part), 0.0), axis);
        Array line = has_weight ? along(as_type(call.operands[2], wide), shape.size(), axis) : Array();
        Array all_soft = has_weight ? multiply(soft, total(line)) : multiply(soft, static_cast<double>(shape[axis]));
        Array share = has_weight ? multiply(line, soft) : soft;
        share = where(hit, add(share, hard), share);
        out = subtract(multiply(p, add(hard, all_soft)), share);
      }
    }
    if (of_logits && call.given[2]) {  // of second derivatives
      out = added(out, multiply(p, *call.given[2]));
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
            {false, kind.reduction == LossReduction::mean, true, true}};
  return differentiable(std::make_shared<ClassLoss>(kind), inputs, kept, [&]() -> std::vector<Array> {
    const size_t axis = kind.axis;
    DType wide = wide_type(x.dtype());
    Array values = as_type(x, wide), counts = not_equal(target, kind.ignored), scale, loss;
    Array place = where(counts, target, 0);  // what does not count reads some class
    if (weight) {
      Pick pick{0, place, true};
      scale = where(counts, as_type(take(*weight, {&pick, 1}), wide), 0.0);
    }
    LogSum sums;
    if (kind.of_logits) {
      sums = log_sum(values, axis);
      Array picked = where(is_class(target, x.shape()[axis], axis), values, 0.0);
      loss = subtract(reshape(sums.all, target.shape()), reduced(Reduction::sum, picked, static_cast<int>(axis)));
    } else {
      loss = negative(as_type(at_classes(x, place, axis), wide));
    }
    if (weight) loss = multiply(loss, scale);
    if (kind.smoothing != 0) {
      Array away = subtract(values, sums.top), weights;
      if (weight) {
        Array line = along(as_type(*weight, wide), x.rank(), axis);
        away = multiply(away, line), weights = total(line);
      }
      Array rest = reduced(Reduction::sum, away, static_cast<int>(axis));
      Array log = reshape(sums.log, target.shape());
      Array whole = weight ? multiply(log, weights) : multiply(log, static_cast<double>(x.shape()[axis]));
      Array soft = multiply(subtract(whole, rest), kind.smoothing / static_cast<double>(x.shape()[axis]));
      loss = add(multiply(loss, 1 - kind.smoothing), soft);
    }
    loss = where(counts, loss, 0.0);
    Array count = total(weight ? scale : as_type(counts, wide));
    loss = reduced_loss(loss, kind.reduction, count);
    if (kind.is_checked) loss = where(inputs.back(), loss, 0.0);
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
    auto weighted = [&](const Array& a) { return weight ? multiply(a, weight) : a; };
    auto add = [&](size_t i, const Array& more) { out[i] = added(out[i], more); };
    Array away = subtract(call.results[1], x), p = exp(negative(away));
    auto each_class = [&](const Array& a) {
      std::vector<bool> others(a.rank(), true);
      others[axis_] = false;
      return reduce(Reduction::sum, a, others, false);
    };
    if (call.given[0]) {
      Array g = as_type(*call.given[0], wide);
      if (count_ != 1) g = true_divide(g, count_);
      if (call.result_shapes[0].size() + 1 == x.rank()) g = expand_dims(g, axis_);
      if (call.wanted[0]) out[0] = multiply(subtract(multiply(p, call.results[2]), weighted(target)), g);
      if (call.wanted[1]) out[1] = multiply(weighted(away), multiply(g, 1 - smoothing_));
      if (weight && call.wanted[2]) out[2] = each_class(multiply(multiply(away, target), g));
    }
    if (call.given[1] && call.wanted[0]) add(0, multiply(p, *call.given[1]));  // of second derivatives
    if (call.given[2]) {
      const Array& g = *call.given[2];
      if (call.wanted[1]) add(1, weighted(multiply(g, full(x.shape(), real_number(1 - smoothing_), wide, call.device))));
      if (weight && call.wanted[2]) add(2, each_class(multiply(target, g)));
    }
    return out;
  }
  Array smoothed(const Array& target) const {
    if (smoothing_ == 0) return target;
    return add(multiply(target, 1 - smoothing_), smoothing_ / static_cast<double>(target.shape()[axis_]));
  }

 private:
  size_t axis_;
  double count_, smoothing_;
};

Array soft_cross_entropy(const Array& x, const Array& target, size_t axis, LossReduction reduction, const Array* weight,
                         double smoothing) {
  std::vector<Array> inputs{x, target};
  if (weight) inputs.push_back(*weight);
  const double places = static_cast<double>(x.size()) / static_cast<double>(x.shape()[axis]);
  auto body = std::make_shared<SoftCrossEntropy>(axis, reduction == LossReduction::mean ? places : 1.0, smoothing);
  return differentiable(body, inputs, {{true, true, true}, {false, true, true}}, [&]() -> std::vector<Array> {
    DType wide = wide_type(x.dtype());
    Array logits = as_type(x, wide), share = body->smoothed(as_type(target, wide));
    if (weight) share = multiply(share, along(as_type(*weight, wide), x.rank(), axis));
    LogSum sums = log_sum(logits, axis);
    Array loss = reduced(Reduction::sum, multiply(subtract(sums.all, logits), share), static_cast<int>(axis));
    if (reduction != LossReduction::none) loss = total(loss);
    if (reduction == LossReduction::mean) loss = true_divide(loss, places);
    return {as_type(loss, x.dtype()), sums.all, reduced(Reduction::sum, share, static_cast<int>(axis), true)};
  })[0];
}

// ---- what is asked for

size_t class_axis(const Array& x) { return x.rank() == 1 ? 0 : 1; }

void check_class_weight(const char* start, int64_t classes, const Array* weight) {
  if (weight && (weight->rank() != 1 || weight->shape()[0] != classes))
    raise(ErrorKind::runtime,
          "{}weight tensor should be defined either for all {} classes or no classes but got weight tensor of shape: {}", start,
          classes, in_brackets(weight->shape()));
}

// Class numbers that fit to x, as int64.
Array classes_for(const Array& x, const Array& target, const Array* weight) {
  if (x.rank() == 0) raise(ErrorKind::value, "Expected 1 or more dimensions (got 0)");
  const Shape &shape = x.shape(), &given = target.shape();
  if (shape.size() > 1 && (given.empty() || shape[0] != given[0]))
    raise(ErrorKind::value, "Expected input batch_size ({}) to match target batch_size ({}).", shape[0],
          given.empty() ? 0 : given[0]);
  Shape expected;
  if (shape.size() > 1) expected = shape, expected.erase(expected.begin() + 1);
  if (shape.size() > 1 ? given != expected : given.size() > 1 || target.size() != 1) {
    if (shape.size() == 4 && given.size() != 3)
      raise(ErrorKind::runtime, "only batches of spatial targets supported (3D tensors) but got targets of dimension: {}",
            given.size());
    if (shape.size() <= 2 && given.size() > 1)
      raise(ErrorKind::runtime, "0D or 1D target tensor expected, multi-target not supported");
    raise(ErrorKind::runtime, "Expected target size {}, got {}", in_brackets(expected), in_brackets(given));
  }
  if (target.dtype() != DType::int64 && target.dtype() != DType::uint8)
    raise(ErrorKind::runtime, "expected target dtype to be Long or Byte, but got {}", torch_name_of(target.dtype()));
  check_class_weight("", shape[class_axis(x)], weight);
  const Array classes = as_type(target, DType::int64);
  return shape.size() == 1 && given.size() == 1 ? reshape(classes, {}) : classes;
}

Array loss_of_classes(const Array& x, const Array& target, const Array* weight, int64_t ignored, LossReduction reduction,
                      bool of_logits, double smoothing) {
  const Array classes = classes_for(x, target, weight);
  if (weight && weight->dtype() != x.dtype())
    raise(ErrorKind::runtime, "expected scalar type {} but found {}", torch_name_of(x.dtype()), torch_name_of(weight->dtype()));
  const size_t axis = class_axis(x);
  const bool is_checked = !are_classes(classes, x.shape()[axis], ignored);
  return class_loss(x, classes, {axis, ignored, reduction, of_logits, weight != nullptr, is_checked, smoothing}, weight);
}

}  // namespace

Array nn::nll_loss(const Array& log_p, const Array& target, const Array* weight, int64_t ignored, LossReduction reduction) {
  return loss_of_classes(log_p, target, weight, ignored, reduction, false, 0);
}

Array nn::cross_entropy(const Array& x, const Array& target, const Array* weight, int64_t ignored, double smoothing,
                        LossReduction reduction) {
  if (!(smoothing >= 0 && smoothing <= 1))
    raise(ErrorKind::runtime, "label_smoothing must be between 0.0 and 1.0. Got: {}", smoothing);
  if (x.shape() != target.shape() || row(target.dtype()).kind != DTypeKind::real)
    return loss_of_classes(x, target, weight, ignored, reduction, true, smoothing);
  if (ignored >= 0) raise(ErrorKind::runtime, "ignore_index is not supported for floating point target");
  if (x.rank() == 0) raise(ErrorKind::value, "Expected 1 or more dimensions (got 0)");
  const size_t axis = class_axis(x);
  check_class_weight("cross_entropy: ", x.shape()[axis], weight);
  const Array loss = soft_cross_entropy(x, target, axis, reduction, weight, smoothing);
  const OperandType types[] = {OperandType{x.dtype()}, OperandType{target.dtype()}};
  return as_type(loss, common_type_as_torch(types));
}

}  // namespace quern
