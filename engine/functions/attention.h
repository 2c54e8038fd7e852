// Attention: sums of values, weighted by how well their keys fit a query; and the layer that does so with several heads.
#pragma once

#include <optional>

#include "functions/distributions.h"
#include "functions/elementwise.h"

namespace quern::nn {

// softmax(query key^T scale + mask) value over the last two axes. `mask`: added, or bools that say what takes part; where nothing
// does, the result is 0. `p`: of dropout of the weights; `is_causal`: a query sees keys up to its own place; `scale`: by default
// one over the root of the last size; `has_groups`: each head of keys and values, axis -3, is for as many heads of queries.
Array attention(const Array& query, const Array& key, const Array& value, const Array* mask, double p, bool is_causal,
                std::optional<double> scale, bool has_groups, const random::Stream& draws);

// Keras's, of (samples, rows, heads, width). `bias` is added to the scores (samples, heads, queries, keys); `mask` says which
// keys take part: a query that sees none takes the mean of all values.
Array dot_product_attention(const Rules& rules, const Array& query, const Array& key, const Array& value, const Array* bias,
                            const Array* mask, std::optional<double> scale, bool is_causal);

// What the layer has besides its three inputs; what is null is not there.
struct Heads {
  int64_t width, count;              // of the queries' rows; of the heads, which share them
  const Array *weight, *bias;        // of query, key and value, one below the other
  const Array *key_row, *value_row;  // one more key and its value, (1, 1, width)
  bool adds_zeros;                   // one more key and value of zeros
  double dropout;                    // of the weights, in training
  const Array *out_weight, *out_bias;
  bool is_training;
  const Array* padding;  // (N, S): which keys nobody sees, or what is added to their scores
  bool gives_weights;
  const Array* mask;  // (L, S) or (N * count, L, S): the same for pairs of query and key
  bool is_separate;   // has the next three in place of `weight`
  const Array *query_weight, *key_weight, *value_weight;
  const Array *fixed_key, *fixed_value;  // (N * count, S, width / count): in place of what the inputs give
  bool averages, is_causal;              // averages: weights are means over the heads
  bool is_mixed;                         // the softmax of halves is computed in float32
};
struct Attended {
  Array values;
  std::optional<Array> weights;
};

// Inputs are (L, N, width), or without N. Shapes fit together: the caller has checked them.
Attended multi_head_attention(const Array& query, const Array& key, const Array& value, const Heads& heads,
                              const random::Stream& draws);

}  // namespace quern::nn
