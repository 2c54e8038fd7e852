#include "functions/pooling.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "functions/parts.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/calls/pooling.h"

namespace quern::nn {

using namespace steps;

namespace {

// The numbers of each axis stand at the end of Windows.
size_t slot(size_t axis, size_t axes) { return Windows::axes - axes + axis; }

struct Layer {
  const char* name;
  size_t axes;
};

// The input with an axis of samples.
Array with_samples(const Layer& layer, const Array& x) {
  const size_t least = layer.axes + 1;
  if (x.rank() != least && x.rank() != least + 1)
    raise(ErrorKind::runtime, "{}{}d(): Expected {}D or {}D (batch mode) tensor, but got: {}", layer.name, layer.axes, least,
          least + 1, in_brackets(x.shape()));
  for (size_t i = x.rank() - layer.axes - 1; i < x.rank(); ++i)
    if (x.shape()[i] == 0)
      raise(ErrorKind::runtime,
            "{}{}d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {} with dimension {} "
            "being "
            "empty",
            layer.name, layer.axes, in_brackets(x.shape()), i);
  return x.rank() == least ? expand_dims(x, 0) : x;
}
Array without_samples(const Array& y, const Array& x) {
  if (y.rank() == x.rank()) return y;
  return reshape(y, Shape(y.shape().begin() + 1, y.shape().end()));
}

void check_type(const Layer& layer, const Array& x, bool may_be_integers) {
  const DType type = x.dtype();
  if (row(type).kind == DTypeKind::real || (may_be_integers && is_integer(type))) return;
  raise(ErrorKind::not_implemented, "\"{}{}d\" not implemented for '{}'", layer.name, layer.axes, torch_name_of(type));
}

void check_numbers(const Layer& layer, const char* name, const ForEachAxis& given) {
  if (given.numbers.size() == 1 || given.numbers.size() == layer.axes) return;
  constexpr const char* counts[] = {"", "one int", "two ints", "three ints"};
  raise(ErrorKind::runtime, "{}{}d: {} must either be a single int, or a tuple of {}", layer.name, layer.axes, name,
        counts[layer.axes]);
}

struct Sizes {
  const ForEachAxis& size;
  const std::optional<ForEachAxis>& stride;
  const ForEachAxis& padding;
  ForEachAxis dilation{{1}};
  bool ceil_mode = false;
};

void check_sizes(const Layer& layer, const Sizes& sizes) {
  check_numbers(layer, "kernel_size", sizes.size);
  if (sizes.stride) check_numbers(layer, "stride", *sizes.stride);
  check_numbers(layer, "padding", sizes.padding);
  check_numbers(layer, "dilation", sizes.dilation);
  auto any = [](const ForEachAxis& given, auto is_wrong) { return std::ranges::any_of(given.numbers, is_wrong); };
  const ForEachAxis& stride = sizes.stride ? *sizes.stride : sizes.size;
  if (any(stride, [](int64_t n) { return n == 0; })) raise(ErrorKind::runtime, "stride should not be zero");
  if (any(sizes.size, [](int64_t n) { return n < 1; }))
    raise(ErrorKind::runtime, "kernel size should be greater than zero, but got {}", in_brackets(sizes.size.numbers));
  if (any(stride, [](int64_t n) { return n < 1; }))
    raise(ErrorKind::runtime, "stride should be greater than zero, but got {}", in_brackets(stride.numbers));
  if (any(sizes.dilation, [](int64_t n) { return n < 1; }))
    raise(ErrorKind::runtime, "dilation should be greater than zero, but got {}", in_brackets(sizes.dilation.numbers));
  for (size_t i = 0; i < layer.axes; ++i) {
    const int64_t around = sizes.padding.along(i);
    if (around < 0) raise(ErrorKind::runtime, "pad must be non-negative, but got pad: {}", around);
    if (around > ((sizes.size.along(i) - 1) * sizes.dilation.along(i) + 1) / 2)
      raise(ErrorKind::runtime,
            "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} and dilation={}", around,
            sizes.size.along(i), sizes.dilation.along(i));
  }
}

// The windows, and the sizes of the result.
std::pair<Windows, Shape> windows_of(const Layer& layer, const Array& x, const Sizes& sizes) {
  check_sizes(layer, sizes);
  Windows windows;
  Shape out;
  std::string in;
  for (size_t i = 0; i < layer.axes; ++i) {
    const size_t at = slot(i, layer.axes);
    const int64_t n = x.shape()[2 + i], step = sizes.stride ? sizes.stride->along(i) : sizes.size.along(i);
    windows.size[at] = sizes.size.along(i);
    windows.stride[at] = step;
    windows.before[at] = sizes.padding.along(i);
    windows.dilation[at] = sizes.dilation.along(i);
    const int64_t room = n + 2 * windows.before[at] - windows.dilation[at] * (windows.size[at] - 1) - 1;
    const int64_t steps = room + (sizes.ceil_mode ? step - 1 : 0);
    int64_t count = steps < 0 ? 0 : steps / step + 1;
    // A window that would begin beyond the input and what is before it does not count.
    if (sizes.ceil_mode && (count - 1) * step >= n + windows.before[at]) --count;
    out.push_back(std::max<int64_t>(count, 0));
    in += "x" + std::to_string(n);
  }
  if (std::ranges::any_of(out, [](int64_t n) { return n < 1; })) {
    std::string sizes_of_result;
    for (int64_t n : out) sizes_of_result += "x" + std::to_string(n);
    raise(ErrorKind::runtime, "Given input size: ({}{}). Calculated output size: ({}{}). Output size is too small", x.shape()[1],
          in, x.shape()[1], sizes_of_result);
  }
  return {windows, out};
}

OneOrMore largest(const Array& x, const Array& batch, const Windows& windows, const Shape& out, bool return_indices) {
  auto [values, places] = largest_in(batch, windows, out);
  OneOrMore result{{without_samples(values, x)}};
  if (return_indices) result.arrays.push_back(without_samples(places, x));
  return result;
}

OneOrMore max_pool_layer(const Layer& layer, const Array& x, const Sizes& sizes, bool return_indices) {
  check_type(layer, x, layer.axes > 1 || return_indices);
  const Array batch = with_samples(layer, x);
  const auto [windows, out] = windows_of(layer, batch, sizes);
  return largest(x, batch, windows, out, return_indices);
}

Array avg_pool_layer(const Layer& layer, const Array& x, const Sizes& sizes, bool counts_border, std::optional<int64_t> divisor) {
  check_type(layer, x, x.dtype() == DType::int64);
  if (divisor && *divisor == 0) raise(ErrorKind::runtime, "divisor must be not zero");
  const Array batch = with_samples(layer, x);
  auto [windows, out] = windows_of(layer, batch, sizes);
  windows.counts_border = counts_border;
  windows.divisor = divisor.value_or(0);
  return without_samples(means_in(batch, windows, out), x);
}

Shape sizes_of(const Layer& layer, const Array& batch, const WantedSizes& wanted) {
  if (wanted.sizes.size() != 1 && wanted.sizes.size() != layer.axes)
    raise(ErrorKind::runtime, "{}{}d: output_size must be {}", layer.name, layer.axes, layer.axes);
  Shape out;
  for (size_t i = 0; i < layer.axes; ++i) {
    const std::optional<int64_t> size = wanted.sizes.size() == 1 ? wanted.sizes[0] : wanted.sizes[i];
    if (size && *size < 0)
      raise(ErrorKind::runtime, "{}{}d: elements of output_size must be greater than or equal to 0 but received {}", layer.name,
            layer.axes, *size);
    out.push_back(size.value_or(batch.shape()[2 + i]));
  }
  return out;
}

constexpr Windows adaptive() {
  Windows windows;
  windows.is_adaptive = true;
  return windows;
}

Array adaptive_avg_layer(const Layer& layer, const Array& x, const WantedSizes& sizes) {
  check_type(layer, x, false);
  const Array batch = with_samples(layer, x);
  const Array means = without_samples(means_in(batch, adaptive(), sizes_of(layer, batch, sizes)), x);
  return layer.axes == 3 ? in_order(means, Order::c) : means;  // as PyTorch, which has no kernel for channels that lie last
}
OneOrMore adaptive_max_layer(const Layer& layer, const Array& x, const WantedSizes& sizes, bool return_indices) {
  check_type(layer, x, false);
  const Array batch = with_samples(layer, x);
  return largest(x, batch, adaptive(), sizes_of(layer, batch, sizes), return_indices);
}

}  // namespace

OneOrMore max_pool1d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                     const ForEachAxis& padding, const ForEachAxis& dilation, bool ceil_mode, bool return_indices) {
  return max_pool_layer({"max_pool", 1}, x, {size, stride, padding, dilation, ceil_mode}, return_indices);
}
OneOrMore max_pool2d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                     const ForEachAxis& padding, const ForEachAxis& dilation, bool ceil_mode, bool return_indices) {
  return max_pool_layer({"max_pool", 2}, x, {size, stride, padding, dilation, ceil_mode}, return_indices);
}
OneOrMore max_pool3d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                     const ForEachAxis& padding, const ForEachAxis& dilation, bool ceil_mode, bool return_indices) {
  return max_pool_layer({"max_pool", 3}, x, {size, stride, padding, dilation, ceil_mode}, return_indices);
}

