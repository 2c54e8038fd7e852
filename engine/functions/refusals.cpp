#include "functions/refusals.h"

#include <array>
#include <cstring>

#include "core/error.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/tier0.h"

namespace quern {

using namespace steps;

namespace {

// The array where the bool is true, which it is wherever anybody sees it.
Array beside(const Array& array, const Array& fine) {
  if (array.dtype() == DType::boolean) return compute(Op::logical_and, array, fine);
  return compute(Op::where, fine, array, 0);
}

class UnlessRefused : public GradientBody {
 public:
  explicit UnlessRefused(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    return {beside(*call.given[0], call.operands[1]), std::nullopt};
  }

 private:
  std::string name_;
};

}  // namespace

Array all_within(const Array& values, double low, double high) {
  GradientMode off(false);
  Array inside = compute(Op::logical_and, compute(Op::greater_equal, values, low), compute(Op::less_equal, values, high));
  return reduce(Reduction::all, inside, std::vector<bool>(inside.rank(), true), false);
}

Refusal no_class(int64_t classes, int64_t ignored) {
  return {ErrorKind::index, {"Target {} is out of bounds."}, 0, classes, ignored};
}

Array without_zeros(const Array& divisors) {
  const char* known = divisors.layout().is_contiguous() ? at_hand(divisors) : nullptr;
  if (!known) return checked(divisors, {Check::For::no_zeros, divisors.dtype()});
  const size_t bytes = size_of(divisors.dtype());
  const std::array<char, 8> zero{};
  for (int64_t n = 0; n < divisors.size(); ++n, known += bytes)
    if (std::memcmp(known, zero.data(), bytes) == 0) raise(ErrorKind::runtime, "ZeroDivisionError");
  return divisors;
}

Array unless_refused(const Array& array, const Array& numbers, Refusal refusal) {
  if (array.size() == 0 || numbers.size() == 0 || is_known_to_pass(numbers, refusal)) return array;
  Array inputs[] = {array, nothing_refused(numbers, std::move(refusal))};
  std::vector<DeferredError> found;
  std::string name;  // grad_fn stays what it is
  {
    GraphLock lock;
    if (EntryRef entry = entry_of(array)) name = tape_name(*entry);
    found = inputs[1].operand().node->deferred;
  }
  raise_confirmed(found);
  auto make = [&]() -> std::vector<Array> { return {beside(inputs[0], inputs[1])}; };
  return differentiable(std::make_shared<UnlessRefused>(std::move(name)), inputs, {{false, true}, {}}, make)[0];
}

}  // namespace quern
