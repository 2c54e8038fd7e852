// Fourier transforms along an axis: an FFT of ours on the CPU, cuFFT on a GPU.
#pragma once

#include "graph/array.h"

#include <span>
#include <string_view>

namespace quern {

// The transform of each line of the axis, times `scale`. `kind` is
//
//   forward, backward   complex numbers to as many: e^-i and e^+i
//   half                n real numbers to n / 2 + 1 complex ones
//   full                n real numbers to n complex ones; on the CPU alone, and not recorded for gradients
//   whole               n / 2 + 1 complex numbers to n real ones, e^+i; the others are taken as their conjugates
//
// The operand is of single or double precision, and has along the axis what the kind asks for.
struct FourierAxis {
  std::string_view kind;
  int64_t n;
  double scale;
  size_t axis;
};
// Along several axes, one after the other: only the first may take reals, only the last may give them.
Array fourier(const Array& array, std::span<const FourierAxis> axes);
inline Array fourier(const Array& array, std::string_view kind, int64_t n, double scale, size_t axis) {
  FourierAxis one{kind, n, scale, axis};
  return fourier(array, {&one, 1});
}

}  // namespace quern
