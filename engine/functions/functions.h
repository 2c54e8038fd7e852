// The table of functions of arrays: functions.def with what its rows name. Start there; a new function is a row and a body.
#pragma once

#include <cstdint>
#include <string_view>

#include "functions/activations.h"
#include "functions/attention.h"
#include "functions/averages.h"
#include "functions/border.h"
#include "functions/convolution.h"
#include "functions/counting.h"
#include "functions/creation.h"
#include "functions/crossentropy.h"
#include "functions/distributions.h"
#include "functions/dropout.h"
#include "functions/einsum.h"
#include "functions/elementwise.h"
#include "functions/embeddings.h"
#include "functions/fourier_axes.h"
#include "functions/fractional_pooling.h"
#include "functions/grid_sampling.h"
#include "functions/keras_images.h"
#include "functions/losses.h"
#include "functions/matrices.h"
#include "functions/matrix_calls.h"
#include "functions/networks.h"
#include "functions/norms.h"
#include "functions/ordering.h"
#include "functions/padding.h"
#include "functions/picking.h"
#include "functions/pooling.h"
#include "functions/quantiles.h"
#include "functions/ranges.h"
#include "functions/ranking.h"
#include "functions/recurrent.h"
#include "functions/reductions.h"
#include "functions/resizing.h"
#include "functions/rounding.h"
#include "functions/sampling.h"
#include "functions/sets.h"
#include "functions/shaping.h"
#include "functions/signals.h"
#include "functions/tensor_algebra.h"
#include "functions/unfolding.h"
#include "functions/windows.h"
#include "functions/without_nan.h"
#include "graph/op.h"
#include "run/calls/matmul.h"

#include "bodies.inc"  // bodies that only their rows call, by tools/cpp_functions.py

namespace quern {

// Functions whose operand and result types follow one rule.
enum class Family : uint8_t {
  sums,         // integers are added up in 64 bits
  extremes,     // the operand's type; elements need an order
  tests,        // bools
  averages,     // real or complex numbers
  places,       // where elements stand, int64
  ranks,        // elements in order, and where they stand
  layers,       // real numbers of networks
  samples,      // real or complex numbers along axes; the result is of their type, or of its parts' type
  quantiles,    // of real numbers in order, of their type
  statistics,   // numbers that are computed of real or complex elements
  elementwise,  // the typing of the operation, by the front end's rules
  creates,      // new arrays of no others
  products,     // sums of products: the operands' common type, by the front end's rules
  algebra,      // real or complex numbers, by a matrix's factors; a result without axes is a number
  converts,     // any elements, in another type or place
  views,        // any elements, which stay where they are
  repeats,      // the same, where elements repeat
  turned,       // the same, in some front ends in new memory
  moves,        // any elements, in new memory
};

// The rows, by their numbers.
enum class Function : uint16_t {
#define QUERN_FUNCTION(name, family, body, parameters) name##_,
#include "functions/functions.def"
  count
};

// The operations of quern/ops.def follow these numbers: each is a function of its operands.
constexpr Function operation(Op op) {
  return static_cast<Function>(static_cast<uint16_t>(Function::count) + static_cast<uint16_t>(op));
}
constexpr bool is_operation(Function function) { return function >= Function::count; }
constexpr Op operation_of(Function function) {
  return static_cast<Op>(static_cast<uint16_t>(function) - static_cast<uint16_t>(Function::count));
}

constexpr size_t count_words(std::string_view text) {
  size_t words = 0;
  for (size_t i = 0; i < text.size(); ++i) words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
  return words;
}

}  // namespace quern
