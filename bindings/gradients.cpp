// Gradients for Python: what asks for one, backward(), hooks, and functions whose derivative the program writes.
#include "functions/backward.h"

#include <atomic>
#include <mutex>
#include <unordered_set>

#include "bindings/arrays.h"
#include "bindings/call_errors.h"
#include "bindings/functions.h"
#include "core/error.h"
#include "functions/row_gradients.h"
#include "functions/steps.h"
#include "graph/host_reads.h"

namespace quern::python {

namespace {

// Autograd nodes are freed where no thread holds the GIL; the Python objects that they held are released by a later call.
std::mutex gone_lock;
std::vector<PyObject*> gone;

void let_go(PyObject* object) {
  std::lock_guard hold(gone_lock);
  gone.push_back(object);
  if (gone.size() == 1 && Py_IsInitialized()) Py_AddPendingCall([](void*) { return release_gradients(), 0; }, nullptr);
}

// The formulas of grads.def by the operation's name: an empty tuple where no gradient passes; what has no formula is left out.
nb::dict gradient_formulas() {
  nb::dict out;
  for (uint16_t i = 0; i < row_count; ++i) {
    Op op = static_cast<Op>(i);
    nb::list formulas;
    for (std::string_view text : row_gradient_texts(op))
      if (!text.empty()) formulas.append(nb::str(text.data(), text.size()));
    if (nb::len(formulas) || row_needs(op, 0) == RowNeedsFlat)
      out[nb::str(name_of(op).data(), name_of(op).size())] = nb::tuple(formulas);
  }
  return out;
}

class Held {
 public:
  explicit Held(nb::handle object) : object_(object.inc_ref().ptr()) {}
  ~Held() { let_go(object_); }
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

// A gradient that an object of the program's holds, so that it is the same object whenever it is asked for.
struct OwnObject {
  PyObject* object;
  void operator()(Array*) const { let_go(object); }
};
std::shared_ptr<Array> owned_by(nb::handle object) {
  Array* array = as_array(object.ptr());
  return {array, OwnObject{object.inc_ref().ptr()}};
}

nb::object given_to(PyTypeObject* type, const std::optional<Array>& array) {
  return array ? nb::steal(wrap(Array(*array), type)) : nb::none();
}

// Arrays that hooks see have the type of the array they were put on.
class PyHook : public GradientHook {
 public:
  PyHook(nb::handle call, PyTypeObject* type) : call_(call), type_(type) {}
  std::optional<Array> seen(const Array& gradient) override {
    if (is_removed) return std::nullopt;
    AtSite its_own(no_site);  // the hook's lines
    nb::object result = call_.get()(nb::steal(wrap(Array(gradient), type_)));
    if (result.is_none()) return std::nullopt;
    const Array* other = as_array(result.ptr());
    if (!other) raise(ErrorKind::type, "expected Variable, but hook returned '{}'", Py_TYPE(result.ptr())->tp_name);
    auto differs = [&](const char* what) {
      nb::object name = nb::getattr(call_.get(), "__name__", nb::str("hook"));
      raise(ErrorKind::runtime, "hook '{}' has changed the {} of value", nb::cast<std::string>(name), what);
    };
    if (other->shape() != gradient.shape()) differs("size");
    if (other->dtype() != gradient.dtype()) differs("type");
    if (other->device() != gradient.device()) differs("device");
    return *other;
  }
  bool is_gone() const override { return is_removed; }

  std::atomic<bool> is_removed = false;

 private:
  Held call_;
  PyTypeObject* type_;
};

// What made a value, for programs that walk through the history. It may have been freed: its name and edges stay.
struct GradientNode {
  EntryRef entry;

