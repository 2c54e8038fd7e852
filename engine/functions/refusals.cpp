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

template <class T>
bool are_within(const char* memory, int64_t count, double low, double high) {
  const T* from = reinterpret_cast<const T*>(memory);
  bool all = true;
  for (int64_t i = 0; i < count; ++i) all &= from[i] >= static_cast<T>(low) && from[i] <= static_cast<T>(high);
  return all;
}

// The same as all_within() of what is little and at hand: what is right is seen here, without a record.
bool are_seen_within(const Array& values, double low, double high) {
  GraphLock lock;
  const bool is_float = values.dtype() == DType::float32;
  if ((!is_float && values.dtype() != DType::float64) || !values.layout().is_contiguous()) return false;
  const char* memory = at_hand(values);
  if (!memory) return false;
  return is_float ? are_within<float>(memory, values.size(), low, high) : are_within<double>(memory, values.size(), low, high);
}

// The array where the bool is true, which it is wherever anybody sees it.
Array beside(const Array& array, const Array& fine) {
  if (array.dtype() == DType::boolean) return logical_and(array, fine);
  return where(fine, array, 0);
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
  Array inside = logical_and(greater_equal(values, low), less_equal(values, high));
  return reduce(Reduction::all, inside, std::vector<bool>(inside.rank(), true), false);
}

std::optional<Array> unless_known_within(const Array& values, double low, double high) {
  if (are_seen_within(values, low, high)) return {};
  return all_within(values, low, high);
}

Refusal no_class(int64_t classes, int64_t ignored) {
  return {ErrorKind::index, {"Target {} is out of bounds."}, 0, classes, ignored};
}

bool are_classes(const Array& target, int64_t classes, int64_t ignored) {
  const Refusal refusal = no_class(classes, ignored);
  if (is_known_to_pass(target, refusal)) return true;
  if (target.device().is_gpu() || !is_integer(target.dtype()) || !is_there(target)) return false;
  auto check = [&](const int64_t* from, size_t n) {
    for (size_t i = 0; i < n; ++i)
      if (refusal.is_refused(from[i])) raise_text(refusal.kind, refusal.told(from[i]));
    return true;
  };
  GradientMode off(false);
  {
    GraphLock lock;  // what is pending is not waited for
    const char* memory =
        target.dtype() == DType::int64 && target.layout().is_contiguous() ? at_hand(target, target.size()) : nullptr;
    if (memory) return check(reinterpret_cast<const int64_t*>(memory), static_cast<size_t>(target.size()));
  }
  std::vector<int64_t> values = values_of<int64_t>(target);
  return check(values.data(), values.size());
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
