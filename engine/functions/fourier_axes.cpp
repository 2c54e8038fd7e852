#include "functions/fourier_axes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "functions/shaping.h"
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

namespace {

// Of reals half is computed, and written twice; a GPU's library and gradients take complex numbers.
bool is_told_twice(const Array& a, std::string_view kind) {
  return kind == "forward" && !is_complex(a.dtype()) && a.device().is_cpu() && !(is_taping() && wants_gradient(a));
}

// Axes that are all different, one after the other; a whole's length is as it was given.
Array along_each(const Array& a, std::vector<FourierAxis> axes, Norm norm) {
  std::string_view first = axes[0].kind;
  bool single = is_single(a.dtype()), is_half = first == "half";
  for (const FourierAxis& axis : axes)
    if (axis.n < 1)
      raise(ErrorKind::value, "[fft] Invalid number of FFT data points ({}) specified; it must be one or more", axis.n);
  if (is_half && is_complex(a.dtype())) raise(ErrorKind::type, "[rfft] the input is complex; use fft()");
  if (is_told_twice(a, first)) axes[0].kind = first = "full";
  bool of_reals = is_half || first == "full";
  Array lines = as_type(a, of_reals ? (single ? DType::float32 : DType::float64) : single ? DType::complex64 : DType::complex128);
  for (FourierAxis& axis : axes) {
    lines = resized(lines, axis.kind == "whole" ? axis.n / 2 + 1 : axis.n, axis.axis);
    axis.scale = scale_of(axis.n, norm, axis.kind != "backward" && axis.kind != "whole");
  }
  return fourier(lines, axes);
}

}  // namespace

Array transformed(const Array& a, std::string_view kind, std::optional<int64_t> given, size_t axis, Norm norm) {
  // The conjugates of reals are a copy of them, as in NumPy: the result lies as that does.
  if (kind == "hermitian") return transformed(conjugate(a), "whole", given, axis, swapped(norm));
  if (kind == "hermitian_half") return conjugate(transformed(a, "half", given, axis, swapped(norm)));
  int64_t length = a.shape()[axis], n = given.value_or(kind == "whole" ? (length - 1) * 2 : length);
  Array out = along_each(a, {{kind, n, 1, axis}}, norm);
  return kind == "whole" && a.dtype() == DType::float16 ? astype(out, DType::float16) : out;  // NumPy keeps the type of reals
}

// Along the last axis the Hermitian transform, along the others the one of complex numbers; the inverse begins with the last.
static Array hermitian_along(const Array& a, std::string_view kind, std::vector<std::optional<int64_t>> lengths,
                             std::vector<size_t> axes, Norm norm) {
  std::optional<int64_t> last_length = lengths.back();
  size_t last = axes.back();
  lengths.pop_back(), axes.pop_back();
  if (kind == "hermitian")
    return transformed(transformed_along(a, "forward", lengths, axes, norm), kind, last_length, last, norm);
  return transformed_along(transformed(a, kind, last_length, last, norm), "backward", lengths, axes, norm);
}

Array transformed_along(const Array& a, std::string_view kind, std::vector<std::optional<int64_t>> lengths,
                        const std::vector<size_t>& axes, Norm norm) {
  size_t count = axes.size();
  bool is_half = kind == "half", is_whole = kind == "whole";
  if (count > 0 && kind.starts_with("hermitian")) return hermitian_along(a, kind, std::move(lengths), axes, norm);
  if (lengths.size() != count)
    raise(ErrorKind::value, "Shape and axes have different lengths: {} lengths for {} axes", lengths.size(), count);
  if ((is_half || is_whole) && count == 0) raise(ErrorKind::index, "[fft] at least 1 axis must be transformed");
  if (count == 0) return a;
  // The order: reals first or last. An axis that is named twice counts with its first length.
  std::vector<FourierAxis> order;
  for (size_t i = 0; i < count; ++i) {
    int64_t length = a.shape()[axes[i]];
    bool is_last = i + 1 == count;
    std::string_view here = is_whole ? (is_last ? "whole" : "backward") : is_half && !is_last ? "forward" : kind;
    order.push_back({here, lengths[i].value_or(here == "whole" ? (length - 1) * 2 : length), 1, axes[i]});
  }
  if (!is_whole) std::reverse(order.begin(), order.end());
  std::vector<size_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (count > 1 && a.device().is_cpu() && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end())
    return along_each(a, std::move(order), norm);
  Array out = a;
  for (const FourierAxis& axis : order) {
    bool has_own = axis.kind == "whole" && !lengths.back();  // of the axis as it is by then
    out = transformed(out, axis.kind, has_own ? std::nullopt : std::optional(axis.n), axis.axis, norm);
  }
  return out;
}

