#include "functions/ranking.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "core/error.h"
#include "functions/ordering.h"
#include "functions/picking.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/sorting.h"

namespace quern {

using namespace steps;

namespace {

Array place_of(const Array& array, std::optional<size_t> axis, bool keep_dims, std::optional<DType> dtype, bool least) {
  if (array.rank() == 0) axis = {};
  Array out = as_type(extreme(untaped(array), axis, keep_dims, least), dtype.value_or(DType::int64));
  out.set_value(out.rank() == 0);
  return out;
}

Ranked of_one_element(const Array& array) {
  return {copied(array, array.dtype()), full({}, whole(0), DType::int64, array.device())};
}

// What stands at one place of each line.
Ranked at_places(const Array& array, const Array& places, size_t axis, bool keep_dims) {
  const Array laid = in_result_order(places);  // which may be a part of those of all elements
  Ranked out{taken_along(array, laid, axis), laid};
  return keep_dims ? out : Ranked{without_axes(out.values, {axis}), without_axes(out.places, {axis})};
}

Ranked extreme_along(const Array& array, size_t axis, bool keep_dims, bool least) {
  if (array.rank() == 0) return of_one_element(array);
  return at_places(array, place_of(array, axis, true, {}, least), axis, keep_dims);
}

Array nan_of(const Array& array) { return isnan(array); }

int64_t size_along(const Array& array, size_t axis) { return array.shape()[axis]; }

Array numbers_along(const Array& array, size_t axis) {
  Shape shape(array.rank(), 1);
  shape[axis] = size_along(array, axis);
  return reshape(arange(shape[axis], array.device()), shape);
}

Ranked running_extreme(const Array& array, size_t axis, std::string_view op) {
  if (array.rank() == 0) return of_one_element(array);
  Array seen = untaped(array);
  if (seen.dtype() == DType::boolean) seen = astype(seen, DType::uint8);
  Array best = running(seen, op, axis);
  Array is_new = logical_or(equal(seen, best), nan_of(seen));
  Array places = running(where(is_new, numbers_along(array, axis), 0), "maximum", axis);
  return {taken_along(array, places, axis), places};
}

// One element for all; those equal to it share the derivative.
Array one_of_all(const Array& array, Ranked (*along)(const Array&, size_t, bool)) {
  if (is_complex(array.dtype())) raise(ErrorKind::not_implemented, "median(): does not support complex input");
  if (array.size() == 0) return full({}, real_number(std::numeric_limits<double>::quiet_NaN()), array.dtype(), array.device());
  Array shown = untaped(array), value = along(raveled(shown, Order::c), 0, false).values;
  if (!GradientMode::is_on() || !wants_gradient(array)) return value;
  Array both_nan = logical_and(nan_of(shown), nan_of(value));
  Array is_it = logical_or(equal(shown, value), both_nan);
  Array rest = where(is_it, array, -std::numeric_limits<double>::infinity());
  return reduce(Reduction::maximum, rest, std::vector<bool>(array.rank(), true), false, {});
}

}  // namespace

Array place_of_largest(const Array& array, std::optional<size_t> axis, bool keep_dims, std::optional<DType> dtype) {
  return place_of(array, axis, keep_dims, dtype, false);
}
Array place_of_smallest(const Array& array, std::optional<size_t> axis, bool keep_dims, std::optional<DType> dtype) {
  return place_of(array, axis, keep_dims, dtype, true);
}

// Places among what is no NaN, and whether there is nothing else.
struct AmongNumbers {
  Array places, has_none{};
};
static AmongNumbers among_numbers(const Array& given, std::optional<size_t> axis, bool keep_dims, std::optional<DType> dtype,
                                  bool least) {
  Array array = untaped(given);
  if (is_whole(array.dtype()) || array.size() == 0) return {place_of(array, axis, keep_dims, dtype, least)};
  Array nan = nan_of(array);
  std::vector<bool> goes(array.rank(), !axis);
  if (axis && array.rank() > 0) goes[*axis] = true;
  const double last = std::numeric_limits<double>::infinity();
  const Array numbers = as_type(where(nan, least ? last : -last, array), array.dtype());
  return {place_of(numbers, axis, keep_dims, dtype, least), reduce(Reduction::all, nan, goes, keep_dims, {})};
}
static Array place_among_numbers(const Array& array, std::optional<size_t> axis, bool keep_dims, std::optional<DType> dtype,
                                 bool least) {
  const AmongNumbers found = among_numbers(array, axis, keep_dims, dtype, least);
  if (!found.has_none) return found.places;
  const Array has_one = reduce(Reduction::any, found.has_none, std::vector<bool>(found.has_none.rank(), true), false, {});
  if (values_of<uint8_t>(has_one)[0]) raise(ErrorKind::value, "All-NaN slice encountered");
  return found.places;
}
// The same of what is no NaN. This reads whether there is something; raises ErrorKind::value where there is nothing else.
Array place_of_largest_number(const Array& array, std::optional<size_t> axis, bool keep_dims, std::optional<DType> dtype) {
  return place_among_numbers(array, axis, keep_dims, dtype, false);
}
Array place_of_smallest_number(const Array& array, std::optional<size_t> axis, bool keep_dims, std::optional<DType> dtype) {
  return place_among_numbers(array, axis, keep_dims, dtype, true);
}

// Keras's: -1 where there is nothing else.
static Array place_or_none(const Array& array, std::optional<size_t> axis, bool keep_dims, std::optional<DType> dtype,
                           bool least) {
  const AmongNumbers found = among_numbers(array, axis, keep_dims, dtype, least);
  return found.has_none ? as_type(where(found.has_none, -1, found.places), found.places.dtype()) : found.places;
}
Array place_of_largest_number_or_none(const Array& array, std::optional<size_t> axis, bool keep_dims,
                                      std::optional<DType> dtype) {
  return place_or_none(array, axis, keep_dims, dtype, false);
}
Array place_of_smallest_number_or_none(const Array& array, std::optional<size_t> axis, bool keep_dims,
                                       std::optional<DType> dtype) {
  return place_or_none(array, axis, keep_dims, dtype, true);
}

Ranked largest_along(const Array& array, size_t axis, bool keep_dims) { return extreme_along(array, axis, keep_dims, false); }
Ranked smallest_along(const Array& array, size_t axis, bool keep_dims) { return extreme_along(array, axis, keep_dims, true); }

Array sorted_places_along(const Array& array, size_t axis, bool descending) {
  return array.rank() == 0 ? of_one_element(array).places : ordered_places(untaped(array), descending, axis);
}
Ranked sorted_along(const Array& array, size_t axis, bool descending) {
  if (array.rank() == 0) return of_one_element(array);
  return at_places(array, sorted_places_along(array, axis, descending), axis, true);
}

Array columns_in_order(const Array& array) {
  if (is_complex(array.dtype())) raise(ErrorKind::type, "msort(): does not support complex input");
  return sorted_along(array, 0, false).values;
}

Ranked first_along(const Array& array, int64_t count, size_t axis, bool are_largest) {
  int64_t size = array.rank() == 0 ? 1 : size_along(array, axis);
  if (count < 0 || count > size) raise(ErrorKind::runtime, "selected index k out of range");
  if (array.rank() == 0) return of_one_element(array);
  Array places = ordered_places(untaped(array), are_largest, axis);
  return at_places(array, in_order(part(places, static_cast<int>(axis), 0, count), Order::c), axis, true);
}

// The same of the last axis, with places of int32, as Keras has it. Raises ErrorKind::value for more of them than there are.
Ranked largest_of_last(const Array& array, int64_t count) {
  if (array.rank() == 0) raise(ErrorKind::value, "[top_k] `x` must have at least one axis");
  if (count < 0 || count > last_size(array))
    raise(ErrorKind::value, "[top_k] `k` must be from 0 to the size of the last axis, {}, not {}", last_size(array), count);
  Ranked made = first_along(array, count, array.rank() - 1, true);
  return {made.values, as_type(made.places, DType::int32)};
}

// Is the element at each line's target among the `count` greatest? Those that equal the last of them are; what is not finite, or
// not there, is not.
Array is_among_largest(const Array& targets, const Array& given, int64_t count) {
  const Array lines = untaped(given);
  if (lines.rank() != targets.rank() + 1)
    raise(ErrorKind::value, "[in_top_k] `predictions` must have one axis more than `targets`, but has {} and not {}",
          lines.rank(), targets.rank() + 1);
  const Array inside = logical_and(greater_equal(targets, 0), less(targets, last_size(lines)));
  const Array places = expand_dims(where(inside, targets, 0), targets.rank());
  const Array picked = taken_along(lines, places, lines.rank() - 1);
  const Array above = reduced(Reduction::sum, as_type(greater(lines, picked), DType::int64));
  const Array is_one = logical_and(less(above, count), inside);
  return logical_and(is_one, isfinite(element(picked, -1, 0)));
}

// The element that is the `count`-th in order, counted from 1. Raises ErrorKind::runtime where there is none.
Ranked nth_along(const Array& array, int64_t count, size_t axis, bool keep_dims) {
  int64_t size = array.rank() == 0 ? 1 : size_along(array, axis);
  if (count < 1 || count > size) raise(ErrorKind::runtime, "kthvalue(): selected number k out of range for dimension {}", axis);
  if (array.rank() == 0) return of_one_element(array);
  Array places = ordered_places(untaped(array), false, axis);
  return at_places(array, part(places, static_cast<int>(axis), count - 1, count), axis, keep_dims);
}

Ranked middle_along(const Array& array, size_t axis, bool keep_dims) {
  if (array.rank() == 0) return of_one_element(array);
  const int along = static_cast<int>(axis);
  const int64_t size = size_along(array, axis), at = (size - 1) / 2;
  Array places = ordered_places(untaped(array), false, axis), place = part(places, along, at, at + 1);
  if (!is_whole(array.dtype())) {  // NaN stands last in order; it is named where it stands first
    Array last = part(places, along, size - 1, size);
    place = where(nan_of(taken_along(untaped(array), last, axis)), place_of(array, axis, true, {}, false), place);
  }
  return at_places(array, place, axis, keep_dims);
}

Ranked middle_without_nan_along(const Array& array, size_t axis, bool keep_dims) {
  if (array.rank() == 0) return of_one_element(array);
  if (is_whole(array.dtype())) return middle_along(array, axis, keep_dims);
  Array places = ordered_places(untaped(array), false, axis);
  Array is_number = logical_not(nan_of(untaped(array)));
  Array count = steps::reduced(Reduction::sum, is_number, static_cast<int>(axis), true, DType::int64);
  Array at = maximum(floor_divide(subtract(count, 1), 2), 0);
  return at_places(array, taken_along(places, at, axis), axis, keep_dims);
}

// The element that occurs most often, the smallest of several, and where it stands last.
Ranked most_frequent_along(const Array& array, size_t axis, bool keep_dims) {
  if (array.rank() == 0) return of_one_element(array);
  Ranked ordered = sorted_along(untaped(array), axis, false);
  const int along = static_cast<int>(axis);
  const int64_t size = size_along(array, axis);
  Array numbers = numbers_along(array, axis), begins = equal(numbers, 0);
  if (size > 1) {
    Array differ = not_equal(part(ordered.values, along, 1, size), part(ordered.values, along, 0, size - 1));
    Shape first = array.shape();
    first[axis] = 1;
    begins = joined({full(first, whole(1), DType::boolean, array.device()), differ}, axis);
  }
  Array start = running(where(begins, numbers, 0), "maximum", axis);
  // The first of the longest runs: at its end all of it was counted.
  Array best = extreme(subtract(numbers, start), axis, true, false);
  return at_places(array, taken_along(ordered.places, best, axis), axis, keep_dims);
}

// The greatest (the smallest) so far, and where it stood last.
Ranked running_largest(const Array& array, size_t axis) { return running_extreme(array, axis, "maximum"); }
Ranked running_smallest(const Array& array, size_t axis) { return running_extreme(array, axis, "minimum"); }

Array middle(const Array& array) { return one_of_all(array, middle_along); }
Array middle_without_nan(const Array& array) { return one_of_all(array, middle_without_nan_along); }

}  // namespace quern
