#include "functions/optimizers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <string>

#include "core/error.h"
#include "functions/networks.h"
#include "functions/steps.h"

namespace quern::optim {

namespace {

struct Words {
  const char *name, *states, *scalars, *text;
};
constexpr std::array words{
#define QUERN_UPDATE(name, states, scalars, text) Words{#name, states, scalars, text},
#include "functions/optimizers.def"
#undef QUERN_UPDATE
};

const Words& words_of(Rule rule) { return words[static_cast<size_t>(rule)]; }

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// A rule for operands of given types. It computes in T whatever they are, so that only what is stored is rounded.
UserRow made(Rule rule, const std::vector<DType>& types) {
  UserRow row;
  row.name = words_of(rule).name;
  const DType computed = types[0] == DType::float64 ? DType::float64 : DType::float32;
  row.preamble = "typedef " + std::string(quern::row(computed).cuda) + " T;";
  std::string stores;
  auto written = [&](const std::string& name, DType type) {
    row.results.push_back({"new_" + name, type, static_cast<int>(row.operands.size())});
    row.operands.push_back({"", type});
    row.body += "T " + name + " = T(new_" + name + "); ";
    stores += " new_" + name + " = " + std::string(quern::row(type).cuda) + "(" + name + ");";
  };
  written("param", types[0]);
  const std::vector<std::string_view> states = split(words_of(rule).states);
  for (size_t i = 0; i < states.size(); ++i) written(std::string(states[i]), types[i + 2]);
  row.operands.push_back({"grad", types[1]});
  for (std::string_view one : {"sign", "decay", "shrink"}) row.operands.push_back({std::string(one), computed});
  for (std::string_view one : split(words_of(rule).scalars)) row.operands.push_back({std::string(one), computed});
  row.body += "T g = sign * T(grad); if (decay != T(0)) g += decay * param; param = shrink * param; ";
  row.body += words_of(rule).text + stores;
  return row;
}

}  // namespace

Rule rule_of(std::string_view name) {
  for (size_t i = 0; i < words.size(); ++i)
    if (name == words[i].name) return static_cast<Rule>(i);
  raise(ErrorKind::value, "unknown optimizer rule '{}'", name);
}

std::string_view name_of(Rule rule) { return words_of(rule).name; }
std::vector<std::string_view> states_of(Rule rule) { return split(words_of(rule).states); }
std::vector<std::string_view> scalars_of(Rule rule) { return split(words_of(rule).scalars); }

const UserRow& row_of(Rule rule, const std::vector<DType>& types) {
  static std::mutex mutex;
  static auto* rows = new std::array<std::map<std::vector<DType>, const UserRow*>, words.size()>;
  std::lock_guard lock(mutex);
  const UserRow*& found = (*rows)[static_cast<size_t>(rule)][types];
  if (!found) found = &add_row(made(rule, types));
  return *found;
}

// ---- numbers of a step

Update sgd(Convention convention, double lr, double momentum, double weight, bool nesterov) {
  if (momentum == 0) return {Rule::sgd, {lr}};
  const Rule rule = nesterov ? Rule::sgd_nesterov : Rule::sgd_momentum;
  if (convention == Convention::keras) return {rule, {-1, momentum, -lr * weight}};
  return {rule, {lr, momentum, weight}};
}

Update adam(Convention convention, double lr, double beta1, double beta2, double eps, bool amsgrad, double step) {
  const double root = std::sqrt(1 - std::pow(beta2, step)), size = lr / (1 - std::pow(beta1, step));
  const bool scales_eps = convention == Convention::keras;  // with the root
  return {amsgrad ? Rule::adam_amsgrad : Rule::adam,
          {beta1, 1 - beta1, beta2, 1 - beta2, scales_eps ? size * root : size, scales_eps ? 1 : root, eps}};
}

Update adamax(Convention convention, double lr, double beta1, double beta2, double eps, double step) {
  const bool is_inside = convention == Convention::torch;
  return {Rule::adamax, {beta1, 1 - beta1, beta2, lr / (1 - std::pow(beta1, step)), is_inside ? eps : 0, is_inside ? 0 : eps}};
}

double nadam_momentum(double beta1, double decay, double step) { return beta1 * (1 - 0.5 * std::pow(0.96, step * decay)); }

Update nadam(double lr, double beta1, double beta2, double eps, double decay, double step, double product) {
  const double now = nadam_momentum(beta1, decay, step), next = nadam_momentum(beta1, decay, step + 1);
  return {Rule::nadam,
          {beta1, 1 - beta1, beta2, 1 - beta2, 1 - std::pow(beta2, step), eps, lr * (1 - now) / (1 - product),
           lr * next / (1 - product * next)}};
}

Update radam(double lr, double beta1, double beta2, double eps, double step) {
  const double power = std::pow(beta2, step), bias2 = 1 - power, size = lr / (1 - std::pow(beta1, step));
  const double most = 2 / (1 - beta2) - 1, length = most - 2 * step * power / bias2;  // of the average, as the paper calls it
  if (!(length > 5)) return {Rule::radam_early, {beta1, 1 - beta1, beta2, 1 - beta2, size}};
  const double rectified = std::sqrt((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length));
  return {Rule::radam, {beta1, 1 - beta1, beta2, 1 - beta2, size * rectified * std::sqrt(bias2), eps}};
}

Update rmsprop(Convention convention, double lr, double alpha, double eps, double momentum, bool is_centered) {
  const bool is_inside = convention == Convention::keras;
  const double inside = is_inside ? eps : 0, outside = is_inside ? 0 : eps;
  if (!(momentum > 0)) return {is_centered ? Rule::rmsprop_centered : Rule::rmsprop, {lr, alpha, 1 - alpha, inside, outside}};
  const double inner = is_inside ? lr : 1, outer = is_inside ? 1 : lr;
  return {is_centered ? Rule::rmsprop_both : Rule::rmsprop_momentum, {outer, alpha, 1 - alpha, inside, outside, inner, momentum}};
}

Update rprop(double shrink, double grow, double least, double most) { return {Rule::rprop, {shrink, grow, least, most}}; }

Update adagrad(Convention convention, double lr, double lr_decay, double eps, double step) {
  const bool is_inside = convention == Convention::keras;
  return {Rule::adagrad, {lr / (1 + (step - 1) * lr_decay), is_inside ? eps : 0, is_inside ? 0 : eps}};
}

Update adadelta(double lr, double rho, double eps) { return {Rule::adadelta, {lr, rho, 1 - rho, eps}}; }

Averaging after_asgd(double lr, double lambda, double alpha, double t0, double step) {
  return {lr / std::pow(1 + lambda * lr * step, alpha), 1 / std::max(1.0, step - t0)};
}
Update asgd(const Averaging& averaging) { return {Rule::asgd, {averaging.eta, averaging.mu}}; }

Update ftrl(double lr, double power, double l1, double l2, double beta, double shrinkage) {
  return {Rule::ftrl, {lr, -power, l1, l2 + beta / (2 * lr), shrinkage}};
}
Update lion(double lr, double beta1, double beta2) { return {Rule::lion, {lr, beta1, 1 - beta1, beta2, 1 - beta2}}; }

// ---- steps

Step::Step(Rule rule, const std::vector<double>& scalars) : rule_(rule), operands_(states_of(rule).size() + 2) {
  const size_t count = scalars_of(rule).size() + 3;
  if (scalars.size() != count)
    raise(ErrorKind::value, "[{}] a step requires {} hyperparameters, not {}", words_of(rule).name, count, scalars.size());
  for (double one : scalars) numbers_.emplace_back(steps::real_number(one));
}

void Step::take(const std::vector<Array>& operands) {
  const char* name = words_of(rule_).name;
  if (operands.size() != operands_)
    raise(ErrorKind::value, "[{}] a step requires a parameter, a gradient and {} states, not {} arrays", name, operands_ - 2,
          operands.size());
  bool is_known = row_ != nullptr;
  for (size_t i = 0; i < operands_; ++i) {
    if (operands[i].shape() != operands[0].shape())
      raise(ErrorKind::runtime, "[{}] the parameter, its gradient and states differ in shape", name);
    is_known = is_known && operands[i].dtype() == types_[i];
  }
  if (!is_known) find_row(operands);
  written_.clear(), read_.clear();
  for (size_t i = 0; i < operands_; ++i)
    if (i != 1) written_.push_back(operands[i]);
  read_.emplace_back(operands[1]);
  read_.insert(read_.end(), numbers_.begin(), numbers_.end());
  apply_in_place(*row_, written_, read_);
}

void Step::find_row(const std::vector<Array>& operands) {
  std::vector<DType> types;
  for (const Array& one : operands) {
    if (row(one.dtype()).kind != DTypeKind::real)
      raise(ErrorKind::type, "[{}] parameters must be real floating-point arrays, not {}", words_of(rule_).name,
            row(one.dtype()).name);
    types.push_back(one.dtype());
  }
  row_ = &row_of(rule_, types);
  types_ = std::move(types);
}

}  // namespace quern::optim
