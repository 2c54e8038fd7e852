// The ops table: what an op is called, how many operands it has, which types it takes and gives, and its text.
//
// The rows of elementwise ops stand in include/quern/ops.def, whose head explains the columns; an Op is a row's number. Ops that
// are no rows (a constant, data, an update, a reduction, a call of a library) have numbers of their own behind them.
#pragma once

#include "core/dtype.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace quern {

enum class Op : uint16_t {
#define QUERN_ROW(name, ...) name,
#include "quern/ops.def"
  constant,  // one host value
  data,      // memory, computed or brought
  update,    // the first operand's memory with a part replaced by the second operand
  reduce,    // see Reduction in node.h
  index,     // the integers 0, 1, 2 ...: memory that is its own position; computed where it is read, never stored
  call,      // a function of whole arrays: call.h
  part,      // another result of a call
  user,      // a result of a row that was added at run time: user_row.h
};
inline constexpr uint16_t row_count = static_cast<uint16_t>(Op::constant);

enum class Typing : uint8_t {
  number,
  number_from_int8,
  number_no_bool,
  number_not_complex,
  real_of,
  real_only,
  ratio,
  widest,
  integer,
  integer_no_bool,
  integer_only,
  compare,
  truth,
  test,
  sign_test,
  size,
  round,
  count,
  choose,
  random,
  seeded,
  cast,
};

enum class Cost : uint8_t { plain, vectors, vectors_of_reals, function, function_of_reals };

// Whose function the op is: NumPy's, one that NumPy lacks, a part of some of NumPy's, nobody's.
enum class OpOrigin : uint8_t { numpy, own, part, inner };

struct OpRow {
  std::string_view name;
  uint8_t operands;
  Typing typing;
  Cost cost;
  std::string_view text;  // of one element: a, b, c
  OpOrigin origin;
  std::string_view what, calls, gives;  // what documents one of our own: what it does, an example and its result
};

const OpRow& row(Op op);
// The type that operand k is converted to, for an op that computes in `compute`.
DType operand_type(const OpRow& row, int k, DType compute);
std::string_view name_of(Op op);

// An operand's type, or a Python scalar's kind: then the other operands decide (NEP 50).
struct OperandType {
  DType dtype;
  bool is_weak = false;
  WeakScalar weak = WeakScalar::boolean;
  bool is_0d = false;  // an array without dimensions, which by PyTorch's rules has less to say than one with some
};

// The type an op computes in and the type it gives. Raises ErrorKind::type where NumPy has no loop.
struct Loop {
  DType compute, result;
};
Loop resolve(Op op, std::span<const OperandType> operands);

// The same by PyTorch's rules (torch_types.cpp); `into` is the type of the tensor that takes the result, in place or by out=.
// Raises ErrorKind::not_implemented where PyTorch has no loop, ::type and ::runtime where it raises TypeError and RuntimeError.
Loop resolve_as_torch(Op op, std::span<const OperandType> operands, std::optional<DType> into = {});

// The same by the rules of Keras's tensors, which are JAX's (keras_types.cpp). Raises ErrorKind::type where JAX has no loop.
Loop resolve_as_keras(Op op, std::span<const OperandType> operands);
// Are quotients of integers of 32 and 64 bits float64, as on TensorFlow? By default they are float32.
void set_keras_quotients(bool wide);

enum class TypeRules : uint8_t { numpy, torch, keras };
inline Loop resolve(Op op, std::span<const OperandType> operands, TypeRules rules) {
  if (rules == TypeRules::keras) return resolve_as_keras(op, operands);
  return rules == TypeRules::numpy ? resolve(op, operands) : resolve_as_torch(op, operands);
}

enum class Reduction : uint8_t { sum, product, maximum, minimum, any, all };
DType accumulator(Reduction reduction, DType type);  // what it adds up in: float32 for 16-bit reals

// The type of all operands together: NumPy's result_type.
DType common_type(std::span<const OperandType> operands);

// The same by JAX's rules.
DType common_type_as_keras(std::span<const OperandType> operands);

// PyTorch's result_type and promote_types.
DType common_type_as_torch(std::span<const OperandType> operands);
DType promote_as_torch(DType a, DType b);
// May a result be written to a tensor in place? Its kind may not fall: bool, integer, real, complex. PyTorch's can_cast.
bool can_write_as_torch(DType result, DType into);
// The type of a sum, a product and their running forms: integers and bool are added in int64.
DType sum_type_as_torch(DType type);
// What PyTorch calls a type in its errors: "Long" for int64.
std::string_view torch_name_of(DType type);
// The type of Python's float, and of integers divided and rooted: float32, unless set_default_dtype() changes it.
DType torch_default();
void set_torch_default(DType type);

DType real_part_type(DType type);  // complex64 -> float32; others as they are
bool is_integer(DType type);       // bool is none
bool is_complex(DType type);

}  // namespace quern
