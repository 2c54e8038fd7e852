// What the types of functions share (ufunc.cpp, faces/reader.cpp): objects that are called by vectorcall, carry whatever
// attributes Python gives them, and take part in garbage collection.
#pragma once

#include "bindings/objects.h"

#include <structmember.h>

#include <cstddef>

namespace quern::python {

struct Callable {
  PyObject ob_base;
  vectorcallfunc call;
  PyObject* attributes;  // its name and all else that Python gives it
  PyObject* whole;       // the Python function behind it, or null

  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(reinterpret_cast<Callable*>(self)->attributes);
    Py_VISIT(reinterpret_cast<Callable*>(self)->whole);
    Py_VISIT(Py_TYPE(self));
    return 0;
  }
  static int clear(PyObject* self) {
    Py_CLEAR(reinterpret_cast<Callable*>(self)->attributes);
    Py_CLEAR(reinterpret_cast<Callable*>(self)->whole);
    return 0;
  }
  static void destroy(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
  }

  static inline PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, sizeof(PyObject), READONLY, nullptr},
      {"__dictoffset__", T_PYSSIZET, sizeof(PyObject) + sizeof(vectorcallfunc), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  static inline PyGetSetDef properties[] = {
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  };
};
static_assert(offsetof(Callable, call) == sizeof(PyObject));
static_assert(offsetof(Callable, attributes) == sizeof(PyObject) + sizeof(vectorcallfunc));

}  // namespace quern::python
