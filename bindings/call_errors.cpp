// The one translator of nanobind's errors about calls. nanobind lists its C++ signatures ("incompatible function arguments ...
// Invoked with types"), or raises std::bad_cast; users know neither. Every function of the module is called through a second
// vectorcall function, which costs an indirect call and replaces such an error by the text that quern.errors.of_calls makes.
#include "bindings/call_errors.h"

#include <array>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace quern::python {

namespace {

// nanobind has one vectorcall function for each shape of signature, not one for each function.
constexpr size_t most_kinds = 16;
std::array<vectorcallfunc, most_kinds> originals{};
size_t kinds = 0;

template <size_t kind>
PyObject* call_reported(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  PyObject* result = originals[kind](self, args, flags, names);
  // nanobind marks constructors by a bit of `flags` above the count.
  if (!result) explain_call(self, args, static_cast<size_t>(PyVectorcall_NARGS(flags)) & 0xFFFFFF, names);
  return result;
}

template <size_t... kind>
constexpr std::array<vectorcallfunc, most_kinds> reported_calls(std::index_sequence<kind...>) {
  return {call_reported<kind>...};
}
constexpr std::array<vectorcallfunc, most_kinds> reported = reported_calls(std::make_index_sequence<most_kinds>());

void report_function(PyObject* function) {
  Py_ssize_t offset = Py_TYPE(function)->tp_vectorcall_offset;
  auto& call = *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function) + offset);
  for (vectorcallfunc known : reported)
    if (call == known) return;
  size_t kind = 0;
  while (kind < kinds && originals[kind] != call) ++kind;
  if (kind == most_kinds) bug("more than {} kinds of functions in nanobind", most_kinds);
  if (kind == kinds) originals[kinds++] = call;
  call = reported[kind];
}

bool is_of_nanobind(PyObject* object) {
  std::string_view name = Py_TYPE(object)->tp_name;
  return name == "nanobind.nb_func" || name == "nanobind.nb_method";
}

void set_refusal(PyTypeObject* type) {
  std::string_view name = type->tp_name;
  std::string last(name.substr(name.rfind('.') + 1));
  bool is_array = PyObject_HasAttrString(reinterpret_cast<PyObject*>(type), "shape") == 1;
  PyErr_Format(PyExc_TypeError, "cannot create '%s' instances by a call of the type; use a function that returns one%s",
               last.c_str(), is_array ? ", such as array() or zeros()" : "");
}

int refuse_to_construct(PyObject* self, PyObject*, PyObject*) {
  set_refusal(Py_TYPE(self));
  return -1;
}

PyObject* refuse_call(PyObject* type, PyObject* const*, size_t, PyObject*) {
  set_refusal(reinterpret_cast<PyTypeObject*>(type));
  return nullptr;
}

// Types without a constructor: nanobind's text names the module of the engine.
void report_type(PyTypeObject* type) {
  nb::object init = nb::getattr(nb::handle(reinterpret_cast<PyObject*>(type)), "__init__");
  if (is_of_nanobind(init.ptr()) || type->tp_vectorcall == nullptr) return;
  type->tp_vectorcall = refuse_call;
  type->tp_init = refuse_to_construct;
}

void report_members(nb::handle owner, std::unordered_set<PyObject*>& seen) {
  for (nb::handle one : nb::getattr(owner, "__dict__").attr("values")()) {
    nb::object member = nb::borrow(one);
    if (is_of_nanobind(member.ptr())) report_function(member.ptr());
    for (const char* part : {"fget", "fset", "__func__"}) {
      nb::object function = PyType_Check(member.ptr()) ? nb::none() : nb::getattr(member, part, nb::none());
      if (is_of_nanobind(function.ptr())) report_function(function.ptr());
    }
    if (!PyType_Check(member.ptr()) || !seen.insert(member.ptr()).second) continue;
    report_members(member, seen);
    if (nb::type_check(member)) report_type(reinterpret_cast<PyTypeObject*>(member.ptr()));
  }
}

// Whether the error that is set has a text of nanobind's or of the C++ library's.
bool is_internal(PyObject* error) {
  if (!PyErr_GivenExceptionMatches(error, PyExc_TypeError)) return false;
  nb::object text = nb::steal(PyObject_Str(error));
  const char* chars = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (!chars) {
    PyErr_Clear();
    return false;
  }
  std::string_view view = chars;
  return view == "std::bad_cast" || view.find("): incompatible function arguments.") != std::string_view::npos ||
         view.starts_with("Unable to convert function return value");
}

}  // namespace

void explain_call(PyObject* function, PyObject* const* args, size_t nargs, PyObject* names) noexcept {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (!error || !is_internal(error)) {
    PyErr_Restore(type, error, trace);
    return;
  }
  Py_XDECREF(type), Py_XDECREF(error), Py_XDECREF(trace);
  try {
    nb::list given;
    nb::dict named;
    for (size_t i = 0; i < nargs; ++i) given.append(nb::handle(args[i]));
    for (size_t i = 0; names && i < nb::len(names); ++i) named[nb::object(nb::handle(names)[i])] = nb::handle(args[nargs + i]);
    nb::object what = function ? nb::borrow(function) : nb::none();
    nb::object made = nb::module_::import_("quern.errors.of_calls").attr("explained")(what, given, named);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  } catch (nb::python_error& e) {
    e.restore();
  }
}

void explain_operand(const WrongOperand& wrong) noexcept {
  try {
    nb::object made = nb::module_::import_("quern.errors.of_calls").attr("wrong_operand")(wrong.given, wrong.wanted);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  } catch (nb::python_error& e) {
    e.restore();
  }
}

void report_calls(nb::module_& m) {
  std::unordered_set<PyObject*> seen;
  report_members(m, seen);
}

}  // namespace quern::python
