#include "functions/unfolding.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/error.h"
#include "functions/border.h"
#include "functions/parts.h"
#include "functions/refusals.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "run/calls/indexing.h"

namespace quern::nn {

using namespace steps;

namespace {

// The windows of fold() and unfold(), which have two axes.
struct Sliding {
  const ForEachAxis &size, &dilation, &padding, &stride;

  // How many windows an axis of `n` elements has, at most one that does not fit as well.
  int64_t count(int64_t n, size_t axis) const {
    const int64_t room = n + 2 * padding.along(axis) - dilation.along(axis) * (size.along(axis) - 1) - 1;
    return (room < 0 ? -((-room + stride.along(axis) - 1) / stride.along(axis)) : room / stride.along(axis)) + 1;
  }
  // Where each element of each window stands in an axis with its border, element by element.
  std::vector<int64_t> places(int64_t windows, size_t axis) const {
    std::vector<int64_t> out;
    for (int64_t k = 0; k < size.along(axis); ++k)
      for (int64_t n = 0; n < windows; ++n) out.push_back(k * dilation.along(axis) + n * stride.along(axis));
    return out;
  }
};

std::string pair_of(const ForEachAxis& numbers) {
  return "(" + std::to_string(numbers.along(0)) + ", " + std::to_string(numbers.along(1)) + ")";
}

void check_numbers(const Sliding& by) {
  for (const auto& [name, numbers] : {std::pair("kernel_size", &by.size), std::pair("dilation", &by.dilation),
                                      std::pair("padding", &by.padding), std::pair("stride", &by.stride)})
    if (const size_t n = numbers->numbers.size(); n != 1 && n != 2)
      raise(ErrorKind::runtime, "It is expected {} equals to 2, but got size {}", name, n);
  const auto least = [](const ForEachAxis& numbers) { return std::min(numbers.along(0), numbers.along(1)); };
  const auto refuse = [](const char* what, const char* name, const ForEachAxis& by_axis) {
    raise(ErrorKind::runtime, "{}, but got {}_height: {} {}_width: {}", what, name, by_axis.along(0), name, by_axis.along(1));
  };
  if (least(by.size) < 1) refuse("kernel size should be greater than zero", "kernel", by.size);
  if (least(by.dilation) < 1) refuse("dilation should be greater than zero", "dilation", by.dilation);
  if (least(by.padding) < 0) refuse("padding should be non-negative", "pad", by.padding);
  if (least(by.stride) < 1) refuse("stride should be greater than zero", "stride", by.stride);
}

void check_columns_type(const char* name, DType type) {
  if (is_integer(type)) raise(ErrorKind::not_implemented, "\"{}\" not implemented for '{}'", name, torch_name_of(type));
}

}  // namespace

Array unfold(const Array& x, const ForEachAxis& size, const ForEachAxis& dilation, const ForEachAxis& padding,
             const ForEachAxis& stride) {
  const Sliding by{size, dilation, padding, stride};
  check_numbers(by);
  const bool has_samples = x.rank() == 4;
  if ((x.rank() != 3 && !has_samples) || std::ranges::count(x.shape().begin() + (has_samples ? 1 : 0), x.shape().end(), 0))
    raise(ErrorKind::runtime,
          "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {}",
          in_brackets(x.shape()));
  const Array in = has_samples ? x : expand_dims(x, 0);
  const int64_t samples = in.shape()[0], channels = in.shape()[1], h = in.shape()[2], w = in.shape()[3];
  const int64_t rows = by.count(h, 0), columns = by.count(w, 1);
  if (rows < 1 || columns < 1)
    raise(ErrorKind::runtime,
          "Given input with spatial size ({}, {}), kernel_size={}, dilation={}, padding={}, calculated shape of the array of "
          "sliding "
          "blocks as ({}, {}), but its components must be at least one.",
          h, w, pair_of(size), pair_of(dilation), pair_of(padding), rows, columns);
  check_columns_type("im2col_out_cpu", x.dtype());
  const int64_t around[] = {padding.along(0), padding.along(1)};
  const std::vector<std::pair<int64_t, int64_t>> more{{0, 0}, {0, 0}, {around[0], around[0]}, {around[1], around[1]}};
  const Array bordered = around[0] || around[1] ? with_border(in, more, Border::constant) : in;
  const Array across = take_along(bordered, array_of(by.places(rows, 0), x.device()), 2);
  const Array all = take_along(across, array_of(by.places(columns, 1), x.device()), 3);
  const Array windows = reshape(all, {samples, channels, size.along(0), rows, size.along(1), columns});
  const Shape out{samples, channels * size.along(0) * size.along(1), rows * columns};
  const Array result = reshape(copied(transpose(windows, {0, 1, 2, 4, 3, 5}), x.dtype(), Order::c), out);
  return has_samples ? result : element(result, 0, 0);
}

Array fold(const Array& x, const ForEachAxis& output_size, const ForEachAxis& size, const ForEachAxis& dilation,
           const ForEachAxis& padding, const ForEachAxis& stride) {
  const Sliding by{size, dilation, padding, stride};
  if (const size_t n = output_size.numbers.size(); n > 2 || n == 0)
    raise(ErrorKind::runtime, "It is expected output_size equals to 2, but got size {}", n);
  check_numbers(by);
  const bool has_samples = x.rank() == 3;
  if ((x.rank() != 2 && !has_samples) || std::ranges::count(x.shape().begin() + (has_samples ? 1 : 0), x.shape().end(), 0))
    raise(ErrorKind::runtime,
          "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but "
          "got: {}",
          in_brackets(x.shape()));
  const Array in = has_samples ? x : expand_dims(x, 0);
  const int64_t samples = in.shape()[0], each = size.along(0) * size.along(1), channels = in.shape()[1] / each;
  if (in.shape()[1] % each)
    raise(ErrorKind::runtime,
          "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)={} and "
          "kernel_size={}.",
          in.shape()[1], pair_of(size));
  const int64_t h = output_size.along(0), w = output_size.along(1), rows = by.count(h, 0), columns = by.count(w, 1);
  if (in.shape()[2] != rows * columns || rows < 1 || columns < 1)
    raise(
        ErrorKind::runtime,
        "Given output_size={}, kernel_size={}, dilation={}, padding={}, stride={}, expected size of input's dimension 2 to match "
        "the calculated number of sliding blocks {} * {} = {}, but got input.size(2)={}.",
        pair_of(output_size), pair_of(size), pair_of(dilation), pair_of(padding), pair_of(stride), rows, columns, rows * columns,
        in.shape()[2]);
  check_columns_type("col2im_out_cpu", x.dtype());
  // Bools are added as "or".
  const DType type = x.dtype() == DType::boolean ? DType::int32 : wide_type(x.dtype());
  const Array windows = reshape(as_type(in, type), {samples, channels, size.along(0), size.along(1), rows, columns});
  // Windows of a row are added first, then rows; the axis that they are added along is the first.
  const Array across =
      reshape(transpose(windows, {3, 5, 0, 1, 2, 4}), {size.along(1) * columns, samples, channels, size.along(0) * rows});
  Array lines = zeros({w + 2 * padding.along(1), samples, channels, size.along(0) * rows}, type, x.device());
  const Pick columns_of{0, array_of(by.places(columns, 1), x.device())};
  put_add(lines, {&columns_of, 1}, Argument(across));
  Array planes = zeros({h + 2 * padding.along(0), samples, channels, w}, type, x.device());
  const Pick rows_of{0, array_of(by.places(rows, 0), x.device())};
  put_add(planes, {&rows_of, 1}, Argument(transpose(part(lines, 0, padding.along(1), padding.along(1) + w), {3, 1, 2, 0})));
  const Array out = transpose(part(planes, 0, padding.along(0), padding.along(0) + h), {1, 2, 0, 3});
  const Array result = copied(as_type(out, x.dtype()), x.dtype(), Order::c);
  return has_samples ? result : element(result, 0, 0);
}

// ---- places of pooling

namespace {

std::string by_x(const Shape& sizes) {
  std::string out;
  for (size_t i = 0; i < sizes.size(); ++i) out += (i ? "x" : "") + std::to_string(sizes[i]);
  return out;
}

// The sizes of the plane: those that pooling most likely had, or others that it may have had.
Shape plane_of(const Array& x, size_t axes, const ForEachAxis& size, const ForEachAxis& stride, const ForEachAxis& padding,
               const std::optional<ForEachAxis>& given) {
  Shape likely;
  for (size_t i = 0; i < axes; ++i) {
    const int64_t n = i + axes < x.rank() + i ? x.shape()[x.rank() - axes + i] : 0;
    likely.push_back((n - 1) * stride.along(i) + size.along(i) - 2 * padding.along(i));
  }
  Shape out = likely;
  if (given) {
    out.assign(given->numbers.begin(), given->numbers.end());
    if (out.size() == axes + 2) out.erase(out.begin(), out.begin() + 2);
    if (out.size() != axes)
      raise(ErrorKind::value, "output_size should be a sequence containing {} or {} elements, but it has a length of '{}'", axes,
            axes + 2, out.size());
    for (size_t i = 0; i < axes; ++i)
      if (out[i] <= likely[i] - stride.along(i) || out[i] >= likely[i] + stride.along(i))
        raise(ErrorKind::value, "invalid output_size \"{}\" (dim {} must be between {} and {})", to_string(out), i,
              likely[i] - stride.along(i), likely[i] + stride.along(i));
  }
  for (size_t i = 0; i < axes; ++i)
    if (out[i] < 0)
      raise(ErrorKind::value,
            "max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[{}]={}", i, out[i]);
  return out;
}

void check_unpooled(const Array& x, const Array& indices, size_t axes) {
  const size_t shown = std::max<size_t>(axes, 2);
  if (x.rank() != axes + 1 && x.rank() != axes + 2)
    raise(ErrorKind::runtime, "Input to max_unpooling{}d should be a {}d or {}d Tensor, but got a tensor with {} dimensions.",
          shown, axes + 1, axes + 2, x.rank());
  if (indices.dtype() != DType::int64)
    raise(ErrorKind::runtime, "elements in indices should be type int64 but got: {}", torch_name_of(indices.dtype()));
  if (indices.shape() != x.shape())
    raise(ErrorKind::runtime,
          "Expected shape of indices to be same as that of the input tensor ({}) but got indices tensor with shape: {}",
          in_brackets(x.shape()), in_brackets(indices.shape()));
  for (size_t i = x.rank() == axes + 2 ? 1 : 0; i < x.rank(); ++i)
    if (x.shape()[i] == 0)
      raise(ErrorKind::runtime,
            "max_unpooling{}d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but input has "
            "sizes "
            "{} with dimension {} being empty",
            shown, in_brackets(x.shape()), i);
  if (row(x.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::not_implemented, "\"max_unpool{}d\" not implemented for '{}'", shown, torch_name_of(x.dtype()));
}

void check_for_each_axis(const char* name, size_t axes, const ForEachAxis& numbers) {
  if (numbers.numbers.size() != 1 && numbers.numbers.size() != axes)
    raise(ErrorKind::index, "max_unpool{}d: {} must be an int or {} of them, not {}", axes, name, axes, numbers.numbers.size());
}

Array unpooled(const Array& x, const Array& indices, size_t axes, const ForEachAxis& size,
               const std::optional<ForEachAxis>& given_stride, const ForEachAxis& padding,
               const std::optional<ForEachAxis>& output_size) {
  const ForEachAxis& stride = given_stride ? *given_stride : size;
  for (const auto& [name, numbers] :
       {std::pair("kernel_size", &size), std::pair("stride", &stride), std::pair("padding", &padding)})
    check_for_each_axis(name, axes, *numbers);
  if (x.rank() < axes)
    raise(ErrorKind::runtime, "Input to max_unpooling{}d should be a {}d or {}d Tensor, but got a tensor with {} dimensions.",
          std::max<size_t>(axes, 2), axes + 1, axes + 2, x.rank());
  const Shape plane = plane_of(x, axes, size, stride, padding, output_size);
  check_unpooled(x, indices, axes);
  if (axes == 3 && std::ranges::any_of(stride.numbers, [](int64_t n) { return n < 1; }))
    raise(ErrorKind::runtime, "strides should be greater than zero, but got stride: {}",
          in_brackets(Shape{stride.along(0), stride.along(1), stride.along(2)}));
  Shape out(x.shape().begin(), x.shape().end() - static_cast<ptrdiff_t>(axes));
  int64_t planes = 1, inner = 1, elements = 1;
  for (int64_t n : out) planes *= n;
  for (int64_t n : plane) inner *= n;
  out.insert(out.end(), plane.begin(), plane.end());
  if (planes) elements = x.size() / planes;
  if (x.size() == 0) return zeros(out, x.dtype(), x.device());
  Shape shown = plane;
  if (axes == 1) shown.push_back(1);
  constexpr int64_t none = std::numeric_limits<int64_t>::min();
  const std::string text = "Found an invalid max index: {} (output volumes are of size " + by_x(shown) + ")";
  const Array places =
      reshape(unless_refused(indices, indices, {ErrorKind::runtime, {text, text, text}, 0, inner, none}), {planes, elements});
  const Array firsts = reshape(multiply(arange(planes, x.device()), inner), {planes, 1});
  Array flat = zeros({planes * inner}, x.dtype(), x.device());
  const Pick pick{0, reshape(add(places, firsts), {x.size()})};
  const AllHaveGradients all;
  put(flat, {&pick, 1}, Argument(reshape(x, {x.size()})));
  return arranged(reshape(flat, out), format_beside(x, out));
}

}  // namespace

Array max_unpool1d(const Array& x, const Array& indices, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                   const ForEachAxis& padding, const std::optional<ForEachAxis>& output_size) {
  return unpooled(x, indices, 1, size, stride, padding, output_size);
}
Array max_unpool2d(const Array& x, const Array& indices, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                   const ForEachAxis& padding, const std::optional<ForEachAxis>& output_size) {
  return unpooled(x, indices, 2, size, stride, padding, output_size);
}
Array max_unpool3d(const Array& x, const Array& indices, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                   const ForEachAxis& padding, const std::optional<ForEachAxis>& output_size) {
  return unpooled(x, indices, 3, size, stride, padding, output_size);
}

}  // namespace quern::nn
