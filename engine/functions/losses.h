// Losses, each with its mean or sum one entry of the tape that keeps the least (graph/tape.h). Axes count from the front.
#pragma once

#include <string_view>
#include <vector>

#include "graph/array.h"

namespace quern {

// Of each element of x and the target, which broadcast together; `reduction`: "none", "sum" or "mean". Halves are computed in
// float32. The losses: "l1", "mse", "smooth_l1" and "huber" (that bend at `number`), "kl_div" (x: logarithms; of the target's
// probabilities) and "kl_div_log", "binary_cross_entropy", "bce_with_logits" (a third input is the weight of what is true),
// "soft_margin", "poisson_nll" (`number` is added to x) and "poisson_nll_log", both with "_full" for the target's own term,
// "gaussian_nll", whose third input is the variance (`number` is added to the loss), "hinge_embedding" and "margin_ranking" (of
// two inputs and the target; `number` is the margin). `weight`: what each is multiplied by; it gets no gradient.
Array element_loss(const std::vector<Array>& inputs, std::string_view loss, double number, std::string_view reduction,
                   const Array* weight);

// Minus the logarithm of softmax at the target class of each place; `target` has the shape of x without the axis, integers.
// `reduction`: "none", "sum" or "mean", which is over what does not equal `ignored`. Without `are_classes` the targets are looked
// through on the device: one that is no class is an error at the next look (ErrorKind::index). `weight`: of each class, without a
// gradient; `smoothing`: the part of the target that all classes share.
Array cross_entropy(const Array& x, const Array& target, size_t axis, int64_t ignored, std::string_view reduction,
                    bool are_classes, const Array* weight = nullptr, double smoothing = 0);
// The same of the logarithms themselves.
Array nll_loss(const Array& log_p, const Array& target, size_t axis, int64_t ignored, std::string_view reduction,
               bool are_classes, const Array* weight);

// Minus the sum of softmax's logarithms along the axis times the target, a probability of each class.
Array soft_cross_entropy(const Array& x, const Array& target, size_t axis, std::string_view reduction, const Array* weight,
                         double smoothing);

}  // namespace quern
