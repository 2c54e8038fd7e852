// quern/shaping.h: slices and views of slices; borders by functions/border.h.
#include "quern/shaping.h"

#include "api/bodies.h"
#include "functions/border.h"
#include "quern/picking.h"

namespace qn {

using namespace inside;

namespace {

std::vector<Array> parts_between(const Array& a, size_t axis, const std::vector<int64_t>& cuts) {
  std::vector<Array> out;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) out.push_back(cut(a, axis, cuts[i], cuts[i + 1]));
  return out;
}

std::vector<Array> parted(const char* name, const Array& a, int64_t parts, int given, bool must_be_even, Here here) {
  return asked(here, [&] {
    size_t axis = checked_axis(given, a.handle().rank());
    int64_t total = a.shape()[axis];
    if (parts <= 0) raise(ErrorKind::value, "[{}] {} parts were asked for; it must be one or more", name, parts);
    if (must_be_even && total % parts != 0)
      raise(ErrorKind::value, "[{}] {} elements do not make {} equal parts; array_split() makes unequal ones", name, total,
            parts);
    std::vector<int64_t> cuts;
    for (int64_t i = 0; i <= parts; ++i) cuts.push_back(i * (total / parts) + std::min(i, total % parts));
    return parts_between(a, axis, cuts);
  });
}

// The elements in C order in this shape, in memory of their own.
Array reshaped_copy(const Array& a, const Shape& shape, Here here) {
  Array out = a.reshape(shape, here);
  return out.shares_memory_with(a) ? out.copy(here) : out;
}

}  // namespace

std::vector<Array> split(const Array& a, int64_t parts, int axis, Here here) {
  return parted("split", a, parts, axis, true, here);
}
std::vector<Array> array_split(const Array& a, int64_t parts, int axis, Here here) {
  return parted("array_split", a, parts, axis, false, here);
}
std::vector<Array> split_at(const Array& a, const std::vector<int64_t>& places, int given, Here here) {
  return asked(here, [&] {
    size_t axis = checked_axis(given, a.handle().rank());
    std::vector<int64_t> cuts{0};
    cuts.insert(cuts.end(), places.begin(), places.end());
    cuts.push_back(a.shape()[axis]);
    return parts_between(a, axis, cuts);
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
    std::vector<Shape> shapes;
    for (const Array& a : arrays) shapes.push_back(a.shape());
    Shape all = quern::broadcast_shapes(shapes);
    std::vector<Array> out;
    for (const Array& a : arrays) out.push_back(a.broadcast_to(all, here));
    return out;
  });
}

Array tile(const Array& a, const std::vector<int64_t>& times, Here here) {
  return asked(here, [&] {
    Shape sizes = a.shape();
    std::vector<int64_t> each = times;
    checked(each);
    while (each.size() < sizes.size()) each.insert(each.begin(), 1);
    while (sizes.size() < each.size()) sizes.insert(sizes.begin(), 1);
    Shape between, pairs, out;
    for (size_t n = 0; n < sizes.size(); ++n) {
      between.insert(between.end(), {1, sizes[n]});
      pairs.insert(pairs.end(), {each[n], sizes[n]});
      out.push_back(each[n] * sizes[n]);
    }
    return reshaped_copy(a.reshape(between, here).broadcast_to(pairs, here), out, here);
  });
}

Array repeat(const Array& a, int64_t times, std::optional<int> axis, Here here) {
  return asked(here, [&] {
    if (times < 0) raise(ErrorKind::value, "[repeat] {} times makes no sense; it must be none or more", times);
    Array all = axis ? a : a.ravel(here);
    size_t n = axis ? checked_axis(*axis, a.handle().rank()) : 0;
    Shape out = all.shape(), wide = out;
    wide.insert(wide.begin() + static_cast<ptrdiff_t>(n) + 1, times);
    out[n] *= times;
    return reshaped_copy(all.expand_dims(static_cast<int>(n) + 1, here).broadcast_to(wide, here), out, here);
  });
}

Array repeat(const Array& a, const Array& times, std::optional<int> axis, Here here) {
  return asked(here, [&]() -> Array {
    if (!is_integer_or_bool(times.dtype()))
      raise(ErrorKind::type, "[repeat] the numbers must be integers, not {}", name_of(times.dtype()));
    Array all = axis ? a : a.ravel(here);
    size_t n = axis ? checked_axis(*axis, a.handle().rank()) : 0;
    std::vector<int64_t> each = times.to_vector<int64_t>(here);
    int64_t size = all.shape()[n];
    if (each.size() == 1) return repeat(all, each[0], static_cast<int>(n), here);
    if (times.ndim() > 1 || static_cast<int64_t>(each.size()) != size)
      raise(ErrorKind::value, "[repeat] {} numbers are given for {} elements; give one for each", each.size(), size);
    std::vector<int64_t> places;
    for (int64_t i = 0; i < size; ++i) {
      if (each[static_cast<size_t>(i)] < 0)
        raise(ErrorKind::value, "[repeat] {} times makes no sense", each[static_cast<size_t>(i)]);
      places.insert(places.end(), static_cast<size_t>(each[static_cast<size_t>(i)]), i);
    }
    return take(all, array(places, a.device(), here), static_cast<int>(n), here);
  });
}

Array roll(const Array& a, const std::vector<int64_t>& shifts, const std::vector<int>& axes, Here here) {
  return asked(here, [&] {
    if (shifts.size() != axes.size())
      raise(ErrorKind::value, "[roll] {} shifts are given for {} axes; give one for each", shifts.size(), axes.size());
    Array out = a.copy(here);
    for (size_t i = 0; i < axes.size(); ++i) out = roll(out, shifts[i], axes[i], here);
    return out;
  });
}

Array roll(const Array& a, int64_t shift, std::optional<int> axis, Here here) {
  return asked(here, [&]() -> Array {
    if (!axis) return roll(a.ravel(here), shift, 0, here).reshape(a.shape(), here);
    size_t n = checked_axis(*axis, a.handle().rank());
    int64_t size = a.shape()[n], by = size > 0 ? (shift % size + size) % size : 0;
    if (by == 0) return a.copy(here);
    Array out = made(a.shape(), whole(0), a.dtype(), a.device());
    quern::assign(cut(out, n, {}, by).handle(), operand(cut(a, n, -by, {})));
    quern::assign(cut(out, n, by, {}).handle(), operand(cut(a, n, {}, -by)));
    return out;
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
    size_t rank = axes.size();
    auto place = [&](size_t n) { return !by_rows && rank > 1 && n < 2 ? 1 - n : n; };
    Shape all(rank);
    for (size_t n = 0; n < rank; ++n) all[place(n)] = axes[n].size();
    std::vector<Array> out;
    for (size_t n = 0; n < rank; ++n) {
      Shape shape(rank, 1);
      shape[place(n)] = axes[n].size();
      out.push_back(axes[n].reshape(shape, here).broadcast_to(all, here));
    }
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
