// What networks are made of, each with a derivative of its own: one entry of the tape that keeps the least (graph/tape.h). Axes
// count from the front.
#pragma once

#include <optional>

#include "graph/array.h"

namespace quern {

// x @ weight^T + bias over the last axis; the weight is a matrix with a row for each result.
Array linear(const Array& x, const Array& weight, const Array* bias);

// Normalised to mean 0 and variance 1 over the last `count` axes, then times weight plus bias; halves in float32.
Array layer_norm(const Array& x, size_t count, const Array* weight, const Array* bias, double eps);

// x over the root of the mean of its squares over the last `count` axes, then times weight; halves are computed in float32.
Array rms_norm(const Array& x, size_t count, const Array* weight, double eps);

// Normalised for each channel, axis 1, over all other axes: {that, the means, the variances}, of which the first one has a
// derivative here. Of x with at least two axes; weight and bias have an element for each channel.
std::vector<Array> batch_norm(const Array& x, const Array* weight, const Array* bias, double eps);

// A step of an optimizer: a user's row whose first operands, `written`, are replaced by its results. No gradient is recorded.
void apply_in_place(const UserRow& row, const std::vector<Array>& written, const std::vector<Argument>& read);

}  // namespace quern
