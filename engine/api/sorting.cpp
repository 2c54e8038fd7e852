// quern/sorting.h on run/calls/sorting.h, whose functions work along the last axis.
#include "quern/sorting.h"

#include "api/bodies.h"
#include "functions/ordering.h"
#include "graph/memory_order.h"
#include "quern/picking.h"
#include "run/calls/indexing.h"
#include "run/calls/sorting.h"

namespace qn {

using namespace inside;

namespace {

Array in_order(const Array& a, bool descending, size_t axis, Here here) {
  if (!quern::is_complex(a.dtype())) return wrap(quern::sorted(a.handle(), descending, axis));
  Array places = wrap(quern::sorted_places(a.handle(), descending, axis));
  Array sorted = take_along_axis(a, places, static_cast<int>(axis), here);
  quern::GraphLock lock;
  return wrap(quern::arranged(sorted.handle(), quern::copied_space(a.handle())));
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
  Array flat = in_order(a.ravel(here), false, 0, here);
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

// The axis, once the place is found to be there.
size_t checked_place(const Array& a, int64_t kth, int axis) {
  size_t n = checked_axis(axis, a.handle().rank());
  int64_t size = a.shape()[n];
  if (size > 0 && (kth < -size || kth >= size)) raise(ErrorKind::value, "[partition] kth(={}) out of bounds ({})", kth, size);
  return n;
}

// What unique() finds, place by place.
UniqueAll found(const Array& a, Here here) {
  Array flat = a.ravel(here), places = wrap(quern::sorted_places(flat.handle(), false));
  auto [sorted, starts] = distinct(a, here);
  int64_t n = starts.size(), size = flat.size();
  Array ends = made({n}, whole(size), DType::int64, a.device());
  if (n > 1) quern::assign(cut(ends, 0, {}, -1).handle(), operand(cut(starts, 0, 1, {})));
  // The number of a sorted element is how many parts begin up to it.
  Array number = wrap(quern::places_in(starts.handle(), numbers(size, a).handle(), true));
  Array inverse = made({size}, whole(0), DType::int64, a.device());
  if (size > 0) put(inverse, places, compute(Op::subtract, number, 1));
  return {take(sorted, starts, 0, here), take(places, starts, 0, here), inverse.reshape(a.shape(), here),
          compute(Op::subtract, ends, starts)};
}

}  // namespace

Array lexsort(const std::vector<Array>& keys, int axis, Here here) {
  return asked(here, [&] {
    if (keys.empty()) raise(ErrorKind::type, "[lexsort] there are no keys; give one or more");
    std::vector<quern::Array> lines;
    for (const Array& key : keys) {
      if (key.shape() != keys[0].shape()) raise(ErrorKind::value, "[lexsort] all keys need to be the same shape");
      lines.push_back(with_last(key, checked_axis(axis, key.handle().rank())).handle());
    }
    return from_last(wrap(quern::sorted_places_by(lines)), checked_axis(axis, keys[0].handle().rank()));
  });
}

Array partition(const Array& a, int64_t kth, int axis, Here here) {
  return asked(here, [&] {
    size_t n = checked_place(a, kth, axis);
    return in_order(a, false, n, here);
  });
}
Array argpartition(const Array& a, int64_t kth, int axis, Here here) {
  return asked(here, [&] {
    size_t n = checked_place(a, kth, axis);
    return wrap(quern::sorted_places(a.handle(), false, n));
  });
}

UniqueInverse unique_inverse(const Array& a, Here here) {
  return asked(here, [&] {
    UniqueAll all = found(a, here);
    return UniqueInverse{all.values, all.inverse_indices};
  });
}
UniqueAll unique_all(const Array& a, Here here) {
  return asked(here, [&] { return found(a, here); });
}

Array searchsorted(const Array& a, const Array& values, bool right, const Array& sorter, Here here) {
  return asked(here, [&] { return searchsorted(take(a, sorter, 0, here), values, right, here); });
}

Array sort(const Array& a, int axis, bool descending, Here here) {
  return asked(here, [&] {
    size_t n = checked_axis(axis, a.handle().rank());
    return in_order(a, descending, n, here);
  });
}

Array argsort(const Array& a, int axis, bool descending, Here here) {
  return asked(here, [&] {
    size_t n = checked_axis(axis, a.handle().rank());
    return wrap(quern::sorted_places(a.handle(), descending, n));
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
    Array sorted = in_order(as_type(values.ravel(here), type), false, 0, here), wanted = as_type(a, type);
    Array place = wrap(quern::places_in(sorted.handle(), wanted.handle(), false));
    place = compute(Op::minimum, place, values.size() - 1);  // behind all: the last is not equal
    return compute(Op::equal, take(sorted, place, 0, here), wanted);
  });
}

}  // namespace qn
