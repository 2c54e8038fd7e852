// Short-time Fourier transforms: of pieces of a signal, each under a window, and back. Start at parts_of_pieces().
#include "core/error.h"
#include "functions/fourier_axes.h"
#include "functions/picking.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "functions/windows.h"
#include "run/calls/indexing.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace quern {
Array pieces_along_last(const Array& a, int64_t length, int64_t stride);
}

namespace quern::fft {

using namespace steps;

std::pair<Array, Array> parts_of_half(const Array& a, std::optional<int64_t> n);
Array reals_of_parts(const Parts& parts, std::optional<int64_t> n);

// The window of a transform of `whole` samples, in their middle.
static Array window_of(const PieceWeights& given, int64_t length, int64_t whole, DType type, DeviceId device) {
  if (whole < length)
    raise(ErrorKind::value,
          "`fft_length` must equal or larger than `sequence_length`. Received: sequence_length={}, fft_length={}", length, whole);
  if (!given.name && !given.values) return full({whole}, real_number(1), type, device);
  if (given.name && given.name != "hann" && given.name != "hamming")
    raise(ErrorKind::value, "If a string is passed to `window`, it must be one of `\"hann\"`, `\"hamming\"`. Received: window={}",
          *given.name);
  Array window;
  if (given.name) {  // periodic: one sample more, which is left out
    const std::optional<double> half = given.name == "hann" ? std::optional(0.5) : std::nullopt;
    window = hamming({static_cast<double>(length + (length > 1)), length, type, device}, half, half);
  } else {
    window = as_type(*given.values, type);
  }
  if (window.rank() != 1 || window.size() != length)
    raise(ErrorKind::value, "The shape of `window` must be equal to [sequence_length].Received: window shape={}",
          to_string(window.shape()));
  const int64_t before = (whole - length) / 2;
  auto zeros = [&](int64_t count) { return full({count}, real_number(0), type, device); };
  return joined({zeros(before), window, zeros(whole - length - before)}, 0);
}

// With `more` samples at both ends, which repeat those inside.
static Array reflected(const Array& a, int64_t more) {
  const int64_t count = last_size(a), period = std::max<int64_t>(2 * (count - 1), 1);
  if (count == 0) raise(ErrorKind::value, "[stft] an empty sequence has no samples to reflect; use `center=False`");
  const Array places = remainder(subtract(arange(count + 2 * more, a.device()), more), period);
  return take_along(a, minimum(places, subtract(2 * (count - 1), places)), a.rank() - 1);
}

// Keras's stft(): the transforms of pieces of `length` samples, in the middle of `whole`.
std::pair<Array, Array> parts_of_pieces(const Array& x, int64_t length, int64_t stride, int64_t whole, const PieceWeights& window,
                                        bool is_centered) {
  if (x.dtype() != DType::float32 && x.dtype() != DType::float64)
    raise(ErrorKind::type, "Invalid input type. Expected `float32` or `float64`. Received: input type={}", row(x.dtype()).name);
  if (x.rank() == 0) raise(ErrorKind::value, "[stft] the input must be at least 1-D");
  const Array weights = window_of(window, length, whole, x.dtype(), x.device());
  const Array pieces = pieces_along_last(is_centered && whole > 1 ? reflected(x, whole / 2) : x, whole, stride);
  return parts_of_half(multiply(pieces, weights), whole);
}

// Keras's istft(): pieces added up where they lie, divided by the sum of their squared windows.
Array samples_of_pieces(const Parts& parts, int64_t length, int64_t stride, int64_t whole, std::optional<int64_t> wanted,
                        const PieceWeights& window, bool is_centered) {
  const Shape& shape = parts.real.shape();
  if (shape.size() < 2)
    raise(ErrorKind::value, "Input `x` must have at least 2 dimensions. Received shape: {}", to_string(shape));
  if (stride <= 0) raise(ErrorKind::value, "[istft] `sequence_stride` must be positive, not {}", stride);
  const int64_t count = shape[shape.size() - 2], total = whole + stride * (count - 1);
  if (count == 0) raise(ErrorKind::value, "[istft] the input has no frames");
  Array pieces = reals_of_parts(parts, whole);
  const Array weights = window_of(window, length, whole, pieces.dtype(), pieces.device());
  pieces = multiply(pieces, weights);

  const Array starts = reshape(multiply(arange(count, pieces.device()), stride), {count, 1});
  const Pick pick{0, reshape(add(starts, arange(whole, pieces.device())), {count * whole})};
  Shape lead(shape.begin(), shape.end() - 2);
  const int64_t lines = std::reduce(lead.begin(), lead.end(), int64_t{1}, std::multiplies<>());
  const Array sums = full({total, lines}, real_number(0), pieces.dtype(), pieces.device());
  put_add(sums, {&pick, 1}, matrix_transpose(reshape(pieces, {lines, count * whole})));
  const Array weight = full({total}, real_number(0), pieces.dtype(), pieces.device()), squared = square(weights);
  put_add(weight, {&pick, 1}, reshape(squared.view(squared.layout().broadcast_to({count, whole})), {count * whole}));

  Array out = true_divide(sums, expand_dims(where(greater(weight, 1e-10), weight, 1.0), 1));
  // As in Keras on JAX.
  if (!window.name && !window.values) out = multiply(out, static_cast<double>(whole) / static_cast<double>(stride));
  lead.push_back(total);
  const int64_t start = is_centered ? whole / 2 : 0;
  const int64_t end = wanted ? start + *wanted : is_centered ? total - whole / 2 : total;
  return part(reshape(matrix_transpose(out), lead), -1, std::min(start, total), std::clamp(end, std::min(start, total), total));
}

}  // namespace quern::fft
