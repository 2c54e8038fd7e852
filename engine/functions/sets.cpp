#include "functions/sets.h"

#include "core/error.h"
#include "functions/ordering.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/indexing.h"
#include "run/calls/sorting.h"

namespace quern {

using namespace steps;

namespace {

// Where a sorted array has another value than before; rows are compared as a whole.
Array starts_in(const Array& sorted, bool equal_nan) {
  int64_t n = sorted.shape()[0];
  Array out = full({n}, whole(1), DType::boolean, sorted.device());
  if (n < 2) return out;
  Array next = part(sorted, 0, 1, n), before = part(sorted, 0, 0, n - 1), differs = not_equal(next, before);
  if (sorted.rank() > 1) {
    differs = reduced(Reduction::any, differs);
  } else if (equal_nan && !is_whole(sorted.dtype())) {
    Array both = logical_and(isnan(next), isnan(before));
    differs = logical_and(differs, logical_not(both));
  }
  assign(part(out, 0, 1, n), Argument(differs));
  return out;
}

// Rows that are sorted by their first element, where that is equal by the second, and so on.
Array places_of_rows(const Array& rows) {
  std::vector<Array> columns;
  for (int64_t k = last_size(rows); k-- > 0;) columns.push_back(element(rows, 1, k));
  return sorted_places_by(columns, 0);
}

// What sets are made of: the elements in one line, or the parts of an axis as rows.
struct Lines {
  Lines(const Array& array, std::optional<size_t> axis) : array(array), axis(axis), has_rows(axis && array.rank() > 1) {
    rows = has_rows ? moveaxis(array, *axis, 0) : raveled(array, Order::c);
    shape = rows.shape();
    if (!has_rows) return;
    int64_t columns = 1;
    for (size_t d = 1; d < shape.size(); ++d) columns *= shape[d];
    rows = reshape(rows, {shape[0], columns});
  }
  int64_t count() const { return shape[0]; }
  // As the array had them.
  Array restored(const Array& chosen) const {
    if (!has_rows) return chosen;
    Shape full = shape;
    full[0] = chosen.shape()[0];
    return moveaxis(reshape(chosen, full), 0, *axis);
  }

