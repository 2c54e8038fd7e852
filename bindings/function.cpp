// The type of functions of arrays that have a quick way: qn.where, qn.clip and astype(). A call with an
// array and what the quick way takes goes from here straight to the engine; every other call is the Python function's, which is
// the meaning of the name.
#include "bindings/arrays.h"
#include "bindings/callable.h"
#include "bindings/functions.h"
#include "bindings/given.h"
#include "functions/reductions.h"

#include <array>

namespace quern::python {

namespace {

// Null without an error set: these operands are for the Python function.
using Quick = PyObject* (*)(PyObject* const* values, size_t count);

// ---- data types as Python names them

struct NamedType {
  PyObject* object;  // kept for good
  DType dtype;
};
std::vector<NamedType> named_types;

// ---- the quick ways

// Null for records and for what else is no array of numbers.
Array* numbers_in(PyObject* value) {
  Array* array = as_array(value);
  return array && !is_record(array->dtype()) ? array : nullptr;
}

PyObject* quick_where(PyObject* const* values, size_t count) {
  if (count != 3 || !as_array(values[0])) return nullptr;
  for (size_t i = 1; i < 3; ++i)
    if (!PyFloat_CheckExact(values[i]) && !as_array(values[i])) return nullptr;
  return call_op(Op::where, values, 3, nullptr);
}

PyObject* quick_clip(PyObject* const* values, size_t count) {
  Array* array = count == 3 ? numbers_in(values[0]) : nullptr;
  if (!array) return nullptr;
  std::array<Scalar, 2> limits;
  for (size_t i = 0; i < 2; ++i)
    if (as_array(values[i + 1]) || !read_scalar(values[i + 1], limits[i]) || !is_plain_limit(array->dtype(), limits[i]))
      return nullptr;
  return wrap_beside(limited(*array, limits[0], limits[1]), values[0]);
}

PyObject* quick_astype(PyObject* const* values, size_t count) {
  Array* array = count == 2 ? as_array(values[0]) : nullptr;
  const DType* dtype = array ? dtype_of_object(values[1]) : nullptr;
  if (!dtype || (is_complex(array->dtype()) && !is_complex(*dtype))) return nullptr;  // CuPy's door warns of those
  return wrap_beside(astype(*array, *dtype), values[0]);
}

struct Row {
  std::string_view name;
  Quick quick;
};
constexpr Row rows[] = {
    {"where", quick_where},
    {"clip", quick_clip},
    {"astype", quick_astype},
};

// ---- the type

struct Function : Callable {
  Quick quick;
};

PyTypeObject* function_type = nullptr;

PyObject* call(PyObject* self, PyObject* const* values, size_t flags, PyObject* names) {
  auto* function = reinterpret_cast<Function*>(self);
  if (!names) {
    PyObject* result = guarded([&] { return function->quick(values, static_cast<size_t>(PyVectorcall_NARGS(flags))); });
    if (result || PyErr_Occurred()) return result;
  }
  return PyObject_Vectorcall(function->whole, values, flags, names);
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

PyObject* show(PyObject* self) { return PyObject_Repr(reinterpret_cast<Function*>(self)->whole); }

// Copies of it are itself.
PyObject* reduce_to_name(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyMethodDef methods[] = {
    {"__reduce__", reduce_to_name, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
    {Py_tp_repr, reinterpret_cast<void*>(show)},
    {Py_tp_traverse, reinterpret_cast<void*>(Callable::traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Callable::clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Callable::destroy)},
    {Py_tp_members, Callable::members},
    {Py_tp_getset, Callable::properties},
    {Py_tp_methods, methods},
    {0, nullptr},
};
PyType_Spec spec = {"quern.function", sizeof(Function), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};

// The function with its quick way; itself where there is none of that name.
nb::object with_quick_way(nb::object whole, const std::string& name) {
  for (const Row& row : rows) {
    if (row.name != name) continue;
    nb::object made = nb::steal(function_type->tp_alloc(function_type, 0));
    if (!made.is_valid()) throw nb::python_error();
    auto* function = reinterpret_cast<Function*>(made.ptr());
    function->call = call;
    function->quick = row.quick;
    function->whole = whole.release().ptr();
    return made;
  }
  return whole;
}

}  // namespace

const DType* dtype_of_object(PyObject* object) {
  for (const NamedType& type : named_types)
    if (type.object == object) return &type.dtype;
  return nullptr;
}

void init_functions(nb::module_& m) {
  nb::object type = nb::steal(PyType_FromSpec(&spec));
  if (!type.is_valid()) throw nb::python_error();
  function_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  m.attr("function") = type;
  m.def("with_quick_way", &with_quick_way);
  m.def("name_dtype", [](nb::object object, const std::string& name) {
    PyObject* kept = object.release().ptr();
    if (PyUnicode_CheckExact(kept)) PyUnicode_InternInPlace(&kept);  // names in programs are the same object then
    named_types.push_back({kept, dtype_of(name)});
  });
}

}  // namespace quern::python
