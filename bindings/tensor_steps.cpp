// What each step of training calls besides functions of arrays: attributes of modules, updates of optimizers, gradients.
#include "bindings/tensor_steps.h"

#include <deque>
#include <map>

#include "bindings/arrays.h"
#include "bindings/functions.h"
#include "core/error.h"
#include "core/site.h"
#include "functions/backward.h"
#include "functions/networks.h"
#include "graph/tape.h"

namespace quern::python {

namespace {

// ---- modules

// A module's attribute that Python did not find: a parameter, a buffer or a module of that name.
PyObject* module_attribute(PyObject*, PyObject* const* values, Py_ssize_t count) {
  if (count != 2) return PyErr_Format(PyExc_TypeError, "__getattr__() takes a module and a name");
  if (!PyUnicode_Check(values[1]))
    return PyErr_Format(PyExc_TypeError, "attribute name must be string, not '%.200s'", Py_TYPE(values[1])->tp_name);
  static PyObject* const places[] = {PyUnicode_InternFromString("_parameters"), PyUnicode_InternFromString("_buffers"),
                                     PyUnicode_InternFromString("_modules")};
  PyObject* own = PyObject_GenericGetDict(values[0], nullptr);
  if (!own) return nullptr;
  PyObject* found = nullptr;
  for (PyObject* place : places) {
    PyObject* members = PyDict_GetItemWithError(own, place);
    if (!members || !PyDict_Check(members)) continue;
    if ((found = PyDict_GetItemWithError(members, values[1]))) break;
  }
  Py_XINCREF(found);
  Py_DECREF(own);
  if (!found && !PyErr_Occurred())
    PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute '%U'", Py_TYPE(values[0])->tp_name, values[1]);
  return found;
}

// ---- optimizers

// One update of each element, as rows of the engine: one for each type of elements, made when it is first met.
struct Rule {
  std::string name, text;
  std::vector<std::string> writes, reads, scalars;
  std::map<DType, const UserRow*> rows;

  const UserRow& of(DType type) {
    const UserRow*& made = rows[type];
    if (made) return *made;
    UserRow row;
    row.name = name;
    row.preamble = "typedef " + std::string(quern::row(type).cuda) + " T;";
    row.body = text;
    for (const std::string& one : writes) {
      row.results.push_back({one, type, static_cast<int>(row.operands.size())});
      row.operands.push_back({"", type});
    }
    for (const std::string& one : reads) row.operands.push_back({one, type});
    for (const std::string& one : scalars) row.operands.push_back({one, type});
    made = &add_row(std::move(row));
    return *made;
  }
};
std::deque<Rule> rules;  // by their numbers

size_t make_rule(const std::string& name, const std::string& text, std::vector<std::string> writes,
                 std::vector<std::string> reads, std::vector<std::string> scalars) {
  rules.push_back({name, text, std::move(writes), std::move(reads), std::move(scalars), {}});
  return rules.size() - 1;
}

// Takes the step of a rule for rows of arrays, each in the order of the rule: those that it writes, then those that it reads.
// `order`: where in a row they are; None: as they stand. Returns the rows that it does not take: of several shapes or types, or
// of others than float32 and float64.
nb::list apply_rule(size_t number, nb::list rows, nb::handle order, nb::tuple scalars) {
  Rule& rule = rules.at(number);
  AtSite here(current_site());  // one look for all rows
  std::vector<Argument> numbers;
  for (nb::handle one : scalars) numbers.emplace_back(number_in(one));
  size_t count = rule.writes.size() + rule.reads.size();
  std::vector<size_t> places(count);
  for (size_t i = 0; i < count; ++i) places[i] = order.is_none() ? i : nb::cast<size_t>(order[i]);
  nb::list left;
  std::vector<Array> written;
  std::vector<Argument> read;
  for (nb::handle row : rows) {
    written.clear(), read.clear();
    const Array* first = nullptr;
    bool fits = nb::len(row) == count;
    for (size_t i = 0; fits && i < count; ++i) {
      const Array& one = array_in(PyTuple_GET_ITEM(row.ptr(), static_cast<Py_ssize_t>(places[i])));
      if (!first) first = &one;
      fits = one.dtype() == first->dtype() && one.shape() == first->shape();
      if (i < rule.writes.size())
        written.push_back(one);
      else
        read.emplace_back(one);
    }
    if (!fits || (first->dtype() != DType::float32 && first->dtype() != DType::float64)) {
      left.append(row);
      continue;
    }
    read.insert(read.end(), numbers.begin(), numbers.end());
    apply_in_place(rule.of(first->dtype()), written, read);
  }
  return left;
}

// Forgets the gradients of leaves; returns the others, which keep theirs elsewhere.
nb::list forget_gradients(nb::list leaves) {
  nb::list others;
  for (nb::handle leaf : leaves) {
    const Array* array = as_array(leaf.ptr());
    if (array && wants_gradient(*array))
      set_gradient(*array, nullptr);
    else
      others.append(leaf);
  }
  release_gradients();
  return others;
}

}  // namespace

void init_tensor_steps(nb::module_& m) {
  static PyMethodDef attribute = {"__getattr__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(module_attribute)),
                                  METH_FASTCALL, nullptr};
  m.attr("module_attribute") = nb::steal(PyInstanceMethod_New(nb::steal(PyCFunction_New(&attribute, nullptr)).ptr()));
  m.def("make_rule", make_rule);
  m.def("apply_rule", apply_rule, nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("forget_gradients", forget_gradients);
}

}  // namespace quern::python