Array avg_pool1d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, const ForEachAxis& padding,
                 bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor) {
  return avg_pool_layer({"avg_pool", 1}, x, {size, stride, padding, {{1}}, ceil_mode}, count_include_pad, divisor);
}
Array avg_pool2d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, const ForEachAxis& padding,
                 bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor) {
  return avg_pool_layer({"avg_pool", 2}, x, {size, stride, padding, {{1}}, ceil_mode}, count_include_pad, divisor);
}
Array avg_pool3d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, const ForEachAxis& padding,
                 bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor) {
  return avg_pool_layer({"avg_pool", 3}, x, {size, stride, padding, {{1}}, ceil_mode}, count_include_pad, divisor);
}

Array adaptive_avg_pool1d(const Array& x, const WantedSizes& sizes) {
  return adaptive_avg_layer({"adaptive_avg_pool", 1}, x, sizes);
}
OneOrMore adaptive_max_pool1d(const Array& x, const WantedSizes& sizes, bool return_indices) {
  return adaptive_max_layer({"adaptive_max_pool", 1}, x, sizes, return_indices);
}
Array adaptive_avg_pool2d(const Array& x, const WantedSizes& sizes) {
  return adaptive_avg_layer({"adaptive_avg_pool", 2}, x, sizes);
}
OneOrMore adaptive_max_pool2d(const Array& x, const WantedSizes& sizes, bool return_indices) {
  return adaptive_max_layer({"adaptive_max_pool", 2}, x, sizes, return_indices);
}
Array adaptive_avg_pool3d(const Array& x, const WantedSizes& sizes) {
  return adaptive_avg_layer({"adaptive_avg_pool", 3}, x, sizes);
}
OneOrMore adaptive_max_pool3d(const Array& x, const WantedSizes& sizes, bool return_indices) {
  return adaptive_max_layer({"adaptive_max_pool", 3}, x, sizes, return_indices);
}

