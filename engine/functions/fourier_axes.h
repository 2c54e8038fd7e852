// Fourier transforms of arrays of every type and length, along one axis and along several: on fourier() of run/calls/fourier.h.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/array.h"
#include "quern/fft.h"

namespace quern::fft {

using Norm = qn::fft::Norm;

// Along one axis, cut or filled up with zeros for a length n. `kind`: those of fourier(); "hermitian" is "whole" of the
// conjugates, "hermitian_half" the conjugates of "half", and the norms of both are the other way around. float16 and bfloat16
// count as float32, others as float64. Raises ErrorKind::value for a length below 1, ErrorKind::type for the half of complex
// numbers.
Array transformed(const Array& a, std::string_view kind, std::optional<int64_t> n, size_t axis, Norm norm);
// Along several; "half", "whole" and the Hermitian ones are of the last one alone, the others are of complex numbers. A length
// for each axis; none: its own. Raises ErrorKind::value for another number of lengths than axes, ErrorKind::index for reals
// without an axis.
Array transformed_along(const Array& a, std::string_view kind, std::vector<std::optional<int64_t>> lengths,
                        const std::vector<size_t>& axes, Norm norm);

// What a front end asks of a transform along one axis, and along several; no length: the axis' own.
struct Line {
  size_t axis;
  std::optional<int64_t> length;
  Norm norm = Norm::backward;
  DType of_whole = DType::float64;  // what integers and bools become
};
struct Lines {
  std::vector<size_t> axes;
  std::vector<std::optional<int64_t>> lengths;
  Norm norm = Norm::backward;
  DType of_whole = DType::float64;
  bool is_always_complex = false;  // also along no axis
};
enum class Transform : uint8_t { forward, backward, half, whole, hermitian, hermitian_half };
Array along_line(Transform kind, const Array& a, const Line& line);
Array along_lines(Transform kind, const Array& a, const Lines& lines);
// The same as bodies of the table's rows.
template <Transform kind>
Array along(const Array& a, const Line& line) {
  return along_line(kind, a, line);
}
template <Transform kind>
Array along_several(const Array& a, const Lines& lines) {
  return along_lines(kind, a, lines);
}

// Complex numbers as their real and their imaginary parts.
struct Parts {
  Array real, imaginary;
};

// The weights of a piece of a signal: a name, values, or else ones.
struct PieceWeights {
  std::optional<std::string_view> name;
  std::optional<Array> values;
};

// A number of samples, as the front end reads it.
struct Samples {
  int64_t count;
  bool is_torchs = false;  // by PyTorch's rules a distance of 0 has infinite frequencies
};

// The numbers of the frequencies of n elements, in the order of a transform (`is_half`: of reals), times `step`.
Array frequencies(int64_t n, const Argument& step, bool is_half, DeviceId device);

}  // namespace quern::fft
