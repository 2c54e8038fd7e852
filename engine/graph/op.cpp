#include "graph/op.h"

#include "core/error.h"

#include <array>
#include <string>

namespace quern {

namespace {

constexpr std::array<OpRow, row_count> rows{{
#define QUERN_ROW(...) TOLD(numpy, __VA_ARGS__, "", "", "")
#define QUERN_OWN(...) TOLD(own, __VA_ARGS__)
#define QUERN_PART(...) TOLD(part, __VA_ARGS__, "", "", "")
#define QUERN_INNER(...) TOLD(inner, __VA_ARGS__, "", "", "")
#define TOLD(origin, name, operands, typing, cost, text, what, calls, gives) \
  {#name, operands, Typing::typing, Cost::cost, #text, OpOrigin::origin, what, calls, gives},
#include "quern/ops.def"
#undef TOLD
}};

DType default_of(WeakScalar kind) {
  switch (kind) {
    case WeakScalar::boolean:
      return DType::boolean;
    case WeakScalar::integer:
      return DType::int64;
    case WeakScalar::real:
      return DType::float64;
    default:
      return DType::complex128;
  }
}

// The smallest real type whose mantissa holds the integer, as NumPy looks for the first loop that a type casts to safely.
DType real_for(DType type) {
  const DTypeRow& r = row(type);
  if (r.kind == DTypeKind::real || r.kind == DTypeKind::complex) return type;
  return r.size == 1 ? DType::float16 : r.size == 2 ? DType::float32 : DType::float64;
}

[[noreturn]] void no_loop(const OpRow& op, std::span<const OperandType> operands) {
  std::string types;
  constexpr const char* numbers[] = {"bool", "int", "float", "complex"};  // Python's, by WeakScalar
  for (const OperandType& o : operands)
    types += (types.empty() ? "" : ", ") + std::string(o.is_weak ? numbers[static_cast<int>(o.weak)] : row(o.dtype).name);
  raise(ErrorKind::type, "[{}] is not defined for operands of type {}; convert them with astype()", op.name, types);
}

}  // namespace

const OpRow& row(Op op) { return rows[static_cast<size_t>(op)]; }

DType operand_type(const OpRow& row, int k, DType compute) {
  if (k > 0) return compute;
  return row.typing == Typing::choose ? DType::boolean : row.typing == Typing::seeded ? DType::uint64 : compute;
}

std::string_view name_of(Op op) {
  if (static_cast<uint16_t>(op) < row_count) return row(op).name;
  constexpr std::string_view others[] = {"constant", "data", "update", "reduce", "positions", "call", "part", "user"};
  return others[static_cast<uint16_t>(op) - row_count];
}

bool is_integer(DType type) {
  DTypeKind kind = row(type).kind;
  return kind == DTypeKind::integer || kind == DTypeKind::natural;
}
bool is_complex(DType type) { return row(type).kind == DTypeKind::complex; }
DType real_part_type(DType type) {
  return type == DType::complex64 ? DType::float32 : type == DType::complex128 ? DType::float64 : type;
}

DType accumulator(Reduction reduction, DType type) {
  bool adds = reduction == Reduction::sum || reduction == Reduction::product;
  return adds && (type == DType::float16 || type == DType::bfloat16) ? DType::float32 : type;
}

DType common_type(std::span<const OperandType> operands) {
  bool any = false;
  DType type = DType::boolean;
  for (const OperandType& o : operands) {
    if (o.is_weak) continue;
    type = any ? promote(type, o.dtype) : o.dtype;
    any = true;
  }
  for (const OperandType& o : operands) {
    if (!o.is_weak) continue;
    type = any ? promote(type, o.weak) : default_of(o.weak);
    any = true;
  }
  return type;
}

Loop resolve(Op op, std::span<const OperandType> operands) {
  const OpRow& r = row(op);
  if (r.typing == Typing::choose) {
    DType type = common_type(operands.subspan(1));
    return {type, type};
  }
  DType type = common_type(operands);
  bool is_bool = type == DType::boolean;
  auto refuse = [&] { no_loop(r, operands); };
  switch (r.typing) {
    case Typing::number:
      return {type, type};
    case Typing::number_from_int8:
      if (is_bool) type = DType::int8;
      return {type, type};
    case Typing::number_no_bool:
      if (is_bool) refuse();
      return {type, type};
    case Typing::number_not_complex:
      if (is_complex(type)) refuse();
      if (is_bool) type = DType::int8;
      return {type, type};
    case Typing::real_only:
      if (is_complex(type)) refuse();
      [[fallthrough]];
    case Typing::real_of: {
      // The first loop that every operand casts to: each by itself becomes real, a weak one as what it is beside the others.
      std::array<OperandType, 3> reals;
      for (size_t i = 0; i < operands.size(); ++i) reals[i] = {real_for(operands[i].is_weak ? type : operands[i].dtype)};
      type = common_type({reals.data(), operands.size()});
      return {type, type};
    }
    case Typing::ratio:
      if (is_bool || is_integer(type)) type = DType::float64;
      return {type, type};
    case Typing::widest:
      type = is_complex(type) ? DType::complex128 : DType::float64;
      return {type, type};
    case Typing::integer:
      if (!is_bool && !is_integer(type)) refuse();
      return {type, type};
    case Typing::integer_only:
      if (!is_integer(type)) refuse();
      return {type, type};
    case Typing::integer_no_bool:
      if (is_bool) type = DType::int8;
      if (!is_integer(type)) refuse();
      return {type, type};
    case Typing::compare:
      return {type, DType::boolean};
    case Typing::truth:
      return {DType::boolean, DType::boolean};
    case Typing::test:
      return {type, DType::boolean};
    case Typing::sign_test:
      if (is_complex(type)) refuse();
      return {type, DType::boolean};
    case Typing::size:
      return {type, real_part_type(type)};
    case Typing::round:
      if (is_complex(type)) refuse();
      return {type, type};
    case Typing::count:
      if (!is_bool && !is_integer(type)) refuse();
      if (is_bool) type = DType::uint8;
      return {type, DType::uint8};
    case Typing::random:
      return {DType::uint64, DType::uint64};
    case Typing::seeded:
      return {DType::float64, DType::float64};
    case Typing::cast:
    case Typing::choose:
      return {type, type};
  }
  bug("an op without typing: {}", r.name);
}

}  // namespace quern
