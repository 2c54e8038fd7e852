// cuDNN 9, found at run time: convolutions on a GPU, by its graph interface alone. No header of it is used; the numbers are those
// of cudnn_graph.h. What is found out for a form of convolution (the engine to use, its plan) is kept, and from the second use on
// the plan's kernels are launched without the library where that can be (cuda_capture.h). Start reading at convolve_on_gpu().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/dtype.h"
#include "device/device.h"

namespace quern {

struct TensorOnGpu {
  void* data;
  std::array<int64_t, 5> shape, strides;  // samples, channels and three axes, of which the first ones may have one element
};

// One of the three from the other two.
struct ConvolutionOnGpu {
  enum class Wanted : uint8_t { result, input, weight } wanted;
  DType dtype;  // float16, bfloat16, float32, float64
  TensorOnGpu input, weight, result;
  std::array<int64_t, 3> stride, padding, dilation;  // as many zeros before an axis as after it
  bool tf32 = false;                                 // factors of float32 may be rounded to TF32
  bool deterministic = false;                        // the same bits each time
  bool measured = false;  // the fastest of several ways, measured once; else the one that the library expects to be
};

// Why cuDNN is not used, and what to do about it; "" where it is used.
const std::string& cudnn_problem();
// As 91002 for 9.10.2; 0 where there is none.
int64_t cudnn_version();

// The bytes of memory that the convolution needs besides its arrays; none: the library has no way to compute it.
std::optional<size_t> convolution_workspace(Device& device, const ConvolutionOnGpu& convolution);
// Raises ErrorKind::runtime with the library's words.
void convolve_on_gpu(Device& device, Stream& stream, const ConvolutionOnGpu& convolution, void* workspace, Site site);

}  // namespace quern
