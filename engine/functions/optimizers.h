// Steps of optimizers: the rules of optimizers.def, each a row of the engine, by which parameters and states change in place.
#pragma once

#include <string_view>

#include "graph/array.h"

namespace quern::optim {

enum class Rule : uint8_t {
#define QUERN_UPDATE(name, states, scalars, text) name,
#include "functions/optimizers.def"
#undef QUERN_UPDATE
};

// The rule of that name; raises ErrorKind::value where there is none.
Rule rule_of(std::string_view name);
// What a rule keeps of each parameter, in the order of an operand row; the numbers that it takes after sign, decay and shrink.
std::vector<std::string_view> states_of(Rule rule);
std::vector<std::string_view> scalars_of(Rule rule);

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