  const Array& array;
  std::optional<size_t> axis;
  bool has_rows;
  Array rows;
  Shape shape;
};

// The number that each line has among the distinct ones; `from`: where the lines in order stood, or null where they stay.
Array numbers_of(const Lines& lines, const Array& mask, const Array* from) {
  Array begun = subtract(running(as_type(mask, DType::int64), "add", 0), 1), number = begun;
  if (from) {
    number = full({lines.count()}, whole(0), DType::int64, lines.array.device());
    Pick pick{0, *from};
    if (lines.count() > 0) put(number, {&pick, 1}, Argument(begun));
  }
  return lines.axis ? number : reshape(number, lines.array.shape());
}

Array lengths_of(const Array& starts, int64_t count) {
  Array ends = joined({starts, full({1}, whole(count), DType::int64, starts.device())}, 0);
  return subtract(part(ends, 0, 1, ends.size()), starts);
}

const Array& wanted(const char* name, const Array* other) {
  if (!other) raise(ErrorKind::type, "[{}] the second argument must be an array, not None", name);
  return *other;
}

Array in_line(const Array& array, bool is_distinct) {
  return is_distinct ? raveled(array, Order::c) : distinct_in(array, false, false, false, {}, true).arrays[0];
}

Array joined_in_line(const Array& array, const Array& other) {
  DType type = common(array.dtype(), other.dtype());
  return joined({as_type(raveled(array, Order::c), type), as_type(raveled(other, Order::c), type)}, 0);
}

}  // namespace

std::vector<Array> distinct(const Array& array, std::optional<size_t> axis, bool places, bool inverse, bool counts,
                            bool equal_nan) {
  Lines lines(array, axis);
  Array from, sorted;
  if (lines.has_rows || places || inverse) {
    from = lines.has_rows ? places_of_rows(lines.rows) : sorted_places(lines.rows, false);
    sorted = take_along(lines.rows, from, 0);
  } else {
    sorted = ordered(lines.rows, false, 0);
  }
  Array mask = starts_in(untaped(sorted), equal_nan), starts = true_positions(mask);
  std::vector<Array> out = {lines.restored(take_along(sorted, starts, 0))};
  if (places) out.push_back(take_along(from, starts, 0));
  if (inverse) out.push_back(numbers_of(lines, mask, &from));
  if (counts) out.push_back(lengths_of(starts, lines.count()));
  return out;
}

OneOrMore distinct_in(const Array& array, bool places, bool inverse, bool counts, std::optional<size_t> axis, bool equal_nan) {
  return {distinct(array, axis, places, inverse, counts, equal_nan)};
}
Named distinct_with_all(const Array& array) { return {distinct(array, {}, true, true, true, false)}; }
Named distinct_with_counts(const Array& array) { return {distinct(array, {}, false, false, true, false)}; }
Named distinct_with_inverse(const Array& array) { return {distinct(array, {}, false, true, false, false)}; }
Array distinct_values(const Array& array) { return distinct(array, {}, false, false, false, false)[0]; }

// PyTorch's: each NaN is distinct.
OneOrMore distinct_along(const Array& array, bool inverse, bool counts, std::optional<size_t> axis) {
  return {distinct(array, axis, false, inverse, counts, false)};
}

// Elements, or parts of an axis, without those that equal the one before.
OneOrMore distinct_in_turn(const Array& array, bool inverse, bool counts, std::optional<size_t> axis) {
  Lines lines(array, axis);
  Array mask = starts_in(untaped(lines.rows), false), starts = true_positions(mask);
  OneOrMore out{{lines.restored(take_along(lines.rows, starts, 0))}};
  if (inverse) out.arrays.push_back(numbers_of(lines, mask, nullptr));
  if (counts) out.arrays.push_back(lengths_of(starts, lines.count()));
  return out;
}

// Of flattened arrays, sorted. `are_distinct`: no array has an element twice; `places`: also where the elements stand first in
// each.
Array in_any(const Array& array, const Argument& other) {
  OperandType both[] = {{array.dtype()}, other.type()};  // a number has no type of its own
  return in_line(
      joined_in_line(array, other.array() ? *other.array() : full({}, other.scalar(), common_type(both), array.device())), false);
}

OneOrMore in_both(const Array& array, const Array* given, bool are_distinct, bool places) {
  const Array* both[] = {&array, &wanted("intersect1d", given)};
  std::vector<Array> elements, first;
  for (const Array* one : both) {
    std::vector<Array> found =
        are_distinct ? std::vector<Array>{raveled(*one, Order::c)} : distinct(*one, {}, places, false, false, true);
    elements.push_back(found[0]);
    if (places && !are_distinct) first.push_back(found[1]);
  }
  Array all = joined_in_line(elements[0], elements[1]), from = sorted_places(all, false), sorted = take_along(all, from, 0);
  const int64_t n = sorted.size();
  Array twice = true_positions(n < 2 ? full({0}, whole(0), DType::boolean, array.device())
                                     : equal(part(sorted, 0, 1, n), part(sorted, 0, 0, n - 1)));
  OneOrMore out{{take_along(sorted, twice, 0)}};
  if (!places) return out;
  Array in_first = take_along(from, twice, 0);
  Array in_second = subtract(take_along(from, add(twice, 1), 0), elements[0].size());
  out.arrays.push_back(are_distinct ? in_first : take_along(first[0], in_first, 0));
  out.arrays.push_back(are_distinct ? in_second : take_along(first[1], in_second, 0));
  return out;
}

Array only_in_first(const Array& array, const Array* other, bool are_distinct) {
  Array elements = in_line(array, are_distinct);
  return take_along(elements, true_positions(is_among(elements, wanted("setdiff1d", other), true)), 0);
}

Array only_in_one(const Array& array, const Array* other, bool are_distinct) {
  Array all = joined_in_line(in_line(array, are_distinct), in_line(wanted("setxor1d", other), are_distinct));
  Array sorted = ordered(all, false, 0);
  const int64_t n = sorted.size();
  if (n < 2) return sorted;
  Array differs = not_equal(part(sorted, 0, 1, n), part(sorted, 0, 0, n - 1));
  Array end = full({1}, whole(1), DType::boolean, array.device());
  Array flags = joined({end, differs, end}, 0);
  return take_along(sorted, true_positions(logical_and(part(flags, 0, 1, n + 1), part(flags, 0, 0, n))), 0);
}

Array is_among(const Array& array, const Array& tests, bool invert) {
  constexpr int64_t few = 16;  // compared with one by one
  Array elements = raveled(array, Order::c), wanted = raveled(tests, Order::c), found;
  if (wanted.size() <= few) {
    found = reduced(Reduction::any, equal(expand_dims(elements, 1), wanted));
  } else {
    DType type = common(elements.dtype(), wanted.dtype());
    Array sorted = ordered(as_type(wanted, type), false, 0), values = as_type(elements, type);
    Array place = minimum(places_in(sorted, values, false), wanted.size() - 1);  // behind all: the last is not equal
    found = equal(take_along(sorted, place, 0), values);
  }
  if (invert) found = logical_not(found);
  return found.of_shape(Layout::contiguous(array.shape()));
}

// NumPy's, which checks `kind`, the name of a method; and PyTorch's, which takes a number for one of both.
Array is_in(const Array& array, const Array* tests, bool invert, std::optional<std::string_view> kind) {
  if (kind && *kind != "sort" && *kind != "table")
    raise(ErrorKind::value, "Invalid kind: '{}'. Please use None, 'sort' or 'table'.", *kind);
  if (kind == "table" && tests && !(is_whole(array.dtype()) && is_whole(tests->dtype())))
    raise(ErrorKind::value,
          "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind.");
  if (!tests) raise(ErrorKind::type, "[isin] test_elements must be an array, not None");
  Array out = is_among(untaped(array), untaped(*tests), invert);
  out.set_value(false);
  return out;
}

Array is_in_either(const Argument& array, const Argument& tests, bool invert) {
  const Array& known = array.array() ? *array.array() : *tests.array();
  Array elements = untaped(array_beside(array, known)), wanted = untaped(array_beside(tests, known));
  for (const Array& one : {elements, wanted})
    if (one.dtype() == DType::boolean || is_complex(one.dtype()))
      raise(ErrorKind::not_implemented, "Unsupported input type encountered for isin(): {}", torch_name_of(one.dtype()));
  return is_among(elements, wanted, invert);
}

static bool has_empty_parts(const Array& array, std::optional<size_t> axis) {
  return axis && array.rank() > 1 && array.size() == 0 && array.shape()[*axis] > 0;
}
// The first of equal parts as the only distinct one.
static std::vector<Array> all_alike(const Array& array, size_t axis, bool places, bool inverse, bool counts) {
  const int64_t count = array.shape()[axis];
  std::vector<Array> out{part(array, static_cast<int>(axis), 0, 1)};
  if (places) out.push_back(zeros({1}, DType::int32, array.device()));
  if (inverse) out.push_back(zeros({count}, DType::int32, array.device()));
  if (counts) out.push_back(full({1}, whole(count), DType::int32, array.device()));
  return out;
}

// The distinct elements, or parts of an axis, where each NaN is one; `size`: exactly so many, of which those that are missing are
// `fill`, or else the smallest one. Places and counts are of int32.
OneOrMore distinct_of_size(const Array& array, bool places, bool inverse, bool counts, std::optional<size_t> axis,
                           std::optional<int64_t> size, const Argument* fill) {
  std::vector<Array> out = has_empty_parts(array, axis) ? all_alike(array, *axis, places, inverse, counts)
                                                        : distinct(array, axis, places, inverse, counts, false);
  for (size_t n = 1; n < out.size(); ++n) out[n] = as_type(out[n], DType::int32);
  const size_t along = axis && array.rank() > 1 ? *axis : 0;
  const int64_t found = out[0].shape()[along];
  if (!size || *size == found) return {std::move(out)};
  if (*size < 0) raise(ErrorKind::value, "[unique] `size` must not be negative, but is {}", *size);
  if (found == 0 && !fill)
    raise(ErrorKind::value, "[unique] an empty array has no distinct elements; pass `fill_value` with `size`");
  const auto resized = [&](const Array& given, size_t axis, const Argument* value) {
    if (*size < found) return part(given, static_cast<int>(axis), 0, *size);
    Shape shape = given.shape();
    shape[axis] = *size - found;
    const Array first = value ? Array() : part(given, static_cast<int>(axis), 0, 1);
    Array more = zeros(shape, given.dtype(), given.device());
    assign(more, value ? *value : Argument(first));
    return joined({given, more}, axis);
  };
  const Argument zero(whole(0));
  out[0] = resized(out[0], along, fill);
  if (places) out[1] = resized(out[1], 0, found == 0 ? &zero : nullptr);
  if (counts) out.back() = resized(out.back(), 0, &zero);
  return {std::move(out)};
}

}  // namespace quern
