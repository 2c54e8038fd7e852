#include "functions/ordering.h"

#include <algorithm>

#include "core/error.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/records.h"
#include "run/calls/indexing.h"
#include "run/calls/sorting.h"

namespace quern {

using namespace steps;

namespace {

void check_kth(const Array& array, std::optional<size_t> axis, const std::vector<int64_t>& kth) {
  int64_t n = axis ? array.shape()[*axis] : array.size();
  for (int64_t k : kth)
    if (n > 0 && (k < -n || k >= n)) raise(ErrorKind::value, "[partition] kth(={}) out of bounds ({})", k, n);
}

// What records are compared by, first things first: the numbers in their fields; of what has axes or no meaning the bytes.
void add_keys(const Array& records, std::vector<Array>& keys) {
  const RecordType& type = record_of(records.dtype());
  auto add_bytes = [&](int64_t start, size_t count) {
    for (size_t i = 0; i < count; ++i) keys.push_back(field(records, {"", DType::uint8, start + static_cast<int64_t>(i)}));
  };
  for (const RecordField& f : type.fields) {
    if (!f.shape.empty()) {
      add_bytes(f.offset, size_of(f.dtype) * static_cast<size_t>(Layout::contiguous(f.shape).size()));
      continue;
    }
    const Array part = settled(field(records, f));
    if (is_record(part.dtype()))
      add_keys(part, keys);
    else
      keys.push_back(part);
  }
  if (type.fields.empty()) add_bytes(0, type.size);
}

Array places_by(const std::vector<Array>& keys, size_t axis, bool descending) {
  if (keys[0].rank() == 0) return full({}, whole(0), DType::int64, keys[0].device());
  std::optional<Array> places;
  for (const Array& key : keys) {
    Array line = with_last(key, axis);
    places = places ? picked(*places, sorted_places(picked(line, *places), descending)) : sorted_places(line, descending);
  }
  return in_order(from_last(*places, axis), Order::c);
}

}  // namespace

Array ordered(const Array& array, bool descending, std::optional<size_t> axis) {
  if (!axis) return ordered(raveled(array, Order::c), descending, 0);
  if (!is_complex(array.dtype()) && !is_record(array.dtype())) return sorted(array, descending, *axis);
  if (array.rank() == 0) return copied(array, array.dtype());
  Array lines = with_last(array, *axis);
  Array out = from_last(picked(lines, ordered_places(lines, descending, lines.rank() - 1)), *axis);
  GraphLock lock;
  return arranged(out, copied_layout(array));
}

Array ordered_places(const Array& array, bool descending, std::optional<size_t> axis) {
  if (!axis) return ordered_places(raveled(array, Order::c), descending, 0);
  const Array numbers = settled(array);
  if (!is_record(numbers.dtype())) return sorted_places(numbers, descending, *axis);
  std::vector<Array> keys;
  add_keys(numbers, keys);
  std::reverse(keys.begin(), keys.end());
  return places_by(keys, *axis, descending);
}

Array partitioned(const Array& array, std::optional<size_t> axis, const std::vector<int64_t>& kth) {
  check_kth(array, axis, kth);
  return ordered(array, false, axis);
}
Array partitioned_places(const Array& array, std::optional<size_t> axis, const std::vector<int64_t>& kth) {
  check_kth(array, axis, kth);
  return ordered_places(array, false, axis);
}

Array sorted_places_by(const std::vector<Array>& keys, size_t axis) {
  if (keys.empty()) raise(ErrorKind::type, "[lexsort] there are no keys; give one or more");
  for (const Array& key : keys) {
    if (key.shape() != keys[0].shape())
      raise(ErrorKind::value, "[lexsort] keys of shapes {} and {}; all keys need to be the same shape",
            to_string(keys[0].shape()), to_string(key.shape()));
  }
  return places_by(keys, axis, false);
}

Array extreme(const Array& array, std::optional<size_t> axis, bool keep_dims, bool least) {
  Array lines = axis ? with_last(array, *axis) : raveled(array, Order::c);
  if (last_size(lines) == 0)
    raise(ErrorKind::value, "[{}] there is nothing to choose from: the sequence is empty", least ? "argmin" : "argmax");
  Array out = extreme_places(lines, least);
  if (!keep_dims) return out;
  Shape shape = axis ? array.shape() : Shape(array.rank(), 1);
  if (axis) shape[*axis] = 1;
  return reshape(out, shape);
}

Array searched(const Array& array, const Array& values, bool right, const Array* sorter) {
  if (array.rank() != 1) raise(ErrorKind::value, "[searchsorted] the sorted array has {} axes; give it one", array.rank());
  Array in = array;
  if (sorter) {
    if (!is_integer(sorter->dtype()))
      raise(ErrorKind::type, "[searchsorted] the sorter must have integers, not {}", row(sorter->dtype()).name);
    if (sorter->shape() != array.shape())
      raise(ErrorKind::value, "[searchsorted] the sorter has {} places for {} elements; give as many", sorter->size(),
            array.size());
    in = take_along(array, *sorter, 0);
  }
  DType type = common(array.dtype(), values.dtype());
  return places_in(as_type(in, type), as_type(values, type), right);
}

}  // namespace quern
