// File: quern/optim.h
//
// Optimizers for training: each changes parameters by their gradients, in place, as those of torch.optim do, with their names and
// defaults.
//
//   std::vector<qn::Array> parameters{qn::zeros({1}), qn::zeros({1})};
//   for (qn::Array& one : parameters) qn::requires_grad(one);
//   qn::optim::Optimizer optimizer(parameters, qn::optim::Adam{.lr = 0.05});
//   for (int i = 0; i < 200; ++i) {
//     optimizer.zero_grad();
//     qn::backward(qn::square(parameters[0] * x + parameters[1] - y).mean());
//     optimizer.step();
//   }
//
// A method is a struct of options. Of all of them: `lr` is the learning rate, by how much of its gradient, or of what the method
// makes of it, a parameter changes in a step; `weight_decay` times the parameter is added to the gradient; with `maximize` a step
// goes uphill. The other options have no unit but where it is said. What was computed of a parameter before a step keeps its
// values.
#pragma once

#include <variant>

#include "quern/array.h"

namespace qn::optim {

// Gradient descent. `momentum`: how much of the last step stays; `dampening`: how much of a gradient does not enter it;
// `nesterov`: steps from where the momentum leads.
struct SGD {
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false, maximize = false;
};
// Kingma and Ba, 2015. `beta1`, `beta2`: how much of the means of the gradient and of its square stays in a step; `eps`: added to
// the root of the mean square; `amsgrad`: divides by the largest mean square so far; with `decoupled_weight_decay` the decay
// times lr times the parameter is taken from it instead.
struct Adam {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool amsgrad = false, decoupled_weight_decay = false, maximize = false;
};
// Adam with decoupled decay (Loshchilov and Hutter, 2019).
struct AdamW {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 1e-2;
  bool amsgrad = false, maximize = false;
};
// Adam with the largest gradient of late in place of the mean square. `eps`: added to the gradient's size.
struct Adamax {
  double lr = 2e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool maximize = false;
};
// Adam with Nesterov's momentum (Dozat, 2016). `momentum_decay`: how fast the momentum grows.
struct NAdam {
  double lr = 2e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0, momentum_decay = 4e-3;
  bool decoupled_weight_decay = false, maximize = false;
};
// Adam whose first steps are rectified (Liu et al., 2020).
struct RAdam {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool decoupled_weight_decay = false, maximize = false;
};
// The gradient over the root of its mean square, of which `alpha` stays in a step. `centered`: over the standard deviation.
struct RMSprop {
  double lr = 1e-2, alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false, maximize = false;
};
// Steps by the gradient's sign (Riedmiller and Braun, 1993). Each element's step, at first lr, is multiplied by `eta_minus` where
// the sign turns and else by `eta_plus`; `step_min`, `step_max`: the least and the largest one, in units of the parameter.
struct Rprop {
  double lr = 1e-2, eta_minus = 0.5, eta_plus = 1.2, step_min = 1e-6, step_max = 50;
  bool maximize = false;
};
// The gradient over the root of the sum of all its squares (Duchi et al., 2011), which starts at `initial_accumulator_value`.
// `lr_decay`: the rate of step t is lr / (1 + (t - 1) * lr_decay).
struct Adagrad {
  double lr = 1e-2, lr_decay = 0, weight_decay = 0, initial_accumulator_value = 0, eps = 1e-10;
  bool maximize = false;
};
// Steps as large as the steps of late (Zeiler, 2012). `rho`: how much of the mean squares stays in a step.
struct Adadelta {
  double lr = 1, rho = 0.9, eps = 1e-6, weight_decay = 0;
  bool maximize = false;
};
// Gradient descent with a mean of the parameters from step `t0` on (Polyak and Juditsky, 1992): Optimizer::state(i)[0]. The rate
// of step t is lr / (1 + lambda * lr * t) ** alpha.
struct ASGD {
  double lr = 1e-2, lambda = 1e-4, alpha = 0.75, t0 = 1e6, weight_decay = 0;
  bool maximize = false;
};

using Method = std::variant<SGD, Adam, AdamW, Adamax, NAdam, RAdam, RMSprop, Rprop, Adagrad, Adadelta, ASGD>;

// Copies are the same optimizer. Throws ErrorKind::value for no parameters and for options that are out of range.
class Optimizer {
 public:
  Optimizer(std::vector<Array> parameters, Method method, Here here = Here::current());

  // Changes each parameter that has a gradient. Throws ErrorKind::type for parameters that are no real floating-point ones.
  void step(Here here = Here::current());
  // The next backward() starts anew.
  void zero_grad();

  // The options, which may change between steps; lr alone, for schedules. Throws ErrorKind::value for a negative one.
  const Method& method() const;
  double lr() const;
  void set_lr(double lr);
  // The parameters, in the order of the constructor.
  const std::vector<Array>& parameters() const;
  // What the method keeps of a parameter: none before its first step.
  std::vector<Array> state(size_t parameter) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace qn::optim
