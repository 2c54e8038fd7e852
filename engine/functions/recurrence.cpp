#include "functions/recurrence.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/calls/matmul.h"

namespace quern::nn {

using namespace steps;

namespace {

Array first_rows(const Array& x, int64_t from, int64_t to) { return from == 0 && to == x.shape()[0] ? x : part(x, 0, from, to); }

Array join_rows(const std::vector<Array>& pieces) { return pieces.size() == 1 ? pieces[0] : joined(pieces, 0); }

// A matrix that each step's product has on its right, in C order where there are steps enough: their products are faster.
Array for_steps(const Array& weight, const Course& course) { return course.steps.size() < 4 ? weight : in_c_order(weight); }

// The states of the first samples; those of samples that begin are `first`.
Array states(const Array& before, const Array& first, int64_t count) {
  const int64_t there = before.shape()[0];
  if (count <= there) return first_rows(before, 0, count);
  return joined({before, part(first, 0, there, count)}, 0);
}
// The hidden states before a step: results of the step before it.
Array states_before(const Course& course, size_t step, const Array& results, const Array& first) {
  const int64_t count = course.steps[step].count;
  if (step == 0) return first_rows(first, 0, count);
  const StepRows rows = course.steps[step - 1];
  return states(part(results, 0, rows.start, rows.start + rows.count), first, count);
}

// Rows that come a step at a time. Where nothing is recorded for derivatives they are written into one array, which the next step
// reads: the kernel that computes them writes there. Else they are joined at the end.
class Collected {
 public:
  Collected(const Course& course, Shape shape, DType type, DeviceId device) : course_(course), shape_(std::move(shape)) {
    shape_.insert(shape_.begin(), course.rows);
    if (!GradientMode::is_on()) whole_ = zeros(shape_, type, device);
    pieces_.resize(course.steps.size());
  }
  const Array& put(size_t step, const Array& value) {
    if (whole_) {
      const StepRows rows = course_.steps[step];
      pieces_[step] = part(*whole_, 0, rows.start, rows.start + rows.count);
      assign(pieces_[step], Argument(value));
    } else {
      pieces_[step] = value;
    }
    return pieces_[step];
  }
  const Array& of_step(size_t step) const { return pieces_[step]; }
  Array all() const {
    if (whole_) return *whole_;
    std::vector<Array> in_order = pieces_;
    if (course_.steps.size() > 1 && course_.steps[0].start > course_.steps[1].start) std::ranges::reverse(in_order);
    return join_rows(in_order);
  }

 private:
  const Course& course_;
  Shape shape_;
  std::optional<Array> whole_;
  std::vector<Array> pieces_;
};

// ---- forward

// What a step's derivative is computed from besides the hidden states.
struct Kept {
  std::vector<Array> gates;  // after their functions; of a GRU also what the reset gate multiplies
  Array cells;               // before the step; before the first one they are an operand
  Array squashed, unprojected;
};

class Forward {
 public:
  Forward(Cell cell, const Course& course, const Recurrent& given)
      : cell_(cell),
        course_(course),
        given_(given),
        type_(given.products.dtype()),
        wide_(wide_type(type_)),
        size_(given.weight.shape()[0] / gates_of(cell)),
        turned_(for_steps(matrix_transpose(given.weight), course)),
        hidden_(course, {given.hidden.shape()[1]}, type_, given.products.device()) {}

  // The results of recurrence(); `kept`: takes what each step's derivative needs.
  std::vector<Array> run(std::vector<Kept>* kept) {
    const size_t count = course_.steps.size();
    Array hidden = given_.hidden;
    std::optional<Array> cells = given_.cells;
    for (size_t i = 0; i < count; ++i) {
      const StepRows rows = course_.steps[i];
      Kept step;
      if (cells) step.cells = states(*cells, *given_.cells, rows.count);
      const Array before = states(hidden, given_.hidden, rows.count);
      Array next = compute(part(given_.products, 0, rows.start, rows.start + rows.count), before, step);
      if (i == 0) step.cells = {};
      if (given_.projection) step.unprojected = next, next = matmul(next, matrix_transpose(*given_.projection));
      hidden = hidden_.put(i, next);
      if (cells) cells = cells_;
      end_samples(i, hidden, cells);
      if (kept) kept->push_back(std::move(step));
    }
    std::vector<Array> out{hidden_.all(), last_of(ended_hidden_)};
    if (cells) out.push_back(last_of(ended_cells_));
    return out;
  }

