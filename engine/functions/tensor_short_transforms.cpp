// Short-time Fourier transforms as PyTorch has them: of frames of a signal, and back. Start at spectra_of_frames().
#include "core/error.h"
#include "functions/fourier_axes.h"
#include "functions/matrix_calls.h"
#include "functions/shaping.h"
#include "functions/steps.h"

namespace quern {
Array pieces_along_last(const Array& a, int64_t length, int64_t stride);
}

namespace quern::fft {

using namespace steps;

namespace {

Array zeros_of(const Shape& shape, const Array& like) { return full(shape, real_number(0), like.dtype(), like.device()); }

// The sum of frames (..., F, n), each `hop` elements behind the one before: (..., n + hop (F - 1)). Blocks of `hop` elements are
// added.
Array overlapped(const Array& frames, int64_t hop) {
  Shape shape = frames.shape();
  const int64_t count = shape[shape.size() - 2], length = shape.back(), blocks = (length + hop - 1) / hop;
  Shape lead(shape.begin(), shape.end() - 2);
  const auto with = [&](std::initializer_list<int64_t> sizes) {
    Shape out = lead;
    out.insert(out.end(), sizes);
    return out;
  };
  const size_t last = lead.size() + 1;
  Array filled = frames;
  if (blocks * hop > length) filled = joined({frames, zeros_of(with({count, blocks * hop - length}), frames)}, last);
  std::optional<Array> sum;
  for (int64_t n = 0; n < blocks; ++n) {
    std::vector<Array> parts;
    if (n > 0) parts.push_back(zeros_of(with({n, hop}), frames));
    parts.push_back(part(filled, -1, n * hop, (n + 1) * hop));
    if (n + 1 < blocks) parts.push_back(zeros_of(with({blocks - 1 - n, hop}), frames));
    sum = added(sum, parts.size() > 1 ? joined(parts, last - 1) : parts[0]);
  }
  const Array line = reshape(*sum, with({(count + blocks - 1) * hop}));
  return part(line, -1, 0, length + hop * (count - 1));
}

}  // namespace

// The transforms of frames of `length` samples, each under the window: (..., F, bins).
Array spectra_of_frames(const Array& x, int64_t length, int64_t hop, const Array& window, bool is_half) {
  const Array frames = multiply(pieces_along_last(x, length, hop), window);
  return transformed(frames, is_half ? "half" : "forward", length, frames.rank() - 1, Norm::backward);
}

// The samples (..., n + hop (F - 1)) of spectra (..., F, bins), and the sums of squared windows by which they are divided, where
// above 0.
linalg::Factors samples_of_spectra(const Array& x, int64_t length, int64_t hop, const Array& window, bool is_half) {
  const size_t last = x.rank() - 1;
  Array frames = transformed(x, is_half ? "whole" : "backward", length, last, Norm::backward);
  frames = multiply(frames, window);
  const Array squares = square(window);
  const Array all = squares.view(squares.layout().broadcast_to({x.shape()[last - 1], length}));
  const Array weights = overlapped(multiply(all, 1), hop);
  const Array safe = as_type(where(greater(weights, 1e-11), weights, 1.0), weights.dtype());
  return {{true_divide(overlapped(frames, hop), safe), weights}, false};
}

}  // namespace quern::fft
