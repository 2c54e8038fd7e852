// File: quern/nn.h
//
// Functions of neural networks: activations, losses, layers, as in torch.nn.functional. Each of them has a derivative
// (gradient.h), also of higher order. float16 and bfloat16 are computed in float32; integers are converted to float64.
//
//   qn::Array hidden = qn::nn::gelu(qn::nn::linear(x, weight, bias));
//   qn::Array loss = qn::nn::cross_entropy(logits, classes);
//
// relu(), sigmoid() and tanh() are elementwise functions of array.h. Shapes that do not fit throw ErrorKind::runtime, unless
// stated otherwise.
#pragma once

#include "quern/array.h"

namespace qn::nn {

// ---- activations

// x times the normal distribution's probability of being below x; `tanh`: by the approximation with tanh.
enum class Gelu { exact, tanh };
Array gelu(const Array& x, Gelu approximate = Gelu::exact, Here here = Here::current());
// x * sigmoid(x), also called swish; x * tanh(softplus(x)).
Array silu(const Array& x, Here here = Here::current());
Array mish(const Array& x, Here here = Here::current());
// log(1 + exp(beta * x)) / beta, and log(sigmoid(x)), both without overflow.
Array softplus(const Array& x, double beta = 1, Here here = Here::current());
Array log_sigmoid(const Array& x, Here here = Here::current());
// x where it is positive, else alpha * (exp(x) - 1), or for celu alpha * (exp(x / alpha) - 1). selu() keeps mean 0 and
// variance 1.
Array elu(const Array& x, double alpha = 1, Here here = Here::current());
Array celu(const Array& x, double alpha = 1, Here here = Here::current());
Array selu(const Array& x, Here here = Here::current());
// x where it is positive, else slope * x; prelu() with a slope for each channel, axis 1, or one for all.
Array leaky_relu(const Array& x, double negative_slope = 0.01, Here here = Here::current());
Array prelu(const Array& x, const Array& weight, Here here = Here::current());
// x limited to [min_val, max_val]. Throws ErrorKind::value for min_val > max_val.
Array hardtanh(const Array& x, double min_val = -1, double max_val = 1, Here here = Here::current());
// x / 6 + 1/2 limited to [0, 1], and x times that.
Array hardsigmoid(const Array& x, Here here = Here::current());
Array hardswish(const Array& x, Here here = Here::current());
// x moved towards 0 by `lambd`; 0 where |x| <= lambd.
Array softshrink(const Array& x, double lambd = 0.5, Here here = Here::current());
Array hardshrink(const Array& x, double lambd = 0.5, Here here = Here::current());
// x / (1 + |x|), and x - tanh(x).
Array softsign(const Array& x, Here here = Here::current());
Array tanhshrink(const Array& x, Here here = Here::current());
// The first half along an axis times the sigmoid of the second half.
Array glu(const Array& x, int axis = -1, Here here = Here::current());

// exp(x) scaled to the sum 1 over axes ({}: all of them), and its logarithm, both without overflow.
Array softmax(const Array& x, const Axes& axes = -1, Here here = Here::current());
Array log_softmax(const Array& x, const Axes& axes = -1, Here here = Here::current());

// ---- layers

// x @ weight.T + bias over the last axis: (*, in), (out, in), (out) -> (*, out).
Array linear(const Array& x, const Array& weight, const std::optional<Array>& bias = {}, Here here = Here::current());

// Options of convolutions; stride, padding and dilation are a number for each axis, or one for all.
struct ConvOptions {
  std::optional<Array> bias;  // of each channel of the result
  std::vector<int64_t> stride = {1};
  std::vector<int64_t> padding = {0};  // so many zeros on both sides of each axis
  std::vector<int64_t> dilation = {1};
  int64_t groups = 1;  // channels are divided into so many groups, each with kernels of its own
};
// The convolution of (samples, channels, sizes), or without samples, with weights (results, channels of a group, sizes), over one
// to three axes.
Array conv1d(const Array& x, const Array& weight, const ConvOptions& options = {}, Here here = Here::current());
Array conv2d(const Array& x, const Array& weight, const ConvOptions& options = {}, Here here = Here::current());
Array conv3d(const Array& x, const Array& weight, const ConvOptions& options = {}, Here here = Here::current());

// The largest element, or the mean, of windows of (samples, channels, sizes), or without samples; the windows lie side by side.
Array max_pool2d(const Array& x, const std::vector<int64_t>& kernel_size, Here here = Here::current());
Array avg_pool2d(const Array& x, const std::vector<int64_t>& kernel_size, Here here = Here::current());

struct AttentionOptions {
  std::optional<Array> mask;    // added to the scores, or bools that say which keys take part
  bool is_causal = false;       // a query sees the keys up to its own place
  std::optional<double> scale;  // of the scores, by default 1 / sqrt(width)
  bool has_groups = false;      // each head of keys and values is for several heads of queries
};
// softmax(query key^T scale + mask) value of (samples, heads, rows, width), or without samples or heads. Queries whose keys are
// all masked give 0.
Array attention(const Array& query, const Array& key, const Array& value, const AttentionOptions& options = {},
                Here here = Here::current());

// (samples, channels, sizes) with other sizes; `mode`: "nearest", "nearest-exact", "area", "linear" of one axis, "bilinear" or
// "bicubic" of two, "trilinear" of three. With `align_corners` the elements at the corners keep their places, else their outer
// corners do. `antialias`, for "bilinear" and "bicubic": more elements count where the result is smaller.
Array interpolate(const Array& x, const std::vector<int64_t>& size, std::string_view mode = "nearest", bool align_corners = false,
                  bool antialias = false, Here here = Here::current());

// Each window of images, (N, C, H, W), as a column, (N, C * elements, windows); and the sum of columns at the places of their
// windows in images of `output_size`.
Array unfold(const Array& x, const std::vector<int64_t>& kernel_size, const std::vector<int64_t>& dilation = {1},
             const std::vector<int64_t>& padding = {0}, const std::vector<int64_t>& stride = {1}, Here here = Here::current());
Array fold(const Array& x, const std::vector<int64_t>& output_size, const std::vector<int64_t>& kernel_size,
           const std::vector<int64_t>& dilation = {1}, const std::vector<int64_t>& padding = {0},
           const std::vector<int64_t>& stride = {1}, Here here = Here::current());

// Images, (N, C, H, W), or volumes at the places of a grid, (N, H', W', 2): -1 and 1 are their outer corners, or with
// `align_corners` the centers of the elements there. `mode`: "bilinear", "nearest" or "bicubic"; `padding_mode`: "zeros",
// "border" or "reflection". affine_grid() makes such a grid for matrices (N, 2, 3) or (N, 3, 4).
Array grid_sample(const Array& x, const Array& grid, std::string_view mode = "bilinear", std::string_view padding_mode = "zeros",
                  bool align_corners = false, Here here = Here::current());
Array affine_grid(const Array& theta, const Shape& size, bool align_corners = false, Here here = Here::current());

// Options of recurrent networks.
struct RecurrentOptions {
  std::optional<Array> hidden, cells;  // before the first step, (layers * directions, samples, size); by default zeros
  bool has_biases = true;
  bool bidirectional = false;  // each layer also goes through the steps backwards
  bool batch_first = false;    // the input and the output are (samples, steps, ...)
};
struct RecurrentResult {
  Array output;                // the hidden states of the last layer: (steps, samples, directions * size)
  Array hidden;                // of all layers and directions after the last step: (layers * directions, samples, size)
  std::optional<Array> cells;  // of an LSTM, the same
};
// A recurrent network of (steps, samples, features). `params` has for each layer and direction the weights (gates * size, inputs)
// and (gates * size, size) and, with has_biases, two biases (gates * size). The gates of an LSTM are input, forget, cell, output,
// those of a GRU reset, update, new.
RecurrentResult lstm(const Array& x, const std::vector<Array>& params, const RecurrentOptions& options = {},
                     Here here = Here::current());
RecurrentResult gru(const Array& x, const std::vector<Array>& params, const RecurrentOptions& options = {},
                    Here here = Here::current());
RecurrentResult rnn_tanh(const Array& x, const std::vector<Array>& params, const RecurrentOptions& options = {},
                         Here here = Here::current());
RecurrentResult rnn_relu(const Array& x, const std::vector<Array>& params, const RecurrentOptions& options = {},
                         Here here = Here::current());

// Options of normalizations.
struct NormOptions {
  std::optional<Array> weight, bias;  // the result is multiplied by the one, then the other is added
  double eps = 1e-5;                  // added to the variance
};
// Mean 0 and variance 1 over the last axes, which have these sizes.
Array layer_norm(const Array& x, const Shape& normalized_shape, const NormOptions& options = {}, Here here = Here::current());
// The same over each of several groups of channels, axis 1; weight and bias have an element for each channel.
Array group_norm(const Array& x, int64_t num_groups, const NormOptions& options = {}, Here here = Here::current());
// x divided by the root of the mean of its squares over the last axes. `eps`: by default the epsilon of the dtype.
Array rms_norm(const Array& x, const Shape& normalized_shape, const std::optional<Array>& weight = {},
               std::optional<double> eps = {}, Here here = Here::current());

// x divided by its Euclidean norm along an axis, which counts as no less than eps.
Array normalize(const Array& x, int axis = 1, double eps = 1e-12, Here here = Here::current());
// The cosine of the angle between vectors along an axis, whose norms count as no less than eps.
Array cosine_similarity(const Array& x1, const Array& x2, int axis = 1, double eps = 1e-8, Here here = Here::current());

// ---- losses

// What becomes of the losses of all elements: they stay, or their mean or sum.
enum class Reduction { none, mean, sum };

// Of each element; x and target broadcast together. The absolute difference, its square, and both joined at `beta` or `delta`.
Array l1_loss(const Array& x, const Array& target, Reduction reduction = Reduction::mean, Here here = Here::current());
Array mse_loss(const Array& x, const Array& target, Reduction reduction = Reduction::mean, Here here = Here::current());
Array smooth_l1_loss(const Array& x, const Array& target, double beta = 1, Reduction reduction = Reduction::mean,
                     Here here = Here::current());
Array huber_loss(const Array& x, const Array& target, double delta = 1, Reduction reduction = Reduction::mean,
                 Here here = Here::current());
// -(target * log(x) + (1 - target) * log(1 - x)) of probabilities x, and of logits x, exact for large ones.
Array binary_cross_entropy(const Array& x, const Array& target, Reduction reduction = Reduction::mean,
                           Here here = Here::current());
Array binary_cross_entropy_with_logits(const Array& x, const Array& target, Reduction reduction = Reduction::mean,
                                       Here here = Here::current());
// target * (log(target) - x), where x are logarithms of probabilities.
Array kl_div(const Array& x, const Array& target, Reduction reduction = Reduction::mean, Here here = Here::current());

// Options of losses of class numbers.
struct ClassLossOptions {
  std::optional<Array> weight;  // of each class
  int64_t ignore_index = -100;  // the class number of samples that do not count
  Reduction reduction = Reduction::mean;
  double label_smoothing = 0;  // of cross_entropy(): the fraction of the target that all classes share
};
// Minus the logarithm of the probability that logits give to the target class. x: (C), (N, C) or (N, C, d1, ...); target: class
// numbers, the same without C, or probabilities of the shape of x. Throws ErrorKind::index for a number that is no class, at the
// latest when the loss is evaluated.
Array cross_entropy(const Array& x, const Array& target, const ClassLossOptions& options = {}, Here here = Here::current());
// The same of logarithms of probabilities.
Array nll_loss(const Array& x, const Array& target, const ClassLossOptions& options = {}, Here here = Here::current());

}  // namespace qn::nn