 private:
  Array gate(const Array& x, int64_t i) const { return as_type(part(x, -1, i * size_, (i + 1) * size_), wide_); }
  // Of the inputs' products, with the bias.
  Array input(const Array& x, int64_t i) const { return given_.bias ? add(gate(x, i), gate(*given_.bias, i)) : gate(x, i); }
  Array both(const Array& x, const Array& p, int64_t i) const { return add(input(x, i), gate(p, i)); }

  // The hidden state, before a projection; an LSTM's cells_.
  Array compute(const Array& x, const Array& before, Kept& step) {
    const Array p = matmul(before, turned_);
    switch (cell_) {
      case Cell::lstm: {
        const Array in = sigmoid(both(x, p, 0)), forget = sigmoid(both(x, p, 1)), fresh = tanh(both(x, p, 2)),
                    out = sigmoid(both(x, p, 3));
        const Array cells = add(multiply(forget, as_type(step.cells, wide_)), multiply(in, fresh));
        cells_ = as_type(cells, type_);
        step.squashed = tanh(cells);
        step.gates = {in, forget, fresh, out};
        return as_type(multiply(out, step.squashed), type_);
      }
      case Cell::gru: {
        auto state = [&](int64_t i) { return given_.hidden_bias ? add(gate(p, i), gate(*given_.hidden_bias, i)) : gate(p, i); };
        const Array reset = sigmoid(add(input(x, 0), state(0))), keep = sigmoid(add(input(x, 1), state(1)));
        const Array part_of_state = state(2), fresh = tanh(add(input(x, 2), multiply(reset, part_of_state)));
        step.gates = {reset, keep, fresh, part_of_state};
        return as_type(add(multiply(subtract(as_type(before, wide_), fresh), keep), fresh), type_);
      }
      case Cell::tanh:
        step.gates = {tanh(both(x, p, 0))};
        return as_type(step.gates[0], type_);
      case Cell::relu:
        step.gates = {relu(both(x, p, 0))};
        return as_type(step.gates[0], type_);
    }
    return p;
  }

  // Keeps the states of samples whose last step this is.
  void end_samples(size_t i, const Array& hidden, const std::optional<Array>& cells) {
    const int64_t count = course_.steps[i].count;
    const bool is_last = i + 1 == course_.steps.size();
    const int64_t going = is_last ? 0 : std::min(course_.steps[i + 1].count, count);
    if (going == count && !is_last) return;
    ended_hidden_.push_back(first_rows(hidden, going, count));
    if (cells) ended_cells_.push_back(first_rows(*cells, going, count));
  }
  // The samples that end first are the last ones.
  static Array last_of(std::vector<Array> ended) {
    std::ranges::reverse(ended);
    return ended.size() == 1 ? copied(ended[0], ended[0].dtype()) : joined(ended, 0);
  }

