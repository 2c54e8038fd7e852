#include "functions/fourier_axes.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/tape.h"
#include "run/calls/fourier.h"

namespace quern::fft {

using namespace steps;

namespace {

bool is_single(DType type) {
  return type == DType::float32 || type == DType::complex64 || type == DType::float16 || type == DType::bfloat16;
}

// The axis cut, or filled up with zeros.
Array resized(const Array& a, int64_t n, size_t axis) {
  Shape shape = a.shape();
  int64_t have = shape[axis];
  int place = static_cast<int>(axis);
  if (have >= n) return have == n ? a : part(a, place, 0, n);
  shape[axis] = n;
  GraphLock lock;
  Array out = full_in(layout_beside(a, shape), whole(0), a.dtype(), a.device());
  assign(part(out, place, 0, have), Argument(a));
  return out;
}

double scale_of(int64_t n, Norm norm, bool is_forward) {
  if (norm == Norm::ortho) return 1 / std::sqrt(static_cast<double>(n));
  return is_forward == (norm == Norm::forward) ? 1 / static_cast<double>(n) : 1;
}

Norm swapped(Norm norm) { return norm == Norm::backward ? Norm::forward : norm == Norm::forward ? Norm::backward : norm; }

}  // namespace

Array transformed(const Array& a, std::string_view kind, std::optional<int64_t> given, size_t axis, Norm norm) {
  // The conjugates of reals are a copy of them, as in NumPy: the result lies as that does.
  if (kind == "hermitian") return transformed(compute(Op::conjugate, a), "whole", given, axis, swapped(norm));
  if (kind == "hermitian_half") return compute(Op::conjugate, transformed(a, "half", given, axis, swapped(norm)));
  bool is_half = kind == "half", is_whole = kind == "whole", single = is_single(a.dtype());
  int64_t length = a.shape()[axis], n = given.value_or(is_whole ? (length - 1) * 2 : length);
  if (n < 1) raise(ErrorKind::value, "[fft] a transform of {} numbers makes no sense; it must be one or more", n);
  if (is_half && is_complex(a.dtype())) raise(ErrorKind::type, "[rfft] the numbers are complex; use fft()");
  // Of reals half is computed, and told twice; a GPU's library and gradients take complex numbers.
  bool is_full = kind == "forward" && !is_complex(a.dtype()) && a.device().is_cpu() && !(is_taping() && wants_gradient(a));
  if (is_full) kind = "full";
  DType type = is_half || is_full ? (single ? DType::float32 : DType::float64) : single ? DType::complex64 : DType::complex128;
  Array lines = resized(as_type(a, type), is_whole ? n / 2 + 1 : n, axis);
  Array out = fourier(lines, kind, n, scale_of(n, norm, is_half || is_full || kind == "forward"), axis);
  return is_whole && a.dtype() == DType::float16 ? astype(out, DType::float16) : out;  // NumPy keeps the type of reals
}

Array transformed_along(const Array& a, std::string_view kind, std::vector<std::optional<int64_t>> lengths,
                        const std::vector<size_t>& axes, Norm norm) {
  size_t count = axes.size();
  bool is_half = kind == "half", is_whole = kind == "whole";
  if (lengths.size() != count)
    raise(ErrorKind::value, "[fft] {} lengths are given for {} axes; give one for each", lengths.size(), count);
  if ((is_half || is_whole) && count == 0) raise(ErrorKind::index, "[fft] a transform of real numbers needs an axis at least");
  // An axis that is named twice counts with its first length.
  for (size_t i = 0; i < count; ++i)
    if (!lengths[i] && !(is_whole && i + 1 == count)) lengths[i] = a.shape()[axes[i]];
  Array out = a;
  if (is_whole) {
    for (size_t i = 0; i + 1 < count; ++i) out = transformed(out, "backward", lengths[i], axes[i], norm);
    return transformed(out, kind, lengths.back(), axes.back(), norm);
  }
  for (size_t i = count; i-- > 0;) out = transformed(out, is_half && i + 1 < count ? "forward" : kind, lengths[i], axes[i], norm);
  return out;
}

Array frequencies(int64_t n, const Argument& step, bool is_half, DeviceId device) {
  if (n < 0 && !is_half) raise(ErrorKind::value, "[fftfreq] {} numbers make no sense; it must be none or more", n);
  int64_t count = is_half ? std::max<int64_t>(n / 2 + 1, 0) : n;
  Array places = counted(count, device);
  // The second half is of the negative ones.
  if (!is_half) places = compute(Op::subtract, places, compute(Op::multiply, compute(Op::greater_equal, places, (n + 1) / 2), n));
  return compute(Op::multiply, places, step);
}

}  // namespace quern::fft
