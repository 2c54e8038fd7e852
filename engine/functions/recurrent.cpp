#include "functions/recurrent.h"

#include "core/error.h"
#include "functions/dropout.h"
#include "functions/networks.h"
#include "functions/parts.h"
#include "functions/recurrence.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "run/calls/matmul.h"

namespace quern::nn {

using namespace steps;

namespace {

struct Network {
  Cell cell;
  bool has_biases;
  int64_t layers;
  double dropout;
  bool is_training, is_bidirectional;
  int64_t directions() const { return is_bidirectional ? 2 : 1; }
};

// The states before the first step; an LSTM has cells.
struct States {
  const Array* hidden;
  const Array* cells = nullptr;
  bool has_projection() const {
    return cells && hidden->rank() == 3 && cells->rank() == 3 && last_size(*hidden) != last_size(*cells);
  }
};

States states_of_lstm(const Tensors& hx) {
  if (hx.all.size() != 2) raise(ErrorKind::runtime, "lstm expects two hidden states");
  return {hx.all.data(), &hx.all[1]};
}

// ---- what does not fit

void check_type(const Array& x, const Array& other) {
  if (other.dtype() != x.dtype())
    raise(ErrorKind::runtime, "mat1 and mat2 must have the same dtype, but got {} and {}", torch_name_of(x.dtype()),
          torch_name_of(other.dtype()));
  if (other.device() != x.device())
    raise(ErrorKind::runtime, "Input and parameter tensors are not at the same device; move one of them with to()");
}
void check_real(const Array& x) {
  if (row(x.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::not_implemented, "recurrent networks of {} are not supported; convert the input and the weights",
          torch_name_of(x.dtype()));
}

void check_states(const char* name, const Array& states, int64_t layers, int64_t samples) {
  if (states.rank() != 3) raise(ErrorKind::runtime, "Expected {} to have 3 dimensions, got {}", name, states.rank());
  const Shape expected{layers, samples, last_size(states)};
  if (states.shape() != expected)
    raise(ErrorKind::runtime, "Expected {} size {}, got {}", name, to_string(expected), in_brackets(states.shape()));
}

void check_shape(const char* name, const Array& array, const Shape& expected) {
  if (array.shape() != expected)
    raise(ErrorKind::runtime, "Expected {} of size {}, but got {}", name, in_brackets(expected), in_brackets(array.shape()));
}

// ---- one layer and direction

struct Parameters {
  const Array *input_weight, *hidden_weight, *input_bias = nullptr, *hidden_bias = nullptr, *projection = nullptr;
};

Recurrent recurrent_of(Cell cell, const Array& x, const Parameters& given, const Array& hidden, const Array* cells) {
  const int64_t inner = last_size(x), width = last_size(hidden), rows = given.hidden_weight->shape()[0];
  const int64_t size = rows / gates_of(cell);
  if (last_size(*given.input_weight) != inner)
    raise(ErrorKind::runtime, "input.size(-1) must be equal to input_size. Expected {}, got {}", last_size(*given.input_weight),
          inner);
  check_shape("weight_ih", *given.input_weight, {gates_of(cell) * size, inner});
  check_shape("weight_hh", *given.hidden_weight, {gates_of(cell) * size, width});
  for (const auto& [name, bias] : {std::pair("bias_ih", given.input_bias), std::pair("bias_hh", given.hidden_bias)})
    if (bias) check_shape(name, *bias, {gates_of(cell) * size});
  if (given.projection) check_shape("weight_hr", *given.projection, {width, size});
  for (const Array* one :
       {given.input_weight, given.hidden_weight, given.input_bias, given.hidden_bias, given.projection, &hidden, cells})
    if (one) check_type(x, *one);
  Recurrent out{linear(x, *given.input_weight, nullptr), *given.hidden_weight, hidden};
  if (cells) out.cells = *cells;
  if (given.projection) out.projection = *given.projection;
  if (given.input_bias) out.bias = *given.input_bias;
  if (!given.hidden_bias) return out;
  if (cell == Cell::gru)  // a part of it is multiplied by the reset gate
    out.hidden_bias = *given.hidden_bias;
  else
    out.bias = out.bias ? add(*out.bias, *given.hidden_bias) : *given.hidden_bias;
  return out;
}

// ---- all layers

Parameters parameters_of(const Tensors& all, size_t which, bool has_biases, bool has_projection) {
  const size_t each = (has_biases ? 4 : 2) + has_projection, first = which * each;
  const Array* one = &all.all[first];
  Parameters out{one, one + 1};
  if (has_biases) out.input_bias = one + 2, out.hidden_bias = one + 3;
  if (has_projection) out.projection = one + each - 1;
  return out;
}

void check_parameters(const Network& network, const Tensors& all, bool has_projection) {
  const int64_t each = (network.has_biases ? 4 : 2) + has_projection;
  if (network.layers <= 0) raise(ErrorKind::runtime, "stack expects a non-empty TensorList");
  if (static_cast<int64_t>(all.all.size()) != each * network.layers * network.directions())
    raise(ErrorKind::runtime, "got an incorrect number of RNN parameters");
  if (network.is_training && network.layers > 1 && !(network.dropout >= 0 && network.dropout <= 1))
    raise(ErrorKind::runtime, "dropout probability has to be between 0 and 1, but got {}", network.dropout);
  for (size_t i = 0; i < all.all.size(); ++i) {
    const size_t at = i % static_cast<size_t>(each);
    const size_t rank = network.has_biases && (at == 2 || at == 3) ? 1 : 2;
    if (all.all[i].rank() != rank)
      raise(ErrorKind::runtime, "Expected parameter {} to have {} dimensions, but got size {}", i, rank,
            in_brackets(all.all[i].shape()));
  }
}

Array piled(const std::vector<Array>& arrays) { return arrays.size() == 1 ? expand_dims(arrays[0], 0) : stacked(arrays, 0); }

// {the last layer's hidden states by rows, the last ones of each layer and direction, of an LSTM the cells}.
std::vector<Array> network_of(const Network& network, const Array& x, const std::vector<int64_t>& counts, const States& states,
                              const Tensors& params, const random::Stream& draws) {
  check_real(x);
  check_parameters(network, params, states.has_projection());
  const Course courses[] = {course_of(counts, false), course_of(counts, true)};
  const int64_t all = network.layers * network.directions();
  check_states(states.cells ? "hidden[0]" : "hidden", *states.hidden, all, courses[0].samples);
  if (states.cells) check_states("hidden[1]", *states.cells, all, courses[0].samples);
  Array rows = x;
  std::vector<Array> hidden, cells;
  for (int64_t layer = 0; layer < network.layers; ++layer) {
    std::vector<Array> sides;
    for (int64_t side = 0; side < network.directions(); ++side) {
      const int64_t which = layer * network.directions() + side;
      const Parameters own = parameters_of(params, static_cast<size_t>(which), network.has_biases, states.has_projection());
      const Array first_hidden = element(*states.hidden, 0, which);
      std::optional<Array> first_cells;
      if (states.cells) first_cells = element(*states.cells, 0, which);
      const Recurrent given = recurrent_of(network.cell, rows, own, first_hidden, first_cells ? &*first_cells : nullptr);
      const std::vector<Array> found = recurrence(network.cell, courses[side], given);
      sides.push_back(found[0]);
      hidden.push_back(found[1]);
      if (states.cells) cells.push_back(found[2]);
    }
    rows = sides.size() == 1 ? sides[0] : joined(sides, 1);
    if (layer + 1 < network.layers)
      if (const std::optional<Array> some = dropout(rows, network.dropout, network.is_training, draws)) rows = *some;
  }
  std::vector<Array> out{rows, piled(hidden)};
  if (states.cells) out.push_back(piled(cells));
  return out;
}

// Of (steps, samples, features) or, with the samples first, (samples, steps, features).
std::vector<Array> padded_network(const Network& network, const Array& given, bool is_batch_first, const States& states,
                                  const Tensors& params, const random::Stream& draws) {
  if (given.rank() < 3)
    raise(ErrorKind::index, "Dimension out of range (expected to be in range of [-{0}, {1}], but got 2)",
          std::max<size_t>(given.rank(), 1), std::max<size_t>(given.rank(), 1) - 1);
  if (given.rank() > 3) raise(ErrorKind::runtime, "input must have 3 dimensions, got {}", given.rank());
  const Array x = is_batch_first ? transpose(given, {1, 0, 2}) : given;
  const int64_t steps = x.shape()[0], samples = x.shape()[1];
  if (steps == 0) raise(ErrorKind::runtime, "Expected sequence length to be larger than 0 in RNN");
  const std::vector<int64_t> counts(static_cast<size_t>(steps), samples);
  std::vector<Array> out = network_of(network, reshape(x, {steps * samples, last_size(x)}), counts, states, params, draws);
  out[0] = reshape(out[0], {steps, samples, last_size(out[0])});
  if (is_batch_first) out[0] = transpose(out[0], {1, 0, 2});
  return out;
}

// Of (rows, features): those of each step behind the other.
std::vector<Array> packed_network(const Network& network, const Array& x, const Array& batch_sizes, const States& states,
                                  const Tensors& params, const random::Stream& draws) {
  const std::vector<int64_t> counts = packed_counts(x, batch_sizes);
  if (x.rank() != 2) raise(ErrorKind::runtime, "input must have 2 dimensions, got {}", x.rank());
  return network_of(network, x, counts, states, params, draws);
}

}  // namespace

std::vector<Array> lstm(const Array& x, const Tensors& hx, const Tensors& params, bool has_biases, int64_t layers, double dropout,
                        bool is_training, bool is_bidirectional, bool is_batch_first, const random::Stream& draws) {
  const Network network{Cell::lstm, has_biases, layers, dropout, is_training, is_bidirectional};
  return padded_network(network, x, is_batch_first, states_of_lstm(hx), params, draws);
}
std::vector<Array> lstm_packed(const Array& x, const Array& batch_sizes, const Tensors& hx, const Tensors& params,
                               bool has_biases, int64_t layers, double dropout, bool is_training, bool is_bidirectional,
                               const random::Stream& draws) {
  const Network network{Cell::lstm, has_biases, layers, dropout, is_training, is_bidirectional};
  return packed_network(network, x, batch_sizes, states_of_lstm(hx), params, draws);
}

std::vector<Array> gru(const Array& x, const Array& hx, const Tensors& params, bool has_biases, int64_t layers, double dropout,
                       bool is_training, bool is_bidirectional, bool is_batch_first, const random::Stream& draws) {
  const Network network{Cell::gru, has_biases, layers, dropout, is_training, is_bidirectional};
  return padded_network(network, x, is_batch_first, {&hx}, params, draws);
}
std::vector<Array> gru_packed(const Array& x, const Array& batch_sizes, const Array& hx, const Tensors& params, bool has_biases,
                              int64_t layers, double dropout, bool is_training, bool is_bidirectional,
                              const random::Stream& draws) {
  const Network network{Cell::gru, has_biases, layers, dropout, is_training, is_bidirectional};
  return packed_network(network, x, batch_sizes, {&hx}, params, draws);
}

std::vector<Array> rnn_tanh(const Array& x, const Array& hx, const Tensors& params, bool has_biases, int64_t layers,
                            double dropout, bool is_training, bool is_bidirectional, bool is_batch_first,
                            const random::Stream& draws) {
  const Network network{Cell::tanh, has_biases, layers, dropout, is_training, is_bidirectional};
  return padded_network(network, x, is_batch_first, {&hx}, params, draws);
}
std::vector<Array> rnn_tanh_packed(const Array& x, const Array& batch_sizes, const Array& hx, const Tensors& params,
                                   bool has_biases, int64_t layers, double dropout, bool is_training, bool is_bidirectional,
                                   const random::Stream& draws) {
  const Network network{Cell::tanh, has_biases, layers, dropout, is_training, is_bidirectional};
  return packed_network(network, x, batch_sizes, {&hx}, params, draws);
}
std::vector<Array> rnn_relu(const Array& x, const Array& hx, const Tensors& params, bool has_biases, int64_t layers,
                            double dropout, bool is_training, bool is_bidirectional, bool is_batch_first,
                            const random::Stream& draws) {
  const Network network{Cell::relu, has_biases, layers, dropout, is_training, is_bidirectional};
  return padded_network(network, x, is_batch_first, {&hx}, params, draws);
}
std::vector<Array> rnn_relu_packed(const Array& x, const Array& batch_sizes, const Array& hx, const Tensors& params,
                                   bool has_biases, int64_t layers, double dropout, bool is_training, bool is_bidirectional,
                                   const random::Stream& draws) {
  const Network network{Cell::relu, has_biases, layers, dropout, is_training, is_bidirectional};
  return packed_network(network, x, batch_sizes, {&hx}, params, draws);
}

// ---- Keras's layers of (samples, steps, features), whose weights are (features, gates * size)

// {the hidden states in the order in which they are computed, the last one, of an LSTM the cells}.
static std::vector<Array> layer_of_keras(Cell cell, const Array& given, bool is_backward, Recurrent operands,
                                         const Array& kernel) {
  if (given.rank() != 3)
    raise(ErrorKind::value, "recurrent layers expect inputs of 3 dimensions. Received shape: {}", to_string(given.shape()));
  const Array x = transpose(as_type(given, kernel.dtype()), {1, 0, 2});
  const int64_t steps = x.shape()[0], samples = x.shape()[1];
  if (steps == 0) raise(ErrorKind::value, "recurrent layers expect inputs of at least one step");
  const Shape wanted{samples, last_size(kernel) / gates_of(cell)};
  for (const Array* state : {&operands.hidden, operands.cells ? &*operands.cells : nullptr})
    if (state && state->shape() != wanted)
      raise(ErrorKind::value, "initial_state must have the shape (samples, units), which is {}. Received shape: {}",
            to_string(wanted), to_string(state->shape()));
  check_real(kernel);
  operands.products = matmul(reshape(x, {steps * samples, last_size(x)}), kernel);
  const Course course = course_of(std::vector<int64_t>(static_cast<size_t>(steps), samples), is_backward);
  std::vector<Array> out = recurrence(cell, course, operands);
  const Array by_steps = reshape(out[0], {steps, samples, last_size(out[0])});
  out[0] = transpose(is_backward ? flipped(by_steps, Axes{0}) : by_steps, {1, 0, 2});
  return out;
}

std::vector<Array> lstm_layer(const Array& x, const Array& hidden, const Array& cells, const Array& kernel,
                              const Array& recurrent_kernel, const Array* bias, bool is_backward) {
  const DType type = kernel.dtype();
  Recurrent operands{x, matrix_transpose(as_type(recurrent_kernel, type)), as_type(hidden, type), as_type(cells, type)};
  if (bias) operands.bias = as_type(*bias, type);
  return layer_of_keras(Cell::lstm, x, is_backward, operands, kernel);
}

// The gates are update, reset, new; `bias` has two rows: that of the inputs' products, and that of the states'.
std::vector<Array> gru_layer(const Array& x, const Array& hidden, const Array& kernel, const Array& recurrent_kernel,
                             const Array* bias, bool is_backward) {
  const DType type = kernel.dtype();
  const int64_t size = last_size(kernel) / 3;
  auto reset_first = [&](const Array& all) {
    return joined({part(all, -1, size, 2 * size), part(all, -1, 0, size), part(all, -1, 2 * size, 3 * size)}, all.rank() - 1);
  };
  Recurrent operands{x, matrix_transpose(reset_first(as_type(recurrent_kernel, type))), as_type(hidden, type)};
  if (bias) {
    const Array both = reset_first(as_type(*bias, type));
    operands.bias = element(both, 0, 0), operands.hidden_bias = element(both, 0, 1);
  }
  return layer_of_keras(Cell::gru, x, is_backward, operands, reset_first(kernel));
}

// ---- cells: one step of (samples, features)

static std::vector<Array> one_step(Cell cell, const Array& x, const Array& hidden, const Array* cells, const Parameters& given) {
  if (x.rank() != 2) raise(ErrorKind::runtime, "Expected 2D input (batch x feature), but got {}D input", x.rank());
  for (const auto& [name, one] : {std::pair("weight_ih", given.input_weight), std::pair("weight_hh", given.hidden_weight)})
    if (one->rank() != 2) raise(ErrorKind::runtime, "Expected 2D {}, but got {}D", name, one->rank());
  check_real(x);
  const int64_t size = last_size(*given.hidden_weight);
  if (last_size(*given.input_weight) != last_size(x))
    raise(ErrorKind::runtime, "input has inconsistent input_size: got {} expected {}", last_size(x),
          last_size(*given.input_weight));
  if (gates_of(cell) == 1 && given.input_weight->shape()[0] != size)
    raise(ErrorKind::runtime, "weight_ih first dim must be 1 * hidden_size = {}, but got {}", size,
          given.input_weight->shape()[0]);
  for (const auto& [number, one] : {std::pair(0, &hidden), std::pair(1, cells)}) {
    if (!one) continue;
    if (one->rank() != 2) raise(ErrorKind::runtime, "Expected 2D hidden{}, but got {}D", number, one->rank());
    if (one->shape()[0] != x.shape()[0])
      raise(ErrorKind::runtime, "Input batch size {} doesn't match hidden{} batch size {}", x.shape()[0], number,
            one->shape()[0]);
    if (last_size(*one) != size)
      raise(ErrorKind::runtime, "hidden{} has inconsistent hidden_size: got {}, expected {}", number, last_size(*one), size);
  }
  return recurrence(cell, course_of({x.shape()[0]}, false), recurrent_of(cell, x, given, hidden, cells));
}

// The hidden state and the cell after it.
std::vector<Array> lstm_cell(const Array& x, const Tensors& hx, const Array& weight_ih, const Array& weight_hh,
                             const Array* bias_ih, const Array* bias_hh) {
  if (hx.all.size() != 2) raise(ErrorKind::runtime, "lstm_cell expects two hidden states");
  const std::vector<Array> found =
      one_step(Cell::lstm, x, hx.all[0], &hx.all[1], {&weight_ih, &weight_hh, bias_ih, bias_hh, nullptr});
  return {found[0], found[2]};
}
Array gru_cell(const Array& x, const Array& hx, const Array& weight_ih, const Array& weight_hh, const Array* bias_ih,
               const Array* bias_hh) {
  return one_step(Cell::gru, x, hx, nullptr, {&weight_ih, &weight_hh, bias_ih, bias_hh, nullptr})[0];
}
Array rnn_tanh_cell(const Array& x, const Array& hx, const Array& weight_ih, const Array& weight_hh, const Array* bias_ih,
                    const Array* bias_hh) {
  return one_step(Cell::tanh, x, hx, nullptr, {&weight_ih, &weight_hh, bias_ih, bias_hh, nullptr})[0];
}
Array rnn_relu_cell(const Array& x, const Array& hx, const Array& weight_ih, const Array& weight_hh, const Array* bias_ih,
                    const Array* bias_hh) {
  return one_step(Cell::relu, x, hx, nullptr, {&weight_ih, &weight_hh, bias_ih, bias_hh, nullptr})[0];
}

}  // namespace quern::nn
