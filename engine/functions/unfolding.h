// Windows of images as columns, and columns back into images; elements back at the places that pooling took them from.
#pragma once

#include <optional>
#include <vector>

#include "functions/convolution.h"

namespace quern::nn {

// Each window of (N, C, H, W) as a column: (N, C * window, windows). `padding`: so many zeros on both sides of each axis.
Array unfold(const Array& x, const ForEachAxis& size, const ForEachAxis& dilation, const ForEachAxis& padding,
             const ForEachAxis& stride);
// The sum of such columns at their places in images of `output_size`.
Array fold(const Array& x, const ForEachAxis& output_size, const ForEachAxis& size, const ForEachAxis& dilation,
           const ForEachAxis& padding, const ForEachAxis& stride);

// Elements at their places in a plane of zeros: what max_pool1d() to max_pool3d() return with `return_indices`. Raises
// ErrorKind::runtime, at evaluation, for a place that the plane does not have.
Array max_unpool1d(const Array& x, const Array& indices, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                   const ForEachAxis& padding, const std::optional<ForEachAxis>& output_size);
Array max_unpool2d(const Array& x, const Array& indices, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                   const ForEachAxis& padding, const std::optional<ForEachAxis>& output_size);
Array max_unpool3d(const Array& x, const Array& indices, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                   const ForEachAxis& padding, const std::optional<ForEachAxis>& output_size);

}  // namespace quern::nn
