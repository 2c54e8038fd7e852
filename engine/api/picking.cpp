// quern/picking.h on functions/picking.h.
#include "quern/picking.h"

#include "api/bodies.h"
#include "functions/picking.h"

namespace qn {

using namespace inside;

namespace {

void check_written(const Array& a) {
  if (a.is_read_only()) raise(ErrorKind::value, "assignment destination is read-only");
}

}  // namespace

Array take(const Array& a, const Array& places, int axis, Here here) {
  return asked(here, [&] {
    if (!quern::is_integer(places.dtype()))
      raise(ErrorKind::index, "[take] the places must be integers, not {}", name_of(places.dtype()));
    return wrap(quern::taken(a.handle(), places.handle(), checked_axis(axis, a.handle().rank()), "raise"));
  });
}

Array take_along_axis(const Array& a, const Array& places, int axis, Here here) {
  return asked(here,
               [&] { return wrap(quern::taken_along(a.handle(), places.handle(), checked_axis(axis, a.handle().rank()))); });
}
void put_along_axis(const Array& a, const Array& places, const Operand& values, int axis) {
  asked(values.here(), [&] {
    check_written(a);
    quern::put_along(a.handle(), places.handle(), argument_of(values), checked_axis(axis, a.handle().rank()));
  });
}

void put(const Array& a, const Array& places, const Operand& values) {
  asked(values.here(), [&] {
    check_written(a);
    if (!is_integer_or_bool(places.dtype()))
      raise(ErrorKind::type, "[put] the places must be integers, not {}", name_of(places.dtype()));
    quern::put_in_line(a.handle(), places.handle(), argument_of(values), "raise");
  });
}

std::vector<Array> nonzero(const Array& a, Here here) {
  return asked(here, [&] {
    std::vector<Array> out;
    for (quern::Array& index : quern::nonzero(a.handle())) out.push_back(wrap(std::move(index)));
    return out;
  });
}
Array flatnonzero(const Array& a, Here here) {
  return asked(here, [&] { return wrap(quern::flat_nonzero(a.handle())); });
}
Array argwhere(const Array& a, Here here) {
  return asked(here, [&] { return wrap(quern::rows_of_nonzero(a.handle())); });
}
Array count_nonzero(const Array& a, const Axes& axes, bool keepdims, Here here) {
  return asked(here, [&] { return wrap(quern::count_nonzero(a.handle(), over(a, axes, keepdims))); });
}

Array compress(const Array& condition, const Array& a, int axis, Here here) {
  return asked(here, [&] {
    size_t n = checked_axis(axis, std::max<size_t>(a.handle().rank(), 1));
    return wrap(quern::compressed(condition.handle(), a.handle(), n));
  });
}
Array extract(const Array& condition, const Array& a, Here here) {
  return asked(here, [&] { return wrap(quern::extracted(condition.handle(), a.handle())); });
}

}  // namespace qn
