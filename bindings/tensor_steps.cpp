// What each step of training calls besides functions of arrays: attributes of modules, updates of optimizers, gradients.
#include "bindings/tensor_steps.h"

#include "bindings/arrays.h"
#include "bindings/functions.h"
#include "bindings/tensor_operations.h"
#include "core/error.h"
#include "core/site.h"
#include "functions/backward.h"
#include "functions/optimizers.h"
#include "functions/shaping.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/transfer.h"

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

void take_unless(optim::Step& step, const std::vector<Array>& operands, const Array& condition) {
  const DeviceId device = operands[0].device();
  const Array here = condition.device() == device ? condition : moved_to(condition, context_on(device));
  const Array keeps = steps::not_equal(here, 0);
  std::vector<Array> before;
  for (const Array& one : operands) before.push_back(copy_of(one));
  step.take(operands);
  for (size_t i = 0; i < operands.size(); ++i)
    if (i != 1) write_as_torch(operands[i], steps::where(keeps, before[i], operands[i]));
}

// Takes the step of a rule (optimizers.def) for rows of arrays: tuples of a parameter, its gradient and its states. Returns the
// rows of complex parameters, which the rules take as real ones.
// `unless`: a tensor of one element; where it is not 0, everything stays as it is, and nothing waits for it.
nb::list take_steps(const std::string& name, nb::list rows, const std::vector<double>& scalars,
                    std::optional<nb::object> unless) {
  AtSite here(current_site());  // one look for all rows
  optim::Step step(optim::rule_of(name), scalars);
  nb::list left;
  std::vector<Array> operands;
  for (nb::handle row : rows) {
    operands.clear();
    for (nb::handle one : row) operands.push_back(array_in(one.ptr()));
    if (!operands.empty() && quern::row(operands[0].dtype()).kind == DTypeKind::complex)
      left.append(row);
    else if (unless)
      take_unless(step, operands, array_in(unless->ptr()));
    else
      step.take(operands);
  }
  return left;
}

// The names of what a rule keeps of each parameter, in the order of a row.
nb::tuple rule_states(const std::string& name) {
  nb::list names;
  for (std::string_view one : optim::states_of(optim::rule_of(name))) names.append(std::string(one));
  return nb::tuple(names);
}

// What optimizers make of their options, as functions of a module: (the rule's name, its numbers).
template <class... P>
void define_update(nb::module_& m, const char* name, optim::Update (*update)(P...)) {
  m.def(name, [update](P... options) {
    optim::Update made = update(options...);
    return std::pair(std::string(optim::name_of(made.rule)), std::move(made.scalars));
  });
}
template <optim::Convention convention, auto update>
struct Under;
template <optim::Convention convention, class... P, optim::Update (*update)(optim::Convention, P...)>
struct Under<convention, update> {
  static optim::Update call(P... options) { return update(convention, options...); }
};

template <optim::Convention convention>
void define_updates(nb::module_ m) {
  define_update(m, "sgd", Under<convention, optim::sgd>::call);
  define_update(m, "adam", Under<convention, optim::adam>::call);
  define_update(m, "adamax", Under<convention, optim::adamax>::call);
  define_update(m, "nadam", optim::nadam);
  define_update(m, "radam", optim::radam);
  define_update(m, "rmsprop", Under<convention, optim::rmsprop>::call);
  define_update(m, "rprop", optim::rprop);
  define_update(m, "adagrad", Under<convention, optim::adagrad>::call);
  define_update(m, "adadelta", optim::adadelta);
  define_update(m, "ftrl", optim::ftrl);
  define_update(m, "lion", optim::lion);
  m.def("asgd", [](double eta, double mu) {
    return std::pair(std::string(optim::name_of(optim::Rule::asgd)), optim::asgd({eta, mu}).scalars);
  });
  m.def("after_asgd", [](double lr, double lambda, double alpha, double t0, double step) {
    const optim::Averaging next = optim::after_asgd(lr, lambda, alpha, t0, step);
    return std::pair(next.eta, next.mu);
  });
  m.def("nadam_momentum", optim::nadam_momentum);
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
  m.def("take_steps", take_steps, nb::arg("rule"), nb::arg("rows"), nb::arg("numbers"), nb::arg("unless").none() = nb::none());
  m.def("rule_states", rule_states);
  define_updates<optim::Convention::torch>(m.def_submodule("torch_updates"));
  define_updates<optim::Convention::keras>(m.def_submodule("keras_updates"));
  m.def("forget_gradients", forget_gradients);
}

}  // namespace quern::python
