// The names of autograd nodes as PyTorch's grad_fn has them.
#include "graph/call.h"
#include "graph/tape.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace quern {

namespace {

// Overloads of a function have numbers in PyTorch: of all elements and along dimensions, of tensors and numbers.
std::string name_of_reduction(const Entry& entry) {
  constexpr std::string_view names[] = {"Sum", "Prod", "Amax", "Amin", "Any", "All"};
  const bool is_extreme = entry.reduction == Reduction::maximum || entry.reduction == Reduction::minimum;
  if (is_extreme && entry.slopes == Slopes::torch) return entry.reduction == Reduction::maximum ? "MaxBackward1" : "MinBackward1";
  std::string name(names[static_cast<size_t>(entry.reduction)]);
  const bool is_over_all = std::ranges::all_of(entry.axes, [](bool goes) { return goes; });
  return is_extreme || is_over_all ? name : name + "Backward1";
}

std::string name_of_call(Entry& entry, std::string name) {
  if (name == "Take") return "Index";
  if (name == "Put") return "IndexPut";
  if (name != "Matmul") return name;
  const auto operands = entry.operands();
  if (operands.size() != 2 || !operands[0].layout || !operands[1].layout) return name;
  const size_t ranks[] = {operands[0].layout->rank(), operands[1].layout->rank()};
  if (ranks[0] == 2) return ranks[1] == 2 ? "Mm" : ranks[1] == 1 ? "Mv" : name;
  return ranks[0] == 1 && ranks[1] == 1 ? "Dot" : ranks[0] == 3 && ranks[1] == 3 ? "Bmm" : name;
}

// A number, as far as can be seen: it has no dimensions, and no gradient.
bool is_number(const TapeOperand& operand) { return !operand.from && (!operand.layout || operand.layout->rank() == 0); }

// Empty: the operation's own name.
std::string name_of_row(const Entry& entry) {
  const bool has_number = is_number(entry.own[1]);
  switch (entry.op) {
    case Op::cast:
      return entry.own[0].dtype == entry.dtype ? "Clone" : "ToCopy";
    case Op::subtract:
      return is_number(entry.own[0]) ? "RsubBackward1" : "Sub";
    case Op::power:
      return has_number ? "Pow" : is_number(entry.own[0]) ? "PowBackward2" : "PowBackward1";
    case Op::remainder:
      return has_number ? "Remainder" : "RemainderBackward1";
    case Op::fmod:
      return has_number ? "Fmod" : "FmodBackward1";
    default:
      break;
  }
  constexpr std::pair<Op, std::string_view> torch[] = {
      {Op::multiply, "Mul"},    {Op::true_divide, "Div"}, {Op::negative, "Neg"},  {Op::absolute, "Abs"}, {Op::square, "Pow"},
      {Op::conjugate, "Conj"},  {Op::arcsin, "Asin"},     {Op::arccos, "Acos"},   {Op::arctan, "Atan"},  {Op::arctan2, "Atan2"},
      {Op::arcsinh, "Asinh"},   {Op::arccosh, "Acosh"},   {Op::arctanh, "Atanh"}, {Op::rint, "Round"},   {Op::radians, "Deg2Rad"},
      {Op::degrees, "Rad2Deg"}, {Op::log1p, "Log1P"},     {Op::bessel_i0, "I0"}};
  for (auto [op, name] : torch)
    if (op == entry.op) return std::string(name);
  return {};
}

}  // namespace

std::string tape_name(Entry& entry) {
  auto capitals = [](std::string_view name) {
    std::string out;
    bool starts = true;
    for (char c : name) {
      if (c == '_') {
        starts = true;
        continue;
      }
      out += starts ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      starts = false;
    }
    return out;
  };
  switch (entry.kind) {
    case Entry::Kind::leaf:
      return "AccumulateGrad";
    case Entry::Kind::view:
      return "View";
    case Entry::Kind::update:
      return "CopySlices";
    case Entry::Kind::nothing:
      return "Fill";
    case Entry::Kind::reduce:
      return name_of_reduction(entry);
    case Entry::Kind::call:
      return name_of_call(entry, capitals(entry.call->name()));
    case Entry::Kind::function: {
      std::string_view name = entry.function ? entry.function->name() : std::string_view(entry.extras->name);
      return name.ends_with("Backward") ? std::string(name) : capitals(name);  // a program's own class keeps its name
    }
    case Entry::Kind::part:
      return tape_name(*entry.own[0].from.get());
    case Entry::Kind::row:
      break;
  }
  if (std::string name = name_of_row(entry); !name.empty()) return name;
  return capitals(name_of(entry.op));
}

}  // namespace quern
