// Orders made of sorts (run/calls/sorting.h), of every type: complex numbers by the real part, then by the imaginary one. Where
// an axis may be none, that is the flattened array.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/array.h"

namespace quern {

// A sorted copy, which lies as a copy does; and the places, int64, that sort: what is equal stays in its order. Records are
// compared by their fields, one after the other.
Array ordered(const Array& array, bool descending, std::optional<size_t> axis);
Array ordered_places(const Array& array, bool descending, std::optional<size_t> axis);

// The same with the elements `kth` where sorting puts them: all are. Raises ErrorKind::value for places that are not there.
Array partitioned(const Array& array, std::optional<size_t> axis, const std::vector<int64_t>& kth);
Array partitioned_places(const Array& array, std::optional<size_t> axis, const std::vector<int64_t>& kth);

// NumPy's: the names of methods change nothing; `fields`: records whose fields stand in the order in which they are compared.
struct SortMethod {};
struct SortFields {
  std::optional<Array> records;
};
Array sorted_copy(const Array& array, std::optional<size_t> axis, SortMethod, const SortFields& fields, bool descending);
Array sorting_places(const Array& array, std::optional<size_t> axis, SortMethod, const SortFields& fields, bool descending);
struct Nothing {};
Nothing sort_in_place(const Array& array, size_t axis, SortMethod, const SortFields& fields);
struct SelectMethod {};
struct Kth {
  std::vector<int64_t> places;
};
Array partitioned_copy(const Array& array, const Kth& kth, std::optional<size_t> axis, SelectMethod, const SortFields& fields);
Array partitioning_places(const Array& array, const Kth& kth, std::optional<size_t> axis, SelectMethod, const SortFields& fields);
Nothing partition_in_place(const Array& array, const Kth& kth, size_t axis, SelectMethod, const SortFields& fields);

// The places that order the lines by several keys: by the last one, where that is equal by the one before it. Raises
// ErrorKind::type for no keys, ErrorKind::value for keys of different shapes.
Array sorted_places_by(const std::vector<Array>& keys, size_t axis);
struct SortKeys {
  std::vector<Array> arrays;
};

// Where the greatest (or smallest) element stands first, int64; a NaN counts before all. Raises ErrorKind::value for nothing.
Array extreme(const Array& array, std::optional<size_t> axis, bool keep_dims, bool least);

// Where values have to go into a sorted array of one dimension, or one that `sorter` sorts: before what is equal, or after it
// (`right`). Raises ErrorKind::value for other shapes, ErrorKind::type for a sorter that has no integers.
Array searched(const Array& array, const Array& values, bool right, const Array* sorter);

// Edges of bins that rise or fall; this reads them. Raises ErrorKind::value for such that do neither.
struct BinEdges {
  Array values;
  bool rise = true;
  bool has_nan_within = false;  // there is a NaN elsewhere than sorting has it
};
BinEdges bin_edges(const Array& values);

// An argument as an array: a number in the type that it has with the other array's.
Array array_beside(const Argument& given, const Array& array);

}  // namespace quern
