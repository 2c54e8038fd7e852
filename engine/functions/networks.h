// What networks are made of, each with a derivative of its own: a single autograd node that keeps the least (graph/tape.h). Axes
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
// x1^T weight[k] x2 + bias[k] for each k, over the last axes.
Array bilinear(const Array& x1, const Array& x2, const Array& weight, const Array* bias);

}  // namespace nn

// A step of an optimizer: a user's row whose first operands, `written`, are replaced by its results. No gradient is recorded.
void apply_in_place(const UserRow& row, const std::vector<Array>& written, const std::vector<Argument>& read);

}  // namespace quern
