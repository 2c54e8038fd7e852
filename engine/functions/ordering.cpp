#include "functions/ordering.h"

#include <algorithm>

#include "core/error.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
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

}  // namespace

Array ordered(const Array& array, bool descending, std::optional<size_t> axis) {
  if (!axis) return ordered(raveled(array, Order::c), descending, 0);
  if (!is_complex(array.dtype())) return sorted(array, descending, *axis);
  Array lines = with_last(array, *axis);
  Array out = from_last(picked(lines, sorted_places(lines, descending)), *axis);
  GraphLock lock;
  return arranged(out, copied_layout(array));
}

Array ordered_places(const Array& array, bool descending, std::optional<size_t> axis) {
  return axis ? sorted_places(array, descending, *axis) : sorted_places(raveled(array, Order::c), descending);
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
  std::vector<Array> lines;
  for (const Array& key : keys) {
    if (key.shape() != keys[0].shape())
      raise(ErrorKind::value, "[lexsort] keys of shapes {} and {}; all keys need to be the same shape",
            to_string(keys[0].shape()), to_string(key.shape()));
    if (key.rank() > 0) lines.push_back(with_last(key, axis));
  }
  if (lines.empty()) return full({}, whole(0), DType::int64, keys[0].device());
  Array places = sorted_places(lines[0], false);
  for (size_t k = 1; k < lines.size(); ++k) places = picked(places, sorted_places(picked(lines[k], places), false));
  return in_order(from_last(places, axis), Order::c);
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
