// Convolutions as layers have them, over one to three axes: (samples, channels, sizes) or without samples, PyTorch's words for
// arguments that do not fit together; and with the channels anywhere, as Keras has them. The work is run/calls/convolution.h's.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "graph/array.h"

namespace quern::nn {

// A number for each axis, or one for all.
struct ForEachAxis {
  std::vector<int64_t> numbers;
  int64_t along(size_t axis) const { return numbers.size() == 1 ? numbers[0] : numbers[axis]; }
};

// Zeros around the input: so many on both sides of each axis, or as many as the name says: "valid", none, or "same", as make the
// result as large as the input divided by the stride.
struct Around {
  ForEachAxis sizes;
  std::optional<std::string_view> name = {};
};

Array conv1d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride, const Around& padding,
             const ForEachAxis& dilation, int64_t groups);
Array conv2d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride, const Around& padding,
             const ForEachAxis& dilation, int64_t groups);
Array conv3d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride, const Around& padding,
             const ForEachAxis& dilation, int64_t groups);

// The gradient of such a convolution by its input, as a layer; the weights are (channels, results of a group, sizes). At the end
// of each axis `output_padding` more elements are computed.
Array conv_transpose1d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride,
                       const ForEachAxis& padding, const ForEachAxis& output_padding, int64_t groups,
                       const ForEachAxis& dilation);
Array conv_transpose2d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride,
                       const ForEachAxis& padding, const ForEachAxis& output_padding, int64_t groups,
                       const ForEachAxis& dilation);
Array conv_transpose3d(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride,
                       const ForEachAxis& padding, const ForEachAxis& output_padding, int64_t groups,
                       const ForEachAxis& dilation);

// Does Keras's name of a format say so? Raises ErrorKind::value for another name.
bool are_channels_last(std::optional<std::string_view> format);

// Keras's: the weights are (sizes, channels of a group, results); `format` says whether the channels are last ("channels_last")
// or behind the samples. The groups follow from the channels.
Array conv(const Array& x, const Array& weight, const ForEachAxis& stride, const Around& padding,
           std::optional<std::string_view> format, const ForEachAxis& dilation);
// Each channel by itself: the weights are (sizes, channels, results of each).
Array depthwise_conv(const Array& x, const Array& weight, const ForEachAxis& stride, const Around& padding,
                     std::optional<std::string_view> format, const ForEachAxis& dilation);
// depthwise_conv(), then conv() by weights of size 1.
Array separable_conv(const Array& x, const Array& depthwise, const Array& pointwise, const ForEachAxis& stride,
                     const Around& padding, std::optional<std::string_view> format, const ForEachAxis& dilation);
// The gradient of conv() by its input: the weights are (sizes, results, channels).
Array conv_transpose(const Array& x, const Array& weight, const ForEachAxis& stride, const Around& padding,
                     const std::optional<ForEachAxis>& output_padding, std::optional<std::string_view> format,
                     const ForEachAxis& dilation);

}  // namespace quern::nn
