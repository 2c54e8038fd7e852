// Readers of what Fourier transforms take: lengths, axes and a norm, of one axis or of several; numbers of samples.
#pragma once

#include "bindings/faces/read.h"
#include "functions/fourier_axes.h"

namespace quern::python::faces {

// Of the three slots "n axis norm".
fft::Line read_line(const Reading& reading, PyObject* const* given);
fft::Lines read_lines(const Reading& reading, PyObject* const* given);
fft::Samples read_samples(const Reading& reading, PyObject* given);
// A pair (real, imaginary) of arrays of real numbers.
fft::Parts read_parts(Reading& reading, PyObject* given);

template <>
struct Read<const fft::Line&> {
  static constexpr size_t slots = 3;
  fft::Line value;
  explicit Read(Reading& reading) : value(read_line(reading, reading.slots + reading.next)) { reading.next += slots; }
};
template <>
struct Read<const fft::Lines&> {
  static constexpr size_t slots = 3;
  fft::Lines value;
  explicit Read(Reading& reading) : value(read_lines(reading, reading.slots + reading.next)) { reading.next += slots; }
};

fft::PieceWeights read_weights(Reading& reading, PyObject* given);
template <>
inline constexpr auto reader<const fft::PieceWeights&> = read_weights;
template <>
inline constexpr auto reader<fft::Samples> = read_samples;
template <>
inline constexpr auto reader<const fft::Parts&> = read_parts;

}  // namespace quern::python::faces
