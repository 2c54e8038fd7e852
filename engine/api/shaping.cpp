// quern/shaping.h on functions/shaping.h and functions/border.h.
#include "quern/shaping.h"

#include "api/bodies.h"
#include "functions/border.h"
#include "functions/ranges.h"
#include "functions/shaping.h"

namespace qn {

using namespace inside;

namespace {

// The axis, of the elements in C order where none is given.
std::pair<quern::Array, size_t> along(const Array& a, std::optional<int> axis, Here here) {
  if (!axis) return {a.ravel(here).handle(), 0};
  return {a.handle(), checked_axis(*axis, a.handle().rank())};
}

std::vector<Array> read_only(std::vector<Array>&& views) {
  for (Array& a : views) a.handle().set_read_only(true);
  return std::move(views);
}

std::vector<std::pair<int64_t, int64_t>> on_all_sides(const Array& a, int64_t width) {
  return std::vector<std::pair<int64_t, int64_t>>(a.handle().rank(), {width, width});
}

}  // namespace

Array concatenate(const std::vector<Array>& arrays, int axis, Here here) {
  return asked(here, [&] {
    size_t rank = arrays.empty() ? 0 : arrays[0].handle().rank();
    return wrap(quern::joined(given(arrays), rank ? checked_axis(axis, rank) : 0));
  });
}

std::vector<Array> split_at(const Array& a, const std::vector<int64_t>& places, int along, Here here) {
  return asked(here, [&] {
    size_t axis = given(Along{a, along});
    std::vector<int64_t> cuts{0};
    cuts.insert(cuts.end(), places.begin(), places.end());
    cuts.push_back(a.shape()[axis]);
    return returned(quern::parts_between(a.handle(), axis, cuts));
  });
}

std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays, Here here) {
  return read_only(call(here, quern::broadcast_together, arrays));
}

Array repeat(const Array& a, int64_t times, std::optional<int> axis, Here here) {
  return asked(here, [&] {
    auto [all, n] = along(a, axis, here);
    return wrap(quern::repeated(all, {times}, n));
  });
}

Array repeat(const Array& a, const Array& times, std::optional<int> axis, Here here) {
  return asked(here, [&] {
    if (!is_whole(times.dtype())) raise(ErrorKind::type, "[repeat] the repeats must be integers, not {}", name_of(times.dtype()));
    if (times.ndim() > 1) raise(ErrorKind::value, "[repeat] the repeats must be 1-D, not {}-D", times.ndim());
    auto [all, n] = along(a, axis, here);
    return wrap(quern::repeated(all, times.to_vector<int64_t>(here), n));
  });
}

Array roll(const Array& a, const std::vector<int64_t>& shifts, const std::vector<int>& axes, Here here) {
  return asked(here, [&] {
    if (shifts.size() != axes.size())
      raise(ErrorKind::value, "[roll] {} shifts for {} axes; pass one for each", shifts.size(), axes.size());
    std::vector<size_t> named;
    for (int axis : axes) named.push_back(checked_axis(axis, a.handle().rank()));
    return wrap(quern::rolled(a.handle(), shifts, named));
  });
}

Array roll(const Array& a, int64_t shift, std::optional<int> axis, Here here) {
  return asked(here, [&] {
    auto [all, n] = along(a, axis, here);
    Array out = wrap(quern::rolled(all, {shift}, std::vector<size_t>{n}));
    return axis ? out : out.reshape(a.shape(), here);
  });
}

Array pad(const Array& a, int64_t width, const Operand& value, Here here) { return pad(a, on_all_sides(a, width), value, here); }
Array pad(const Array& a, const std::vector<std::pair<int64_t, int64_t>>& widths, const Operand& value, Here here) {
  return asked(here, [&] {
    if (!value.array()) {
      quern::BorderOptions options;
      options.constants.assign(a.handle().rank(), {scalar_of(value), scalar_of(value)});
      return wrap(quern::with_border(a.handle(), widths, quern::Border::constant, options));
    }
    // An array broadcasts to the result, of which it is the border.
    quern::Array out = quern::with_border(a.handle(), widths, quern::Border::empty), inside = out;
    quern::assign(out, argument_of(value));
    for (size_t n = 0; n < widths.size(); ++n)
      inside = quern::steps::part(inside, static_cast<int>(n), widths[n].first, out.shape()[n] - widths[n].second);
    quern::assign(inside, quern::Argument(a.handle()));
    return wrap(std::move(out));
  });
}

Array pad(const Array& a, int64_t width, PadMode mode, bool odd, Here here) {
  return pad(a, on_all_sides(a, width), mode, odd, here);
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
  return read_only(call(here, quern::grid_of, axes, by_rows, false));
}

Array logspace(double start, double stop, int64_t num, bool endpoint, double base, DType dtype, const Device& device, Here here) {
  return call(here, quern::powers_between, start, stop, num, endpoint, base, dtype, number_of(device));
}

}  // namespace qn
