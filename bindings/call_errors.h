// Calls whose arguments no signature of a binding accepts: the errors of such calls, in the caller's words.
#pragma once

#include "bindings/arrays.h"
#include "bindings/objects.h"

#include <typeinfo>

namespace quern::python {

// An argument of a kind that the function cannot use; `wanted` says what it must be, as "an array".
struct WrongOperand : std::bad_cast {
  WrongOperand(nb::handle given, const char* wanted) : given(nb::borrow(given)), wanted(wanted) {}
  nb::object given;
  const char* wanted;
};

inline Array& array_operand(nb::handle given) {
  Array* array = as_array(given.ptr());
  if (!array) throw WrongOperand(given, "an array");
  return *array;
}

void explain_operand(const WrongOperand& wrong) noexcept;

// Lets every function and type of `m` report such calls through quern.errors.of_calls. Call it once, after all of them are
// defined.
void report_calls(nb::module_& m);

// Replaces nanobind's text in the error that is set, if it is one; `function` may be null where it is not known.
void explain_call(PyObject* function, PyObject* const* args, size_t nargs, PyObject* names) noexcept;

}  // namespace quern::python
