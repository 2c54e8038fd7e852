// quern/optim.h on functions/optimizers.h.
#include "quern/optim.h"

#include "api/bodies.h"
#include "functions/backward.h"
#include "functions/optimizers.h"
#include "graph/tape.h"

namespace qn::optim {

using namespace inside;
namespace bodies = quern::optim;

namespace {

constexpr bodies::Convention torch = bodies::Convention::torch;

// What is kept of one parameter.
struct Kept {
  double step = 0;
  std::vector<quern::Array> states;
  double product = 1;                 // of NAdam's momenta
  bodies::Averaging averaging{0, 1};  // of ASGD
};

// The step of one parameter: the rule, its numbers, and what it does to the gradient and the weights before.
struct Plan {
  bodies::Update update;
  double decay = 0, shrink = 1;
  std::vector<double> numbers(bool maximize) const {
    std::vector<double> out{maximize ? -1.0 : 1.0, decay, shrink};
    out.insert(out.end(), update.scalars.begin(), update.scalars.end());
    return out;
  }
};

Plan with_decay(bodies::Update update, double lr, double decay, bool is_decoupled) {
  return {std::move(update), is_decoupled ? 0 : decay, is_decoupled ? 1 - lr * decay : 1};
}

Plan planned(const SGD& o, Kept& kept) {
  return {bodies::sgd(torch, o.lr, o.momentum, kept.step == 1 ? 1 : 1 - o.dampening, o.nesterov), o.weight_decay};
}
Plan planned(const Adam& o, Kept& kept) {
  return with_decay(bodies::adam(torch, o.lr, o.beta1, o.beta2, o.eps, o.amsgrad, kept.step), o.lr, o.weight_decay,
                    o.decoupled_weight_decay);
}
Plan planned(const AdamW& o, Kept& kept) {
  return with_decay(bodies::adam(torch, o.lr, o.beta1, o.beta2, o.eps, o.amsgrad, kept.step), o.lr, o.weight_decay, true);
}
Plan planned(const Adamax& o, Kept& kept) {
  return {bodies::adamax(torch, o.lr, o.beta1, o.beta2, o.eps, kept.step), o.weight_decay};
}
Plan planned(const NAdam& o, Kept& kept) {
  kept.product *= bodies::nadam_momentum(o.beta1, o.momentum_decay, kept.step);
  return with_decay(bodies::nadam(o.lr, o.beta1, o.beta2, o.eps, o.momentum_decay, kept.step, kept.product), o.lr, o.weight_decay,
                    o.decoupled_weight_decay);
}
Plan planned(const RAdam& o, Kept& kept) {
  return with_decay(bodies::radam(o.lr, o.beta1, o.beta2, o.eps, kept.step), o.lr, o.weight_decay, o.decoupled_weight_decay);
}
Plan planned(const RMSprop& o, Kept&) {
  return {bodies::rmsprop(torch, o.lr, o.alpha, o.eps, o.momentum, o.centered), o.weight_decay};
}
Plan planned(const Rprop& o, Kept&) { return {bodies::rprop(o.eta_minus, o.eta_plus, o.step_min, o.step_max)}; }
Plan planned(const Adagrad& o, Kept& kept) {
  return {bodies::adagrad(torch, o.lr, o.lr_decay, o.eps, kept.step), o.weight_decay};
}
Plan planned(const Adadelta& o, Kept&) { return {bodies::adadelta(o.lr, o.rho, o.eps), o.weight_decay}; }
Plan planned(const ASGD& o, Kept& kept) {
  if (kept.step == 1) kept.averaging.eta = o.lr;
  Plan plan{bodies::asgd(kept.averaging), o.weight_decay, 1 - o.lambda * kept.averaging.eta};
  kept.averaging = bodies::after_asgd(o.lr, o.lambda, o.alpha, o.t0, kept.step);
  return plan;
}

// What the states of a parameter begin with.
double first_value(const Method& method, std::string_view state) {
  if (const auto* rprop = std::get_if<Rprop>(&method)) return state == "step_size" ? rprop->lr : 0;
  const auto* adagrad = std::get_if<Adagrad>(&method);
  return adagrad ? adagrad->initial_accumulator_value : 0;
}

void check(const char* name, double value, double most = std::numeric_limits<double>::infinity()) {
  if (!(value >= 0 && value <= most)) raise(ErrorKind::value, "[Optimizer] invalid {}: {}", name, value);
}

// Options that several methods have.
template <class Options>
void check_options(const Options& o) {
  check("lr", o.lr);
  if constexpr (requires { o.weight_decay; }) check("weight_decay", o.weight_decay);
  if constexpr (requires { o.eps; }) check("eps", o.eps);
  if constexpr (requires { o.momentum; }) check("momentum", o.momentum);
  if constexpr (requires { o.beta1; })
    for (double beta : {o.beta1, o.beta2})
      if (!(beta >= 0 && beta < 1)) raise(ErrorKind::value, "[Optimizer] beta1 and beta2 must be in [0, 1), not {}", beta);
  if constexpr (requires { o.alpha; }) check("alpha", o.alpha);
  if constexpr (requires { o.rho; }) check("rho", o.rho, 1);
  if constexpr (requires { o.lr_decay; }) check("lr_decay", o.lr_decay);
  if constexpr (requires { o.momentum_decay; }) check("momentum_decay", o.momentum_decay);
  if constexpr (requires { o.initial_accumulator_value; }) check("initial_accumulator_value", o.initial_accumulator_value);
  if constexpr (requires { o.nesterov; })
    if (o.nesterov && (o.momentum <= 0 || o.dampening != 0))
      raise(ErrorKind::value, "[Optimizer] nesterov requires a momentum and no dampening");
  if constexpr (requires { o.eta_minus; })
    if (!(0 < o.eta_minus && o.eta_minus < 1 && o.eta_plus > 1))
      raise(ErrorKind::value, "[Optimizer] eta_minus must be in (0, 1) and eta_plus above 1, not {} and {}", o.eta_minus,
            o.eta_plus);
}

}  // namespace

struct Optimizer::State {
  std::vector<Array> parameters;
  Method method;
  std::vector<Kept> kept;

