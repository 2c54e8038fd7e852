// Losses with a margin that are made of several operations (losses.h); those of each element stand in losses.cpp.
#include "core/error.h"
#include "functions/losses.h"
#include "functions/norms.h"
#include "functions/parts.h"
#include "functions/refusals.h"
#include "functions/rounding.h"
#include "functions/steps.h"
#include "run/calls/indexing.h"

namespace quern::nn {

using namespace steps;

namespace {

// What is below 0 is 0; no derivative passes there. Of NaN it is NaN, or 0 as well.
Array above_zero(const Array& x) { return where(less_equal(x, 0.0), 0.0, x); }
Array only_above_zero(const Array& x) { return where(greater(x, 0.0), x, 0.0); }
Array sum_of_last(const Array& x) { return quern::steps::reduced(Reduction::sum, x); }

// x as (N, C).
Array samples_in(const Array& x, const char* name) {
  if (x.rank() > 2 || (x.rank() == 2 && x.shape()[1] == 0))
    raise(ErrorKind::runtime, "{}: Expected non-empty vector or matrix with optional 0-dim batch size, but got: {}", name,
          in_brackets(x.shape()));
  return x.rank() == 2 ? x : reshape(x, {1, x.size()});
}
Array one_for_each_sample(const Array& loss, const Array& x) { return x.rank() == 2 ? loss : reshape(loss, {}); }

}  // namespace

Array cosine_embedding_loss(const Array& given1, const Array& given2, const Array& target, double margin,
                            LossReduction reduction) {
  if (target.rank() > 1) raise(ErrorKind::runtime, "0D or 1D target tensor expected, multi-target not supported");
  if (given1.rank() != target.rank() + 1 || given2.rank() != target.rank() + 1)
    raise(ErrorKind::runtime, "{}D target tensor expects {}D input tensors, sizes {}, but found inputs with sizes {} and {}.",
          target.rank(), target.rank() + 1, target.rank() ? "(N, D) and (N)" : "(D) and ()", in_brackets(given1.shape()),
          in_brackets(given2.shape()));
  const Array x1 = as_reals(numpys_rules, given1), x2 = as_reals(numpys_rules, given2);
  const Array squares = multiply(add(sum_of_last(square(x1)), 1e-12), add(sum_of_last(square(x2)), 1e-12));
  const Array cos = multiply(sum_of_last(multiply(x1, x2)), inverse_root(numpys_rules, squares));
  const Array near = where(not_equal(target, 1), 0.0, subtract(1.0, cos));
  const Array far = where(not_equal(target, -1), 0.0, above_zero(subtract(cos, margin)));
  return reduced(add(near, far), reduction);
}

Array multi_margin_loss(const Array& given, const Array& target, int64_t p, double margin, const Array* weight,
                        LossReduction reduction) {
  if (p != 1 && p != 2) raise(ErrorKind::value, "only p == 1 and p == 2 supported");
  if (weight && weight->rank() != 1) raise(ErrorKind::value, "weight must be one-dimensional");
  const Array x = samples_in(given, "multi_margin_loss");
  const int64_t n = x.shape()[0], classes = x.shape()[1];
  if (target.rank() > 1 || target.size() != n)
    raise(ErrorKind::runtime,
          "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
          "Expected target size [{}], but got {}. Input has shape {}.",
          n, in_brackets(target.shape()), in_brackets(given.shape()));
  const Array numbers = as_type(target, DType::int64);
  const Array at =
      reshape(unless_refused(numbers, numbers, {ErrorKind::runtime, {"target out of range"}, 0, classes, 0}), {n, 1});
  Array loss = only_above_zero(add(subtract(margin, picked(x, at)), x));
  if (p == 2) loss = square(loss);
  if (weight) {
    Pick pick{0, at, true};
    loss = multiply(loss, take(*weight, {&pick, 1}));
  }
  loss = where(equal(arange(classes, x.device()), at), 0.0, loss);
  loss = true_divide(sum_of_last(loss), classes);
  return reduced(one_for_each_sample(loss, given), reduction);
}

Array multilabel_margin_loss(const Array& given, const Array& target, LossReduction reduction) {
  const Array x = samples_in(given, "multilabel_margin_loss");
  if (target.shape() != given.shape())
    raise(ErrorKind::runtime, "inconsistent target size: {} for input of size: {}", in_brackets(target.shape()),
          in_brackets(given.shape()));
  const int64_t classes = x.shape()[1];
  const Array numbers = as_type(target, DType::int64);
  const Refusal outside{ErrorKind::runtime, {"argument #2 'target' is out of range"}, -1, classes, -1};
  const Array labels = reshape(unless_refused(numbers, numbers, outside), x.shape());
  // Labels count up to the first that is negative.
  const Array counts = running_product(as_type(greater_equal(labels, 0), DType::int64), 1, DType::int64);
  const Array at = multiply(labels, counts);  // class 0 stands for what does not count, and is marked by nothing
  const Array is_counted = not_equal(counts, 0);
  const Array hits =
      logical_and(equal(expand_dims(at, 2), arange(classes, x.device())), expand_dims(is_counted, 2));  // sample, label, class
  const Array is_target = quern::steps::reduced(Reduction::any, hits, 1, true);
  Array loss = only_above_zero(add(subtract(1.0, expand_dims(picked(x, at), 2)), expand_dims(x, 1)));
  const Array goes = logical_or(logical_not(expand_dims(is_counted, 2)), is_target);
  loss = reduce(Reduction::sum, where(goes, 0.0, loss), {false, true, true}, false);
  return reduced(one_for_each_sample(true_divide(loss, classes), given), reduction);
}

Array triplet_margin_loss(const Array& anchor, const Array& positive, const Array& negative, double margin, double p, double eps,
                          bool swap, LossReduction reduction) {
  auto distance = [&](const Array& a, const Array& b) {
    return pairwise_distance(numpys_rules, a, b, {real_number(p), {}}, eps, false);
  };
  Array far = distance(anchor, negative);
  if (swap) far = minimum(far, distance(positive, negative));
  return reduced(above_zero(subtract(add(distance(anchor, positive), margin), far)), reduction);
}

}  // namespace quern::nn
