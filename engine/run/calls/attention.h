// Attention on the CPU: sums of values, weighted by how well their keys fit a query. Some rows of scores at a time are in memory,
// forward and backward: it is linear in the number of keys. What else there is of attention, and its formula, is in
// functions/attention.cpp; the loops are in attention_rows.cpp.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "graph/array.h"

namespace quern {

// Arrays (samples, heads, rows, width) of float32 or float64. Each head of keys and values is for as many heads of queries.
struct AttentionOperands {
  Array query, key, value;
  std::optional<Array> mask;  // (samples, heads, queries, keys): added to scores, or bools that say which take part
  std::optional<Array> kept;  // bools of that shape: of dropout, which weights are kept
};
struct AttentionForm {
  double scale = 1;        // of the products of query and key
  bool is_causal = false;  // a query sees the keys up to its own place
  double dropout = 0;      // kept weights are divided by 1 - dropout
};

// The result, and of each row (samples, heads, queries) the logarithm of its sum of weights: infinite where nothing takes part,
// and the result is 0.
std::pair<Array, Array> attend(const AttentionOperands& operands, const AttentionForm& form);

// The gradients of query, key and value.
std::array<Array, 3> attend_backward(const AttentionOperands& operands, const AttentionForm& form, const Array& result,
                                     const Array& logarithms, const Array& given);

}  // namespace quern
