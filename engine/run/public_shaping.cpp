// quern/shaping.h: slices and views of slices.
#include "quern/shaping.h"

#include "run/public_array.h"

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
    Shape shape = a.shape();
    if (widths.size() != shape.size())
      raise(ErrorKind::value, "[pad] {} pairs are given for {} axes; give one for each", widths.size(), shape.size());
    for (size_t n = 0; n < shape.size(); ++n) {
      auto [before, after] = widths[n];
      if (before < 0 || after < 0)
        raise(ErrorKind::value, "[pad] the widths of axis {} are {} and {}; none can be negative", n, before, after);
      shape[n] += before + after;
    }
    Array out = made(shape, whole(0), a.dtype(), a.device());
    quern::assign(out.handle(), argument_of(value));
    Array inside = out;
    for (size_t n = 0; n < shape.size(); ++n) inside = cut(inside, n, widths[n].first, shape[n] - widths[n].second);
    quern::assign(inside.handle(), operand(a));
    return out;
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
