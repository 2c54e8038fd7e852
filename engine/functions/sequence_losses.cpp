// The loss of labels whose places in a sequence are not known (Graves et al., 2006). Start at ctc_of_batch().
#include "core/error.h"
#include "functions/elementwise.h"
#include "functions/reductions.h"
#include "functions/shaping.h"
#include "functions/steps.h"

#include <limits>

namespace quern::nn {

using namespace steps;

namespace {

constexpr double never = -1e30;  // the logarithm of 0, with which sums and differences are numbers

Array filled(int64_t rows, int64_t columns, const Array& like) {
  return full({rows, columns}, real_number(never), like.dtype(), like.device());
}

Array or_never(const Array& condition, const Array& values) { return as_type(where(condition, values, never), values.dtype()); }

// The logarithm of the sum of exponentials.
Array log_of_sum(const std::vector<Array>& terms) {
  Array top = terms[0];
  for (const Array& one : terms) top = maximum(top, one);
  top = detached(top);
  Array sum = exp(subtract(terms[0], top));
  for (size_t n = 1; n < terms.size(); ++n) sum = add(sum, exp(subtract(terms[n], top)));
  return add(log(sum), top);
}

// With `count` columns of log 0 before, and as many less at the end.
Array shifted(const Array& alpha, int64_t count) {
  const int64_t rows = alpha.shape()[0], columns = alpha.shape()[1];
  if (columns <= count) return filled(rows, columns, alpha);
  return joined({filled(rows, count, alpha), part(alpha, -1, 0, columns - count)}, 1);
}

}  // namespace

// For each sample minus the logarithm of the probability of all paths that give its labels. log_p: (T, N, C); labels: (N, S),
// padded; of which each sample has `lengths`, in its first `steps_of` steps. The gradient is that of normalized log_p, as
// PyTorch's.
Array ctc_of_batch(const Array& log_p, const Array& labels, const Array& steps_of, const Array& lengths, int64_t blank) {
  const int64_t steps = log_p.shape()[0], samples = log_p.shape()[1], count = labels.shape()[1], width = 2 * count + 1;
  const DeviceId device = log_p.device();
  const Array given = as_type(labels, DType::int64);
  const Array blanks = full({samples, count + 1}, whole(blank), DType::int64, device);
  // blank, label, blank, label ... blank
  Array path = reshape(stacked({part(blanks, -1, 0, count), given}, 2), {samples, 2 * count});
  path = joined({path, part(blanks, -1, 0, 1)}, 1);
  const Array earlier =
      width > 2 ? joined({part(blanks, -1, 0, 1), part(blanks, -1, 0, 1), part(path, -1, 0, width - 2)}, 1) : path;
  const Array may_skip = logical_and(not_equal(path, earlier), not_equal(path, blank));
  const Array along = expand_dims(path, 0);
  Array seen = picked(log_p, along.view(along.layout().broadcast_to({steps, samples, width})));
  seen = or_never(greater(seen, never), seen);

  const Array of_step = expand_dims(as_type(steps_of, DType::int64), 1),
              labels_of = expand_dims(as_type(lengths, DType::int64), 1);
  Array alpha = or_never(less(arange(width, device), 2), element(seen, 0, 0));
  for (int64_t t = 1; t < steps; ++t) {
    const Array next = add(log_of_sum({alpha, shifted(alpha, 1), or_never(may_skip, shifted(alpha, 2))}), element(seen, 0, t));
    alpha = as_type(where(greater(of_step, t), next, alpha), log_p.dtype());
  }
  const Array last = picked(alpha, multiply(labels_of, 2)),
              before = picked(alpha, maximum(subtract(multiply(labels_of, 2), 1), 0));
  Array loss = negative(log_of_sum({last, or_never(greater(labels_of, 0), before)}));
  loss = element(loss, -1, 0);
  if (wants_gradient(log_p)) {
    const Array counts = less(reshape(arange(steps, device), {steps, 1, 1}), expand_dims(of_step, 0));
    const Array p = as_type(where(counts, exp(log_p), 0.0), log_p.dtype());
    const Array nothing = subtract(p, detached(p));  // 0, with the gradient of a sum of probabilities
    loss = add(loss, reduced(Reduction::sum, reduced(Reduction::sum, nothing, 2, false), 0, false));
  }
  return as_type(where(greater(loss, -never / 10), std::numeric_limits<double>::infinity(), loss), log_p.dtype());
}

}  // namespace quern::nn
