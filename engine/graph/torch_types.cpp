// The types of results by PyTorch's rules, which differ from NumPy's in three ways.
//
// Kinds come first (bool, integer, real, complex), then who has them: tensors with dimensions, tensors without, Python's numbers.
// An operand of a later group changes the result's type only where its kind is higher than those before it. A number of a higher
// kind brings the default type of its kind (int64, float32, complex64). And functions of reals take integers as the default real
// type, however wide they are.
//
// What PyTorch has no loop for is refused, also uint16, uint32 and uint64 in most functions. tests/python/data/torch_types.json
// has what PyTorch itself answers; each rule here was checked against it.
#include "core/error.h"
#include "graph/op.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string_view>
#include <utility>

namespace quern {

namespace {

std::atomic<DType> default_real{DType::float32};

// Complex types of 16-bit parts are PyTorch's alone. They occur as results of half precision with a complex number.
enum class Half : uint8_t { none, float16, bfloat16 };

// A type of a result while it is looked for.
struct Found {
  DType dtype;
  Half half = Half::none;  // dtype is complex64, and stands for a complex type of such parts
};

int rank(DType type) {
  DTypeKind kind = row(type).kind;
  if (kind == DTypeKind::record)
    raise(ErrorKind::type, "no common dtype for structured and numeric arrays; select a field, as in `a['x']`");
  return quern::rank(kind);
}

bool is_wide_natural(DType type) { return row(type).kind == DTypeKind::natural && row(type).size > 1; }

Found complex_with(DType part) {
  switch (part) {
    case DType::float16:
      return {DType::complex64, Half::float16};
    case DType::bfloat16:
      return {DType::complex64, Half::bfloat16};
    case DType::float64:
      return {DType::complex128};
    default:
      return {DType::complex64};
  }
}

Found of_number(WeakScalar kind) {
  switch (kind) {
    case WeakScalar::boolean:
      return {DType::boolean};
    case WeakScalar::integer:
      return {DType::int64};
    case WeakScalar::real:
      return {default_real};
    default:
      return complex_with(default_real);
  }
}

// Of one group and all that come after it.
Found followed_by(Found group, Found later) {
  int here = rank(group.dtype), there = rank(later.dtype);
  if (there <= here) return group;
  if (here == 2) return complex_with(group.dtype);
  if (here == 0 && there == 1) promote_as_torch(group.dtype, later.dtype);  // which wide naturals refuse
  return later;
}

Found common(std::span<const OperandType> operands) {
  std::optional<Found> groups[3];  // with dimensions, without, numbers
  for (const OperandType& o : operands) {
    std::optional<Found>& group = groups[o.is_weak ? 2 : o.is_0d ? 1 : 0];
    Found type = o.is_weak ? of_number(o.weak) : Found{o.dtype};
    if (!group)
      group = type;
    else if (type.half != group->half)  // of numbers: the complex one
      group = type.half == Half::none ? *group : type;
    else
      group->dtype = promote_as_torch(group->dtype, type.dtype);
  }
  std::optional<Found> all;
  for (int i = 2; i >= 0; --i)
    if (groups[i]) all = all ? followed_by(*groups[i], *all) : *groups[i];
  return all.value_or(Found{default_real});
}

[[noreturn]] void no_half_complex(Half half) {
  raise(ErrorKind::not_implemented, "the result dtype {} is not supported; convert to float32 before",
        half == Half::float16 ? "complex32" : "bcomplex32");
}

// Which types an op computes in.
enum Takes : uint8_t {
  booleans = 1,
  integers = 2,  // int8 to int64, and uint8
  naturals = 4,  // uint16, uint32, uint64
  reals = 8,     // of 32 and 64 bits
  complexes = 16,
  halves = 32,
  any_floats = reals | halves,
  real_numbers = integers | any_floats,
  all_integers = booleans | integers | naturals,
  any_real = all_integers | any_floats,
  any = any_real | complexes,
};

uint8_t what_is(DType type) {
  switch (rank(type)) {
    case 0:
      return booleans;
    case 1:
      return is_wide_natural(type) ? naturals : integers;
    case 2:
      return row(type).size == 2 ? halves : reals;
    default:
      return complexes;
  }
}

enum class Gives : uint8_t {
  same,        // the operands' common type
  real,        // integers and bool become the default real type
  wide,        // float64, complex128
  test,        // bool
  truth,       // bool, of operands that are bools then
  parts,       // of complex the type of the parts
  bool_as_int  // bool becomes int64
};

struct Rule {
  Gives gives;
  uint8_t takes;
};

// Where the row's typing does not say it.
Rule rule_of(Op op) {
  switch (op) {
    case Op::positive:
      return {Gives::same, any & ~booleans};
    case Op::add:
      return {Gives::same, any & ~naturals};
    case Op::multiply:
    case Op::conjugate:
    case Op::cast:
    case Op::where:
      return {Gives::same, any};
    case Op::equal:
    case Op::not_equal:
      return {Gives::test, any};
    case Op::negative:
    case Op::subtract:
    case Op::power:
      return {Gives::same, real_numbers | complexes};
    case Op::true_divide:
    case Op::reciprocal:
      return {Gives::real, any};
    case Op::floor_divide:
    case Op::remainder:
    case Op::fmod:
    case Op::relu:
      return {Gives::same, any_real & ~booleans};
    case Op::square:
      return {Gives::bool_as_int, real_numbers | complexes};
    case Op::absolute:
      return {Gives::parts, real_numbers | complexes};
    case Op::sign:  // sgn(); sign() has no complex numbers. There is no kernel for bools, which stay as they are
      return {Gives::same, any & ~naturals & ~booleans};
    case Op::maximum:
    case Op::minimum:
    case Op::fmax:
    case Op::fmin:
      return {Gives::same, any_real};
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return {Gives::test, any_real};
    case Op::logical_not:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
      return {Gives::truth, any & ~naturals};
    case Op::rint:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
      return {Gives::same, any_real & ~booleans};
    case Op::heaviside:  // the front end composes that of integers from other operations
      return {Gives::same, any_floats};
    case Op::hypot:
    case Op::nextafter:
    case Op::frexp_mantissa:
    case Op::frexp_exponent:
    case Op::logaddexp:
    case Op::logaddexp2:
    case Op::gammainc:
    case Op::gammaincc:
      return {Gives::same, any_floats};
    case Op::log_ndtr:
    case Op::ndtri:
    case Op::erfcx:
    case Op::bessel_j0:
    case Op::bessel_j1:
    case Op::bessel_y0:
    case Op::bessel_y1:
    case Op::bessel_k0:
    case Op::bessel_k1:
    case Op::bessel_k0_scaled:
    case Op::bessel_k1_scaled:
      return {Gives::real, any_real & ~halves};
    case Op::gcd:
    case Op::lcm:
    case Op::left_shift:
    case Op::right_shift:
      return {Gives::same, integers};
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
      return {Gives::same, all_integers};
    case Op::invert:
      return {Gives::same, booleans | integers};
    default:
      break;
  }
  switch (row(op).typing) {
    case Typing::real_of:
      return {Gives::real, any};
    case Typing::real_only:  // PyTorch's sigmoid() takes complex numbers too; there is no such kernel
      return {Gives::real, any_real};
    case Typing::widest:
      return {Gives::wide, any};
    case Typing::test:
      return {Gives::test, any};
    case Typing::sign_test:
      return {Gives::test, any_real};
    default:
      bug("an op without a rule for its types: {}", row(op).name);
  }
}

bool is_boolean(const OperandType& o) { return o.is_weak ? o.weak == WeakScalar::boolean : o.dtype == DType::boolean; }
bool is_complex_operand(const OperandType& o) { return o.is_weak ? o.weak == WeakScalar::complex : is_complex(o.dtype); }

// What PyTorch refuses before it looks for a loop.
void check_operands(Op op, std::span<const OperandType> operands) {
  auto refuse = [](std::string_view text) { raise(ErrorKind::not_implemented, "{}", text); };
  auto any_is = [&](auto&& what) { return std::any_of(operands.begin(), operands.end(), what); };
  bool is_any_complex = any_is(is_complex_operand);
  switch (op) {
    case Op::subtract:
      if (is_boolean(operands[0]) && is_boolean(operands[1]))
        refuse(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
            "instead.");
      if (any_is(is_boolean))
        refuse("Subtraction, the `-` operator, with a bool tensor is not supported. To invert a mask, use `~` or logical_not().");
      return;
    case Op::negative:
      if (is_boolean(operands[0]))
        refuse("Negation, the `-` operator, on a bool tensor is not supported. To invert a mask, use `~` or logical_not().");
      return;
    case Op::positive:
      if (is_boolean(operands[0])) refuse("The `+` operator, on a bool tensor is not supported.");
      return;
    case Op::maximum:
    case Op::minimum:
    case Op::fmax:
    case Op::fmin:
      if (is_any_complex) raise(ErrorKind::type, "{} not implemented for complex tensors.", name_of(op));
      return;
    case Op::heaviside:
      if (is_any_complex) refuse("heaviside is not yet implemented for complex tensors.");
      if (operands[0].dtype != operands[1].dtype)
        raise(ErrorKind::runtime, "heaviside is not yet implemented for tensors with different dtypes.");
      return;
    case Op::relu:
      if (is_boolean(operands[0])) raise(ErrorKind::runtime, "Boolean inputs not supported for relu");
      return;
    case Op::frexp_mantissa:
    case Op::frexp_exponent:
      if (rank(operands[0].dtype) != 2) raise(ErrorKind::runtime, "torch.frexp() only supports floating-point dtypes");
      return;
    case Op::where:
      if (operands[0].dtype != DType::boolean && operands[0].dtype != DType::uint8)
        raise(ErrorKind::runtime, "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
              torch_name_of(operands[0].dtype));
      return;
    default:
      return;
  }
}

// Exponents that are integers do not change the type of reals.
Found ldexp_type(std::span<const OperandType> operands) {
  auto rank_of = [](const OperandType& o) { return o.is_weak ? static_cast<int>(o.weak) : rank(o.dtype); };
  int base = rank_of(operands[0]), exponent = rank_of(operands[1]);
  if (exponent >= 2 || base == 3) return common(operands);
  if (base < 2) return {default_real};
  DType type = operands[1].dtype;
  if (!operands[1].is_weak && (type == DType::boolean || is_wide_natural(type)))
    raise(ErrorKind::not_implemented, "\"ldexp\" not implemented for '{}'", torch_name_of(type));
  return common(operands.first(1));
}

// A power with a number may be a copy, which needs no loop; but a bool to the power of a tensor does.
bool needs_no_loop(Op op, std::span<const OperandType> operands) {
  return op == Op::power && (operands[1].is_weak || (operands[0].is_weak && operands[0].weak != WeakScalar::boolean));
}

// The type that the operands have together.
Found type_of(Op op, std::span<const OperandType> operands, Gives gives) {
  if (gives == Gives::wide)
    return {std::none_of(operands.begin(), operands.end(), is_complex_operand) ? DType::float64 : DType::complex128};
  if (op == Op::equal || op == Op::not_equal) return {common(operands).dtype};  // also of what would be complex32
  if (op == Op::ldexp) return ldexp_type(operands);
  return common(op == Op::where ? operands.subspan(1) : operands);
}

[[noreturn]] void cannot_write(std::string_view result, DType into) {
  raise(ErrorKind::runtime, "result type {} can't be cast to the desired output type {}", result, torch_name_of(into));
}

Loop loop_of(Gives gives, DType type) {
  switch (gives) {
    case Gives::same:
    case Gives::wide:
      break;
    case Gives::real:
      if (rank(type) < 2) type = default_real;
      break;
    case Gives::test:
      return {type, DType::boolean};
    case Gives::truth:
      return {DType::boolean, DType::boolean};
    case Gives::parts:
      return {type, real_part_type(type)};
    case Gives::bool_as_int:
      if (type == DType::boolean) type = DType::int64;
      break;
  }
  return {type, type};
}

}  // namespace

std::string_view torch_name_of(DType type) {
  constexpr std::string_view names[] = {"Bool",   "Char", "Short",    "Int",   "Long",   "Byte",         "UInt16",       "UInt32",
                                        "UInt64", "Half", "BFloat16", "Float", "Double", "ComplexFloat", "ComplexDouble"};
  static_assert(std::size(names) == dtype_count);
  return is_record(type) ? row(type).name : names[static_cast<size_t>(type)];
}

DType torch_default() { return default_real; }

void set_torch_default(DType type) {
  if (row(type).kind != DTypeKind::real) raise(ErrorKind::type, "only floating-point types are supported as the default type");
  default_real = type;
}

DType promote_as_torch(DType a, DType b) {
  if (a == b) return a;
  for (auto [wide, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (!is_wide_natural(wide)) continue;
    if (rank(other) == 2) return other;
    raise(ErrorKind::runtime, "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {} and {}",
          torch_name_of(a), torch_name_of(b));
  }
  int rank_a = rank(a), rank_b = rank(b);
  if (rank_a == rank_b) return promote(a, b);
  DType lower = rank_a < rank_b ? a : b, higher = rank_a < rank_b ? b : a;
  return rank(lower) == 2 ? promote(lower, higher) : higher;  // float64 with complex64
}

DType common_type_as_torch(std::span<const OperandType> operands) {
  Found type = common(operands);
  if (type.half != Half::none) no_half_complex(type.half);
  return type.dtype;
}

bool can_write_as_torch(DType result, DType into) { return rank(result) <= rank(into); }

DType sum_type_as_torch(DType type) { return rank(type) < 2 ? DType::int64 : type; }

Loop resolve_as_torch(Op op, std::span<const OperandType> operands, std::optional<DType> into) {
  const OpRow& r = row(op);
  if (r.typing == Typing::random || r.typing == Typing::seeded || r.typing == Typing::count) return resolve(op, operands);
  check_operands(op, operands);
  Rule rule = rule_of(op);
  auto [type, half] = type_of(op, operands, rule.gives);
  if (half != Half::none) {
    bool is_written = into && rule.gives != Gives::test && rule.gives != Gives::truth;
    if (is_written && !is_complex(*into)) cannot_write(half == Half::float16 ? "ComplexHalf" : "BComplex32", *into);
    no_half_complex(half);
  }
  Loop loop = loop_of(rule.gives, type);
  if (into && !can_write_as_torch(loop.result, *into)) cannot_write(torch_name_of(loop.result), *into);
  if (into && op == Op::absolute && is_complex(type))
    raise(ErrorKind::runtime, "In-place abs is not supported for complex tensors.");
  if (!(rule.takes & what_is(type)) && !(rule.gives == Gives::bool_as_int && type == DType::boolean) &&
      !needs_no_loop(op, operands))
    raise(ErrorKind::not_implemented, "\"{}\" not implemented for '{}'", r.name, torch_name_of(type));
  return loop;
}

}  // namespace quern
