// quern/fft.h on functions/fourier_axes.h.
#include "quern/fft.h"

#include "api/bodies.h"
#include "functions/fourier_axes.h"
#include "functions/shaping.h"
#include "quern/shaping.h"

namespace qn::fft {

using namespace inside;

namespace {

Array along(std::string_view kind, const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) {
  return asked(here,
               [&] { return wrap(quern::fft::transformed(a.handle(), kind, n, checked_axis(axis, a.handle().rank()), norm)); });
}

Array along_several(std::string_view kind, const Array& a, const Axes& given, const std::vector<int64_t>& lengths, Norm norm,
                    Here here) {
  return asked(here, [&] {
    size_t rank = a.handle().rank();
    std::vector<size_t> axes;
    for (int axis : given.list()) axes.push_back(checked_axis(axis, rank));
    if (given.all()) {
      // So many lengths are of the last axes.
      size_t count = lengths.empty() ? rank : lengths.size();
      if (count > rank) raise(ErrorKind::value, "[fft] {} lengths are given for {} axes", count, rank);
      for (size_t n = rank - count; n < rank; ++n) axes.push_back(n);
    }
    std::vector<std::optional<int64_t>> each(lengths.begin(), lengths.end());
    if (lengths.empty()) each.resize(axes.size());
    return wrap(quern::fft::transformed_along(a.handle(), kind, std::move(each), axes, norm));
  });
}

Array frequencies(int64_t n, double d, bool is_half, const Device& device, Here here) {
  return asked(here, [&] {
    if (n < 0) raise(ErrorKind::value, "[fftfreq] {} numbers make no sense; it must be none or more", n);
    return wrap(quern::fft::frequencies(n, operand(1.0 / (static_cast<double>(n) * d)), is_half, number_of(device)));
  });
}

Array shifted(const Array& a, const Axes& axes, int sign, Here here) {
  return asked(here, [&] {
    std::vector<bool> moves = chosen(axes, a.handle().rank());
    std::vector<int64_t> shifts;
    std::vector<size_t> named;
    for (size_t n = 0; n < moves.size(); ++n) {
      if (!moves[n]) continue;
      shifts.push_back(sign * (a.shape()[n] / 2));
      named.push_back(n);
    }
    return wrap(quern::rolled(a.handle(), shifts, named));
  });
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
Array hfft(const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) {
  return along("hermitian", a, n, axis, norm, here);
}
Array ihfft(const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) {
  return along("hermitian_half", a, n, axis, norm, here);
}

Array fftn(const Array& a, const Axes& axes, const std::vector<int64_t>& lengths, Norm norm, Here here) {
  return along_several("forward", a, axes, lengths, norm, here);
}
Array ifftn(const Array& a, const Axes& axes, const std::vector<int64_t>& lengths, Norm norm, Here here) {
  return along_several("backward", a, axes, lengths, norm, here);
}
Array rfftn(const Array& a, const Axes& axes, const std::vector<int64_t>& lengths, Norm norm, Here here) {
  return along_several("half", a, axes, lengths, norm, here);
}
Array irfftn(const Array& a, const Axes& axes, const std::vector<int64_t>& lengths, Norm norm, Here here) {
  return along_several("whole", a, axes, lengths, norm, here);
}

Array fftfreq(int64_t n, double d, const Device& device, Here here) { return frequencies(n, d, false, device, here); }
Array rfftfreq(int64_t n, double d, const Device& device, Here here) { return frequencies(n, d, true, device, here); }

Array fftshift(const Array& a, const Axes& axes, Here here) { return shifted(a, axes, 1, here); }
Array ifftshift(const Array& a, const Axes& axes, Here here) { return shifted(a, axes, -1, here); }

}  // namespace qn::fft
