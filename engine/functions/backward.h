// Gradients from the tape (graph/tape.h): from results back to what asked for them.
//
// Start at Backward::run() in backward.cpp. Entries are taken from the newest to the oldest, so that each has all of its gradient
// when its turn comes; nothing is recursive. What an entry kept is let go of as soon as it is used, before anything is launched:
// a value that only the tape held is then computed in the kernels that need it and never stored.
#pragma once

#include <optional>
#include <vector>

#include "graph/tape.h"

namespace quern {

// Entries with numbers in (since, until].
struct TapeSpan {
  uint64_t since, until;
};

struct BackwardOptions {
  bool retain_graph = false;      // the entries keep their values: it can be asked again
  bool create_graph = false;      // the gradients are recorded, so that they have gradients
  bool allow_unused = false;      // of inputs that the results do not depend on
  std::vector<TapeSpan> spans{};  // where there are some, entries that none of them has are constants
};

// Adds the gradients of the results to those of the leaves they depend on, or of `inputs` alone. `given`: the gradient of each
// result; none: 1, of a single number. Raises ErrorKind::runtime for results that want none, shapes that differ, and values that
// were let go of or overwritten.
void backward(const std::vector<Array>& results, const std::vector<std::optional<Array>>& given, const std::vector<Array>& inputs,
              BackwardOptions options);
// The same, given back: one for each input; none where the results do not depend on it.
std::vector<std::optional<Array>> gradients(const std::vector<Array>& results, const std::vector<std::optional<Array>>& given,
                                            const std::vector<Array>& inputs, BackwardOptions options);

// Does the array depend, by entries of these spans, on one of the others, or is it one?
bool depends_on(const Array& array, const std::vector<Array>& others, const std::vector<TapeSpan>& spans);

// The gradient of a leaf, or of an array that keeps it; null: there is none. It may belong to an object of the program's.
std::shared_ptr<Array> gradient_of(const Array& array);
void set_gradient(const Array& array, std::shared_ptr<Array> gradient);
// The gradient that is there, held by another object.
void hold_gradient(const Array& array, std::shared_ptr<Array> gradient);
void keep_gradient(const Array& array);
// `after`: once a leaf's gradient has been added to. The number takes it away again.
void add_hook(const Array& array, std::shared_ptr<GradientHook> hook, bool after = false);
void remove_hook(const Array& array, const GradientHook* hook);

// Checks every gradient: NaN raises an error that names the operation and its line.
void set_anomaly_mode(bool on);
bool anomaly_mode();

// With `from` entries, how many lead to the array's value: for tests.
Array summed_to(const Array& g, const Shape& shape);

}  // namespace quern
