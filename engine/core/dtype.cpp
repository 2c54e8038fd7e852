#include "core/dtype.h"

#include "core/error.h"
#include "core/record.h"

namespace quern {

namespace {

constexpr DType integer_of(size_t size, bool is_signed) {
  switch (size) {
    case 1:
      return is_signed ? DType::int8 : DType::uint8;
    case 2:
      return is_signed ? DType::int16 : DType::uint16;
    case 4:
      return is_signed ? DType::int32 : DType::uint32;
    default:
      return is_signed ? DType::int64 : DType::uint64;
  }
}

// The smallest real type that holds an integer type: its mantissa has more bits than the integer, float64 at most.
constexpr DType real_for(DType type) {
  const DTypeRow& r = row(type);
  if (rank(r.kind) == 0) return DType::float16;
  if (rank(r.kind) == 2) return type;
  if (r.size == 1) return DType::float16;
  if (r.size == 2) return DType::float32;
  return DType::float64;
}

constexpr DType promote_integers(DType a, DType b) {
  const DTypeRow &ra = row(a), &rb = row(b);
  bool sa = ra.kind == DTypeKind::integer, sb = rb.kind == DTypeKind::integer;
  if (sa == sb) return ra.size >= rb.size ? a : b;
  const DTypeRow& natural = sa ? rb : ra;
  const DTypeRow& integer = sa ? ra : rb;
  if (integer.size > natural.size) return sa ? a : b;
  return natural.size == 8 ? DType::float64 : integer_of(natural.size * 2u, true);
}

constexpr DType promote_reals(DType a, DType b) {
  if (a == b) return a;
  bool halves = row(a).size == 2 && row(b).size == 2;  // float16 with bfloat16
  if (halves) return DType::float32;
  return row(a).size >= row(b).size ? a : b;
}

// A complex type's part, and back.
constexpr DType part(DType type) {
  return type == DType::complex64 ? DType::float32 : type == DType::complex128 ? DType::float64 : type;
}
constexpr DType complex_of(DType real) { return real == DType::float64 ? DType::complex128 : DType::complex64; }

// bfloat16 holds no 16-bit integer and NumPy's ml_dtypes extension promotes 8-bit ones to it.
constexpr DType promote_real_integer(DType real, DType integer) {
  if (real == DType::bfloat16) {
    const DTypeRow& r = row(integer);
    if (r.kind == DTypeKind::boolean || r.size == 1) return DType::bfloat16;
    return r.size == 2 ? DType::float32 : DType::float64;
  }
  return promote_reals(real, real_for(integer));
}

constexpr DType promote_one(DType a, DType b) {
  if (a == b) return a;
  int ra = rank(row(a).kind), rb = rank(row(b).kind);
  if (ra < rb) return promote_one(b, a);
  if (rb == 0) return a;  // bool takes the other's type
  if (ra == 1) return promote_integers(a, b);
  if (ra == 2) return rb == 2 ? promote_reals(a, b) : promote_real_integer(a, b);
  return complex_of(promote_one(part(a), part(b)));
}

using Table = std::array<std::array<DType, dtype_count>, dtype_count>;

constexpr Table make_promotion() {
  Table table{};
  for (int a = 0; a < dtype_count; ++a)
    for (int b = 0; b < dtype_count; ++b) table[a][b] = promote_one(static_cast<DType>(a), static_cast<DType>(b));
  return table;
}

constexpr Table promotion = make_promotion();

}  // namespace

std::optional<DType> dtype_named(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i)
    if (dtype_rows[i].name == name) return static_cast<DType>(i);
  return record_named(name);
}

DType promote(DType a, DType b) {
  if (is_record(a) || is_record(b)) {
    if (are_same_records(a, b)) return record_of(a).joined.value_or(unit_of(a) < unit_of(b) ? b : a);
    raise(ErrorKind::type, "The DTypes {} and {} do not have a common DType", row(a).name, row(b).name);
  }
  return promotion[static_cast<size_t>(a)][static_cast<size_t>(b)];
}

DType promote(DType a, WeakScalar b) {
  if (is_record(a)) return a;
  int have = rank(row(a).kind), want = static_cast<int>(b);
  if (want <= have) return a;
  switch (b) {
    case WeakScalar::integer:
      return DType::int64;
    case WeakScalar::real:
      return DType::float64;
    case WeakScalar::complex:
      return have == 2 ? complex_of(a) : DType::complex128;
    default:
      return a;
  }
}

bool can_cast_same_kind(DType from, DType to) {
  const int one = rank(row(from).kind), other = rank(row(to).kind);
  if (one != other) return one < other;
  return row(from).kind != DTypeKind::integer || row(to).kind != DTypeKind::natural;
}

bool can_cast_safely(DType from, DType to) {
  if (is_record(from) || is_record(to)) return are_same_records(from, to);
  return promote(from, to) == to;
}

}  // namespace quern