  // A result of several is a part of the node, with a number.
  static std::pair<GradientNode, int> edge(const EntryRef& to) {
    if (to->kind == Entry::Kind::part) return {GradientNode{to->own[0].from}, to->part};
    return {GradientNode{to}, 0};
  }
  std::string name() const {
    GraphLock lock;
    return tape_name(*entry);
  }
  // For each operand what made it, and which of its results it is; none where no gradient is wanted.
  std::vector<std::optional<std::pair<GradientNode, int>>> inputs() const {
    std::vector<std::optional<std::pair<GradientNode, int>>> out;
    GraphLock lock;
    for (TapeOperand& operand : entry->operands()) {
      out.emplace_back();
      if (operand.from) out.back() = edge(operand.from);
    }
    return out;
  }
};

// What takes a hook away, wherever the value that it was put on is by now.
struct HookHandle {
  std::weak_ptr<PyHook> hook;
  void remove(const Array& array) {
    std::shared_ptr<PyHook> one = hook.lock();
    if (!one) return;
    one->is_removed = true;
    remove_hook(array, one.get());
  }
};

// The derivative is a Python function: of the gradients of the results and which are wanted, a tuple of those of the inputs.
// Where it `keeps` them, it gets the inputs' values, too, as they were.
class PyBody : public GradientBody {
 public:
  PyBody(std::string name, nb::handle call, PyTypeObject* type, bool keeps)
      : name_(std::move(name)), call_(call), type_(type), keeps_(keeps) {}
  std::string_view name() const override { return name_; }
  bool keeps_values() const override { return keeps_values_; }
  void set_keeps_values(bool keeps) { keeps_values_ = keeps; }
  std::vector<std::optional<Array>> gradients(const GradientCall& call) const override {
    GraphUnlock unlocked;
    nb::list given, wanted;
    for (const auto& g : call.given) given.append(given_to(type_, g));
    for (bool one : call.wanted) wanted.append(one);
    nb::object result;
    if (keeps_) {
      nb::list operands;
      for (const Array& operand : call.operands) operands.append(given_to(type_, operand));
      result = call_.get()(given, wanted, operands);
    } else {
      result = call_.get()(given, wanted);
    }
    std::vector<std::optional<Array>> out = arrays_or_none(result);
    if (out.size() != call.wanted.size()) bug("a derivative of {} inputs gave {}", call.wanted.size(), out.size());
    return out;
  }

