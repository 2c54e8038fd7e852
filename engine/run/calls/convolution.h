// Convolutions over one to three axes: the result, and its gradients by the input and by the weights. Each of the three is linear
// in two of the arrays, and the derivatives of each are the other two.
//
// On the CPU tiles of patches are multiplied by the host's BLAS (convolution_tiles.h). On a GPU cuDNN computes them
// (device/cudnn.h) or, where it is not installed or has no way, a kernel that reads the patches where they lie
// (quern/convolution.cuh): there is never a matrix of all patches. Start reading at convolve().
#pragma once

#include <array>

#include "graph/array.h"

namespace quern {

// Where the kernel's elements meet those of the input. Axes that a convolution lacks have the size 1, and come first.
struct Steps {
  static constexpr size_t axes = 3;
  std::array<int64_t, axes> stride{1, 1, 1}, before{0, 0, 0}, dilation{1, 1, 1};
  int64_t groups = 1;
};

enum class Convolved : uint8_t {
  result,  // of the input and the weights
  input,   // of the result and the weights: its gradient, which is also called a transposed convolution
  weight,  // of the input and the result: its gradient
};

// How cuDNN is used where there is one; of the process. A convolution has those of the time when it is recorded.
struct CudnnSettings {
  bool enabled = true;
  bool benchmark = false;      // the fastest way of each form is measured at its first use
  bool deterministic = false;  // the same bits each time
  bool allow_tf32 = true;      // factors of float32 may be rounded to TF32, which has 10 bits of fraction
};
CudnnSettings cudnn_settings();
void set_cudnn_settings(CudnnSettings settings);
// The same as `deterministic`, for all functions that know of it.
bool only_deterministic_algorithms();
void set_only_deterministic_algorithms(bool only);

bool is_convolved_by_cudnn(const Array& x);

// Of the input (samples, channels, sizes), the weights (results, channels of a group, sizes) and the result (samples, results,
// sizes) the one that is asked for, of that shape; the arrays have one dtype, real or complex. Its memory is channels-last where
// that of an operand is, or with `is_last`. On the CPU numbers of 16 bits are computed in float32.
Array convolve(Convolved what, const Array& first, const Array& second, const Steps& steps, const Shape& shape,
               bool is_last = false);

}  // namespace quern