  Cell cell_;
  const Course& course_;
  const Recurrent& given_;
  DType type_, wide_;
  int64_t size_;
  Array turned_;
  Collected hidden_;
  Array cells_;
  std::vector<Array> ended_hidden_, ended_cells_;
};

// ---- the derivative

// Of each step the gradients by the products of the inputs and of the states, and what goes to the states before it directly,
// side by side in one array: one kernel computes it.
constexpr int64_t slots_of(Cell cell) { return cell == Cell::lstm ? 5 : cell == Cell::gru ? 5 : 1; }

struct Found {
  Array slots;  // (rows, slots, size)
  Array first_hidden, first_cells;
  std::optional<Array> projected;  // the gradients of the hidden states, where there is a projection
};

class BackwardSteps {
 public:
  // `results`: the hidden states of each row.
  BackwardSteps(Cell cell, const Course& course, const Recurrent& given, const std::vector<Kept>& kept, const Array& results)
      : cell_(cell),
        course_(course),
        given_(given),
        kept_(kept),
        results_(results),
        type_(given.products.dtype()),
        wide_(wide_type(type_)),
        size_(given.weight.shape()[0] / gates_of(cell)),
        weight_(for_steps(given.weight, course)),
        numbers_(reshape(arange(slots_of(cell), given.products.device()), {slots_of(cell), 1})),
        slots_(course, {slots_of(cell), size_}, type_, given.products.device()) {
    if (given.projection) projected_.emplace(course, Shape{given.hidden.shape()[1]}, type_, given.products.device());
  }

  // `rows`, `hidden`, `cells`: the gradients of the results; none: zero.
  Found run(const std::optional<Array>& rows, const std::optional<Array>& hidden, const std::optional<Array>& cells) {
    Pieces later_hidden(given_.hidden, hidden), later_cells(given_.cells ? *given_.cells : given_.hidden, cells);
    for (size_t i = course_.steps.size(); i-- > 0;) {
      const auto [start, count] = course_.steps[i];
      Array g = later_hidden.of(count);
      if (rows) g = later_hidden.is_zero() ? part(*rows, 0, start, start + count) : add(part(*rows, 0, start, start + count), g);
      if (given_.projection) g = matmul(projected_->put(i, g), *given_.projection);
      const Array cell_part = given_.cells ? later_cells.of(count) : g;
      const Array all = slots_.put(i, as_type(slots(i, as_type(g, wide_), as_type(cell_part, wide_)), type_));
      const Array products = reshape_slots(all, 0, gates_of(cell_));
      Array to_hidden = matmul(products, weight_);
      if (cell_ == Cell::gru) to_hidden = add(to_hidden, element(all, 1, 4));
      later_hidden.set(to_hidden);
      if (given_.cells) later_cells.set(element(all, 1, 4));
    }
    Found out{slots_.all(), later_hidden.all(), given_.cells ? later_cells.all() : Array(), {}};
    if (projected_) out.projected = projected_->all();
    return out;
  }

  // Neighbouring slots as columns: a view.
  Array reshape_slots(const Array& all, int64_t from, int64_t to) const {
    const Array some = part(all, 1, from, to);
    return some.view(*some.layout_in_shape({all.shape()[0], (to - from) * size_}));
  }

 private:
  // The gradient of the states after a step: of samples that go on from the later step, of others from the results' gradients.
  class Pieces {
   public:
    Pieces(const Array& like, const std::optional<Array>& last) : like_(like), last_(last) {}
    bool is_zero() const { return !later_ && !last_; }
    Array of(int64_t count) {
      const int64_t there = later_ ? later_->shape()[0] : 0;
      if (count < there) {  // the others began with the later step
        begun_.push_back(part(*later_, 0, count, there));
        return part(*later_, 0, 0, count);
      }
      if (count == there && later_) return *later_;
      const Array ended =
          last_ ? first_rows(*last_, there, count) : zeros({count - there, like_.shape()[1]}, like_.dtype(), like_.device());
      return there == 0 ? ended : joined({*later_, ended}, 0);
    }
    void set(const Array& later) { later_ = later; }
    // Of the states before the first step.
    Array all() const {
      std::vector<Array> pieces{*later_};
      pieces.insert(pieces.end(), begun_.rbegin(), begun_.rend());
      return join_rows(pieces);
    }

   private:
    const Array& like_;
    const std::optional<Array>& last_;
    std::optional<Array> later_;
    std::vector<Array> begun_;
  };

  Array choose(int64_t slot, const Array& then, const Array& otherwise) const {
    return where(equal(numbers_, slot), then, otherwise);
  }