 private:
  std::string name_;
  Held call_;
  PyTypeObject* type_;
  bool keeps_;
  std::atomic<bool> keeps_values_ = true;
};

std::vector<TapeSpan> spans_of(const std::vector<std::pair<uint64_t, uint64_t>>& pairs) {
  std::vector<TapeSpan> out;
  for (auto [since, until] : pairs) out.push_back({since, until});
  return out;
}

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

// A leaf, or a view that was made while nothing was recorded.
static bool has_no_history(const EntryRef& entry) {
  return !entry || entry->is_leaf() || (entry->kind == Entry::Kind::nothing && entry->operand_count == 0);
}

static bool keeps_gradient(const Array& array) {
  GraphLock lock;
  EntryRef entry = entry_of_gradient(array);
  return entry && !entry->is_leaf() && entry->extras && entry->extras->keeps_gradient;
}

void init_gradients(nb::module_& m) {
  m.def("gradient_formulas", gradient_formulas);
  m.def("wants_gradient", [](const Array& array) { return wants_gradient(array); });
  m.def("want_gradient", [](const Array& array, bool wants) { want_gradient(array, wants); });
  m.def("is_leaf", [](const Array& array) {
    GraphLock lock;
    EntryRef entry = entry_of(array);
    return has_no_history(entry);
  });
  // The name of what made the value; None for leaves and what wants no gradient.
  m.def("gradient_name", [](const Array& array) -> std::optional<std::string> {
    GraphLock lock;
    EntryRef entry = entry_of(array);
    if (has_no_history(entry)) return std::nullopt;
    return tape_name(*entry);
  });
  nb::class_<GradientNode>(m, "GradientNode")
      .def("name", &GradientNode::name)
      .def("inputs", &GradientNode::inputs)
      .def("key", [](const GradientNode& node) { return reinterpret_cast<uintptr_t>(node.entry.get()); });
  // What made the value, and which of its results the value is; None as above.
  m.def("gradient_node", [](const Array& array) -> std::optional<std::pair<GradientNode, int>> {
    GraphLock lock;
    EntryRef entry = entry_of(array);
    if (has_no_history(entry)) return std::nullopt;
    return GradientNode::edge(entry);
  });
  m.def("detached", [](nb::handle given) { return like(given, detached(array_in(given))); });
  m.def("unhooked", [](nb::handle given) -> nb::object {
    const Array& array = array_in(given);
    {
      GraphLock lock;
      if (!array.tape() || !array.tape()->is_view) return nb::borrow(given);
    }
    return like(given, unhooked(array));
  });
  // What may be written such that nobody sees it who holds the array, beside the caller's own name for it: the array itself, or
  // its value in a cell of its own, which is copied where the two differ.
  m.def("alone", [](nb::handle given) -> nb::object {
    const Array& array = array_in(given);
    {
      GraphLock lock;
      if (Py_REFCNT(given.ptr()) <= 2 && array.cell()->references == 1) return nb::borrow(given);
    }
    return like(given, array.apart());
  });
  // Of a tensor's subclass it is a plain one, where `type` says so.
  m.def(
      "gradient",
      [](nb::handle given, nb::handle type) -> nb::object {
        const Array& array = array_in(given);
        std::shared_ptr<Array> found = gradient_of(array);
        if (!found) return nb::none();
        if (auto* own = std::get_deleter<OwnObject>(found)) return nb::borrow(own->object);
        PyObject* kind = type.is_none() ? reinterpret_cast<PyObject*>(Py_TYPE(given.ptr())) : type.ptr();
        nb::object made = given_to(reinterpret_cast<PyTypeObject*>(kind), *found);
        GraphLock lock;
        if (gradient_of(array) == found) hold_gradient(array, owned_by(made));
        return made;
      },
      nb::arg(), nb::arg("type") = nb::none());
  m.def(
      "set_gradient",
      [](const Array& array, nb::handle g) {
        set_gradient(array, array_or_none(g) ? owned_by(g) : nullptr);
        release_gradients();
      },
      nb::arg(), nb::arg().none());
  m.def("keep_gradient", [](const Array& array) { keep_gradient(array); });
  m.def("keeps_gradient", keeps_gradient);
  m.def("version", [](const Array& array) { return array.cell()->version; });
  nb::class_<HookHandle>(m, "HookHandle").def("remove", &HookHandle::remove);
  m.def("add_hook", [](nb::handle given, nb::handle call, bool after) {
    release_gradients();
    auto hook = std::make_shared<PyHook>(call, Py_TYPE(given.ptr()));
    add_hook(array_in(given), hook, after);
    return HookHandle{hook};
  });
  m.def("gradient_mode", [] { return GradientMode::is_on(); });
  m.def("set_gradient_mode", [](bool on) {
    bool before = GradientMode::is_asked();
    GradientMode::set(on);
    return before;
  });
  m.def("gradient_mode_asked", [] { return GradientMode::is_asked(); });
  m.def("inference_mode", [] { return InferenceMode::is_on(); });
  m.def("set_inference_mode", [](bool on) { InferenceMode::set(on); });
  m.def("is_inference", [](const Array& array) {
    GraphLock lock;
    return is_inference(array);
  });
  m.def("check_may_write", [](const Array& array) {
    GraphLock lock;
    check_may_write(array);
  });
  m.def("set_anomaly_mode", &set_anomaly_mode);
  m.def("anomaly_mode", &anomaly_mode);
  m.def("backward", [](nb::handle results, nb::handle given, nb::handle inputs, bool retain_graph, bool create_graph) {
    release_gradients();
    backward(arrays(results), arrays_or_none(given), arrays(inputs), options_of(retain_graph, create_graph));
  });
  m.def(
      "gradients",
      [](nb::handle results, nb::handle given, nb::handle inputs, bool retain_graph, bool create_graph, bool allow_unused,
         const std::vector<std::pair<uint64_t, uint64_t>>& spans) {
        release_gradients();
        BackwardOptions options = options_of(retain_graph, create_graph, allow_unused);
        options.spans = spans_of(spans);
        auto out = gradients(arrays(results), arrays_or_none(given), arrays(inputs), options);
        nb::list list;
        size_t i = 0;
        for (nb::handle input : inputs) {
          std::optional<Array>& one = out[i++];
          list.append(one ? nb::steal(wrap(std::move(*one), Py_TYPE(input.ptr()))) : nb::none());
        }
        return list;
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
      nb::arg("spans") = std::vector<std::pair<uint64_t, uint64_t>>());
  m.def("depends_on", [](const Array& array, nb::handle others, const std::vector<std::pair<uint64_t, uint64_t>>& spans) {
    return depends_on(array, arrays(others), spans_of(spans));
  });
  m.def("host_reads", &host_reads);
  m.def("operations_recorded", [] {
    GraphLock lock;
    return graph.operations_recorded;
  });
  m.def("tape_length", [] { return tape_length(); });
  // What values were computed from that was there when the tape had that length, as zeros whose gradient is that one's.
  m.def("gradient_sources", [](nb::handle results, uint64_t since, nb::handle type) {
    std::vector<EntryRef> open, sources;
    std::unordered_set<Entry*> seen;
    nb::list out;
    GraphLock lock;
    auto meet = [&](const EntryRef& entry) {
      if (entry && seen.insert(entry.get()).second) (entry->number <= since ? sources : open).push_back(entry);
    };
    for (const Array& array : arrays(results)) meet(entry_of(array));
    while (!open.empty()) {
      EntryRef entry = std::move(open.back());
      open.pop_back();
      for (TapeOperand& operand : entry->operands()) meet(operand.from);
    }
    for (const EntryRef& entry : sources) {
      Array zeros = full(entry->layout->shape, steps::real_number(0), entry->dtype, entry->device);
      out.append(given_to(reinterpret_cast<PyTypeObject*>(type.ptr()), with_entry(zeros.operand(), entry, entry->device)));
    }
    return out;
  });
  // Results that `make` computes without a record, as one entry of that name: derivative(given, wanted) gives a gradient or
  // None for each input. `holds`, once they are made, says whether the derivative holds values of its own.
  m.def(
      "differentiable",
      [](const std::string& name, nb::handle inputs, nb::handle make, nb::handle derivative, nb::handle type, bool keeps,
         nb::handle holds) {
        release_gradients();
        std::vector<Array> all = arrays(inputs);
        auto* result_type = reinterpret_cast<PyTypeObject*>(type.ptr());
        auto body = std::make_shared<PyBody>(name, derivative, result_type, keeps);
        Kept kept;
        if (keeps) kept.inputs.assign(all.size(), true);
        std::vector<Array> out = differentiable(body, all, kept, [&] {
          AtSite its_own(no_site);  // the lines of the function
          return arrays(nb::object(make()));
        });
        if (!holds.is_none()) body->set_keeps_values(nb::cast<bool>(holds()));
        nb::list list;
        for (Array& array : out) list.append(nb::steal(wrap(std::move(array), result_type)));
        return list;
      },
      nb::arg("name"), nb::arg("inputs"), nb::arg("make"), nb::arg("derivative"), nb::arg("type"), nb::arg("keeps") = false,
      nb::arg("holds") = nb::none());
  // Is anything recorded, and does an array among these objects want a gradient?
  m.def("records", [](nb::handle objects) {
    if (!GradientMode::is_on()) return false;
    for (nb::handle one : objects)
      if (const Array* array = as_array(one.ptr()); array && wants_gradient(*array)) return true;
    return false;
  });
  // A leaf no more, or the value without what made it.
  m.def("forget_gradient", [](const Array& array) {
    GraphLock lock;
    forget_gradient(array);
  });
  // The array is another one from now on, and asks for the gradient that it asked for.
  m.def("set_data", [](nb::handle given, const Array& data) {
    GraphLock lock;
    set_data(array_operand(given), data);
  });
  m.def(
      "set_view",
      [](nb::handle given, const Array& view, bool is_written) {
        GraphLock lock;
        set_view(array_operand(given), view, is_written);
      },
      nb::arg(), nb::arg(), nb::arg("is_written") = false);
  m.def("summed_to", [](nb::handle given, const Shape& shape) { return like(given, summed_to(array_in(given), shape)); });
}

}  // namespace quern::python