namespace {

constexpr std::string_view words[] = {"forward", "backward", "half", "whole", "hermitian", "hermitian_half"};

Array of_reals(const Array& a, DType of_whole) { return is_whole(a.dtype()) ? as_type(a, of_whole) : a; }

Array shifted(const Array& a, const std::optional<std::vector<size_t>>& named, int64_t sign) {
  std::vector<size_t> axes = named ? *named : std::vector<size_t>(a.rank());
  if (!named) std::iota(axes.begin(), axes.end(), size_t{0});
  std::vector<int64_t> shifts;
  for (size_t axis : axes) shifts.push_back(a.rank() == 0 ? 0 : sign * (a.shape()[axis] / 2));  // PyTorch's scalars have an axis
  return rolled(a, shifts, axes);
}

// Of samples a number apart.
double step_of(Samples n, const Argument& d) {
  const Scalar& number = d.scalar();
  if (number.kind == WeakScalar::complex) raise(ErrorKind::type, "[fftfreq] the sample spacing `d` must be real, not complex");
  double width =
      static_cast<double>(n.count) * (number.kind == WeakScalar::real ? number.re : static_cast<double>(number.integer));
  if (width == 0 && !n.is_torchs)
    raise(ErrorKind::zero_division, "float division by zero: the sample spacing `d` of {} samples must not be 0", n.count);
  return 1.0 / width;
}

Array frequencies_as(Samples n, const Argument& d, std::optional<DType> dtype, bool is_half, DeviceId device) {
  std::optional<Array> step;  // a distance that is an array may want a gradient
  if (d.array()) step = true_divide(1.0, multiply(n.count, d));
  if (n.is_torchs && dtype && is_whole(*dtype))
    raise(ErrorKind::runtime, "{} requires a floating point or complex dtype", is_half ? "rfftfreq" : "fftfreq");
  Array made = frequencies(n.count, step ? Argument(*step) : operand(step_of(n, d)), is_half, device);
  return dtype ? as_type(made, *dtype) : made;
}

}  // namespace

Array along_line(Transform kind, const Array& a, const Line& line) {
  return transformed(of_reals(a, line.of_whole), words[static_cast<size_t>(kind)], line.length, line.axis, line.norm);
}

Array along_lines(Transform kind, const Array& a, const Lines& lines) {
  if (lines.axes.empty() && lines.is_always_complex)
    return as_type(a, is_single(is_whole(a.dtype()) ? lines.of_whole : a.dtype()) ? DType::complex64 : DType::complex128);
  const Array numbers =
      lines.axes.empty() ? a : of_reals(a, lines.of_whole);  // NumPy gives back what it transforms along no axis
  return transformed_along(numbers, words[static_cast<size_t>(kind)], lines.lengths, lines.axes, lines.norm);
}

// The middle of each of the axes, or of all, moves to the start, and back.
Array shifted_to_middle(const Array& a, const std::optional<std::vector<size_t>>& axes) { return shifted(a, axes, 1); }
Array shifted_to_start(const Array& a, const std::optional<std::vector<size_t>>& axes) { return shifted(a, axes, -1); }

// The frequencies of samples that are `d` apart, of float64 or a type that is asked for. Raises ErrorKind::zero_division.
Array frequencies_of_all(Samples n, const Argument& d, std::optional<DType> dtype, DeviceId device) {
  return frequencies_as(n, d, dtype, false, device);
}
Array frequencies_of_half(Samples n, const Argument& d, std::optional<DType> dtype, DeviceId device) {
  return frequencies_as(n, d, dtype, true, device);
}

Array frequencies(int64_t n, const Argument& step, bool is_half, DeviceId device) {
  if (n < 0 && !is_half) raise(ErrorKind::value, "[fftfreq] the number of samples must be non-negative, not {}", n);
  int64_t count = is_half ? std::max<int64_t>(n / 2 + 1, 0) : n;
  Array places = arange(count, device);
  // The second half is of the negative ones.
  if (!is_half) places = subtract(places, multiply(greater_equal(places, (n + 1) / 2), n));
  return multiply(places, step);
}

static Array whole_of(const Parts& parts) {
  Scalar unit;
  unit.kind = WeakScalar::complex, unit.re = 0, unit.im = 1;
  return add(parts.real, multiply(parts.imaginary, unit));
}
static std::pair<Array, Array> parts_of(const Array& whole, std::optional<DType> type = {}) {
  const DType real = type.value_or(real_part_type(whole.dtype()));
  return {as_type(whole.real(), real), as_type(whole.imag(), real)};
}
static size_t last_axis(const Array& a) {
  if (a.rank() == 0) raise(ErrorKind::value, "[fft] axis -1 is out of bounds for an array without dimensions");
  return a.rank() - 1;
}
static std::pair<Array, Array> plane(Transform kind, const Parts& parts) {
  const size_t last = last_axis(parts.real);
  if (last == 0) raise(ErrorKind::value, "[fft] axis -2 is out of bounds for an array of dimension 1");
  const Array whole = whole_of(parts);
  return parts_of(whole.size() == 0 ? whole : along_lines(kind, whole, {.axes = {last - 1, last}, .lengths = {{}, {}}}));
}

std::pair<Array, Array> line_of_parts(const Parts& parts) {
  const Line line{.axis = last_axis(parts.real), .length = {}};
  const Array whole = whole_of(parts);
  return parts_of(whole.size() == 0 ? whole : along_line(Transform::forward, whole, line));
}
std::pair<Array, Array> plane_of_parts(const Parts& parts) { return plane(Transform::forward, parts); }
std::pair<Array, Array> plane_back_of_parts(const Parts& parts) { return plane(Transform::backward, parts); }

std::pair<Array, Array> parts_of_half(const Array& a, std::optional<int64_t> n) {
  const DType type = is_whole(a.dtype()) ? DType::float32 : a.dtype();
  return parts_of(along_line(Transform::half, a, {.axis = last_axis(a), .length = n, .of_whole = DType::float32}), type);
}
Array reals_of_parts(const Parts& parts, std::optional<int64_t> n) {
  return along_line(Transform::whole, whole_of(parts), {.axis = last_axis(parts.real), .length = n});
}

}  // namespace quern::fft
