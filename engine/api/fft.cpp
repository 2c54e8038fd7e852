// quern/fft.h on functions/fourier_axes.h.
#include "quern/fft.h"

#include "api/bodies.h"
#include "functions/fourier_axes.h"

namespace qn::fft {

using namespace inside;

namespace {

Array along_several(std::string_view kind, const Array& a, const Axes& given, const std::vector<int64_t>& lengths, Norm norm,
                    Here here) {
  return asked(here, [&] {
    size_t rank = a.handle().rank(), count = given.all() && !lengths.empty() ? lengths.size() : rank;
    if (count > rank) raise(ErrorKind::value, "[fft] {} lengths are given for {} axes", count, rank);
    std::vector<size_t> axes;
    for (int axis : given.list()) axes.push_back(checked_axis(axis, rank));
    for (size_t n = rank - count; given.all() && n < rank; ++n) axes.push_back(n);  // so many lengths are of the last axes
    std::vector<std::optional<int64_t>> each(lengths.begin(), lengths.end());
    if (lengths.empty()) each.resize(axes.size());
    return wrap(quern::fft::transformed_along(a.handle(), kind, std::move(each), axes, norm));
  });
}

Array frequencies(int64_t n, double d, bool is_half, const Device& device, Here here) {
  return asked(here, [&] {
    if (n < 0) raise(ErrorKind::value, "[fftfreq] {} numbers make no sense; it must be none or more", n);
    return wrap(quern::fft::frequencies(n, real_number(1.0 / (static_cast<double>(n) * d)), is_half, number_of(device)));
  });
}

}  // namespace

// Along one axis and along several, by the engine's names of the transforms.
#define TRANSFORM(name, kind)                                                            \
  Array name(const Array& a, std::optional<int64_t> n, int axis, Norm norm, Here here) { \
    return call(here, quern::fft::transformed, a, kind, n, Along{a, axis}, norm);        \
  }
#define TRANSFORM_OF_SEVERAL(name, kind)                                                                    \
  Array name(const Array& a, const Axes& axes, const std::vector<int64_t>& lengths, Norm norm, Here here) { \
    return along_several(kind, a, axes, lengths, norm, here);                                               \
  }
TRANSFORM(fft, "forward")
TRANSFORM(ifft, "backward")
TRANSFORM(rfft, "half")
TRANSFORM(irfft, "whole")
TRANSFORM(hfft, "hermitian")
TRANSFORM(ihfft, "hermitian_half")
TRANSFORM_OF_SEVERAL(fftn, "forward")
TRANSFORM_OF_SEVERAL(ifftn, "backward")
TRANSFORM_OF_SEVERAL(rfftn, "half")
TRANSFORM_OF_SEVERAL(irfftn, "whole")

Array fftfreq(int64_t n, double d, const Device& device, Here here) { return frequencies(n, d, false, device, here); }
Array rfftfreq(int64_t n, double d, const Device& device, Here here) { return frequencies(n, d, true, device, here); }

Array fftshift(const Array& a, const Axes& axes, Here here) {
  return asked(here, [&] { return wrap(quern::fft::shifted_to_middle(a.handle(), chosen(axes, a.handle().rank()))); });
}
Array ifftshift(const Array& a, const Axes& axes, Here here) {
  return asked(here, [&] { return wrap(quern::fft::shifted_to_start(a.handle(), chosen(axes, a.handle().rank()))); });
}

}  // namespace qn::fft
