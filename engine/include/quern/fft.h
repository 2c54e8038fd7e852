// File: quern/fft.h
//
// Discrete Fourier transforms, as in numpy.fft: of float32 and complex64 in single precision, of others in double precision.
//
//   qn::Array spectrum = qn::fft::rfft(signal);
//   spectrum *= qn::fft::rfftfreq(signal.size()) < 0.1;
//   qn::Array smooth = qn::fft::irfft(spectrum, signal.size());
//
// An FFT of quern's own on the CPU, cuFFT on a GPU. Where a length is given, what is longer is cut and what is shorter filled up
// with zeros. Every function throws ErrorKind::value for a length below 1 and ErrorKind::index for an axis that is not there.
#pragma once

#include "quern/array.h"

namespace qn::fft {

// Which of a transform and its inverse is scaled: the inverse by 1/n, both by 1/sqrt(n), the transform by 1/n.
enum class Norm { backward, ortho, forward };

// Of complex numbers, along an axis; complex.
Array fft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward, Here here = Here::current());
Array ifft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward, Here here = Here::current());
// Of n real numbers: the first n / 2 + 1 complex ones, which tell the others. Throws ErrorKind::type for complex ones. irfft()
// gives n real numbers, by default 2 * (m - 1) of m.
Array rfft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward, Here here = Here::current());
Array irfft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward,
            Here here = Here::current());
// Of numbers that are Hermitian, given by their first half: n real numbers, by default 2 * (m - 1) of m; and its inverse.
Array hfft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward, Here here = Here::current());
Array ihfft(const Array& a, std::optional<int64_t> n = {}, int axis = -1, Norm norm = Norm::backward,
            Here here = Here::current());

// Along several axes, {}: all. `lengths`: one for each of them, {}: as they are; rfftn() and irfftn() work on reals along the
// last. Throws ErrorKind::value for another number of lengths than axes.
Array fftn(const Array& a, const Axes& axes = {}, const std::vector<int64_t>& lengths = {}, Norm norm = Norm::backward,
           Here here = Here::current());
Array ifftn(const Array& a, const Axes& axes = {}, const std::vector<int64_t>& lengths = {}, Norm norm = Norm::backward,
            Here here = Here::current());
Array rfftn(const Array& a, const Axes& axes = {}, const std::vector<int64_t>& lengths = {}, Norm norm = Norm::backward,
            Here here = Here::current());
Array irfftn(const Array& a, const Axes& axes = {}, const std::vector<int64_t>& lengths = {}, Norm norm = Norm::backward,
             Here here = Here::current());

// Along the last two axes.
inline Array fft2(const Array& a, Norm norm = Norm::backward, Here here = Here::current()) {
  return fftn(a, {-2, -1}, {}, norm, here);
}
inline Array ifft2(const Array& a, Norm norm = Norm::backward, Here here = Here::current()) {
  return ifftn(a, {-2, -1}, {}, norm, here);
}
inline Array rfft2(const Array& a, Norm norm = Norm::backward, Here here = Here::current()) {
  return rfftn(a, {-2, -1}, {}, norm, here);
}
// `lengths`: the rows and columns of the result; by default the columns are 2 * (m - 1) of m.
inline Array irfft2(const Array& a, const std::vector<int64_t>& lengths = {}, Norm norm = Norm::backward,
                    Here here = Here::current()) {
  return irfftn(a, {-2, -1}, lengths, norm, here);
}

// The frequencies of what fft() and rfft() give of n numbers that are d apart: float64. Throws ErrorKind::value for a negative n.
Array fftfreq(int64_t n, double d = 1, const Device& device = Device(), Here here = Here::current());
Array rfftfreq(int64_t n, double d = 1, const Device& device = Device(), Here here = Here::current());

// Frequency 0 to the middle of the axes, and back.
Array fftshift(const Array& a, const Axes& axes = {}, Here here = Here::current());
Array ifftshift(const Array& a, const Axes& axes = {}, Here here = Here::current());

}  // namespace qn::fft
