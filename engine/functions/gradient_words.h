// Short words for functions that are one entry of the tape: what activations, losses, norms and layers share.
#pragma once

#include <optional>
#include <vector>

#include "functions/steps.h"
#include "graph/tape.h"

namespace quern::steps {

using Gradients = std::vector<std::optional<Array>>;

// What halves are computed in.
inline DType wide_type(DType type) { return type == DType::float16 || type == DType::bfloat16 ? DType::float32 : type; }

template <class X, class Y>
Array product(const X& x, const Y& y) {
  return compute(Op::multiply, x, y);
}
template <class X, class Y>
Array plus(const X& x, const Y& y) {
  return compute(Op::add, x, y);
}
template <class X, class Y>
Array difference(const X& x, const Y& y) {
  return compute(Op::subtract, x, y);
}
inline Array added(const std::optional<Array>& sum, const Array& more) { return sum ? plus(*sum, more) : more; }

}  // namespace quern::steps
