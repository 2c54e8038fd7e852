// Records: NumPy's structured and void types. The engine moves them about; it computes with their fields alone.
//
//   DType point = record_type("[('x', '<f4'), ('n', '<i8')]", 16, {{"x", DType::float32, 0}, {"n", DType::int64, 8}});
//   size_of(point) == 16, unit_of(point) == 8
//
// A record type is a DType of its own, made when it is first seen and kept for good. Layouts of records count in units, the
// largest piece (1, 2, 4 or 8 bytes) that a record's size is a multiple of: as fields are views, their steps need not be
// multiples of their own sizes. What nodes hold are numbers as wide as a unit, along one axis more (graph/records.h).
//
// A number whose places in memory are no multiples of its size, as a field of packed records, has a record type, too: `number`
// says of which type it is. It is read and written through copies.
#pragma once

#include "core/dtype.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

struct RecordField {
  std::string name;
  DType dtype;
  int64_t offset = 0;               // bytes from the record's start
  std::vector<int64_t> shape = {};  // of an array of them
};

struct RecordType {
  std::string text;  // equal texts, equal types
  size_t size = 0, unit = 1;
  std::vector<RecordField> fields;  // none: bytes without a meaning
  std::optional<DType> number;
  std::optional<DType> natural;  // with the widest units; none: this type
  std::optional<DType> joined;   // what results of several arrays have: the same fields without gaps; none: this type
};

// Raises ErrorKind::value beyond 65,000 types in a process.
DType record_type(std::string text, size_t size, std::vector<RecordField> fields, std::optional<DType> joined = std::nullopt);
std::optional<DType> record_named(std::string_view text);
const RecordType& record_of(DType type);  // of a record type
// The same type, whose layouts count in units of `unit` bytes or fewer; of a number, one that may lie at any multiple of them.
DType in_units_of(DType type, size_t unit);
// Equal but for their units; and the one with the widest.
bool are_same_records(DType a, DType b);
DType natural_of(DType record);

// Records in truth: not numbers that lie anywhere.
inline bool has_records(DType type) { return is_record(type) && !record_of(type).number; }
inline bool lies_anywhere(DType type) { return is_record(type) && record_of(type).number; }
// The number's type, of one that lies anywhere; other types as they are.
inline DType settled_type(DType type) { return lies_anywhere(type) ? *record_of(type).number : type; }

}  // namespace quern
