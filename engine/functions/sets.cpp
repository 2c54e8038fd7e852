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
  Array next = part(sorted, 0, 1, n), before = part(sorted, 0, 0, n - 1), differs = compute(Op::not_equal, next, before);
  if (sorted.rank() > 1) {
    differs = reduced(Reduction::any, differs);
  } else if (equal_nan && !is_whole(sorted.dtype())) {
    Array both = compute(Op::logical_and, compute(Op::isnan, next), compute(Op::isnan, before));
    differs = compute(Op::logical_and, differs, compute(Op::logical_not, both));
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

}  // namespace

std::vector<Array> distinct(const Array& array, std::optional<size_t> axis, bool places, bool inverse, bool counts,
                            bool equal_nan) {
  bool has_rows = axis && array.rank() > 1;
  Shape shape;
  Array lines = has_rows ? moved(array, *axis, 0) : raveled(array, Order::c);
  if (has_rows) {
    shape = lines.shape();
    lines = reshape(lines, {shape[0], array.size() / std::max<int64_t>(shape[0], 1)});
  }
  int64_t n = lines.shape()[0];
  Array from, sorted;
  if (has_rows || places || inverse) {
    from = has_rows ? places_of_rows(lines) : sorted_places(lines, false);
    sorted = take_along(lines, from, 0);
  } else {
    sorted = ordered(lines, false, 0);
  }
  Array mask = starts_in(sorted, equal_nan), starts = true_positions(mask), values = take_along(sorted, starts, 0);
  std::vector<Array> out;
  if (has_rows) {
    shape[0] = starts.size();
    values = moved(reshape(values, shape), 0, *axis);
  }
  out.push_back(values);
  if (places) out.push_back(take_along(from, starts, 0));
  if (inverse) {
    Array number = full({n}, whole(0), DType::int64, array.device());
    if (n > 0) {
      Pick pick{0, from};
      Array begun = running(as_type(mask, DType::int64), "add", 0);  // how many of the values, up to each element
      put(number, {&pick, 1}, Argument(compute(Op::subtract, begun, 1)));
    }
    out.push_back(axis ? number : reshape(number, array.shape()));
  }
  if (counts) {
    Array ends = joined({starts, full({1}, whole(n), DType::int64, array.device())}, 0);
    out.push_back(compute(Op::subtract, part(ends, 0, 1, ends.size()), starts));
  }
  return out;
}

Array is_among(const Array& array, const Array& tests, bool invert) {
  constexpr int64_t few = 16;  // compared with one by one
  Array elements = raveled(array, Order::c), wanted = raveled(tests, Order::c), found;
  if (wanted.size() <= few) {
    found = reduced(Reduction::any, compute(Op::equal, with_axis(elements, 1), wanted));
  } else {
    DType type = common(elements.dtype(), wanted.dtype());
    Array sorted = ordered(as_type(wanted, type), false, 0), values = as_type(elements, type);
    Array place = compute(Op::minimum, places_in(sorted, values, false), wanted.size() - 1);  // behind all: the last is not equal
    found = compute(Op::equal, take_along(sorted, place, 0), values);
  }
  if (invert) found = compute(Op::logical_not, found);
  return found.of_shape(Layout::contiguous(array.shape()));
}

Array is_in(const Array& array, const Array* tests, bool invert, std::optional<std::string_view> kind) {
  if (kind && *kind != "sort" && *kind != "table")
    raise(ErrorKind::value, "Invalid kind: '{}'. Please use None, 'sort' or 'table'.", *kind);
  if (kind == "table" && tests && !(is_whole(array.dtype()) && is_whole(tests->dtype())))
    raise(ErrorKind::value,
          "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind.");
  if (!tests) raise(ErrorKind::type, "[isin] test_elements must be an array, not None");
  Array out = is_among(detached(array), detached(*tests), invert);
  out.set_value(false);
  return out;
}

Array is_in_either(const Argument& array, const Argument& tests, bool invert) {
  const Array& known = array.array() ? *array.array() : *tests.array();
  Array elements = detached(array_beside(array, known)), wanted = detached(array_beside(tests, known));
  for (const Array& one : {elements, wanted})
    if (one.dtype() == DType::boolean || is_complex(one.dtype()))
      raise(ErrorKind::not_implemented, "Unsupported input type encountered for isin(): {}", torch_name_of(one.dtype()));
  return is_among(elements, wanted, invert);
}

}  // namespace quern