  // (count, slots, size).
  Array slots(size_t i, const Array& g_hidden, const Array& g_cells) const {
    const Kept& step = kept_[i];
    auto wide = [&](const Array& x) { return expand_dims(as_type(x, wide_), 1); };
    const Array g = expand_dims(g_hidden, 1);
    switch (cell_) {
      case Cell::lstm: {
        const Array in = wide(step.gates[0]), forget = wide(step.gates[1]), fresh = wide(step.gates[2]),
                    out = wide(step.gates[3]), squashed = wide(step.squashed),
                    before = wide(i ? step.cells : first_rows(*given_.cells, 0, course_.steps[0].count));
        const Array c = add(expand_dims(g_cells, 1), multiply(multiply(g, out), subtract(1, multiply(squashed, squashed))));
        const Array gate = choose(0, in, choose(1, forget, choose(2, fresh, out)));
        const Array squares = multiply(gate, gate);
        const Array slope = where(equal(numbers_, 2), subtract(1, squares), subtract(gate, squares));
        const Array factor = choose(0, fresh, choose(1, before, choose(2, in, squashed)));
        return choose(4, multiply(c, forget), multiply(multiply(choose(3, g, c), factor), slope));
      }
      case Cell::gru: {
        const Array reset = wide(step.gates[0]), keep = wide(step.gates[1]), fresh = wide(step.gates[2]),
                    state = wide(step.gates[3]), before = wide(states_before(course_, i, results_, given_.hidden));
        const Array inner = multiply(multiply(g, subtract(1, keep)), subtract(1, multiply(fresh, fresh)));
        const Array of_reset = multiply(multiply(inner, state), subtract(reset, multiply(reset, reset)));
        const Array of_keep = multiply(multiply(g, subtract(before, fresh)), subtract(keep, multiply(keep, keep)));
        return choose(0, of_reset, choose(1, of_keep, choose(2, multiply(inner, reset), choose(3, inner, multiply(g, keep)))));
      }
      case Cell::tanh:
        return multiply(g, subtract(1, square(wide(step.gates[0]))));
      case Cell::relu:
        return where(greater(wide(step.gates[0]), 0), g, 0.0);
    }
    return g;
  }

  Cell cell_;
  const Course& course_;
  const Recurrent& given_;
  const std::vector<Kept>& kept_;
  const Array& results_;
  DType type_, wide_;
  int64_t size_;
  Array weight_, numbers_;
  Collected slots_;
  std::optional<Collected> projected_;
};

// ---- one autograd node

// Which operands there are: products, weight, hidden, then these.
struct Given {
  bool cells, bias, hidden_bias, projection;
};
std::vector<Array> listed(const Recurrent& given) {
  std::vector<Array> out{given.products, given.weight, given.hidden};
  for (const auto* one : {&given.cells, &given.bias, &given.hidden_bias, &given.projection})
    if (*one) out.push_back(**one);
  return out;
}
Recurrent named(const std::vector<Array>& all, const Given& has) {
  Recurrent out{all[0], all[1], all[2]};
  size_t next = 3;
  if (has.cells) out.cells = all[next++];
  if (has.bias) out.bias = all[next++];
  if (has.hidden_bias) out.hidden_bias = all[next++];
  if (has.projection) out.projection = all[next++];
  return out;
}

class Recurrence : public GradientBody {
 public:
  Recurrence(Cell cell, Course course, Given has) : cell_(cell), course_(std::move(course)), has_(has) {}
  std::string_view name() const override {
    constexpr std::string_view names[] = {"lstm", "gru", "rnn_tanh", "rnn_relu"};
    return names[static_cast<size_t>(cell_)];
  }
  bool keeps_values() const override { return true; }
  std::vector<Array> compute(const Recurrent& given, bool is_kept) {
    return Forward(cell_, course_, given).run(is_kept ? &kept_ : nullptr);
  }

