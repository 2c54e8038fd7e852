// Losses of networks, one body each; with its mean or sum, each is a single autograd node that keeps the least (graph/tape.h).
// Halves are computed in float32. What is said of arguments that do not fit together is PyTorch's.
#pragma once

#include <optional>

#include "functions/elementwise.h"

namespace quern::nn {

enum class LossReduction : uint8_t { none, mean, sum, batch_mean };  // batch_mean: the sum over the number of samples

// The loss of each element, or of each sample, reduced.
Array reduced(const Array& loss, LossReduction reduction);

// ---- of each element: x and the target broadcast together (losses.cpp). `weight`: of each element; where it is said, the mean
// is the weighted one

Array l1_loss(const Rules& rules, const Array& x, const Array& target, const Array* weight, LossReduction reduction);  // weighted
Array mse_loss(const Array& x, const Array& target, const Array* weight, LossReduction reduction);                     // weighted
Array smooth_l1_loss(const Array& x, const Array& target, double beta, LossReduction reduction);
Array huber_loss(const Array& x, const Array& target, double delta, const Array* weight, LossReduction reduction);
Array kl_div(const Array& x, const Array& target, bool of_log_target, LossReduction reduction);
Array binary_cross_entropy(const Array& x, const Array& target, const Array* weight, LossReduction reduction);
Array binary_cross_entropy_with_logits(const Array& x, const Array& target, const Array* weight, const Array* pos_weight,
                                       LossReduction reduction);
Array soft_margin_loss(const Array& x, const Array& target, LossReduction reduction);
Array multilabel_soft_margin_loss(const Array& x, const Array& target, const Array* weight, LossReduction reduction);
Array poisson_nll_loss(const Array& x, const Array& target, bool of_log, bool is_full, double eps, LossReduction reduction);

// ---- with a margin (margin_losses.cpp)

// ---- of classes (class_losses.cpp). x: (C), (N, C) or (N, C, d1, ...); target: class numbers, the same without C. The mean is
// over what does not equal `ignored`. `weight`: of each class, without a gradient. A number that is no class is an error at the
// next read of the loss (ErrorKind::index), or, where it is known, at once.

Array nll_loss(const Array& log_p, const Array& target, const Array* weight, int64_t ignored, LossReduction reduction);
// Minus the logarithm of softmax at the target; the target may have a probability for each class, in the shape of x. `smoothing`:
// the part of the target that all classes share.
Array cross_entropy(const Array& x, const Array& target, const Array* weight, int64_t ignored, double smoothing,
                    LossReduction reduction);

}  // namespace quern::nn
