#include "functions/ordering.h"

#include <algorithm>

#include "core/error.h"
#include "functions/parts.h"
#include "functions/picking.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/records.h"
#include "graph/tape.h"
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
  if (keys.empty()) raise(ErrorKind::type, "[lexsort] need sequence of keys with len > 0 in lexsort");
  for (const Array& key : keys) {
    if (key.shape() != keys[0].shape())
      raise(ErrorKind::value, "[lexsort] keys of shapes {} and {}; all keys need to be the same shape",
            to_string(keys[0].shape()), to_string(key.shape()));
  }
  return places_by(keys, axis, false);
}

static const Array& compared(const Array& array, const SortFields& fields) { return fields.records ? *fields.records : array; }
static Array with_type_of(const Array& ordered, const Array& array) {
  return ordered.dtype() == array.dtype() ? ordered : viewed(ordered, {}, array.dtype());
}

Array sorted_copy(const Array& array, std::optional<size_t> axis, SortMethod, const SortFields& fields, bool descending) {
  return with_type_of(ordered(compared(array, fields), descending, axis), array);
}
Array sorting_places(const Array& array, std::optional<size_t> axis, SortMethod, const SortFields& fields, bool descending) {
  return ordered_places(untaped(compared(array, fields)), descending, axis);
}
Nothing sort_in_place(const Array& array, size_t axis, SortMethod, const SortFields& fields) {
  assign(array, Argument(sorted_copy(array, axis, {}, fields, false)));
  return {};
}

Array partitioned_copy(const Array& array, const Kth& kth, std::optional<size_t> axis, SelectMethod, const SortFields& fields) {
  return with_type_of(partitioned(compared(array, fields), axis, kth.places), array);
}
Array partitioning_places(const Array& array, const Kth& kth, std::optional<size_t> axis, SelectMethod,
                          const SortFields& fields) {
  return partitioned_places(untaped(compared(array, fields)), axis, kth.places);
}
Nothing partition_in_place(const Array& array, const Kth& kth, size_t axis, SelectMethod, const SortFields& fields) {
  assign(array, Argument(partitioned_copy(array, kth, axis, {}, fields)));
  return {};
}

// In complex numbers.
Array sorted_as_complex(const Array& array) {
  Array out = ordered(array, false, array.rank() - 1);
  if (is_complex(out.dtype())) return out;
  const bool is_short = is_integer(out.dtype()) && size_of(out.dtype()) < 4;
  return astype(out, is_short ? DType::complex64 : DType::complex128);
}

Array sorting_places_by(const SortKeys& keys, std::optional<size_t> axis) {
  std::vector<Array> shown;
  for (const Array& key : keys.arrays) shown.push_back(untaped(key));
  Array out = sorted_places_by(shown, axis.value_or(shown[0].rank() > 0 ? shown[0].rank() - 1 : 0));
  out.set_value(out.rank() == 0);
  return out;
}

Array extreme(const Array& array, std::optional<size_t> axis, bool keep_dims, bool least) {
  Array lines = axis ? with_last(array, *axis) : array.rank() == 1 ? array : raveled(array, Order::c);
  if (last_size(lines) == 0)
    raise(ErrorKind::value, "[{0}] attempt to get {0} of an empty sequence", least ? "argmin" : "argmax");
  Array out = extreme_places(lines, least);
  if (!keep_dims) return out;
  Shape shape = axis ? array.shape() : Shape(array.rank(), 1);
  if (axis) shape[*axis] = 1;
  return reshape(out, shape);
}

Array searched(const Array& array, const Array& values, bool right, const Array* sorter) {
  if (array.rank() != 1) raise(ErrorKind::value, "[searchsorted] the sorted array must be 1-D, not {}-D", array.rank());
  Array in = array;
  if (sorter) {
    if (!is_integer(sorter->dtype()))
      raise(ErrorKind::type, "[searchsorted] sorter must only contain integers, not {}", row(sorter->dtype()).name);
    if (sorter->shape() != array.shape())
      raise(ErrorKind::value, "[searchsorted] sorter.size must equal a.size: {} != {}", sorter->size(), array.size());
    in = take_along(array, *sorter, 0);
  }
  DType type = common(array.dtype(), values.dtype());
  return places_in(as_type(in, type), as_type(values, type), right);
}

// The same, and a number where the values are one. `side` is "left" or "right": raises ErrorKind::value for another.
Array places_in_sorted(const Array& array, const Array* values, std::string_view side, const Array* sorter) {
  if (side != "left" && side != "right") raise(ErrorKind::value, "search side must be 'left' or 'right' (got '{}')", side);
  if (!values) raise(ErrorKind::type, "[searchsorted] there are no values to search for; v must be an array, not None");
  Array out = searched(untaped(array), untaped(*values), side == "right", sorter);
  out.set_value(out.rank() == 0);
  return out;
}

