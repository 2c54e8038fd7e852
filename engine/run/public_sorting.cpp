// quern/sorting.h on run/calls/sorting.h, whose functions work along the last axis.
#include "quern/sorting.h"

#include "quern/picking.h"
#include "run/calls/indexing.h"
#include "run/calls/sorting.h"
#include "run/public_array.h"

namespace qn {

using namespace inside;

namespace {

Array in_order(const Array& lines, bool descending, Here here) {
  if (!quern::is_complex(lines.dtype())) return wrap(quern::sorted(lines.handle(), descending));
  return take_along_axis(lines, wrap(quern::sorted_places(lines.handle(), descending)), -1, here);
}

Array extreme(const char* name, const Array& a, std::optional<int> axis, bool keepdims, bool least, Here here) {
  return asked(here, [&] {
    Shape shape = a.shape();
    bool all = !axis || (shape.empty() && (*axis == 0 || *axis == -1));
    size_t n = all ? 0 : checked_axis(*axis, shape.size());
    Array lines = all ? a.ravel(here) : with_last(a, n);
    if (lines.shape().back() == 0) raise(ErrorKind::value, "[{}] there is nothing to choose from", name);
    Array out = wrap(quern::extreme_places(lines.handle(), least));
    if (!keepdims) return out;
    if (all) {
      std::fill(shape.begin(), shape.end(), 1);
    } else {
      shape[n] = 1;
    }
    return out.reshape(shape, here);
  });
}

// Sorted, and where another value begins.
std::pair<Array, Array> distinct(const Array& a, Here here) {
  Array flat = in_order(a.ravel(here), false, here);
  int64_t n = flat.size();
  Array starts = made({n}, whole(1), DType::boolean, a.device());
  if (n > 1) {
    Array next = cut(flat, 0, 1, {}), before = cut(flat, 0, {}, -1);
    Array differs = compute(Op::not_equal, next, before);
    if (!is_integer_or_bool(a.dtype()))
      differs = compute(Op::logical_and, differs,
                        compute(Op::logical_not, compute(Op::logical_and, compute(Op::isnan, next), compute(Op::isnan, before))));
    quern::assign(cut(starts, 0, 1, {}).handle(), operand(differs));
  }
  return {flat, wrap(quern::true_positions(starts.handle()))};
}

}  // namespace

Array sort(const Array& a, int axis, bool descending, Here here) {
  return asked(here, [&] {
    size_t n = checked_axis(axis, a.handle().rank());
    return from_last(in_order(with_last(a, n), descending, here), n);
  });
}

Array argsort(const Array& a, int axis, bool descending, Here here) {
  return asked(here, [&] {
    size_t n = checked_axis(axis, a.handle().rank());
    return from_last(wrap(quern::sorted_places(with_last(a, n).handle(), descending)), n);
  });
}

Array argmax(const Array& a, std::optional<int> axis, bool keepdims, Here here) {
  return extreme("argmax", a, axis, keepdims, false, here);
}
Array argmin(const Array& a, std::optional<int> axis, bool keepdims, Here here) {
  return extreme("argmin", a, axis, keepdims, true, here);
}

Array searchsorted(const Array& sorted, const Array& values, bool right, Here here) {
  return asked(here, [&] {
    if (sorted.handle().rank() != 1)
      raise(ErrorKind::value, "[searchsorted] the sorted array has {} axes; give it one", sorted.handle().rank());
    DType type = common_type({sorted.dtype(), values.dtype()});
    return wrap(quern::places_in(as_type(sorted, type).handle(), as_type(values, type).handle(), right));
  });
}

Array unique(const Array& a, Here here) {
  return asked(here, [&] {
    auto [flat, starts] = distinct(a, here);
    return take(flat, starts, 0, here);
  });
}

UniqueCounts unique_counts(const Array& a, Here here) {
  return asked(here, [&] {
    auto [flat, starts] = distinct(a, here);
    int64_t n = starts.size();
    Array ends = made({n}, whole(flat.size()), DType::int64, a.device());
    if (n > 1) quern::assign(cut(ends, 0, {}, -1).handle(), operand(cut(starts, 0, 1, {})));
    return UniqueCounts{take(flat, starts, 0, here), compute(Op::subtract, ends, starts)};
  });
}

Array isin(const Array& a, const Array& values, Here here) {
  return asked(here, [&] {
    if (values.size() == 0) return made(a.shape(), whole(0), DType::boolean, a.device());
    DType type = common_type({a.dtype(), values.dtype()});
    Array sorted = in_order(as_type(values.ravel(here), type), false, here), wanted = as_type(a, type);
    Array place = wrap(quern::places_in(sorted.handle(), wanted.handle(), false));
    place = compute(Op::minimum, place, values.size() - 1);  // behind all: the last is not equal
    return compute(Op::equal, take(sorted, place, 0, here), wanted);
  });
}

}  // namespace qn
