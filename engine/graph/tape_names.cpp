// The names of autograd nodes as PyTorch's grad_fn has them.
#include "graph/call.h"
#include "graph/tape.h"

#include <cctype>
#include <string>
#include <utility>

namespace quern {

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
    case Entry::Kind::reduce: {
      constexpr std::string_view names[] = {"Sum", "Prod", "Amax", "Amin", "Any", "All"};
      return std::string(names[static_cast<size_t>(entry.reduction)]);
    }
    case Entry::Kind::call:
      return capitals(entry.call->name());
    case Entry::Kind::function: {
      std::string_view name = entry.function ? entry.function->name() : std::string_view(entry.extras->name);
      return name.ends_with("Backward") ? std::string(name) : capitals(name);  // a program's own class keeps its name
    }
    case Entry::Kind::part:
      return tape_name(*entry.own[0].from.get());
    case Entry::Kind::row:
      break;
  }
  constexpr std::pair<Op, std::string_view> torch[] = {
      {Op::subtract, "Sub"},   {Op::multiply, "Mul"},  {Op::true_divide, "Div"}, {Op::power, "Pow"},
      {Op::negative, "Neg"},   {Op::absolute, "Abs"},  {Op::cast, "ToCopy"},     {Op::square, "Pow"},
      {Op::conjugate, "Conj"}, {Op::arcsin, "Asin"},   {Op::arccos, "Acos"},     {Op::arctan, "Atan"},
      {Op::arctan2, "Atan2"},  {Op::arcsinh, "Asinh"}, {Op::arccosh, "Acosh"},   {Op::arctanh, "Atanh"}};
  for (auto [op, name] : torch)
    if (op == entry.op) return std::string(name);
  return capitals(name_of(entry.op));
}

}  // namespace quern