// ---- Keras

namespace {

// The windows of Keras's layers over (samples, channels, sizes), and the sizes of the result.
std::pair<Windows, Shape> keras_windows(const Array& in, const ForEachAxis& size, const std::optional<ForEachAxis>& given,
                                        const Around& padding) {
  const size_t axes = in.rank() - 2;
  const ForEachAxis& stride = given ? *given : size;
  for (const auto& [name, numbers] : {std::pair("pool_size", &size), std::pair("strides", &stride)})
    if ((numbers->numbers.size() != 1 && numbers->numbers.size() != axes) ||
        std::ranges::any_of(numbers->numbers, [](int64_t n) { return n < 1; }))
      raise(ErrorKind::value, "`{}` must be a positive integer or {} of them. Received: {}", name, axes,
            in_brackets(numbers->numbers));
  const bool is_same = padding.name == "same" || padding.name == "SAME";
  if (!is_same && padding.name != "valid" && padding.name != "VALID")
    raise(ErrorKind::value, "The `padding` argument must be one of 'valid', 'same'. Received: padding={}",
          padding.name.value_or(""));
  Windows windows;
  Shape out;
  for (size_t i = 0; i < axes; ++i) {
    const size_t at = slot(i, axes);
    const int64_t n = in.shape()[2 + i], step = stride.along(i), wide = size.along(i);
    windows.size[at] = wide;
    windows.stride[at] = step;
    if (is_same) {
      const int64_t count = (n + step - 1) / step;
      windows.before[at] = std::max<int64_t>((count - 1) * step + wide - n, 0) / 2;
      out.push_back(count);
    } else {
      out.push_back(n < wide ? 0 : (n - wide) / step + 1);
    }
  }
  return {windows, out};
}

template <class F>
Array pooled_by(const Array& x, std::optional<std::string_view> format, const F& pool) {
  if (x.rank() < 3 || x.rank() > Windows::axes + 2)
    raise(ErrorKind::value, "the inputs of a pooling layer have 3 to 5 dimensions. Received: shape={}", to_string(x.shape()));
  const bool are_last = are_channels_last(format);
  const Array y = pool(are_last ? moveaxis(x, x.rank() - 1, 1) : x);
  return are_last ? moveaxis(y, 1, y.rank() - 1) : y;
}

Shape keras_sizes(const Array& in, const ForEachAxis& given) {
  const size_t axes = in.rank() - 2;
  if (given.numbers.size() != 1 && given.numbers.size() != axes)
    raise(ErrorKind::value, "`output_size` must be an integer or {} of them. Received: {}", axes, in_brackets(given.numbers));
  Shape out;
  for (size_t i = 0; i < axes; ++i) out.push_back(given.along(i));
  return out;
}

}  // namespace

Array max_pool(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, const Around& padding,
               std::optional<std::string_view> format) {
  return pooled_by(x, format, [&](const Array& in) {
    const auto [windows, out] = keras_windows(in, size, stride, padding);
    return largest_in(in, windows, out).first;
  });
}
Array average_pool(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, const Around& padding,
                   std::optional<std::string_view> format) {
  return pooled_by(x, format, [&](const Array& in) {
    const auto [windows, out] = keras_windows(in, size, stride, padding);
    return means_in(in, windows, out);
  });
}
Array adaptive_max_pool(const Array& x, const ForEachAxis& sizes, std::optional<std::string_view> format) {
  return pooled_by(x, format, [&](const Array& in) { return largest_in(in, adaptive(), keras_sizes(in, sizes)).first; });
}
Array adaptive_average_pool(const Array& x, const ForEachAxis& sizes, std::optional<std::string_view> format) {
  return pooled_by(x, format, [&](const Array& in) { return means_in(in, adaptive(), keras_sizes(in, sizes)); });
}

}  // namespace quern::nn
