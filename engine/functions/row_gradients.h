// The derivatives of the ops table (quern/grads.def).
#pragma once

#include "graph/tape.h"

#include <array>
#include <string_view>

namespace quern {

// What grads.def says of an operand: nothing passes, there is no formula, or which values it needs (the bits of RowNeeds).
uint8_t row_needs(Op op, int operand);

// The gradient of operand k from that of the result, in the type that the op computed in. `operands` and `result`: empty where
// the formula does not need them. With the slopes of this thread.
Array row_gradient(Op op, int k, const Array& g, std::span<const Array> operands, const Array& result);

// Those formulas as grads.def has them; empty where it has none.
std::array<std::string_view, 3> row_gradient_texts(Op op);

}  // namespace quern
