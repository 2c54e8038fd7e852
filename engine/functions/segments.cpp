// Rows of an array that belong together by numbers of segments: their sums, products and extremes.
#include <cstdint>
#include <optional>

#include "graph/array.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/indexing.h"

namespace quern {

using namespace steps;

namespace {

// Numbers, each of a row of `data`; those that name no segment are `count`.
struct Segments {
  Array data, numbers;
  int64_t count;

  Segments(const Array& rows, const Array& given, std::optional<int64_t> wanted) : data(rows), numbers(given), count(0) {
    if (!is_whole(given.dtype()))
      raise(ErrorKind::type, "Argument `segment_ids` must be integers, not {}", row(given.dtype()).name);
    if (given.rank() > rows.rank() || !std::equal(given.shape().begin(), given.shape().end(), rows.shape().begin()))
      raise(ErrorKind::value, "Argument `segment_ids` of shape {} does not match the first axis of `data` of shape {}",
            to_string(given.shape()), to_string(rows.shape()));
    if (wanted) {
      count = *wanted;
    } else if (given.size() > 0) {
      const Array most = reduce(Reduction::maximum, detached(given), std::vector<bool>(given.rank(), true), false);
      count = values_of<int64_t>(most)[0] + 1;
    }
    if (count < 0) raise(ErrorKind::value, "Argument `num_segments` must not be negative. Received: num_segments={}", count);
    numbers = as_type(given, DType::int64);
    const Array is_none = logical_or(less(numbers, 0), greater_equal(numbers, count));
    numbers = where(is_none, count, numbers);
  }
};

Array of_each(Reduction reduction, const Segments& of, const Scalar& neutral) {
  const DType type = of.data.dtype();
  const int64_t rows = of.numbers.size();
  const auto given = static_cast<ptrdiff_t>(of.numbers.rank());
  Shape lines{rows};
  lines.insert(lines.end(), of.data.shape().begin() + given, of.data.shape().end());
  Shape sizes(lines.size() + 1, 1);
  sizes[1] = rows;
  if (rows == 0) {
    lines[0] = of.count;
    return full(lines, neutral, type, of.data.device());
  }
  const Array numbers = reshape(of.numbers, sizes);
  sizes[1] = 1, sizes[0] = of.count;
  const Array belongs = equal(numbers, reshape(arange(of.count, of.data.device()), sizes));
  const Array empty = full({}, neutral, type, of.data.device());
  return reduced(reduction, where(belongs, expand_dims(reshape(of.data, lines), 0), empty), 1, false, type);
}

// What no element of a type is beyond.
Scalar end_of(DType type, bool is_last) {
  if (!is_whole(type))
    return real_number(is_last ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity());
  if (type == DType::boolean) return whole(is_last);
  const bool is_signed = row(type).kind == DTypeKind::integer;
  const size_t bits = 8 * size_of(type) - is_signed;
  if (!is_last) return whole(is_signed ? std::numeric_limits<int64_t>::min() >> (63 - bits) : 0);
  Scalar out = whole(0);
  out.natural = std::numeric_limits<uint64_t>::max() >> (64 - bits);
  out.is_natural = bits == 64;
  out.integer = static_cast<int64_t>(out.natural);
  return out;
}

}  // namespace

// One result for each of `count` segments; none: as many as the greatest number says, which is waited for. Numbers below 0, or
// from `count` on, belong to no segment. Of a segment without rows: 0, 1, or what every element is beyond. Raises
// ErrorKind::value for a negative count.
Array segment_sums(const Array& data, const Array& numbers, std::optional<int64_t> count) {
  const Segments of(data, numbers, count);
  Shape shape{of.count + 1};
  const auto given = static_cast<ptrdiff_t>(of.numbers.rank());
  shape.insert(shape.end(), data.shape().begin() + given, data.shape().end());
  const Array sums = full(shape, whole(0), data.dtype(), data.device());
  const Pick pick{0, of.numbers};
  put_add(sums, {&pick, 1}, data);
  return part(sums, 0, 0, of.count);
}
Array segment_products(const Array& data, const Array& numbers, std::optional<int64_t> count) {
  return of_each(Reduction::product, Segments(data, numbers, count), whole(1));
}
Array segment_maxima(const Array& data, const Array& numbers, std::optional<int64_t> count) {
  return of_each(Reduction::maximum, Segments(data, numbers, count), end_of(data.dtype(), false));
}
Array segment_minima(const Array& data, const Array& numbers, std::optional<int64_t> count) {
  return of_each(Reduction::minimum, Segments(data, numbers, count), end_of(data.dtype(), true));
}

}  // namespace quern
