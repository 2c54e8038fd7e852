// Errors become exceptions here and nowhere else. The classes that Python has not are in quern/errors.py.
#include "core/error.h"
#include "core/wait.h"

#include "bindings/call_errors.h"
#include "bindings/objects.h"

namespace quern::python {

namespace {

PyObject* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::value:
      return PyExc_ValueError;
    case ErrorKind::type:
      return PyExc_TypeError;
    case ErrorKind::index:
      return PyExc_IndexError;
    case ErrorKind::key:
      return PyExc_KeyError;
    case ErrorKind::os:
      return PyExc_OSError;
    case ErrorKind::buffer:
      return PyExc_BufferError;
    case ErrorKind::overflow:
      return PyExc_OverflowError;
    case ErrorKind::zero_division:
      return PyExc_ZeroDivisionError;
    case ErrorKind::not_implemented:
      return PyExc_NotImplementedError;
    case ErrorKind::runtime:
      return PyExc_RuntimeError;
    default:
      break;
  }
  if (kind == ErrorKind::algebra) {
    static PyObject* linalg = PyImport_ImportModule("numpy.linalg");
    PyObject* found = linalg ? PyObject_GetAttrString(linalg, "LinAlgError") : nullptr;
    return found ? found : PyExc_ValueError;
  }
  const char* name = kind == ErrorKind::out_of_memory ? "OutOfMemoryError"
                     : kind == ErrorKind::compile     ? "CompileError"
                     : kind == ErrorKind::launch      ? "LaunchError"
                     : kind == ErrorKind::logic       ? "LogicError"
                                                      : "InternalError";
  static PyObject* module = PyImport_ImportModule("quern.errors");
  PyObject* found = module ? PyObject_GetAttrString(module, name) : nullptr;
  return found ? found : PyExc_RuntimeError;
}

}  // namespace

// What the last handler raised out of a wait, for whoever asked for it: code between may swallow it.
static bool keeps_interrupts = false;
static PyObject* kept_interrupt = nullptr;

// The exception of the handler, with what was stopped because of it.
static void set_interrupt(const Interrupted& stopped) noexcept {
  try {
    std::rethrow_exception(stopped.cause);
  } catch (nb::python_error& e) {
    if (!stopped.text.empty()) {
      nb::object error = nb::borrow(e.value());
      std::string text = "[interrupt] " + stopped.text;
      try {
        if (nb::len(nb::object(error.attr("args"))) == 0)
          error.attr("args") = nb::make_tuple(text);
        else if (nb::hasattr(error, "add_note"))
          error.attr("add_note")(text);
      } catch (nb::python_error&) {  // an exception of the user's that takes neither
      }
    }
    if (keeps_interrupts) Py_XDECREF(std::exchange(kept_interrupt, Py_NewRef(e.value().ptr())));
    e.restore();
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "a handler of a signal failed");
  }
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const Interrupted& stopped) {
    set_interrupt(stopped);
  } catch (const Error& e) {
    PyErr_SetString(class_of(e.kind()), e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const WrongOperand& e) {
    explain_operand(e);
  } catch (const nb::cast_error&) {
    PyErr_SetString(PyExc_TypeError, "std::bad_cast");
    explain_call(nullptr, nullptr, 0, nullptr);
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an unknown C++ exception");
  }
}

void init_errors(nb::module_& m) {
  m.def("keep_interrupts", [] { keeps_interrupts = true; });
  m.def("take_interrupt", []() -> nb::object {
    if (!kept_interrupt) return nb::none();
    return nb::steal(std::exchange(kept_interrupt, nullptr));
  });
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Error& e) {
      PyErr_SetString(class_of(e.kind()), e.what());
    } catch (const Interrupted& stopped) {
      set_interrupt(stopped);
    } catch (const WrongOperand& e) {
      explain_operand(e);
    } catch (const nb::cast_error&) {
      PyErr_SetString(PyExc_TypeError, "std::bad_cast");  // explain_call replaces it
    }
  });
}

}  // namespace quern::python
