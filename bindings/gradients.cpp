// Gradients for Python: what asks for one, backward(), hooks, and functions whose derivative the program writes.
#include "functions/backward.h"

#include <mutex>

#include "bindings/arrays.h"
#include "bindings/functions.h"
#include "core/error.h"

namespace quern::python {

namespace {

// Entries of the tape go where nobody holds Python's lock; what they held of Python's goes with a later call.
std::mutex gone_lock;
std::vector<PyObject*> gone;

class Held {
 public:
  explicit Held(nb::handle object) : object_(object.inc_ref().ptr()) {}
  ~Held() {
    std::lock_guard hold(gone_lock);
    gone.push_back(object_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  nb::handle get() const { return object_; }

 private:
  PyObject* object_;
};

std::optional<Array> array_or_none(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  const Array* array = as_array(given.ptr());
  if (!array) raise(ErrorKind::type, "[grad] a gradient must be a tensor or None, not {}", Py_TYPE(given.ptr())->tp_name);
  return *array;
}

std::vector<std::optional<Array>> arrays_or_none(nb::handle sequence) {
  std::vector<std::optional<Array>> out;
  for (nb::handle one : sequence) out.push_back(array_or_none(one));
  return out;
}

std::vector<Array> arrays(nb::handle sequence) {
  std::vector<Array> out;
  for (nb::handle one : sequence) out.push_back(array_in(one));
  return out;
}

nb::object given_to(PyTypeObject* type, const std::optional<Array>& array) {
  return array ? nb::steal(wrap(Array(*array), type)) : nb::none();
}

// Arrays that hooks see have the type of the array they were put on.
class PyHook : public GradientHook {
 public:
  PyHook(nb::handle call, PyTypeObject* type) : call_(call), type_(type) {}
  std::optional<Array> seen(const Array& gradient) override {
    nb::object result = call_.get()(nb::steal(wrap(Array(gradient), type_)));
    return array_or_none(result);
  }

 private:
  Held call_;
  PyTypeObject* type_;
};

// The derivative is a Python function: of the gradients of the results, a tuple of those of the inputs.
class PyBody : public GradientBody {
 public:
  PyBody(std::string name, nb::handle call, PyTypeObject* type) : name_(std::move(name)), call_(call), type_(type) {}
  std::string_view name() const override { return name_; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    nb::list given, wanted;
    for (const auto& g : call.given) given.append(given_to(type_, g));
    for (bool one : call.wanted) wanted.append(one);
    nb::object result = call_.get()(given, wanted);
    std::vector<std::optional<Array>> out = arrays_or_none(result);
    if (out.size() != call.wanted.size()) bug("a derivative of {} inputs gave {}", call.wanted.size(), out.size());
    return out;
  }

 private:
  std::string name_;
  Held call_;
  PyTypeObject* type_;
};

BackwardOptions options_of(bool retain_graph, bool create_graph, bool allow_unused = false) {
  return {retain_graph, create_graph, allow_unused};
}

}  // namespace

void release_gradients() {
  std::vector<PyObject*> now;
  {
    std::lock_guard hold(gone_lock);
    if (gone.empty()) return;
    now.swap(gone);
  }
  for (PyObject* object : now) Py_DECREF(object);
}

void init_gradients(nb::module_& m) {
  m.def("wants_gradient", [](const Array& array) { return wants_gradient(array); });
  m.def("want_gradient", [](const Array& array, bool wants) { want_gradient(array, wants); });
  m.def("is_leaf", [](const Array& array) {
    GraphLock lock;
    EntryRef entry = entry_of(array);
    return !entry || entry->is_leaf();
  });
  // The name of what made the value; None for leaves and what wants no gradient.
  m.def("gradient_name", [](const Array& array) -> nb::object {
    GraphLock lock;
    EntryRef entry = entry_of(array);
    if (!entry || entry->is_leaf()) return nb::none();
    return nb::cast(tape_name(*entry));
  });
  // What is known of the value's entry: its number, and for each operand that wants a gradient (number, name).
  m.def("gradient_inputs", [](const Array& array) {
    nb::list out;
    GraphLock lock;
    EntryRef entry = entry_of(array);
    if (!entry) return out;
    for (TapeOperand& operand : entry->operands()) {
      if (operand.from)
        out.append(nb::make_tuple(operand.from->number, tape_name(*operand.from)));
      else
        out.append(nb::none());
    }
    return out;
  });
  m.def("detached", [](nb::handle given) { return like(given, detached(array_in(given))); });
  m.def("gradient", [](nb::handle given) { return given_to(Py_TYPE(given.ptr()), gradient_of(array_in(given))); });
  m.def(
      "set_gradient", [](const Array& array, nb::handle g) { set_gradient(array, array_or_none(g)); }, nb::arg(),
      nb::arg().none());
  m.def("keep_gradient", [](const Array& array) { keep_gradient(array); });
  m.def("keeps_gradient", [](const Array& array) {
    GraphLock lock;
    EntryRef entry = entry_of(array);
    return entry && !entry->is_leaf() && entry->extras && entry->extras->keeps_gradient;
  });
  m.def("version", [](const Array& array) { return array.cell()->version; });
  // Returns what remove_hook() takes.
  m.def("add_hook", [](nb::handle given, nb::handle call, bool after) {
    release_gradients();
    auto hook = std::make_shared<PyHook>(call, Py_TYPE(given.ptr()));
    const GradientHook* key = hook.get();
    add_hook(array_in(given), std::move(hook), after);
    return reinterpret_cast<uintptr_t>(key);
  });
  m.def("remove_hook", [](const Array& array, uintptr_t key) { remove_hook(array, reinterpret_cast<const GradientHook*>(key)); });
  m.def("gradient_mode", [] { return GradientMode::is_on(); });
  m.def("set_gradient_mode", [](bool on) {
    bool before = GradientMode::is_on();
    GradientMode::set(on);
    return before;
  });
  m.def("set_anomaly_mode", &set_anomaly_mode);
  m.def("anomaly_mode", &anomaly_mode);
  m.def("backward", [](nb::handle results, nb::handle given, nb::handle inputs, bool retain_graph, bool create_graph) {
    release_gradients();
    backward(arrays(results), arrays_or_none(given), arrays(inputs), options_of(retain_graph, create_graph));
  });
  m.def("gradients",
        [](nb::handle results, nb::handle given, nb::handle inputs, bool retain_graph, bool create_graph, bool allow_unused) {
          release_gradients();
          auto out = gradients(arrays(results), arrays_or_none(given), arrays(inputs),
                               options_of(retain_graph, create_graph, allow_unused));
          nb::list list;
          size_t i = 0;
          for (nb::handle input : inputs) list.append(given_to(Py_TYPE(input.ptr()), out[i++]));
          return list;
        });
  // Results that `make` computes without a record, as one entry of that name: derivative(given, wanted) gives a gradient or
  // None for each input.
  m.def("differentiable",
        [](const std::string& name, nb::handle inputs, nb::handle make, nb::handle derivative, nb::handle type) {
          release_gradients();
          std::vector<Array> all = arrays(inputs);
          auto* result_type = reinterpret_cast<PyTypeObject*>(type.ptr());
          auto body = std::make_shared<PyBody>(name, derivative, result_type);
          std::vector<Array> out = differentiable(std::move(body), all, {}, [&] { return arrays(nb::object(make())); });
          nb::list list;
          for (Array& array : out) list.append(nb::steal(wrap(std::move(array), result_type)));
          return list;
        });
  // A leaf no more, or the value without what made it.
  m.def("forget_gradient", [](const Array& array) {
    GraphLock lock;
    forget_gradient(array);
  });
  // The array is another one from now on, and asks for the gradient that it asked for.
  m.def("set_data", [](nb::handle given, const Array& data) {
    GraphLock lock;
    set_data(*as_array(given.ptr()), data);
  });
  // The array is that view, record and all.
  m.def("set_view", [](nb::handle given, const Array& view) {
    GraphLock lock;
    Array same(view);
    *as_array(given.ptr()) = std::move(same);
  });
  m.def("summed_to", [](nb::handle given, const Shape& shape) { return like(given, summed_to(array_in(given), shape)); });
}

}  // namespace quern::python
