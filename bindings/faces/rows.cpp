// The rows of engine/functions/functions.def as thunks: each reads a call's slots by the types of the body's parameters, calls
// the body and hands its result back. The operations of quern/ops.def share one thunk.
#include "bindings/faces/attention.h"
#include "bindings/faces/choices.h"
#include "bindings/faces/creation.h"
#include "bindings/faces/distributions.h"
#include "bindings/faces/losses.h"
#include "bindings/faces/matrices.h"
#include "bindings/faces/networks.h"
#include "bindings/faces/operands.h"
#include "bindings/faces/results.h"
#include "bindings/faces/sets.h"
#include "bindings/faces/shapes.h"
#include "bindings/faces/signals.h"
#include "bindings/faces/transforms.h"
#include "bindings/keras_operators.h"
#include "core/site.h"
#include "graph/memory_order.h"
#include "run/calls/lapack.h"

namespace quern::python::faces {

namespace {

template <class R, class... T>
constexpr size_t slots_of(R (*)(T...)) {
  return (Read<T>::slots + ... + 0);
}

// Reads the arguments from the left to the right: later ones depend on the first array.
template <auto body, class... Done>
auto call_with(Reading& reading, std::type_identity<void (*)()>, Done&... done) {
  Check<body>::call(reading, done.value...);
  if (reading.front_end.check_operands) reading.front_end.check_operands(reading);
  return body(done.value...);
}
template <auto body, class T, class... Rest, class... Done>
auto call_with(Reading& reading, std::type_identity<void (*)(T, Rest...)>, Done&... done) {
  Read<T> one(reading);
  return call_with<body>(reading, std::type_identity<void (*)(Rest...)>{}, done..., one);
}

struct QuietFactors {
  bool is_on;
  explicit QuietFactors(const Reading& reading)
      : is_on(reading.family() == Family::algebra && reading.front_end.is_quiet && reading.front_end.is_quiet()) {
    if (is_on) set_quiet_factors(true);
  }
  ~QuietFactors() {
    if (is_on) set_quiet_factors(false);
  }
};

// PyTorch's max() gives NaN elements their share; its amax() divides by the number of elements that equal the result, as JAX
// does.
Slopes slopes_of(const Reading& reading) {
  if (&reading.front_end == &keras) return slopes_of_keras();
  const std::string_view name = reading.face.name;
  const bool divides = is_torch(reading) && (name == "amax" || name == "amin" || name == "aminmax");
  return divides ? Slopes::jax : WithSlopes::now();
}

template <auto body>
nb::object call_body(Reading& reading) {
  AtSite here(current_site());  // one look for all that the body records
  const QuietFactors quiet(reading);
  const TorchOrder torch_order(is_torch(reading));
  const WithSlopes slopes(slopes_of(reading));
  auto call = [&]<class R, class... T>(R (*)(T...)) { return call_with<body>(reading, std::type_identity<void (*)(T...)>{}); };
  try {
    return hand_back(reading, call(body));
  } catch (const Error& error) {
    refuse_shapes(reading, error);
    throw;
  }
}

nb::object call_operation(Reading& reading) { return reading.front_end.operate(reading, operation_of(reading.function)); }
constexpr FunctionRow row_of_operations{"", Family::elementwise, call_operation};

constexpr FunctionRow rows[] = {
#define QUERN_FUNCTION(name, family, body, parameters) {#name, Family::family, call_body<body>},
#include "functions/functions.def"
};

#define QUERN_FUNCTION(name, family, body, parameters) \
  static_assert(slots_of(body) == count_words(parameters), "the parameters of row '" #name "' are not those of its body");
#include "functions/functions.def"

}  // namespace

const FunctionRow& row_of(Function function) {
  return is_operation(function) ? row_of_operations : rows[static_cast<size_t>(function)];
}

Family Reading::family() const { return row_of(function).family; }
bool Reading::is_in_place() const { return face.is_in_place || read_flag(*this, slots[in_place_slot]); }

}  // namespace quern::python::faces
