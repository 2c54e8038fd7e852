#include "functions/powers.h"

#include <memory>

#include "functions/steps.h"
#include "graph/tape.h"

namespace quern {

using namespace steps;

namespace {

Array computed_power(const Array& base, double exponent) {
  if (exponent == 0) return full(base.shape(), real_number(1), base.dtype(), base.device());
  if (exponent == 1) return compute(Op::positive, base);
  if (exponent == 2) return compute(Op::square, base);
  if (exponent == 0.5) return compute(Op::sqrt, base);
  if (exponent == -0.5) return compute(Op::reciprocal, compute(Op::sqrt, base));
  return compute(Op::power, base, exponent);
}

Array power_of(const Array& base, double exponent) {
  return number_power(base, exponent, [&] { return computed_power(base, exponent); });
}

class NumberPower : public GradientBody {
 public:
  explicit NumberPower(double exponent) : exponent_(exponent) {}
  std::string_view name() const override { return "Pow"; }
  Gradients gradients(const GradientCall& call) const override {
    const Array& g = *call.given[0];
    if (exponent_ == 0) return {full(g.shape(), real_number(0), g.dtype(), g.device())};
    return {multiply(g, conj(multiply(power_of(call.operands[0], exponent_ - 1), exponent_)))};
  }

 private:
  double exponent_;
};

}  // namespace

Array number_power(const Array& base, double exponent, const std::function<Array()>& make) {
  if (!GradientMode::is_on() || !wants_gradient(base)) return make();
  auto body = std::make_shared<NumberPower>(exponent);
  return differentiable(body, {&base, 1}, {{exponent != 0}, {}}, [&] { return std::vector<Array>{make()}; })[0];
}

}  // namespace quern
