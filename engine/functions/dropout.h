// Elements or channels that are left out at random in training, and attention, which leaves out places of its own.
#pragma once

#include <optional>

#include "functions/distributions.h"
#include "functions/elementwise.h"

namespace quern::nn {

// In training each element is 0 with probability p and else divided by 1 - p; none: x itself.
std::optional<Array> dropout(const Array& x, double p, bool is_training, const random::Stream& draws);
// The same of whole channels, of (N, C, ...); of (C, L), and of (C, D, H, W), as well.
std::optional<Array> channel_dropout(const Array& x, double p, bool is_training, const random::Stream& draws);
std::optional<Array> dropout1d(const Array& x, double p, bool is_training, const random::Stream& draws);
std::optional<Array> dropout3d(const Array& x, double p, bool is_training, const random::Stream& draws);
// What is left out becomes selu's limit, then all are scaled and moved so that mean 0 and variance 1 are kept.
std::optional<Array> alpha_dropout(const Array& x, double p, bool is_training, const random::Stream& draws);
std::optional<Array> feature_alpha_dropout(const Array& x, double p, bool is_training, const random::Stream& draws);

// softmax(query key^T scale + mask) value over the last two axes. `mask`: added, or bools that say what takes part; where nothing
// does, the result is 0. `p`: of dropout of the attention; `is_causal`: a place sees those up to itself; `scale`: by default one
// over the root of the last size; `has_groups`: each head of keys and values, axis -3, is for as many heads of queries.
Array attention(const Array& query, const Array& key, const Array& value, const Array* mask, double p, bool is_causal,
                std::optional<double> scale, bool has_groups, const random::Stream& draws);

}  // namespace quern::nn
