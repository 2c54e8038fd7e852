// quern/shaping.h on functions/shaping.h and functions/border.h.
#include "quern/shaping.h"

#include "api/bodies.h"
#include "functions/border.h"
#include "functions/shaping.h"
#include "quern/picking.h"

namespace qn {

using namespace inside;

namespace {

std::vector<quern::Array> handles(const std::vector<Array>& arrays) {
  std::vector<quern::Array> out;
  for (const Array& a : arrays) out.push_back(a.handle());
  return out;
}
std::vector<Array> wrapped(std::vector<quern::Array>&& arrays) {
  std::vector<Array> out;
  for (quern::Array& a : arrays) out.push_back(wrap(std::move(a)));
  return out;
}

std::vector<Array> parted(const Array& a, int64_t parts, int axis, bool must_be_equal, Here here) {
  return asked(here,
               [&] { return wrapped(quern::parts(a.handle(), parts, checked_axis(axis, a.handle().rank()), must_be_equal)); });
}

// The axis, of the elements in C order where none is given.
std::pair<quern::Array, size_t> along(const Array& a, std::optional<int> axis, Here here) {
  if (!axis) return {a.ravel(here).handle(), 0};
  return {a.handle(), checked_axis(*axis, a.handle().rank())};
}

}  // namespace

Array concatenate(const std::vector<Array>& arrays, int axis, Here here) {
  return asked(here, [&] {
    size_t rank = arrays.empty() ? 0 : arrays[0].handle().rank();
    return wrap(quern::joined(handles(arrays), rank ? checked_axis(axis, rank) : 0));
  });
}
Array stack(const std::vector<Array>& arrays, int axis, Here here) {
  return asked(here, [&] {
    size_t rank = arrays.empty() ? 0 : arrays[0].handle().rank();
    return wrap(quern::stacked(handles(arrays), checked_axis(axis, rank + 1)));
  });
}

std::vector<Array> split(const Array& a, int64_t parts, int axis, Here here) { return parted(a, parts, axis, true, here); }
std::vector<Array> array_split(const Array& a, int64_t parts, int axis, Here here) { return parted(a, parts, axis, false, here); }
std::vector<Array> split_at(const Array& a, const std::vector<int64_t>& places, int given, Here here) {
  return asked(here, [&] {
    size_t axis = checked_axis(given, a.handle().rank());
    std::vector<int64_t> cuts{0};
    cuts.insert(cuts.end(), places.begin(), places.end());
    cuts.push_back(a.shape()[axis]);
    return wrapped(quern::parts_between(a.handle(), axis, cuts));
  });
}

std::vector<Array> unstack(const Array& a, int given, Here here) {
  return asked(here, [&] {
    size_t axis = checked_axis(given, a.handle().rank());
    std::vector<Array> out;
    for (int64_t n = 0; n < a.shape()[axis]; ++n) out.push_back(view(a, a.handle().layout().without(axis, n)));
    return out;
  });
}

std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays, Here here) {
  return asked(here, [&] {
    std::vector<Array> out = wrapped(quern::broadcast_together(handles(arrays)));
    for (Array& a : out) a.handle().set_read_only(true);
    return out;
  });
}

Array tile(const Array& a, const std::vector<int64_t>& times, Here here) {
  return asked(here, [&] { return wrap(quern::tiled(a.handle(), times)); });
}

Array repeat(const Array& a, int64_t times, std::optional<int> axis, Here here) {
  return asked(here, [&] {
    auto [all, n] = along(a, axis, here);
    return wrap(quern::repeated(all, {times}, n));
  });
}

Array repeat(const Array& a, const Array& times, std::optional<int> axis, Here here) {
  return asked(here, [&] {
    if (!is_integer_or_bool(times.dtype()))
      raise(ErrorKind::type, "[repeat] the numbers must be integers, not {}", name_of(times.dtype()));
    if (times.ndim() > 1) raise(ErrorKind::value, "[repeat] the numbers have {} axes; they must have one", times.ndim());
    auto [all, n] = along(a, axis, here);
    return wrap(quern::repeated(all, times.to_vector<int64_t>(here), n));
  });
}

Array roll(const Array& a, const std::vector<int64_t>& shifts, const std::vector<int>& axes, Here here) {
  return asked(here, [&] {
    if (shifts.size() != axes.size())
      raise(ErrorKind::value, "[roll] {} shifts are given for {} axes; give one for each", shifts.size(), axes.size());
    std::vector<size_t> named;
    for (int axis : axes) named.push_back(checked_axis(axis, a.handle().rank()));
    return wrap(quern::rolled(a.handle(), shifts, named));
  });
}

Array roll(const Array& a, int64_t shift, std::optional<int> axis, Here here) {
  return asked(here, [&] {
    auto [all, n] = along(a, axis, here);
    Array out = wrap(quern::rolled(all, {shift}, {n}));
    return axis ? out : out.reshape(a.shape(), here);
  });
}

Array pad(const Array& a, int64_t width, const Operand& value, Here here) {
  return asked(here,
               [&] { return pad(a, std::vector<std::pair<int64_t, int64_t>>(a.handle().rank(), {width, width}), value, here); });
}
Array pad(const Array& a, const std::vector<std::pair<int64_t, int64_t>>& widths, const Operand& value, Here here) {
  return asked(here, [&] {
    if (!value.array()) {
      quern::BorderOptions options;
      options.constants.assign(a.handle().rank(), {scalar_of(value), scalar_of(value)});
      return wrap(quern::with_border(a.handle(), widths, quern::Border::constant, options));
    }
    // An array broadcasts to the result, of which it is the border.
    Array out = wrap(quern::with_border(a.handle(), widths, quern::Border::empty));
    Array inside = out;
    quern::assign(out.handle(), argument_of(value));
    for (size_t n = 0; n < widths.size(); ++n) inside = cut(inside, n, widths[n].first, out.shape()[n] - widths[n].second);
    quern::assign(inside.handle(), operand(a));
    return out;
  });
}

Array pad(const Array& a, int64_t width, PadMode mode, bool odd, Here here) {
  return asked(
      here, [&] { return pad(a, std::vector<std::pair<int64_t, int64_t>>(a.handle().rank(), {width, width}), mode, odd, here); });
}
Array pad(const Array& a, const std::vector<std::pair<int64_t, int64_t>>& widths, PadMode mode, bool odd, Here here) {
  return asked(here, [&] {
    using quern::Border;
    static constexpr Border borders[] = {Border::edge,    Border::reflect, Border::symmetric, Border::wrap,       Border::maximum,
                                         Border::minimum, Border::mean,    Border::median,    Border::linear_ramp};
    quern::BorderOptions options;
    options.is_odd = odd;
    return wrap(quern::with_border(a.handle(), widths, borders[static_cast<size_t>(mode)], options));
  });
}

std::vector<Array> meshgrid(const std::vector<Array>& axes, bool by_rows, Here here) {
  return asked(here, [&] {
    std::vector<Array> out = wrapped(quern::grid_of(handles(axes), by_rows, false));
    for (Array& a : out) a.handle().set_read_only(true);
    return out;
  });
}

Array logspace(double start, double stop, int64_t num, bool endpoint, double base, DType dtype, const Device& device, Here here) {
  return asked(here, [&] {
    Array exponents = linspace(start, stop, num, endpoint, DType::float64, device, here);
    return as_type(compute(Op::power, base, exponents), dtype);
  });
}

}  // namespace qn
