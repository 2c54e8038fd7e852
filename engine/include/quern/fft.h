// File: quern/fft.h
//
// Discrete Fourier transforms, as in numpy.fft: float32 and complex64 in single precision, other dtypes in double precision.
//
//   qn::Array spectrum = qn::fft::rfft(signal);
//   spectrum *= qn::fft::rfftfreq(signal.size()) < 0.1;
//   qn::Array smooth = qn::fft::irfft(spectrum, signal.size());
//
// The CPU uses an FFT of quern, a GPU cuFFT. If a length is given, input is truncated or padded with zeros. Every function throws
// ErrorKind::value for a length below 1 and ErrorKind::index for an axis out of range.
#pragma once

#include "quern/array.h"

namespace qn::fft {

// Normalisation: the inverse by 1/n (backward), both by 1/sqrt(n) (ortho), the transform by 1/n (forward).
enum class Norm { backward, ortho, forward };

// Complex transform along an axis, and its inverse.
Array fft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward, Here here = Here::current());
Array ifft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward, Here here = Here::current());
// Transform of real input: the n / 2 + 1 non-redundant coefficients. Throws ErrorKind::type for complex input. irfft() returns n
// real values; default: 2 * (m - 1) for m coefficients.
Array rfft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward, Here here = Here::current());
Array irfft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward,
            Here here = Here::current());
// Transform of input with Hermitian symmetry, given by its first half: n real values, by default 2 * (m - 1) for m; and its
// inverse.
Array hfft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward, Here here = Here::current());
Array ihfft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward,
            Here here = Here::current());

// Over several axes; {}: all. `s`: a length for each; {}: those of the input. rfftn() and irfftn() are real along the last
// axis. Throws ErrorKind::value if lengths and axes differ in number.
Array fftn(const Array& a, const Axes& axes = {}, const std::vector<int64_t>& s = {}, Norm norm = Norm::backward,
           Here here = Here::current());
Array ifftn(const Array& a, const Axes& axes = {}, const std::vector<int64_t>& s = {}, Norm norm = Norm::backward,
            Here here = Here::current());
Array rfftn(const Array& a, const Axes& axes = {}, const std::vector<int64_t>& s = {}, Norm norm = Norm::backward,
            Here here = Here::current());
Array irfftn(const Array& a, const Axes& axes = {}, const std::vector<int64_t>& s = {}, Norm norm = Norm::backward,
             Here here = Here::current());

// Over the last two axes.
inline Array fft2(const Array& a, Norm norm = Norm::backward, Here here = Here::current()) {
  return fftn(a, {-2, -1}, {}, norm, here);
}
inline Array ifft2(const Array& a, Norm norm = Norm::backward, Here here = Here::current()) {
  return ifftn(a, {-2, -1}, {}, norm, here);
}
inline Array rfft2(const Array& a, Norm norm = Norm::backward, Here here = Here::current()) {
  return rfftn(a, {-2, -1}, {}, norm, here);
}
// `s`: rows and columns of the result; by default 2 * (m - 1) columns for m.
inline Array irfft2(const Array& a, const std::vector<int64_t>& s = {}, Norm norm = Norm::backward, Here here = Here::current()) {
  return irfftn(a, {-2, -1}, s, norm, here);
}

// Sample frequencies for fft() and rfft() of n samples with spacing d: float64. Throws ErrorKind::value for a negative n,
// ErrorKind::zero_division for a product of 0.
Array fftfreq(int64_t n, double d = 1, const Device& device = Device(), Here here = Here::current());
Array rfftfreq(int64_t n, double d = 1, const Device& device = Device(), Here here = Here::current());

// Shifts frequency 0 to the centre of the axes, and back.
Array fftshift(const Array& a, const Axes& axes = {}, Here here = Here::current());
Array ifftshift(const Array& a, const Axes& axes = {}, Here here = Here::current());

}  // namespace qn::fft