  Gradients gradients(const GradientCall& call) const override {
    const Recurrent given = named(call.operands, has_);
    std::vector<Kept> recorded;  // where the gradients are to have gradients, the steps are computed again and recorded
    std::vector<Array> again;
    if (GradientMode::is_on()) again = Forward(cell_, course_, given).run(&recorded);
    const std::vector<Kept>& kept = again.empty() ? kept_ : recorded;
    const Array& results = again.empty() ? call.results[0] : again[0];
    BackwardSteps steps(cell_, course_, given, kept, results);
    const Found found = steps.run(call.given[0], call.given[1], has_.cells ? call.given[2] : std::nullopt);
    const int64_t gates = gates_of(cell_);
    const Array of_states = steps.reshape_slots(found.slots, 0, gates);
    Array of_inputs = of_states;
    if (cell_ == Cell::gru) of_inputs = joined({steps.reshape_slots(found.slots, 0, 2), element(found.slots, 1, 3)}, 1);
    Gradients out(call.wanted.size());
    if (call.wanted[0]) out[0] = of_inputs;
    if (call.wanted[1]) out[1] = of_weight(given, results, of_states);
    if (call.wanted[2]) out[2] = found.first_hidden;
    size_t next = 3;
    if (has_.cells && call.wanted[next]) out[next] = found.first_cells;
    next += has_.cells;
    if (has_.bias && call.wanted[next]) out[next] = reduced(Reduction::sum, of_inputs, 0);
    next += has_.bias;
    if (has_.hidden_bias && call.wanted[next]) out[next] = reduced(Reduction::sum, of_states, 0);
    next += has_.hidden_bias;
    if (has_.projection && call.wanted[next]) {
      std::vector<Array> unprojected;
      for (size_t i : in_order()) unprojected.push_back(kept[i].unprojected);
      out[next] = matmul(matrix_transpose(*found.projected), join_rows(unprojected));
    }
    return out;
  }

 private:
  std::vector<size_t> in_order() const {
    std::vector<size_t> out(course_.steps.size());
    std::iota(out.begin(), out.end(), 0);
    if (out.size() > 1 && course_.steps[0].start > course_.steps[1].start) std::ranges::reverse(out);
    return out;
  }

  // Of all steps at once: the states before them are the results of the steps before.
  Array of_weight(const Recurrent& given, const Array& results, const Array& g) const {
    auto product = [](const Array& left, const Array& right) { return matmul(matrix_transpose(left), right); };
    const int64_t rows = course_.rows, n = course_.samples;
    if (!course_.is_even()) {
      std::vector<Array> before;
      for (size_t i : in_order()) before.push_back(states_before(course_, i, results, given.hidden));
      return product(g, join_rows(before));
    }
    const bool is_backward = course_.steps[0].start > 0;
    const int64_t first = course_.steps[0].start;
    const Array of_first = product(part(g, 0, first, first + n), given.hidden);
    if (rows == n) return of_first;
    const Array rest = is_backward ? product(part(g, 0, 0, rows - n), part(results, 0, n, rows))
                                   : product(part(g, 0, n, rows), part(results, 0, 0, rows - n));
    return add(rest, of_first);
  }

  Cell cell_;
  Course course_;
  Given has_;
  std::vector<Kept> kept_;
};

}  // namespace

Course course_of(const std::vector<int64_t>& counts, bool is_backward) {
  Course out;
  for (int64_t count : counts) {
    out.steps.push_back({out.rows, count});
    out.rows += count;
    out.samples = std::max(out.samples, count);
  }
  if (is_backward) std::ranges::reverse(out.steps);
  return out;
}

std::vector<Array> recurrence(Cell cell, const Course& course, const Recurrent& given) {
  const Given has{given.cells.has_value(), given.bias.has_value(), given.hidden_bias.has_value(), given.projection.has_value()};
  const std::vector<Array> inputs = listed(given);
  const bool is_kept = GradientMode::is_on() && std::ranges::any_of(inputs, wants_gradient);
  auto body = std::make_shared<Recurrence>(cell, course, has);
  const quern::Kept kept{std::vector<bool>(inputs.size(), true), {true}};
  return differentiable(body, inputs, kept, [&] { return body->compute(given, is_kept); });
}

}  // namespace quern::nn