  // `taken`: the step of the parameter before, which the next one shares where it has the same numbers.
  void step(size_t i, const quern::Array& gradient, std::optional<std::pair<std::vector<double>, bodies::Step>>& taken) {
    const quern::Array& parameter = parameters[i].handle();
    Kept& own = kept[i];
    ++own.step;
    const Plan plan = std::visit([&](const auto& options) { return planned(options, own); }, method);
    const bool maximize = std::visit([](const auto& options) { return options.maximize; }, method);
    if (own.states.empty())
      for (std::string_view name : bodies::states_of(plan.update.rule))
        own.states.push_back(
            quern::full(parameter.shape(), real_number(first_value(method, name)), parameter.dtype(), parameter.device()));
    std::vector<double> numbers = plan.numbers(maximize);
    numbers.push_back(static_cast<double>(plan.update.rule));
    if (!taken || taken->first != numbers)
      taken.emplace(numbers, bodies::Step(plan.update.rule, std::vector(numbers.begin(), numbers.end() - 1)));
    std::vector<quern::Array> operands{parameter, gradient};
    operands.insert(operands.end(), own.states.begin(), own.states.end());
    taken->second.take(operands);
  }
};

Optimizer::Optimizer(std::vector<Array> parameters, Method method, Here here) {
  asked(here, [&] {
    if (parameters.empty()) raise(ErrorKind::value, "[Optimizer] the parameter list is empty");
    std::visit([](const auto& options) { check_options(options); }, method);
  });
  const size_t count = parameters.size();
  state_ = std::make_shared<State>(State{std::move(parameters), std::move(method), std::vector<Kept>(count)});
}

void Optimizer::step(Here here) {
  asked(here, [&] {
    const quern::GradientMode off(false);
    std::optional<std::pair<std::vector<double>, bodies::Step>> taken;
    for (size_t i = 0; i < state_->parameters.size(); ++i)
      if (const std::shared_ptr<quern::Array> gradient = quern::gradient_of(state_->parameters[i].handle()))
        state_->step(i, *gradient, taken);
    quern::end_round();
  });
}

void Optimizer::zero_grad() {
  for (const Array& one : state_->parameters) quern::set_gradient(one.handle(), nullptr);
}

const Method& Optimizer::method() const { return state_->method; }
double Optimizer::lr() const {
  return std::visit([](const auto& options) { return options.lr; }, state_->method);
}
void Optimizer::set_lr(double lr) {
  check("lr", lr);
  std::visit([&](auto& options) { options.lr = lr; }, state_->method);
}
const std::vector<Array>& Optimizer::parameters() const { return state_->parameters; }
std::vector<Array> Optimizer::state(size_t parameter) const {
  std::vector<Array> out;
  for (const quern::Array& one : state_->kept.at(parameter).states) out.push_back(wrap(quern::Array(one)));
  return out;
}

}  // namespace qn::optim
