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
      raise(ErrorKind::index, "[take] the indices must be integers, not {}", name_of(places.dtype()));
    return wrap(quern::taken(a.handle(), places.handle(), given(Along{a, axis}), "raise"));
  });
}

Array take_along_axis(const Array& a, const Array& places, int axis, Here here) {
  return call(here, quern::taken_along, a, places, Along{a, axis});
}
void put_along_axis(const Array& a, const Array& places, const Operand& values, int axis) {
  asked(values.here(), [&] {
    check_written(a);
    quern::put_along(a.handle(), places.handle(), argument_of(values), given(Along{a, axis}));
  });
}

void put(const Array& a, const Array& places, const Operand& values) {
  asked(values.here(), [&] {
    check_written(a);
    if (!is_whole(places.dtype())) raise(ErrorKind::type, "[put] the indices must be integers, not {}", name_of(places.dtype()));
    quern::put_in_line(a.handle(), places.handle(), argument_of(values), "raise");
  });
}

Array compress(const Array& condition, const Array& a, int axis, Here here) {
  return call(here, quern::compressed, condition, a, AlongOrFlat{a, axis});
}
Array extract(const Array& condition, const Array& a, Here here) { return call(here, quern::extracted, condition, a); }

}  // namespace qn
