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

}  // namespace quern::nn
