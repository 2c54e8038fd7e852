// Cross entropies of probabilities or of logits, as Keras has them: along an axis, not reduced. Types are those of Keras's
// operators.
#pragma once

#include "graph/array.h"

namespace quern::nn {

// An operand whose integers became real numbers.
struct RealOperand {
  Array array;
};
// Probabilities count as no less than this, and as no more than one less this.
struct LeastProbability {
  double value;
};

// -sum(target * log(probability)) along an axis, which may count from the end. Raises ErrorKind::value for other shapes.
Array categorical_crossentropy(const Array& target, const RealOperand& output, bool from_logits, int64_t axis,
                               LeastProbability least);
// -log(probability) of the class that each target names; 0 where there is no such class.
Array sparse_categorical_crossentropy(const Array& target, const RealOperand& output, bool from_logits, int64_t axis,
                                      LeastProbability least);
// -(target * log(p) + (1 - target) * log(1 - p)) of each element.
Array binary_crossentropy(const Array& target, const RealOperand& output, bool from_logits, LeastProbability least);

}  // namespace quern::nn
