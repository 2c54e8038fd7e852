// What networks are made of, each with a derivative of its own: one entry of the tape that keeps the least (graph/tape.h). Axes
// count from the front.
#pragma once

#include <optional>

#include "functions/activations.h"
#include "functions/crossentropy.h"
#include "graph/array.h"

namespace quern {

namespace nn {

// x @ weight^T + bias over the last axis; the weight has a row for each result, or is one.
Array linear(const Array& x, const Array& weight, const Array* bias);
// Over the last axes, whose sizes are `shape`: raises ErrorKind::runtime where they, the weight or the bias have others.
Array layer_norm(const Array& x, const Shape& shape, const Array* weight, const Array* bias, double eps);
// eps: by default the distance from 1 to the next number of the type.
Array rms_norm(const Array& x, const Shape& shape, const Array* weight, std::optional<double> eps);
// Over each of several groups of channels, axis 1; weight and bias have an element for each channel.
Array group_norm(const Array& x, int64_t groups, const Array* weight, const Array* bias, double eps);
// For each channel, axis 1: in training by the mean and variance of x, else by the running ones, which in training move towards
// those of x by the part `momentum`, in place. Raises ErrorKind::runtime for other sizes and for what is missing.
Array batch_norm(const Array& x, const Array* running_mean, const Array* running_var, const Array* weight, const Array* bias,
                 bool is_training, double momentum, double eps);
// For each sample and channel; without `use_own` by the running mean and variance.
Array instance_norm(const Array& x, const Array* running_mean, const Array* running_var, const Array* weight, const Array* bias,
                    bool use_own, double momentum, double eps);
// Mean and variance along axes; halves in float32, and within the range of their type. As Keras has it.
std::pair<Array, Array> moments(const RealOperand& x, const SoftmaxAxes& axes, bool keep_dims, bool is_synchronized);
// (x - mean) / sqrt(variance + eps) * scale + offset along an axis of channels, in the type of all three. As Keras has it.
Array batch_normalization(const Array& x, const Array& mean, const Array& variance, size_t axis, const Array* offset,
                          const Array* scale, double eps);
// x1^T weight[k] x2 + bias[k] for each k, over the last axes.
Array bilinear(const Array& x1, const Array& x2, const Array& weight, const Array* bias);

}  // namespace nn

// A step of an optimizer: a user's row whose first operands, `written`, are replaced by its results. No gradient is recorded.
void apply_in_place(const UserRow& row, const std::vector<Array>& written, const std::vector<Argument>& read);

}  // namespace quern
