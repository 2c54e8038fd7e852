// Other arrangements of convolutions (convolution.h): of sequences with the steps first, and both kinds under one name.
#include "core/error.h"
#include "functions/convolution.h"
#include "functions/parts.h"
#include "functions/steps.h"

namespace quern::nn {

using namespace steps;

// (steps, samples, channels) with weights (kernel, channels, results) and `pad` zeros before and after the steps.
Array conv_tbc(const Array& x, const Array& weight, const Array& bias, int64_t pad) {
  if (x.rank() != 3) raise(ErrorKind::runtime, "Input must have 3 dims: time, batch, in_channel");
  if (weight.rank() != 3) raise(ErrorKind::runtime, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
  if (bias.rank() != 1) raise(ErrorKind::runtime, "Bias must be 1-D");
  if (x.shape()[2] != weight.shape()[1])
    raise(ErrorKind::runtime, "Input dim 2 (input channels) is not == dim 1 in the weight tensor");
  if (weight.shape()[2] != bias.shape()[0])
    raise(ErrorKind::runtime, "Bias size must equal dim 2 in the weight tensor (output channels).");
  if (x.dtype() != weight.dtype() || bias.dtype() != weight.dtype())
    raise(ErrorKind::runtime, "self and mat2 must have the same dtype, but got {} and {}",
          torch_name_of(x.dtype() != weight.dtype() ? x.dtype() : bias.dtype()), torch_name_of(weight.dtype()));
  const int64_t cut = pad < 0 ? -pad : 0, count = x.shape()[0] + 2 * pad - weight.shape()[0] + 1;
  if (count <= 0) {
    if (count < 0)
      raise(ErrorKind::runtime, "conv_tbc: {} steps and a pad of {} are too few for a kernel of {}", x.shape()[0], pad,
            weight.shape()[0]);
    return zeros({0, x.shape()[1], bias.shape()[0]}, x.dtype(), x.device());
  }
  const Array in = transpose(part(x, 0, cut, x.shape()[0] - cut), {1, 2, 0});
  const Array out = conv1d(in, transpose(weight, {2, 1, 0}), &bias, {{1}}, {{{pad + cut}}}, {{1}}, 1);
  return copied(transpose(out, {2, 0, 1}), x.dtype(), Order::c);
}

// A convolution, or a transposed one, over as many axes as the weights have.
Array convolution(const Array& x, const Array& weight, const Array* bias, const ForEachAxis& stride, const ForEachAxis& padding,
                  const ForEachAxis& dilation, bool is_transposed, const ForEachAxis& output_padding, int64_t groups) {
  if (weight.rank() < 3) raise(ErrorKind::runtime, "weight should have at least three dimensions");
  if (weight.rank() > 5)
    raise(ErrorKind::not_implemented, "[convolution] a convolution over {} axes is not supported; it has at most three",
          weight.rank() - 2);
  if (x.rank() != weight.rank())
    raise(ErrorKind::runtime,
          "Expected {}-dimensional input for {}-dimensional weight {}, but got {}-dimensional input of size {} instead",
          weight.rank(), weight.rank(), in_brackets(weight.shape()), x.rank(), in_brackets(x.shape()));
  const size_t axes = weight.rank() - 2;
  if (is_transposed) {
    const auto transposed = axes == 1 ? conv_transpose1d : axes == 2 ? conv_transpose2d : conv_transpose3d;
    return transposed(x, weight, bias, stride, padding, output_padding, groups, dilation);
  }
  const auto straight = axes == 1 ? conv1d : axes == 2 ? conv2d : conv3d;
  return straight(x, weight, bias, stride, {padding}, dilation, groups);
}

}  // namespace quern::nn
