// One layer of a recurrent network in one direction, step by step: a product with the states before, and elementwise operations
// that are one kernel. It is a single autograd node whose derivative takes the steps in the opposite order. recurrent.cpp makes
// networks of it.
#pragma once

#include <optional>
#include <vector>

#include "graph/array.h"

namespace quern::nn {

enum class Cell : uint8_t { lstm, gru, tanh, relu };
constexpr int64_t gates_of(Cell cell) { return cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1; }

// The rows of the data that belong to one step: those of its first samples.
struct StepRows {
  int64_t start, count;
};
// The steps in the order in which they are computed. Between two of them either samples end, the last ones, or samples begin.
struct Course {
  std::vector<StepRows> steps;
  int64_t rows = 0, samples = 0;
  bool is_even() const { return !steps.empty() && rows == samples * static_cast<int64_t>(steps.size()); }
};
// Of `counts` samples at each position, one position behind the other.
Course course_of(const std::vector<int64_t>& counts, bool is_backward);

struct Recurrent {
  Array products;                         // of the inputs with their weights: (rows, gates * size)
  Array weight;                           // of the states: (gates * size, size, or the projection's size)
  Array hidden;                           // before the first step: (samples, size, or the projection's size)
  std::optional<Array> cells = {};        // of an LSTM, the same: (samples, size)
  std::optional<Array> bias = {};         // added to `products`
  std::optional<Array> hidden_bias = {};  // of a GRU: added to the products of the states
  std::optional<Array> projection = {};   // of an LSTM: (projection's size, size)
};

// {the hidden state of each row, that after each sample's last step, of an LSTM also the cell then}. All operands have one type.
std::vector<Array> recurrence(Cell cell, const Course& course, const Recurrent& given);

}  // namespace quern::nn
