// Data types, and the one promotion table (NumPy 2's rules, NEP 50).
//
// Everything known of a DType (include/quern/dtype.h) of numbers stands in its row of `dtype_rows`; promote() looks up a table
// that dtype.cpp builds once from NumPy's rules, which are few: see make_promotion(). Structured types are in record.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "include/quern/dtype.h"

namespace quern {

inline constexpr int dtype_count = 15;  // of numbers

enum class DTypeKind : char { boolean = 'b', integer = 'i', natural = 'u', real = 'f', complex = 'c', record = 'V' };

// Kinds from the narrowest to the widest, as NumPy and PyTorch count them; records have none.
constexpr int rank(DTypeKind kind) {
  switch (kind) {
    case DTypeKind::natural:
    case DTypeKind::integer:
      return 1;
    case DTypeKind::real:
      return 2;
    case DTypeKind::complex:
      return 3;
    default:
      return 0;
  }
}

struct DTypeRow {
  std::string_view name;  // NumPy's name
  DTypeKind kind;
  uint32_t size;            // bytes
  std::string_view cuda;    // the type in CUDA C++
  std::string_view format;  // the buffer protocol's letter; "" where it has none
};

inline constexpr std::array<DTypeRow, dtype_count> dtype_rows{{
    {"bool", DTypeKind::boolean, 1, "bool", "?"},
    {"int8", DTypeKind::integer, 1, "signed char", "b"},
    {"int16", DTypeKind::integer, 2, "short", "h"},
    {"int32", DTypeKind::integer, 4, "int", "i"},
    {"int64", DTypeKind::integer, 8, "long long", "q"},
    {"uint8", DTypeKind::natural, 1, "unsigned char", "B"},
    {"uint16", DTypeKind::natural, 2, "unsigned short", "H"},
    {"uint32", DTypeKind::natural, 4, "unsigned int", "I"},
    {"uint64", DTypeKind::natural, 8, "unsigned long long", "Q"},
    {"float16", DTypeKind::real, 2, "__half", "e"},
    {"bfloat16", DTypeKind::real, 2, "__nv_bfloat16", ""},
    {"float32", DTypeKind::real, 4, "float", "f"},
    {"float64", DTypeKind::real, 8, "double", "d"},
    {"complex64", DTypeKind::complex, 8, "complex<float>", "Zf"},
    {"complex128", DTypeKind::complex, 16, "complex<double>", "Zd"},
}};

inline constexpr size_t first_record = 256;
constexpr bool is_record(DType type) { return static_cast<size_t>(type) >= first_record; }
const DTypeRow& record_row(DType type);
size_t record_unit(DType type);

constexpr const DTypeRow& row(DType type) { return is_record(type) ? record_row(type) : dtype_rows[static_cast<size_t>(type)]; }
constexpr size_t size_of(DType type) { return row(type).size; }
// The bytes that layouts of such arrays count in.
constexpr size_t unit_of(DType type) { return is_record(type) ? record_unit(type) : size_of(type); }

std::optional<DType> dtype_named(std::string_view name);  // structured types: by their text

// The type of a result of two typed operands: NumPy's result_type. Raises ErrorKind::type for structured types that differ.
DType promote(DType a, DType b);

// The type of a result of a typed operand and a Python scalar, which is weak: it takes the array's type unless its kind is
// higher (True < int < float < complex).
enum class WeakScalar : uint8_t { boolean, integer, real, complex };
DType promote(DType a, WeakScalar b);

// NumPy's can_cast(from, to, "safe") and "same_kind".
bool can_cast_safely(DType from, DType to);
bool can_cast_same_kind(DType from, DType to);

}  // namespace quern
