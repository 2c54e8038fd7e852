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
#include "functions/embeddings.h"
#include "functions/refusals.h"

namespace quern::python {

namespace {

struct NamedRule {
  std::string_view name;
  OutOfRange rule;
};

// By what the functions of PyTorch have in common: tensor[places]; gather and scatter; rows of a table; places
// in the flattened tensor.
constexpr std::array<NamedRule, 6> rules{{
    {"places", {ErrorKind::index, "index {0} is out of bounds for dimension {1} with size {2}", true}},
    {"gather", {ErrorKind::runtime, "index {0} is out of bounds for dimension {1} with size {2}", false}},
    {"rows", no_row},
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

void init_tensor_refusals(nb::module_& m) {
  m.def("set_index_rule", [](nb::handle type, const std::string& rule) { set_out_of_range(type, out_of_range(rule)); });
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
