// What PyTorch refuses of the values in tensors: places that are not there, numbers out of range. The device finds it
// (functions/refusals.h, run/calls/indexing.h); what is said of it stands here, or comes from the functions in quern/torch.
#include "bindings/tensor_refusals.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bindings/door.h"
#include "bindings/functions.h"
#include "core/error.h"
#include "functions/refusals.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/tier0.h"

namespace quern::python {

namespace {

struct NamedRule {
  std::string_view name;
  OutOfRange rule;
};

// By what the functions of PyTorch have in common: tensor[places]; gather and scatter; rows of a table; slices, of Keras; places
// in the flattened tensor.
constexpr std::array<NamedRule, 7> rules{{
    {"places", {ErrorKind::index, "index {0} is out of bounds for dimension {1} with size {2}", true}},
    {"gather", {ErrorKind::runtime, "index {0} is out of bounds for dimension {1} with size {2}", false}},
    {"rows", {ErrorKind::index, "index out of range in self", false}},
    {"slices", {ErrorKind::value, "indices contain {0}, which is not in [0, {2})", true}},
    {"parts", {ErrorKind::runtime, "INDICES element is out of DATA bounds, id={0} axis_dim={2}", false}},
    {"flat", {ErrorKind::index, "out of range: tried to access index {0} on a tensor of {2} elements.", true}},
    {"copy", {ErrorKind::index, "index_copy_(): index {0} is out of bounds for dimension {1} with size {2}", false}},
}};

ErrorKind kind_named(std::string_view name) {
  if (name == "RuntimeError") return ErrorKind::runtime;
  if (name == "ValueError") return ErrorKind::value;
  if (name == "IndexError") return ErrorKind::index;
  bug("tensors refuse values by {}", name);
}

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

Array taken_at(const Array& array, const Array& index, size_t axis, std::string_view rule) {
  return take_along(array, index, axis, out_of_range(rule));
}

Array classes_in(const Array& target, int64_t classes, int64_t ignored) {
  return are_classes(target, classes, ignored) ? target : unless_refused(target, target, no_class(classes, ignored));
}

}  // namespace

const OutOfRange* out_of_range(std::string_view name) {
  for (const NamedRule& one : rules)
    if (one.name == name) return &one.rule;
  bug("no tensor is indexed by the rule {}", name);
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
  std::vector<int64_t> values = steps::values_of<int64_t>(target);
  return check(values.data(), values.size());
}

void init_tensor_refusals(nb::module_& m) {
  m.def("set_index_rule", [](nb::handle type, const std::string& rule) { set_out_of_range(type, out_of_range(rule)); });
  // True, or a bool tensor that will say.
  m.def("tensor_all_within", [](nb::handle given, double low, double high) -> nb::object {
    const Array& values = array_in(given);
    if (are_seen_within(values, low, high)) return nb::bool_(true);
    return nb::steal(wrap_beside(all_within(values, low, high), given.ptr()));
  });
  define(m, "tensor_are_classes", are_classes);
  define(m, "tensor_classes", classes_in);
  define(m, "tensor_take_at", taken_at);
  m.def("tensor_take", [](nb::handle given, size_t at, const std::string& rule, nb::args indices) {
    std::vector<Pick> picks;
    for (nb::handle index : indices) picks.push_back({picks.size(), array_in(index)});
    picks[at].refused = out_of_range(rule);
    return nb::steal(wrap_beside(take(array_in(given), picks), given.ptr()));
  });
  // A tensor, for whoever may see it only where all numbers are from `low` to `high`, without that, or `except`.
  m.def("tensor_refused", [](nb::handle given, nb::handle numbers, int64_t low, int64_t high, int64_t except,
                             const std::string& kind, std::vector<std::string> texts) {
    Refusal refusal{kind_named(kind), std::move(texts), low, high, except};
    return nb::steal(wrap_beside(unless_refused(array_in(given), array_in(numbers), std::move(refusal)), given.ptr()));
  });
}

}  // namespace quern::python
