#include "functions/optimizers.h"

#include <array>
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

const UserRow& row_for(Rule rule, const std::vector<DType>& types) {
  static std::mutex mutex;
  static auto* rows = new std::array<std::map<std::vector<DType>, const UserRow*>, words.size()>;
  std::lock_guard lock(mutex);
  const UserRow*& found = (*rows)[static_cast<size_t>(rule)][types];
  if (!found) found = &add_row(made(rule, types));
  return *found;
}

}  // namespace

Rule rule_of(std::string_view name) {
  for (size_t i = 0; i < words.size(); ++i)
    if (name == words[i].name) return static_cast<Rule>(i);
  raise(ErrorKind::value, "there is no rule of optimizers named '{}'", name);
}

std::vector<std::string_view> states_of(Rule rule) { return split(words_of(rule).states); }
std::vector<std::string_view> scalars_of(Rule rule) { return split(words_of(rule).scalars); }

Step::Step(Rule rule, const std::vector<double>& scalars) : rule_(rule), operands_(states_of(rule).size() + 2) {
  const size_t count = scalars_of(rule).size() + 3;
  if (scalars.size() != count)
    raise(ErrorKind::value, "[{}] a step takes {} numbers, not {}", words_of(rule).name, count, scalars.size());
  for (double one : scalars) numbers_.emplace_back(steps::real_number(one));
}

void Step::take(const std::vector<Array>& operands) {
  const char* name = words_of(rule_).name;
  if (operands.size() != operands_)
    raise(ErrorKind::value, "[{}] a step takes a parameter, a gradient and {} states, not {} arrays", name, operands_ - 2,
          operands.size());
  bool is_known = row_ != nullptr;
  for (size_t i = 0; i < operands_; ++i) {
    if (operands[i].shape() != operands[0].shape())
      raise(ErrorKind::value, "[{}] the parameter, its gradient and states differ in shape", name);
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
      raise(ErrorKind::type, "[{}] takes real floating-point arrays, not {}", words_of(rule_).name, row(one.dtype()).name);
    types.push_back(one.dtype());
  }
  row_ = &row_for(rule_, types);
  types_ = std::move(types);
}

}  // namespace quern::optim
