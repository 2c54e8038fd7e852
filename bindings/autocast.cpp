#include "bindings/autocast.h"

#include <array>
#include <unordered_map>

#include "bindings/arrays.h"
#include "bindings/functions.h"
#include "bindings/tensor_operations.h"
#include "core/site.h"
#include "functions/steps.h"
#include "graph/memory_order.h"
#include "graph/tape.h"

namespace quern::python {

int casting_regions = 0;

namespace {

constexpr CastRow rows[] = {
#define QUERN_CAST(name, cpu, gpu) {#name, Cast::cpu, Cast::gpu},
#include "bindings/autocast.def"
#undef QUERN_CAST
};

struct Kept {
  nb::object weight, cast;
  uint32_t version;
};

// By kinds of devices: the CPU, GPUs.
struct State {
  std::array<bool, 2> is_on{};
  std::array<DType, 2> lower{DType::bfloat16, DType::float16};
  int depth = 0;
  bool keeps = true;
};
thread_local State state;

// Of weights, until the outermost region ends. A thread that ends within a region leaves it: it may lack Python's lock.
std::unordered_map<PyObject*, Kept>& kept_casts() {
  static thread_local auto* casts = new std::unordered_map<PyObject*, Kept>;
  return *casts;
}

size_t kind_of(DeviceId device) { return device.is_gpu(); }

// Tensors of another dtype, and of other devices, stay as they are.
bool is_eligible(const Array& array, size_t kind) {
  const DType type = array.dtype();
  return kind_of(array.device()) == kind && (type == DType::float32 || type == DType::float16 || type == DType::bfloat16);
}

nb::object cast_of(const Array& array, DType type) {
  AtSite here(current_site());
  const TorchOrder torch_order;
  return nb::steal(wrap_tensor(steps::as_type(array, type)));
}

bool is_weight(const Array& array) {
  if (array.dtype() != DType::float32 || !wants_gradient(array) || !GradientMode::is_on()) return false;
  GraphLock lock;
  EntryRef entry = entry_of(array);
  return entry && entry->is_leaf();
}

// Leaves that want gradients are cast once in the outermost region: their gradients meet in one cast. A weight that was written
// since is cast again.
PyObject* cast_value(PyObject* value, DType type, DType lower, std::vector<nb::object>& kept) {
  const Array& array = *as_array(value);
  if (array.dtype() == type) return value;
  if (!state.keeps || type != lower || !is_weight(array)) return kept.emplace_back(cast_of(array, type)).ptr();
  auto& casts = kept_casts();
  auto found = casts.find(value);
  if (found == casts.end() || found->second.version != array.cell()->version)
    found = casts.insert_or_assign(value, Kept{nb::borrow(value), cast_of(array, type), array.cell()->version}).first;
  return kept.emplace_back(found->second.cast).ptr();
}

bool is_sequence(PyObject* value) { return PyTuple_Check(value) || PyList_Check(value); }

template <class F>
void for_each_array(PyObject* value, const F& f) {
  if (!value) return;
  if (const Array* array = as_array(value)) return f(*array);
  if (!is_sequence(value)) return;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) for_each_array(PySequence_Fast_GET_ITEM(value, i), f);
}

// Tensors, also those within lists and tuples, in a dtype.
PyObject* cast_all(PyObject* value, size_t kind, DType type, std::vector<nb::object>& kept) {
  if (const Array* array = as_array(value))
    return is_eligible(*array, kind) ? cast_value(value, type, state.lower[kind], kept) : value;
  bool has_any = false;
  for_each_array(value, [&](const Array& array) { has_any |= is_eligible(array, kind) && array.dtype() != type; });
  if (!has_any) return value;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
  nb::object made = nb::steal(PyTuple_Check(value) ? PyTuple_New(count) : PyList_New(count));
  if (!made.is_valid()) throw nb::python_error();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* one = Py_NewRef(cast_all(PySequence_Fast_GET_ITEM(value, i), kind, type, kept));
    if (PyTuple_Check(value))
      PyTuple_SET_ITEM(made.ptr(), i, one);
    else
      PyList_SET_ITEM(made.ptr(), i, one);
  }
  return kept.emplace_back(std::move(made)).ptr();
}

[[noreturn]] void refuse() {
  raise(ErrorKind::runtime,
        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
        "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
        "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
        "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\nsafe to autocast.");
}

