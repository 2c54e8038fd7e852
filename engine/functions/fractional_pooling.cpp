#include "functions/fractional_pooling.h"

#include <cmath>
#include <string>

#include "core/error.h"
#include "functions/parts.h"
#include "functions/ranking.h"
#include "functions/refusals.h"
#include "functions/steps.h"

namespace quern::nn {

using namespace steps;

// ---- powers

namespace {

OneOrMore largest(const Array& x, size_t axes, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                  bool ceil_mode) {
  const auto pool = axes == 1 ? max_pool1d : axes == 2 ? max_pool2d : max_pool3d;
  return pool(x, size, stride, {{0}}, {{1}}, ceil_mode, false);
}

Array power_pool(const Array& x, size_t axes, double p, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                 bool ceil_mode) {
  if (size.numbers.size() != 1 && size.numbers.size() != axes)
    raise(ErrorKind::value, "[lp_pool{}d] kernel_size must be an int or {} of them, not {}", axes, axes, size.numbers.size());
  if (p == 0) raise(ErrorKind::value, "norm_type must be a non-zero value, but got 0");
  if (std::isinf(p)) {
    const Array sizes = absolute(x);
    return p > 0 ? largest(sizes, axes, size, stride, ceil_mode).arrays[0]
                 : negative(largest(negative(sizes), axes, size, stride, ceil_mode).arrays[0]);
  }
  const bool is_whole_number = p == std::trunc(p) && std::abs(p) < 0x1p31;
  const Array powers = raised(Argument(x), is_whole_number ? operand(static_cast<int64_t>(p)) : operand(p));
  const Array means = axes == 1   ? avg_pool1d(powers, size, stride, {{0}}, ceil_mode, true, {})
                      : axes == 2 ? avg_pool2d(powers, size, stride, {{0}}, ceil_mode, true, {})
                                  : avg_pool3d(powers, size, stride, {{0}}, ceil_mode, true, {});
  int64_t count = 1;
  for (size_t i = 0; i < axes; ++i) count *= size.along(i);
  const Array sums = multiply(multiply(sign(means), relu(absolute(means))), count);
  return raised(Argument(is_whole(sums.dtype()) ? as_type(sums, DType::float32) : sums), operand(1 / p));
}

}  // namespace

Array lp_pool1d(const Array& x, double p, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, bool ceil_mode) {
  return power_pool(x, 1, p, size, stride, ceil_mode);
}
Array lp_pool2d(const Array& x, double p, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, bool ceil_mode) {
  return power_pool(x, 2, p, size, stride, ceil_mode);
}
Array lp_pool3d(const Array& x, double p, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, bool ceil_mode) {
  return power_pool(x, 3, p, size, stride, ceil_mode);
}

// ---- random windows

namespace {

constexpr const char* axis_names[] = {"time", "height", "width"};

std::string by_x(const ForEachAxis& numbers, size_t axes) {
  std::string out;
  for (size_t i = 0; i < axes; ++i) out += (i ? "x" : "") + std::to_string(numbers.along(i));
  return out;
}

// The sizes of the result.
Shape sizes_of(const Array& x, size_t axes, const ForEachAxis& size, const std::optional<ForEachAxis>& output_size,
               const std::optional<ScaleFactors>& ratio) {
  if (!output_size && !ratio)
    raise(ErrorKind::value, "fractional_max_pool{}d requires specifying either an output_size or an output_ratio", axes);
  if (!output_size && !ratio->fits(axes))
    raise(ErrorKind::value, "fractional_max_pool{}d requires output_ratio to either be a single Int or tuple of Ints.", axes);
  if (x.rank() != axes + 1 && x.rank() != axes + 2)
    raise(x.rank() <= axes ? ErrorKind::index : ErrorKind::runtime,
          "fractional_max_pool{}d(): Expected {}D or {}D tensor, but got: {}", axes, axes + 1, axes + 2, in_brackets(x.shape()));
  for (const auto& [name, numbers] :
       {std::pair("kernel_size", &size), std::pair("output_size", output_size ? &*output_size : &size)})
    if (numbers->numbers.size() != 1 && numbers->numbers.size() != axes)
      raise(ErrorKind::runtime, "fractional_max_pool{}d: {} must either be a single Int or tuple of Ints", axes, name);
  Shape out;
  for (size_t i = 0; i < axes; ++i) {
    const int64_t n = x.shape()[x.rank() - axes + i];
    out.push_back(output_size ? output_size->along(i) : static_cast<int64_t>(static_cast<double>(n) * ratio->along(i)));
  }
  return out;
}

void check_windows(const Array& x, size_t axes, const ForEachAxis& size, const Shape& out) {
  for (size_t i = 0; i < axes; ++i)
    if (size.along(i) < 1)
      raise(ErrorKind::runtime, "fractional_max_pool{}d(): kernel size should be greater than zero, but got {}", axes,
            by_x(size, axes));
  for (size_t i = x.rank() == axes + 2 ? 1 : 0; i < x.rank(); ++i)
    if (x.shape()[i] == 0)
      raise(
          ErrorKind::runtime,
          "fractional_max_pool{}d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {} with "
          "dimension {} being empty",
          axes, in_brackets(x.shape()), i);
  for (size_t i = 0; i < axes; ++i) {
    const int64_t n = x.shape()[x.rank() - axes + i];
    if (out[i] < 0)
      raise(ErrorKind::runtime, "fractional_max_pool{}d(): output sizes must not be negative, but one is {}", axes, out[i]);
    if (out[i] + size.along(i) - 1 > n)
      raise(ErrorKind::runtime, "fractional_max_pool{}d(): pool {} {} too large relative to input {} {}", axes,
            axis_names[3 - axes + i], size.along(i), axis_names[3 - axes + i], n);
  }
  if (row(x.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::not_implemented, "\"fractional_max_pool{}d\" not implemented for '{}'", axes, torch_name_of(x.dtype()));
}

void check_samples(const Array& samples, const Array& x, size_t axes, int64_t batch, int64_t channels) {
  if (samples.dtype() != x.dtype()) raise(ErrorKind::runtime, "Expect _random_samples to have the same dtype as input");
  if (samples.rank() != 3) raise(ErrorKind::runtime, "Expect _random_samples to have 3 dimensions, got {}", samples.rank());
  if (samples.shape()[0] < batch) raise(ErrorKind::runtime, "Expect _random_samples.size(0) no less then input batch size.");
  if (samples.shape()[1] != channels) raise(ErrorKind::runtime, "Expect _random_samples.size(1) equals to input channel size.");
  if (samples.shape()[2] != static_cast<int64_t>(axes))
    raise(ErrorKind::runtime, "Expect _random_samples.size(2) equals to {}; got {}.", axes, samples.shape()[2]);
}

// Where the windows along an axis begin: (planes, count), of a number for each plane.
Array starts_of(const Array& sample, int64_t n, int64_t size, int64_t count) {
  const Shape all{sample.size(), count};
  const Array last = full(all, whole(n - size), DType::int64, sample.device());
  if (count == 1) return last;
  const Array numbers = reshape(as_type(arange(count, sample.device()), sample.dtype()), {1, count});
  const Array column = reshape(sample, {sample.size(), 1});
  const double step = sample.dtype() == DType::float64
                          ? static_cast<double>(n - size) / static_cast<double>(count - 1)
                          : static_cast<double>(static_cast<float>(n - size) / static_cast<float>(count - 1));
  const Array begin =
      subtract(as_type(multiply(add(numbers, column), step), DType::int64), as_type(multiply(column, step), DType::int64));
  return where(equal(reshape(arange(count, sample.device()), {1, count}), count - 1), last, begin);
}

// The places in the plane of all elements of all windows: (planes, windows, elements).
Array places_of(const Array& samples, const Shape& in, const ForEachAxis& size, const Shape& out) {
  const size_t axes = in.size();
  const int64_t planes = samples.shape()[0];
  std::optional<Array> places;
  int64_t windows = 1, elements = 1;
  for (size_t i = 0; i < axes; ++i) {
    // The numbers of an image are those of the columns, then of the rows.
    const auto of_axis = static_cast<int64_t>(axes == 2 ? 1 - i : i);
    const Array starts = starts_of(element(samples, 1, of_axis), in[i], size.along(i), out[i]);
    Shape begins(1 + 2 * axes, 1), steps(1 + 2 * axes, 1);
    begins[0] = planes;
    begins[1 + i] = out[i];
    steps[1 + axes + i] = size.along(i);
    const Array along = add(reshape(starts, begins), reshape(arange(size.along(i), samples.device()), steps));
    places = places ? add(multiply(*places, in[i]), along) : along;
    windows *= out[i];
    elements *= size.along(i);
  }
  return reshape(*places, {planes, windows, elements});
}

OneOrMore pooled_at_random(const Array& x, size_t axes, const ForEachAxis& size, const std::optional<ForEachAxis>& output_size,
                           const std::optional<ScaleFactors>& ratio, bool return_indices, const Array* given,
                           const random::Stream& draws) {
  const Shape out = sizes_of(x, axes, size, output_size, ratio);
  check_windows(x, axes, size, out);
  const bool has_samples = x.rank() == axes + 2;
  const int64_t batch = has_samples ? x.shape()[0] : 1, channels = x.shape()[has_samples ? 1 : 0], planes = batch * channels;
  if (given) check_samples(*given, x, axes, batch, channels);
  Shape in(x.shape().end() - static_cast<ptrdiff_t>(axes), x.shape().end()),
      result(x.shape().begin(), x.shape().end() - static_cast<ptrdiff_t>(axes));
  result.insert(result.end(), out.begin(), out.end());
  int64_t plane = 1, windows = 1;
  for (size_t i = 0; i < axes; ++i) plane *= in[i], windows *= out[i];
  if (planes * windows == 0) {
    OneOrMore nothing{{reshape(part(reshape(x, {x.size()}), 0, 0, 0), result)}};
    if (return_indices) nothing.arrays.push_back(zeros(result, DType::int64, x.device()));
    return nothing;
  }
  const Shape all{batch, channels, static_cast<int64_t>(axes)};
  const Array numbers = given ? part(untaped(*given), 0, 0, batch) : random::unit_of_size(draws, all, x.dtype(), x.device());
  const Array samples = reshape(as_type(numbers, wide_type(x.dtype())), {planes, static_cast<int64_t>(axes)});
  const Array lines = reshape(x, {planes, plane});
  const Array places = places_of(samples, in, size, out);
  const Array values = reshape(picked(untaped(lines), reshape(places, {planes, places.size() / planes})), places.shape());
  const Array first = place_of_largest(values, 2, true, {});
  const Array where_largest = reshape(picked(places, first), {planes, windows});
  OneOrMore pooled{{reshape(picked(lines, where_largest), result)}};
  if (return_indices) pooled.arrays.push_back(reshape(where_largest, result));
  return pooled;
}

}  // namespace

OneOrMore fractional_max_pool2d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& output_size,
                                const std::optional<ScaleFactors>& output_ratio, bool return_indices, const Array* samples,
                                const random::Stream& draws) {
  return pooled_at_random(x, 2, size, output_size, output_ratio, return_indices, samples, draws);
}
OneOrMore fractional_max_pool3d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& output_size,
                                const std::optional<ScaleFactors>& output_ratio, bool return_indices, const Array* samples,
                                const random::Stream& draws) {
  return pooled_at_random(x, 3, size, output_size, output_ratio, return_indices, samples, draws);
}
OneOrMore fractional_max_pool2d_with_indices(const Array& x, const ForEachAxis& size,
                                             const std::optional<ForEachAxis>& output_size,
                                             const std::optional<ScaleFactors>& output_ratio, const Array* samples,
                                             const random::Stream& draws) {
  return pooled_at_random(x, 2, size, output_size, output_ratio, true, samples, draws);
}
OneOrMore fractional_max_pool3d_with_indices(const Array& x, const ForEachAxis& size,
                                             const std::optional<ForEachAxis>& output_size,
                                             const std::optional<ScaleFactors>& output_ratio, const Array* samples,
                                             const random::Stream& draws) {
  return pooled_at_random(x, 3, size, output_size, output_ratio, true, samples, draws);
}

// ---- names of their own for what returns places, too

OneOrMore max_pool1d_with_indices(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                                  const ForEachAxis& padding, const ForEachAxis& dilation, bool ceil_mode) {
  return max_pool1d(x, size, stride, padding, dilation, ceil_mode, true);
}
OneOrMore max_pool2d_with_indices(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                                  const ForEachAxis& padding, const ForEachAxis& dilation, bool ceil_mode) {
  return max_pool2d(x, size, stride, padding, dilation, ceil_mode, true);
}
OneOrMore max_pool3d_with_indices(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                                  const ForEachAxis& padding, const ForEachAxis& dilation, bool ceil_mode) {
  return max_pool3d(x, size, stride, padding, dilation, ceil_mode, true);
}
OneOrMore adaptive_max_pool1d_with_indices(const Array& x, const WantedSizes& sizes) {
  return adaptive_max_pool1d(x, sizes, true);
}
OneOrMore adaptive_max_pool2d_with_indices(const Array& x, const WantedSizes& sizes) {
  return adaptive_max_pool2d(x, sizes, true);
}
OneOrMore adaptive_max_pool3d_with_indices(const Array& x, const WantedSizes& sizes) {
  return adaptive_max_pool3d(x, sizes, true);
}

}  // namespace quern::nn
