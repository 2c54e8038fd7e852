// quern/picking.h on run/calls/indexing.h.
#include "quern/picking.h"

#include "api/bodies.h"
#include "functions/parts.h"

namespace qn {

using namespace inside;

namespace {

Array truth(const Array& a) { return as_type(a, DType::boolean); }

Array taken(const Array& a, const Array& places, size_t axis) {
  const quern::Array &array = a.handle(), &index = places.handle();
  if (!quern::is_integer(index.dtype()))
    raise(ErrorKind::index, "[take] the places must be integers, not {}", name_of(index.dtype()));
  if (index.device() != array.device())
    raise(ErrorKind::value, "[take] the places are on another device than the array; move one with to_device()");
  if (array.shape()[axis] == 0 && index.size() > 0)
    raise(ErrorKind::index, "[take] cannot do a non-empty take from an empty axis");
  quern::Pick pick{axis, index};
  quern::Array out = quern::take(array, {&pick, 1});
  // The places' axes come first; they belong where the axis was.
  std::vector<int> order;
  for (size_t i = 0; i < axis; ++i) order.push_back(static_cast<int>(index.rank() + i));
  for (size_t i = 0; i < index.rank(); ++i) order.push_back(static_cast<int>(i));
  for (size_t i = index.rank() + axis; i < out.rank(); ++i) order.push_back(static_cast<int>(i));
  return wrap(out.view(out.layout().transposed(order)));
}

// An index for each axis: the places for one, its own numbers for each other.
std::vector<quern::Pick> along(const Array& a, const Array& places, int given, Here here) {
  const quern::Array &array = a.handle(), &index = places.handle();
  size_t axis = checked_axis(given, array.rank());
  if (!quern::is_integer(index.dtype()))
    raise(ErrorKind::index, "[take_along_axis] the places must be integers, not {}", name_of(index.dtype()));
  if (index.rank() != array.rank())
    raise(ErrorKind::value, "[take_along_axis] the places have {} axes and the array {}; give both as many", index.rank(),
          array.rank());
  std::vector<quern::Pick> picks;
  for (size_t n = 0; n < array.rank(); ++n) {
    if (n == axis) {
      picks.push_back({n, index});
      continue;
    }
    Shape shape(array.rank(), 1);
    shape[n] = array.shape()[n];
    picks.push_back({n, numbers(shape[n], a).reshape(shape, here).handle()});
  }
  return picks;
}

Array true_places(const Array& mask, Here here) { return wrap(quern::true_positions(truth(mask.ravel(here)).handle())); }

}  // namespace

Array take(const Array& a, const Array& places, int axis, Here here) {
  return asked(here, [&] { return taken(a, places, checked_axis(axis, a.handle().rank())); });
}

Array take_along_axis(const Array& a, const Array& places, int axis, Here here) {
  return asked(here, [&] { return wrap(quern::take(a.handle(), along(a, places, axis, here))); });
}

void put_along_axis(const Array& a, const Array& places, const Operand& values, int axis) {
  asked(values.here(), [&] {
    if (a.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
    quern::put(a.handle(), along(a, places, axis, values.here()), argument_of(values));
  });
}

void put(const Array& a, const Array& places, const Operand& values) {
  Here here = values.here();
  asked(here, [&] {
    const quern::Array& array = a.handle();
    if (a.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
    if (!is_integer_or_bool(places.dtype()))
      raise(ErrorKind::type, "[put] the places must be integers, not {}", name_of(places.dtype()));
    Array flat = as_type(places.ravel(here), DType::int64);
    int64_t count = flat.size();
    if (count == 0 || (values.array() && values.array()->size() == 0)) return;
    if (array.size() == 0) raise(ErrorKind::index, "[put] there are no elements to write to");
    Array repeated;
    if (values.array()) {
      repeated = values.array()->ravel(here);
      int64_t given = repeated.size();
      repeated =
          given >= count ? cut(repeated, 0, {}, count) : taken(repeated, compute(Op::remainder, numbers(count, a), given), 0);
    }
    if (array.rank() == 0) {
      quern::assign(array, values.array() ? operand(cut(repeated, 0, -1, {})) : argument_of(values));
      return;
    }
    // A place in C order is one for each axis.
    std::vector<quern::Pick> picks;
    int64_t rest = array.size();
    if (array.rank() > 1) flat = compute(Op::where, compute(Op::less, flat, 0), compute(Op::add, flat, array.size()), flat);
    for (size_t n = 0; n < array.rank(); ++n) {
      int64_t size = array.shape()[n];
      rest /= std::max<int64_t>(size, 1);
      Array place = array.rank() == 1 ? flat : compute(Op::floor_divide, flat, std::max<int64_t>(rest, 1));
      picks.push_back({n, (n == 0 ? place : compute(Op::remainder, place, size)).handle()});
    }
    quern::put(array, picks, values.array() ? operand(repeated) : argument_of(values));
  });
}

std::vector<Array> nonzero(const Array& a, Here here) {
  return asked(here, [&] {
    if (a.handle().rank() == 0) raise(ErrorKind::value, "[nonzero] the array has no axes; reshape it to {{1}}");
    std::vector<Array> out;
    for (quern::Array& index : quern::indices_of(truth(a).handle())) out.push_back(wrap(std::move(index)));
    return out;
  });
}

Array flatnonzero(const Array& a, Here here) {
  return asked(here, [&] { return true_places(a, here); });
}

Array argwhere(const Array& a, Here here) {
  return asked(here, [&] {
    if (a.handle().rank() == 0) return made({static_cast<int64_t>(bool(a)), 0}, whole(0), DType::int64, a.device());
    return stack(nonzero(a, here), -1, here);
  });
}

Array count_nonzero(const Array& a, const Axes& axes, bool keepdims, Here here) {
  return asked(here, [&] { return reduced(Reduction::sum, truth(a), axes, keepdims, DType::int64); });
}

Array compress(const Array& condition, const Array& a, int axis, Here here) {
  return asked(here, [&] {
    if (condition.handle().rank() != 1)
      raise(ErrorKind::value, "[compress] the condition has {} axes; give it one", condition.handle().rank());
    return taken(a, true_places(condition, here), checked_axis(axis, a.handle().rank()));
  });
}

Array extract(const Array& condition, const Array& a, Here here) {
  return asked(here, [&] { return taken(a.ravel(here), true_places(condition, here), 0); });
}

}  // namespace qn
