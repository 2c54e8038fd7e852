// Softmax and what is made of it: functions of all elements along axes (activations.h).
#include "core/error.h"
#include "functions/activations.h"
#include "functions/ranking.h"
#include "functions/steps.h"
#include "graph/memory_order.h"

namespace quern::nn {

using namespace steps;

namespace {

enum class SoftmaxOf : uint8_t { values, negatives, logarithm };

class Softmax : public GradientBody {
 public:
  Softmax(std::vector<bool> over, SoftmaxOf of) : over_(std::move(over)), of_(of) {}
  std::string_view name() const override { return of_ == SoftmaxOf::logarithm ? "log_softmax" : "softmax"; }
  Gradients gradients(const GradientCall& call) const override {
    DType wide = wide_type(call.types[0]);
    Array g = as_type(*call.given[0], wide), y = as_type(call.results[0], wide);
    if (of_ == SoftmaxOf::logarithm) {
      Array total = reduce(Reduction::sum, g, over_, true);
      return {subtract(g, multiply(exp(y), total))};
    }
    Array total = reduce(Reduction::sum, multiply(g, y), over_, true);
    return {multiply(y, of_ == SoftmaxOf::values ? subtract(g, total) : subtract(total, g))};
  }

 private:
  std::vector<bool> over_;
  SoftmaxOf of_;
};

Array softmax_by(const Array& given, const SoftmaxAxes& axes, std::optional<DType> dtype, SoftmaxOf of) {
  const Array x = dtype ? as_type(given, *dtype) : as_reals(numpys_rules, given);
  return differentiable(std::make_shared<Softmax>(axes.over, of), {&x, 1}, {{}, {true}}, [&]() -> std::vector<Array> {
    if (x.size() == 0) return {copied(x, x.dtype())};
    Array wide = as_type(x, wide_type(x.dtype()));
    if (of == SoftmaxOf::negatives) wide = negative(wide);
    Array away = subtract(wide, reduce(Reduction::maximum, wide, axes.over, true));
    Array sum = reduce(Reduction::sum, exp(away), axes.over, true);
    Array out = of == SoftmaxOf::logarithm ? subtract(away, log(sum)) : true_divide(exp(away), sum);
    return {in_result_order(as_type(out, x.dtype()))};
  })[0];
}

}  // namespace

Array softmax(const Array& x, const SoftmaxAxes& axes, std::optional<DType> dtype) {
  return softmax_by(x, axes, dtype, SoftmaxOf::values);
}
Array softmin(const Array& x, const SoftmaxAxes& axes, std::optional<DType> dtype) {
  return softmax_by(x, axes, dtype, SoftmaxOf::negatives);
}
Array log_softmax(const Array& x, const SoftmaxAxes& axes, std::optional<DType> dtype) {
  return softmax_by(x, axes, dtype, SoftmaxOf::logarithm);
}

// Random samples of classes with these logarithms of probabilities: softmax((x + noise) / tau). `is_hard`: exactly 0 and 1.
Array gumbel_softmax(const Rules& rules, const Array& x, double tau, bool is_hard, size_t axis, const random::Stream& draws) {
  const Array noise = log(random::exponential_for(rules, detached(x), 1, draws));
  SoftmaxAxes axes{std::vector<bool>(x.rank(), false)};
  if (x.rank() > 0) axes.over[axis] = true;
  const Array soft = softmax(true_divide(subtract(x, noise), tau), axes, {});
  if (!is_hard || x.rank() == 0) return soft;
  const Array values = detached(soft), place = place_of_largest(values, axis, true, {});
  Shape shape(x.rank(), 1);
  shape[axis] = x.shape()[axis];
  const Array one = equal(place, reshape(arange(x.shape()[axis], x.device()), shape));
  return add(subtract(as_type(one, x.dtype()), values), soft);  // with the derivative of those in between
}

}  // namespace quern::nn