BinEdges bin_edges(const Array& values) {
  if (values.rank() != 1)
    raise(ErrorKind::value, "object {} desired array", values.rank() > 1 ? "too deep for" : "of too small depth for");
  BinEdges out{untaped(values)};
  const int64_t n = values.size();
  if (n < 2) return out;
  Array before = part(out.values, 0, 0, n - 1), after = part(out.values, 0, 1, n);
  auto any = [](const Array& test) { return reduced(Reduction::any, test, -1, true); };
  Array nan = isnan(out.values), ends = part(nan, 0, 0, n - 1), begins = part(nan, 0, 1, n);
  std::vector<Array> tests = {any(less(after, before)), any(greater(after, before)), any(greater(ends, begins)),
                              any(less(ends, begins)), any(nan)};
  std::vector<uint8_t> found = values_of<uint8_t>(joined(tests, 0));
  if (found[0] && found[1]) raise(ErrorKind::value, "bins must be monotonically increasing or decreasing");
  out.rise = found[1] || (!found[0] && !found[4]);  // to NumPy what begins with a NaN falls
  out.has_nan_within = out.rise ? found[2] : found[3];
  return out;
}

// The number of the bin that each element falls into; `right`: an edge belongs to the bin before it.
Array digitized(const Array& array, const BinEdges& edges, bool right) {
  if (is_complex(array.dtype())) raise(ErrorKind::type, "x may not be complex");
  Array values = untaped(array), places;
  if (edges.rise) {
    places = searched(edges.values, values, !right, nullptr);
  } else {
    const int64_t n = edges.values.size();
    places = subtract(n, searched(part(edges.values, 0, n - 1, -1, -1), values, !right, nullptr));
  }
  places.set_value(places.rank() == 0);
  return places;
}

Array array_beside(const Argument& given, const Array& array) {
  if (given.array()) return *given.array();
  const Scalar& number = given.scalar();
  DType type = array.dtype();
  if (number.kind == WeakScalar::real && is_whole(type)) type = DType::float64;  // it may have a fraction
  if (number.kind == WeakScalar::integer && is_integer(type) && !fits(number, type)) type = type_beyond(number, type);
  return full({}, number, type, array.device());
}

static Array in_lines(const Array& lines, const Array& values, bool right, bool is_short) {
  Array found;
  if (lines.rank() == 1) {
    found = searched(lines, values, right, nullptr);
  } else {
    Array line = expand_dims(lines, lines.rank() - 1), value = expand_dims(values, values.rank());
    found = reduced(Reduction::sum, compute(right ? Op::less_equal : Op::less, line, value), -1, false, DType::int64);
  }
  return as_type(found, is_short ? DType::int32 : DType::int64);
}

// PyTorch's: in each line of the last axis, or all in one line.
Array searched_in_lines(const Array& given, const Argument& given_values, bool right, std::optional<std::string_view> side,
                        const Array* sorter, bool is_short) {
  constexpr const char* name = "torch.searchsorted()";
  if (side && *side != "left" && *side != "right")
    raise(ErrorKind::runtime, "{}: side can only be 'left' or 'right' but got {}", name, *side);
  if (right && side == "left")
    raise(ErrorKind::runtime, "{}: side and right can't be set to opposites, got side of left while right was True", name);
  Array lines = untaped(given), values = untaped(array_beside(given_values, given));
  if (lines.rank() == 0 || (lines.rank() > 1 && values.rank() == 0))
    raise(ErrorKind::runtime,
          "{}: input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim({}) and "
          "input value's dim({}) numel({})",
          name, lines.rank(), values.rank(), values.size());
  Shape first(lines.shape().begin(), lines.shape().end() - 1);
  bool fits = lines.rank() == 1 || (values.rank() == lines.rank() &&
                                    std::equal(first.begin(), first.end(), values.shape().begin(), values.shape().end() - 1));
  if (!fits)
    raise(ErrorKind::runtime,
          "{}: boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor "
          "must match, but we got boundaries tensor {} and input value tensor {}",
          name, in_brackets(lines.shape()), in_brackets(values.shape()));
  if (sorter && sorter->shape() != lines.shape())
    raise(ErrorKind::runtime,
          "{}: boundary and sorter must have the same size, but got boundary tensor {}and got sorter tensor {}", name,
          in_brackets(lines.shape()), in_brackets(sorter->shape()));
  if (sorter && sorter->dtype() != DType::int64)
    raise(ErrorKind::runtime, "{}: sorter must be a tensor of long dtype but got dtype {}", name, torch_name_of(sorter->dtype()));
  if (sorter) lines = taken_along(lines, *sorter, lines.rank() - 1);
  return in_lines(lines, values, right || side == "right", is_short);
}

Array searched_between(const Array& boundaries, const Argument& values, bool right, bool is_short) {
  if (boundaries.rank() != 1)
    raise(ErrorKind::runtime, "boundaries tensor must be 1 dimension, but got dim({})", boundaries.rank());
  return in_lines(untaped(boundaries), untaped(array_beside(values, boundaries)), right, is_short);
}

}  // namespace quern
