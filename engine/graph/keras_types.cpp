// The types of results by the rules of Keras's tensors: those of JAX, whose default types have 32 bits.
//
// Kinds come first (bool, integer, real, complex): an operand of a lower kind, however wide it is, leaves the type of a higher
// one as it is. Python's numbers change a type only where their kind is higher than those of all tensors; it is int32, float32 or
// complex64 then. Integers of any width are divided in float32. Only tensors of 64 bits make results of 64 bits.
#include "graph/keras_types.h"

#include "graph/op.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace quern {

namespace {

std::atomic<bool> has_wide_quotients{false};

DType default_of(int rank) {
  constexpr DType types[] = {DType::boolean, DType::int32, DType::float32, DType::complex64};
  return types[rank];
}

DType joined(DType a, DType b) {
  if (a == b) return a;
  int rank_a = rank(row(a).kind), rank_b = rank(row(b).kind);
  if (rank_a == 1 && rank_b == 1) {
    DType both = promote(a, b);
    return is_integer(both) ? both : DType::float32;  // uint64 with integers that have a sign
  }
  if (std::min(rank_a, rank_b) == 2) return promote(a, b);  // float64 with complex64 is complex128
  return rank_a > rank_b ? a : b;
}

}  // namespace

DType host_type_as_keras(DType type) {
  switch (type) {
    case DType::int64:
      return DType::int32;
    case DType::uint64:
      return DType::uint32;
    case DType::float64:
      return DType::float32;
    case DType::complex128:
      return DType::complex64;
    default:
      return type;
  }
}

void set_keras_quotients(bool wide) { has_wide_quotients = wide; }

DType common_type_as_keras(std::span<const OperandType> operands) {
  bool any = false, is_wide = false;
  int highest = 0;  // kind of Python's numbers
  DType type = DType::boolean;
  for (const OperandType& o : operands) {
    if (o.is_weak) {
      highest = std::max(highest, static_cast<int>(o.weak));
      continue;
    }
    type = any ? joined(type, o.dtype) : o.dtype;
    any = true;
    is_wide |= host_type_as_keras(o.dtype) != o.dtype;
  }
  if (!is_wide) type = host_type_as_keras(type);  // int64 of uint32 and int32
  int rank_of_type = rank(row(type).kind);
  if (highest <= rank_of_type) return type;
  return highest == 3 && type == DType::float64 ? DType::complex128 : default_of(highest);
}

Loop resolve_as_keras(Op op, std::span<const OperandType> operands) {
  const OpRow& r = row(op);
  DType type = common_type_as_keras(operands);
  switch (r.typing) {
    case Typing::ratio:
      if (rank(row(type).kind) < 2) type = has_wide_quotients && size_of(type) >= 4 ? DType::float64 : DType::float32;
      break;
    case Typing::number_from_int8:
    case Typing::number_not_complex:
    case Typing::integer_no_bool:
      if (type == DType::boolean) type = DType::int32;
      break;
    default:
      break;
  }
  std::array<OperandType, 3> same;
  same.fill({type});
  return resolve(op, {same.data(), operands.size()});
}

}  // namespace quern
