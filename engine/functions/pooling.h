// Pooling as layers have it, over one to three axes: (samples, channels, sizes) or without samples, PyTorch's words for arguments
// that do not fit together; and with the channels anywhere, as Keras has it. The work is run/calls/pooling.h's.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "functions/convolution.h"
#include "functions/sets.h"

namespace quern::nn {

// Sizes of the result; none along an axis: that of the input.
struct WantedSizes {
  std::vector<std::optional<int64_t>> sizes;
};

// The largest element of each window, and, with `return_indices`, its place in the plane. `stride`: none is the windows' size.
// `ceil_mode`: windows that begin inside and end beyond the border count, too.
OneOrMore max_pool1d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                     const ForEachAxis& padding, const ForEachAxis& dilation, bool ceil_mode, bool return_indices);
OneOrMore max_pool2d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                     const ForEachAxis& padding, const ForEachAxis& dilation, bool ceil_mode, bool return_indices);
OneOrMore max_pool3d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride,
                     const ForEachAxis& padding, const ForEachAxis& dilation, bool ceil_mode, bool return_indices);

// The mean of each window. Elements of the border count as zeros with `count_include_pad`; `divisor`: sums are divided by it.
Array avg_pool1d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, const ForEachAxis& padding,
                 bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor);
Array avg_pool2d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, const ForEachAxis& padding,
                 bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor);
Array avg_pool3d(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, const ForEachAxis& padding,
                 bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor);

// Windows that cover the input evenly, so many that the result has these sizes.
Array adaptive_avg_pool1d(const Array& x, const WantedSizes& sizes);
OneOrMore adaptive_max_pool1d(const Array& x, const WantedSizes& sizes, bool return_indices);
Array adaptive_avg_pool2d(const Array& x, const WantedSizes& sizes);
OneOrMore adaptive_max_pool2d(const Array& x, const WantedSizes& sizes, bool return_indices);
Array adaptive_avg_pool3d(const Array& x, const WantedSizes& sizes);
OneOrMore adaptive_max_pool3d(const Array& x, const WantedSizes& sizes, bool return_indices);

// Keras's, whose means leave the border out.
Array max_pool(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, const Around& padding,
               std::optional<std::string_view> format);
Array average_pool(const Array& x, const ForEachAxis& size, const std::optional<ForEachAxis>& stride, const Around& padding,
                   std::optional<std::string_view> format);
Array adaptive_max_pool(const Array& x, const ForEachAxis& sizes, std::optional<std::string_view> format);
Array adaptive_average_pool(const Array& x, const ForEachAxis& sizes, std::optional<std::string_view> format);

}  // namespace quern::nn
