// Steps of optimizers: the rules of optimizers.def, each a row of the engine, by which parameters and states change in place.
// quern/optim.h is made of them.
#pragma once

#include <string_view>

#include "graph/array.h"

namespace quern::optim {

enum class Rule : uint8_t {
#define QUERN_UPDATE(name, states, scalars, text) name,
#include "functions/optimizers.def"
#undef QUERN_UPDATE
};

inline constexpr size_t rule_count = 0
#define QUERN_UPDATE(name, states, scalars, text) +1
#include "functions/optimizers.def"
#undef QUERN_UPDATE
    ;

// The rule of that name; raises ErrorKind::value where there is none.
Rule rule_of(std::string_view name);
std::string_view name_of(Rule rule);
// What a rule keeps of each parameter, in the order of an operand row; the numbers that it takes after sign, decay and shrink.
std::vector<std::string_view> states_of(Rule rule);
std::vector<std::string_view> scalars_of(Rule rule);
// The row that computes a rule. `types`: of the parameter, its gradient and the states; the row takes the parameter, the states,
// the gradient, and the numbers.
const UserRow& row_of(Rule rule, const std::vector<DType>& types);

// ---- what optimizers make of their options and of the number of a step, which counts from 1

// PyTorch and Keras differ in where a rate and an epsilon enter (optimizers.def).
enum class Convention : uint8_t { torch, keras };
// A rule, and the numbers that it takes after sign, decay and shrink.
struct Update {
  Rule rule;
  std::vector<double> scalars;
};
// `weight`: of the gradient in the momentum.
Update sgd(Convention convention, double lr, double momentum, double weight, bool nesterov);
Update adam(Convention convention, double lr, double beta1, double beta2, double eps, bool amsgrad, double step);
Update adamax(Convention convention, double lr, double beta1, double beta2, double eps, double step);
// `product`: of the momenta up to this step's. A momentum grows towards beta1, the faster the larger `decay` is.
double nadam_momentum(double beta1, double decay, double step);
Update nadam(double lr, double beta1, double beta2, double eps, double decay, double step, double product);
Update radam(double lr, double beta1, double beta2, double eps, double step);
Update rmsprop(Convention convention, double lr, double alpha, double eps, double momentum, bool is_centered);
Update rprop(double shrink, double grow, double least, double most);
Update adagrad(Convention convention, double lr, double lr_decay, double eps, double step);
Update adadelta(double lr, double rho, double eps);
// The rate and the share of a parameter in its mean, which a step leaves to the next one: at first lr and 1.
struct Averaging {
  double eta, mu;
};
Averaging after_asgd(double lr, double lambda, double alpha, double t0, double step);
Update asgd(const Averaging& averaging);
Update ftrl(double lr, double power, double l1, double l2, double beta, double shrinkage);
Update lion(double lr, double beta1, double beta2);

// A step of a rule, taken for one parameter after the other. `scalars`: sign, decay, shrink and those of the rule. Raises
// ErrorKind::value for another count of them.
class Step {
 public:
  Step(Rule rule, const std::vector<double>& scalars);
  // Changes a parameter and its states by a gradient, in place, without recording gradients. `operands`: the parameter, the
  // gradient, the states. Raises ErrorKind::value for another count or for several shapes, ErrorKind::type for other types than
  // real floating-point ones.
  void take(const std::vector<Array>& operands);

 private:
  void find_row(const std::vector<Array>& operands);

  Rule rule_;
  size_t operands_;
  std::vector<Argument> numbers_;
  // of the last parameter, as the next has mostly the same types
  std::vector<DType> types_;
  const UserRow* row_ = nullptr;
  std::vector<Array> written_;
  std::vector<Argument> read_;
};

}  // namespace quern::optim
