// quern/fft.h on run/calls/fourier.h. Start at transformed().
#include "quern/fft.h"

#include <cmath>

#include "api/bodies.h"
#include "graph/memory_order.h"
#include "quern/shaping.h"
#include "run/calls/fourier.h"

namespace qn::fft {

using namespace inside;

namespace {

bool is_single(DType type) {
  return type == DType::float32 || type == DType::complex64 || type == DType::float16 || type == DType::bfloat16;
}

// The axis cut, or filled up with zeros.
Array resized(const Array& a, int64_t n, size_t axis) {
  Shape shape = a.shape();
  int64_t have = shape[axis];
  if (have >= n) return have == n ? a : cut(a, axis, {}, n);
  shape[axis] = n;
  quern::GraphLock lock;
  Array out = wrap(quern::full_in(quern::space_beside(a.handle(), shape), whole(0), a.dtype(), a.handle().device()));
  quern::assign(cut(out, axis, {}, have).handle(), operand(a));
  return out;
}

// Along one axis; `kind` as run/calls/fourier.h names it.
Array transformed(std::string_view kind, const Array& a, std::optional<int64_t> given, int axis_given, Norm norm) {
  size_t axis = checked_axis(axis_given, a.handle().rank());
  int64_t length = a.shape()[axis], n = given.value_or(kind == "whole" ? (length - 1) * 2 : length);
  if (n < 1) raise(ErrorKind::value, "[fft] a transform of {} numbers makes no sense; it must be one or more", n);
  bool is_forward = kind == "forward" || kind == "half";
  double scale = norm == Norm::ortho                     ? 1 / std::sqrt(static_cast<double>(n))
                 : is_forward == (norm != Norm::forward) ? 1.0
                                                         : 1 / static_cast<double>(n);
  bool single = is_single(a.dtype());
  if (kind == "half" && quern::is_complex(a.dtype())) raise(ErrorKind::type, "[rfft] the numbers are complex; use fft()");
  DType type = kind == "half" ? (single ? DType::float32 : DType::float64) : single ? DType::complex64 : DType::complex128;
  Array lines = resized(as_type(a, type), kind == "whole" ? n / 2 + 1 : n, axis);
  Array out = wrap(quern::fourier(lines.handle(), kind, n, scale, axis));
  // NumPy keeps the type of real numbers.
  return kind == "whole" && a.dtype() == DType::float16 ? as_type(out, DType::float16) : out;
}

struct Length {
  int axis;
  std::optional<int64_t> n;
};

std::vector<Length> lengths_of(const Array& a, const Axes& axes, const std::vector<int64_t>& lengths) {
  std::vector<int> named = axes.list();
  size_t rank = a.handle().rank();
  if (axes.all()) {
    // So many lengths are of the last axes.
    size_t count = lengths.empty() ? rank : lengths.size();
    if (count > rank) raise(ErrorKind::value, "[fft] {} lengths are given for {} axes", count, rank);
    for (size_t n = rank - count; n < rank; ++n) named.push_back(static_cast<int>(n));
  }
  if (!lengths.empty() && lengths.size() != named.size())
    raise(ErrorKind::value, "[fft] {} lengths are given for {} axes; give one for each", lengths.size(), named.size());
  std::vector<Length> out;
  for (size_t i = 0; i < named.size(); ++i)
    out.push_back({named[i], lengths.empty() ? std::optional<int64_t>() : std::optional(lengths[i])});
  return out;
}

Array along_several(std::string_view kind, const Array& a, const Axes& axes, const std::vector<int64_t>& lengths, Norm norm,
                    Here here) {
  return asked(here, [&] {
    std::vector<Length> each = lengths_of(a, axes, lengths);
    Array out = a;
    for (size_t i = each.size(); i-- > 0;) out = transformed(kind, out, each[i].n, each[i].axis, norm);
    return out;
  });
}

// Of real numbers, one axis must be there.
void check_some(const std::vector<Length>& each) {
  if (each.empty()) raise(ErrorKind::index, "[fft] a transform of real numbers needs an axis at least");
}

Array shifted(const Array& a, const Axes& axes, int sign, Here here) {
  return asked(here, [&] {
    std::vector<bool> moves = chosen(axes, a.handle().rank());
    Array out = a;
    for (size_t n = 0; n < moves.size(); ++n)
      if (moves[n]) out = roll(out, sign * (a.shape()[n] / 2), static_cast<int>(n), here);
    return out.handle().cell() == a.handle().cell() ? a.copy(here) : out;
  });
}

Array along(std::string_view kind, const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) {
  return asked(here, [&] { return transformed(kind, a, n, axis, norm); });
}

void check_count(int64_t n) {
  if (n < 0) raise(ErrorKind::value, "[fftfreq] {} numbers make no sense; it must be none or more", n);
}

}  // namespace

Array fft(const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) {
  return along("forward", a, n, axis, norm, here);
}
Array ifft(const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) {
  return along("backward", a, n, axis, norm, here);
}
Array rfft(const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) {
  return along("half", a, n, axis, norm, here);
}
Array irfft(const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) {
  return along("whole", a, n, axis, norm, here);
}

namespace {

Norm swapped(Norm norm) { return norm == Norm::backward ? Norm::forward : norm == Norm::forward ? Norm::backward : norm; }

}  // namespace

Array hfft(const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) {
  return asked(here, [&] {
    return transformed("whole", quern::is_complex(a.dtype()) ? compute(Op::conjugate, a) : a, n, axis, swapped(norm));
  });
}
Array ihfft(const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) {
  return asked(here, [&] { return compute(Op::conjugate, transformed("half", a, n, axis, swapped(norm))); });
}

Array fftn(const Array& a, const Axes& axes, const std::vector<int64_t>& lengths, Norm norm, Here here) {
  return along_several("forward", a, axes, lengths, norm, here);
}
Array ifftn(const Array& a, const Axes& axes, const std::vector<int64_t>& lengths, Norm norm, Here here) {
  return along_several("backward", a, axes, lengths, norm, here);
}

Array rfftn(const Array& a, const Axes& axes, const std::vector<int64_t>& lengths, Norm norm, Here here) {
  return asked(here, [&] {
    std::vector<Length> each = lengths_of(a, axes, lengths);
    check_some(each);
    Array out = transformed("half", a, each.back().n, each.back().axis, norm);
    for (size_t i = each.size() - 1; i-- > 0;) out = transformed("forward", out, each[i].n, each[i].axis, norm);
    return out;
  });
}

Array irfftn(const Array& a, const Axes& axes, const std::vector<int64_t>& lengths, Norm norm, Here here) {
  return asked(here, [&] {
    std::vector<Length> each = lengths_of(a, axes, lengths);
    check_some(each);
    Array out = a;
    for (size_t i = 0; i + 1 < each.size(); ++i) out = transformed("backward", out, each[i].n, each[i].axis, norm);
    return transformed("whole", out, each.back().n, each.back().axis, norm);
  });
}

Array fftfreq(int64_t n, double d, const Device& device, Here here) {
  return asked(here, [&] {
    check_count(n);
    int8_t number = number_of(device);
    Array up = wrap(quern::evenly_spaced(whole(0), whole(1), (n + 1) / 2, DType::int64, number));
    Array down = wrap(quern::evenly_spaced(whole(-(n / 2)), whole(1), n / 2, DType::int64, number));
    return compute(Op::multiply, concatenate({up, down}, 0, here), 1.0 / (static_cast<double>(n) * d));
  });
}

Array rfftfreq(int64_t n, double d, const Device& device, Here here) {
  return asked(here, [&] {
    check_count(n);
    Array up = wrap(quern::evenly_spaced(whole(0), whole(1), n / 2 + 1, DType::int64, number_of(device)));
    return compute(Op::multiply, up, 1.0 / (static_cast<double>(n) * d));
  });
}

Array fftshift(const Array& a, const Axes& axes, Here here) { return shifted(a, axes, 1, here); }
Array ifftshift(const Array& a, const Axes& axes, Here here) { return shifted(a, axes, -1, here); }

}  // namespace qn::fft
