#include "graph/signs.h"

#include <algorithm>
#include <cmath>

namespace quern {

// The type, that of a Python number too.
static DType own_type(const Argument& a) {
  if (a.array() || !a.scalar().is_weak) return a.type().dtype;
  if (a.scalar().kind != WeakScalar::integer || a.scalar().is_huge) return DType::float64;
  return a.scalar().is_natural ? DType::uint64 : DType::int64;
}
static bool has_sign(const Argument& a) { return row(own_type(a)).kind == DTypeKind::integer; }

bool mixes_signs(std::span<const Argument> arguments) {
  return (has_sign(arguments[0]) && own_type(arguments[1]) == DType::uint64) ||
         (has_sign(arguments[1]) && own_type(arguments[0]) == DType::uint64);
}

bool is_huge(const Argument& a) { return !a.array() && a.scalar().is_huge; }
std::array<Argument, 2> beyond_all(std::span<const Argument> arguments) {
  std::array<Argument, 2> out{arguments[0], arguments[1]};
  for (int i : {0, 1}) {
    if (!is_huge(out[i]) || !is_integer(own_type(out[1 - i]))) continue;
    out[i] = Argument(Scalar{.kind = WeakScalar::real, .re = std::copysign(HUGE_VAL, out[i].scalar().re)});
  }
  return out;
}

Array compare_signs(Op op, std::span<const Argument> arguments, const Array* into, DeviceId device) {
  constexpr std::pair<Op, Op> turned[] = {
      {Op::less, Op::greater}, {Op::greater, Op::less}, {Op::less_equal, Op::greater_equal}, {Op::greater_equal, Op::less_equal}};
  bool is_turned = !has_sign(arguments[0]);
  if (auto* pair = std::find_if(std::begin(turned), std::end(turned), [&](auto& p) { return p.first == op; });
      is_turned && pair != std::end(turned))
    op = pair->second;
  Argument with = arguments[is_turned], without = arguments[!is_turned];
  std::optional<Array> number;
  if (!with.array()) {
    with = Argument(number.emplace(full({}, with.scalar(), own_type(with), device)));
  }
  bool is_less = op == Op::less || op == Op::less_equal || op == Op::not_equal;
  Argument signs[] = {with, Argument(Scalar{.kind = WeakScalar::integer})};
  Array sign = elementwise(is_less ? Op::less : Op::greater_equal, signs);
  Array natural = astype(*with.array(), DType::uint64);
  Argument numbers[] = {Argument(natural), without};
  Array compared = elementwise(op, numbers);
  Argument both[] = {Argument(sign), Argument(compared)};
  return elementwise(is_less ? Op::logical_or : Op::logical_and, both, into);
}

}  // namespace quern
