// The names of autograd nodes as PyTorch's grad_fn has them.
#include "graph/call.h"
#include "graph/tape.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

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

// The axes of more than one element.
std::vector<std::pair<int64_t, int64_t>> long_axes(const Layout& layout) {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (size_t i = 0; i < layout.rank(); ++i)
    if (layout.shape[i] != 1) out.emplace_back(layout.shape[i], layout.strides[i]);
  return out;
}

// What a view does, as its place in the other's memory shows; several operations at once have the name of the last one.
std::string_view name_of_view(const Layout& of, const Layout& view) {
  const auto before = long_axes(of), after = long_axes(view);
  const auto is_expanded = [](const auto& axis) { return axis.second == 0; };
  if (view.size() > of.size())
    return std::ranges::count_if(after, is_expanded) > std::ranges::count_if(before, is_expanded) ? "Expand" : "Unfold";
  if (view.size() == of.size()) {
    if (before == after) return view.rank() > of.rank() ? "Unsqueeze" : view.rank() < of.rank() ? "Squeeze" : "View";
    return view.rank() == of.rank() && std::ranges::is_permutation(before, after) ? "Permute" : "View";
  }
  if (view.rank() == of.rank()) return view.rank() == 2 && view.shape[0] == of.shape[1] ? "View" : "Slice";
  size_t found = 0;  // axes that are the other's, in their order
  for (size_t i = 0; i < of.rank() && found < view.rank(); ++i)
    found += of.shape[i] == view.shape[found] && of.strides[i] == view.strides[found];
  if (found == view.rank()) return "Select";
  const bool is_diagonal = of.rank() == 2 && view.rank() == 1 && view.strides[0] == of.strides[0] + of.strides[1];
  return is_diagonal ? "Diagonal" : view.rank() < of.rank() ? "Slice" : "View";
}

}  // namespace

static std::string name_of_update(Entry& entry);

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
      return std::string(name_of_view(*entry.own[0].layout, *entry.layout));
    case Entry::Kind::update:
      return name_of_update(entry);
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

// A write into all of a value has the name of the operation that made what is written, past its copy.
static std::string name_of_update(Entry& entry) {
  if (!entry.own[1].from || entry.target->size() != entry.layout->size()) return "CopySlices";
  Entry* made = entry.own[1].from.get();
  while (made->kind == Entry::Kind::row && made->op == Op::cast && made->own[0].from) made = made->own[0].from.get();
  return made->is_leaf() ? "CopyBackwards" : tape_name(*made);
}

}  // namespace quern
