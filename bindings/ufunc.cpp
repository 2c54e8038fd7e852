// The type of ufunc objects, as qn.add is one. A call with arrays, numbers and at most `out=` an array goes from here
// straight to the engine; every other call, and all methods, are Python's (python/quern/arrays/ufuncs/ attaches them to the
// type).
#include "bindings/arrays.h"
#include "bindings/callable.h"
#include "bindings/given.h"

#include "core/error.h"

namespace quern::python {

namespace {

struct Ufunc : Callable {
  bool has_op;  // false: it is composed of others, in Python
  Op op;
  uint8_t operands;
  bool refuses_host_arrays;
};

PyTypeObject* ufunc_type = nullptr;
PyObject* out_name = nullptr;
PyObject* call_name = nullptr;

PyObject* call_slowly(PyObject* self, PyObject* const* values, size_t flags, PyObject* names) {
  Py_ssize_t count = PyVectorcall_NARGS(flags) + (names ? PyTuple_GET_SIZE(names) : 0);
  std::vector<PyObject*> all(static_cast<size_t>(count) + 1);
  all[0] = self;
  std::copy_n(values, count, all.begin() + 1);
  return PyObject_VectorcallMethod(call_name, all.data(), static_cast<size_t>(PyVectorcall_NARGS(flags)) + 1, names);
}

// Python's own lists, and NumPy's arrays; objects that offer an array are none.
PyObject* host_array_among(PyObject* const* values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (as_array(values[i])) continue;
    Given::What what = classified(values[i]).what;
    if (what == Given::What::host_array || what == Given::What::list || what == Given::What::tuple) return values[i];
  }
  return nullptr;
}

PyObject* call(PyObject* self, PyObject* const* values, size_t flags, PyObject* names) {
  auto* ufunc = reinterpret_cast<Ufunc*>(self);
  if (ufunc->refuses_host_arrays) {
    auto given = static_cast<size_t>(PyVectorcall_NARGS(flags));
    PyObject* host = host_array_among(values, given);
    for (Py_ssize_t i = 0; names && !host && i < PyTuple_GET_SIZE(names); ++i)
      if (PyTuple_GET_ITEM(names, i) == out_name) host = host_array_among(values + given + i, 1);
    if (host && PyTuple_Check(host)) host = nullptr;  // several outputs
    if (host) {
      PyErr_Format(PyExc_TypeError, "Unsupported type %R; make an array of it with cupy.asarray()", Py_TYPE(host));
      return nullptr;
    }
  }
  if (ufunc->has_op && static_cast<size_t>(PyVectorcall_NARGS(flags)) == ufunc->operands) {
    bool has_out = names && PyTuple_GET_SIZE(names) == 1 && PyTuple_GET_ITEM(names, 0) == out_name;
    if (!names || has_out) {
      PyObject* result = call_op(ufunc->op, values, ufunc->operands, has_out ? values[ufunc->operands] : nullptr);
      if (result || PyErr_Occurred()) return result;
    }
  }
  return call_slowly(self, values, flags, names);
}

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_traverse, reinterpret_cast<void*>(Callable::traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Callable::clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Callable::destroy)},
    {Py_tp_members, Callable::members},
    {Py_tp_getset, Callable::properties},
    {0, nullptr},
};
PyType_Spec spec = {"quern.ufunc", sizeof(Ufunc), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

// `name`: an op of the table, or none for one that Python composes of so many operands.
nb::object make(std::optional<std::string> name, uint8_t operands, bool refuses_host_arrays) {
  nb::object made = nb::steal(ufunc_type->tp_alloc(ufunc_type, 0));
  if (!made.is_valid()) throw nb::python_error();
  auto* ufunc = reinterpret_cast<Ufunc*>(made.ptr());
  ufunc->call = call;
  ufunc->has_op = name.has_value();
  ufunc->operands = operands;
  ufunc->refuses_host_arrays = refuses_host_arrays;
  if (name) {
    ufunc->op = op_named(*name);
    ufunc->operands = row(ufunc->op).operands;
  }
  return made;
}

}  // namespace

void init_ufuncs(nb::module_& m) {
  out_name = PyUnicode_InternFromString("out");
  call_name = PyUnicode_InternFromString("_call");
  nb::object type = nb::steal(PyType_FromSpec(&spec));
  if (!type.is_valid()) throw nb::python_error();
  ufunc_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  m.attr("ufunc") = type;
  m.def("make_ufunc", &make, nb::arg("name").none(), nb::arg("operands") = 0, nb::arg("refuses_host_arrays") = false);
}

}  // namespace quern::python