// The dtype of the operands together: `current` is the region's at first.
DType widened(DType current, const Array& array, DType lower) {
  if (current == DType::float32 || array.dtype() == DType::float32) return DType::float32;
  if (array.dtype() != lower) raise(ErrorKind::runtime, "Unexpected floating ScalarType in at::autocast::prioritize");
  return current;
}

// PyTorch's functions for the border: of elements that repeat, and of one or two mirrored axes.
bool has_edges(std::span<PyObject**> values) {
  Py_ssize_t widths = 0;
  bool mirrors = false, repeats = false;
  for (PyObject** value : values) {
    if (!*value) continue;
    if (is_sequence(*value)) widths = PySequence_Fast_GET_SIZE(*value);
    if (!PyUnicode_Check(*value)) continue;
    mirrors |= PyUnicode_CompareWithASCIIString(*value, "reflect") == 0;
    repeats |= PyUnicode_CompareWithASCIIString(*value, "replicate") == 0;
  }
  return repeats || (mirrors && widths <= 4);
}

size_t index_of(const std::string& kind) {
  if (kind == "cpu") return 0;
  if (kind == "cuda") return 1;
  raise(ErrorKind::runtime, "unknown device type for autocast in get_autocast_dispatch_key_from_device_type: {}", kind);
}

void set_on(const std::string& kind, bool on) {
  bool& is_on = state.is_on[index_of(kind)];
  casting_regions += on - is_on;
  is_on = on;
}

}  // namespace

const CastRow* cast_row(std::string_view name) {
  static const auto known = [] {
    std::unordered_map<std::string_view, const CastRow*> made;
    for (const CastRow& row : rows) made.emplace(row.name, &row);
    return made;
  }();
  auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

bool is_casting(DeviceId device) { return state.is_on[kind_of(device)]; }

void cast_operands(const CastRow& row, std::span<PyObject**> values, bool is_said, std::vector<nb::object>& kept) {
  const Array* first = nullptr;
  for (PyObject** value : values)
    if (!first) for_each_array(*value, [&](const Array& array) { first = first ? first : &array; });
  if (!first || !is_casting(first->device())) return;
  const size_t kind = kind_of(first->device());
  const Cast cast = kind ? row.gpu : row.cpu;
  const DType lower = state.lower[kind];
  if (cast == Cast::keep || (cast == Cast::sum && is_said) || (cast == Cast::edges && !has_edges(values))) return;
  if (cast == Cast::refuse) refuse();
  DType type = cast == Cast::lower || cast == Cast::widest ? lower : DType::float32;
  if (cast == Cast::widest)
    for (PyObject** value : values)
      for_each_array(*value, [&](const Array& array) {
        if (is_eligible(array, kind)) type = widened(type, array, lower);
      });
  for (PyObject** value : values)
    if (*value) *value = cast_all(*value, kind, type, kept);
}

// Of functions in Python: their tensors as the function `name` takes them.
static nb::tuple casts_for(const std::string& name, const nb::args& tensors) {
  std::vector<PyObject*> values;
  for (nb::handle one : tensors) values.push_back(one.ptr());
  std::vector<PyObject**> places;
  for (PyObject*& one : values) places.push_back(&one);
  std::vector<nb::object> kept;
  if (casting_regions != 0) cast_operands(*cast_row(name), places, false, kept);
  nb::list out;
  for (PyObject* one : values) out.append(nb::handle(one));
  return nb::tuple(out);
}

void init_autocast(nb::module_& m) {
  m.def("casts_for", casts_for);
  m.def("autocast_enabled", [](const std::string& kind) { return state.is_on[index_of(kind)]; });
  m.def("set_autocast_enabled", set_on);
  m.def("autocast_dtype", [](const std::string& kind) { return std::string(row(state.lower[index_of(kind)]).name); });
  m.def("set_autocast_dtype", [](const std::string& kind, const std::string& name) {
    state.lower[index_of(kind)] = dtype_of(name);
    kept_casts().clear();
  });
  m.def("autocast_caches", [] { return state.keeps; });
  m.def("set_autocast_caches", [](bool keeps) { state.keeps = keeps; });
  m.def("autocast_depth", [](int more) { return state.depth += more; });
  m.def("clear_autocast_cache", [] { kept_casts().clear(); });
}

}  // namespace quern::python
