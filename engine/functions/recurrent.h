// Recurrent networks, and sequences of different lengths that are packed for them. A layer's step is in recurrence.h.
#pragma once

#include <vector>

#include "functions/distributions.h"
#include "graph/array.h"

namespace quern::nn {

// Several arrays that are one argument.
struct Tensors {
  std::vector<Array> all;
};

// Networks of (steps, samples, features) or, with the samples first, (samples, steps, features); `params` has the weights and
// biases of each layer and direction as PyTorch has them. {the last layer's hidden states, those of all layers after the last
// step, of an LSTM the cells}. Raises ErrorKind::runtime for sizes and types that do not fit.
std::vector<Array> lstm(const Array& x, const Tensors& hx, const Tensors& params, bool has_biases, int64_t layers, double dropout,
                        bool is_training, bool is_bidirectional, bool is_batch_first, const random::Stream& draws);
std::vector<Array> gru(const Array& x, const Array& hx, const Tensors& params, bool has_biases, int64_t layers, double dropout,
                       bool is_training, bool is_bidirectional, bool is_batch_first, const random::Stream& draws);
std::vector<Array> rnn_tanh(const Array& x, const Array& hx, const Tensors& params, bool has_biases, int64_t layers,
                            double dropout, bool is_training, bool is_bidirectional, bool is_batch_first,
                            const random::Stream& draws);
std::vector<Array> rnn_relu(const Array& x, const Array& hx, const Tensors& params, bool has_biases, int64_t layers,
                            double dropout, bool is_training, bool is_bidirectional, bool is_batch_first,
                            const random::Stream& draws);

// How many samples each step of a packed sequence has: more than none, and no more than the step before. Raises
// ErrorKind::runtime for other sizes, or other than the rows' number together.
std::vector<int64_t> packed_counts(const Array& rows, const Array& batch_sizes);

}  // namespace quern::nn
