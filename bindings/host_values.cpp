#include "bindings/host_values.h"

#include <algorithm>

#include "bindings/functions.h"
#include "bindings/given.h"
#include "bindings/nested_numbers.h"
#include "bindings/records.h"
#include "core/error.h"
#include "functions/creation.h"
#include "functions/shaping.h"
#include "graph/memory_order.h"
#include "graph/records.h"
#include "graph/tape.h"
#include "run/transfer.h"

namespace quern::python {

namespace {

using What = Given::What;

constexpr const char* no_alias = "Unable to avoid copy while creating an array as requested";
[[noreturn]] void refuse_copy() { raise(ErrorKind::value, "{}.", no_alias); }

nb::object python_function(const char* module, const char* name) { return nb::module_::import_(module).attr(name); }
nb::object asarray_of_numpy(nb::handle value) { return python_function("numpy", "asarray")(value); }

bool is_own(PyObject* value) { return PyType_IsSubtype(Py_TYPE(value), array_type); }
bool is_sequence(PyObject* value) { return PyList_Check(value) || PyTuple_Check(value); }
bool is_real(DType type) { return row(type).kind == DTypeKind::real; }

Array elements_in(const std::vector<char>& elements, const Shape& shape, DType type, DeviceId device) {
  return copied_in(context_on(device), elements.data(), elements.size(), shape, type, CopyKind::host_to_device);
}

// ---- NumPy arrays

// The memory of a NumPy array: the buffer protocol without a format.
struct Buffered {
  Py_buffer view;
  explicit Buffered(nb::handle array) {
    if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_STRIDES) != 0) throw nb::python_error();
  }
  ~Buffered() { PyBuffer_Release(&view); }
  Buffered(const Buffered&) = delete;
  Buffered& operator=(const Buffered&) = delete;
  bool is_contiguous(char order) const { return PyBuffer_IsContiguous(&view, order) != 0; }
  Array copied(Layout layout, DType type, DeviceId device) const {
    const auto bytes = static_cast<size_t>(view.len);
    return copied_in(context_on(device), view.buf, bytes, std::move(layout), type, CopyKind::host_to_device);
  }
};

// The new array lies in memory as NumPy's copy would; axes of one element, too, have the steps that NumPy gives them.
Array array_of_numpy(nb::object host, DType type, DeviceId device, Order order) {
  // No buffer has fields that overlap, nor types that others add to NumPy.
  if (is_record(type)) host = host.attr("view")(nb::make_tuple(python_function("numpy", "void"), host.attr("itemsize")));
  if (type == DType::bfloat16) host = host.attr("view")("uint16");
  const Buffered memory(host);
  const Shape shape(memory.view.shape, memory.view.shape + memory.view.ndim);
  const bool in_rows = memory.is_contiguous('C'), in_columns = memory.is_contiguous('F');
  if (in_columns && (!in_rows || order == Order::fortran)) return memory.copied(Layout::fortran(shape), type, device);
  if (in_rows) return memory.copied(Layout::contiguous(shape), type, device);
  const nb::object copy = host.attr("copy")("K");
  const Buffered dense(copy);
  Layout layout = Layout::contiguous(shape);
  if (layout.size() > 0)
    for (size_t i = 0; i < shape.size(); ++i) layout.strides[i] = dense.view.strides[i] / dense.view.itemsize;
  return dense.copied(std::move(layout), type, device);
}

// The type of a NumPy array, which gets the machine's byte order. `name_of`: of a module, names types that are not NumPy's usual
// ones.
DType type_of_numpy(nb::object& host, const char* module, const char* name_of) {
  nb::object type = host.attr("dtype");
  if (const DType* known = dtype_of_object(type.ptr())) return *known;
  if (!nb::cast<bool>(type.attr("isnative"))) {
    host = host.attr("astype")(type.attr("newbyteorder")("="));
    type = host.attr("dtype");
  }
  return dtype_of(nb::cast<std::string>(python_function(module, name_of)(type)));
}

// ---- as NumPy makes arrays

}  // namespace

bool holds_arrays(PyObject* sequence) {
  const Deeper deeper;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    const nb::object held = nb::borrow(PySequence_Fast_GET_ITEM(sequence, i));  // to ask it may run a program's code
    PyObject* one = held.ptr();
    if (is_own(one) || (is_sequence(one) ? holds_arrays(one) : offers_array(one))) return true;
  }
  return false;
}

namespace {

// Where the first of the arrays is.
MadeOfValue stack_of(PyObject* sequence) {
  std::vector<Array> parts;
  nb::object first;
  std::optional<DeviceId> device;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence) && !device; ++i)
    if (const Array* array = as_array(PySequence_Fast_GET_ITEM(sequence, i))) device = array->device();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    PyObject* one = PySequence_Fast_GET_ITEM(sequence, i);
    MadeOfValue part = made_as_numpy(one, {.device = is_own(one) ? std::nullopt : device, .order = Order::c});
    if (i == 0) first = part.beside;
    const Array& array = part.array ? *part.array : *as_array(part.beside.ptr());
    parts.push_back(lies_anywhere(array.dtype()) ? settled(array) : array);
  }
  return {stacked(parts, 0), first};
}

// To what NumPy has not, and from reals to integers, where NumPy's answers beyond them depend on how many there are.
bool is_ours_to_convert(nb::handle value, const HostRequest& request) {
  if (request.dtype == DType::bfloat16 && PyUnicode_Check(request.dtype_object)) return true;
  if (!is_integer(*request.dtype)) return false;
  const Given given = classified(value.ptr());
  if (given.what == What::number) return given.has_dtype && (is_real(given.dtype) || is_complex(given.dtype));
  if (given.what != What::host_array) return false;
  const nb::object type = value.attr("dtype");
  const DType* known = dtype_of_object(type.ptr());
  if (known) return is_real(*known) || is_complex(*known);
  return nb::cast<std::string>(type.attr("kind")).find_first_of("fc") == 0 ||
         nb::cast<std::string>(type.attr("name")) == "bfloat16";
}

Array array_as_numpy_reads(nb::handle value, const HostRequest& request, DeviceId device) {
  nb::object host;
  if (!request.dtype || is_ours_to_convert(value, request)) {
    host = classified(value.ptr()).what == What::host_array && !classified(value.ptr()).is_derived ? nb::borrow(value)
                                                                                                   : asarray_of_numpy(value);
  } else {
    nb::object type = is_record(*request.dtype) ? numpy_type_of(*request.dtype) : nb::borrow(request.dtype_object);
    host = python_function("numpy", "asarray")(value, type);
  }
  const DType type = type_of_numpy(host, "quern.arrays.core", "_dtype_name");
  return array_of_numpy(std::move(host), type, device, request.order);
}

// Of what is no array of ours, in its own type where that is as good.
MadeOfValue new_as_numpy(nb::handle value, const HostRequest& request) {
  const Given given = classified(value.ptr());
  const bool may_copy = request.copies != false, is_nested = is_sequence(value.ptr());
  const DeviceId device = request.device_of_new();
  if (may_copy && (is_nested || given.is_number())) {
    const NestedNumbers numbers(value.ptr());
    const bool is_bfloat16 = request.dtype == DType::bfloat16;
    const std::optional<DType> type = is_bfloat16 ? std::nullopt : request.dtype;
    if (numbers.are_plain())
      if (auto elements = numbers.numpys_elements(type))
        return {elements_in(*elements, numbers.shape(), type ? *type : *numbers.numpys_type(), device)};
  }
  if (is_nested && holds_arrays(value.ptr())) {
    if (!may_copy) refuse_copy();
    return stack_of(value.ptr());
  }
  if (given.what != What::host_array && !is_nested && has_attribute(value.ptr(), "__cuda_array_interface__")) {
    const nb::object found = python_function("quern.arrays.core", "_from_interface")(value);
    const Array& array = array_in(found);
    return {may_copy ? astype(array, array.dtype()) : Array(array)};
  }
  if (!may_copy) {
    const nb::object found = python_function("quern.arrays.core", "shared")(value, PyDevice{&context_on(device)});
    return {Array(array_in(found))};
  }
  return {array_as_numpy_reads(value, request, device)};
}

}  // namespace

MadeOfValue made_as_numpy(PyObject* value, const HostRequest& request) {
  nb::object held = nb::borrow(value);
  const Given given = classified(value);
  const bool may_offer = (given.what == What::other || given.is_derived) && !is_own(value);
  if (may_offer && has_attribute(reinterpret_cast<PyObject*>(Py_TYPE(value)), "__cupy_get_ndarray__"))
    held = held.attr("__cupy_get_ndarray__")();
  const bool is_array = is_own(held.ptr()), must_not = request.copies == false;
  MadeOfValue made{{}, held};
  if (!is_array) made = new_as_numpy(held, request);
  Array out = made.array ? *made.array : Array(*as_array(made.beside.ptr()));
  bool is_itself = !made.array, copies = is_array && request.copies == true;
  const auto becomes = [&](Array&& next) { out = std::move(next), is_itself = false; };
  if (request.dtype && *request.dtype != out.dtype()) {
    if (must_not) refuse_copy();
    becomes(astype(out, *request.dtype, request.order));
    copies = false;
  }
  const Order order = request.order == Order::any ? Order::keep : request.order;
  if (request.device && *request.device != out.device()) {
    if (must_not) raise(ErrorKind::value, "{}: the memory is not on {}", no_alias, context_on(*request.device).name());
    becomes(moved_to(out, context_on(*request.device)));
  } else if (copies) {
    becomes(astype(out, out.dtype(), request.order));
  }
  if (!is_in_order(out, order)) {
    if (must_not) refuse_copy();
    becomes(in_order(out, order));
  }
  if (is_itself) return {{}, made.beside};
  return {std::move(out), std::move(made.beside)};
}

nb::object object_of(MadeOfValue&& made) {
  if (!made.array) return std::move(made.beside);
  made.array->settle_owner();
  if (made.beside.is_valid()) return like(made.beside, std::move(*made.array));
  return nb::steal(wrap(std::move(*made.array), array_type));
}

// ---- as PyTorch makes tensors

namespace {

// Nested sequences in which numbers of Python's stand for tensors of one element; `common`: the type of these and of all other
// numbers.
nb::object without_tensors(PyObject* value, std::optional<DType>& common) {
  const auto join = [&](DType type) { common = common ? promote_as_torch(*common, type) : type; };
  if (const Array* array = as_array(value)) {
    if (array->size() != 1)
      raise(ErrorKind::value, "only one element tensors can be converted to Python scalars; use torch.stack()");
    join(array->dtype());
    return item_of(*array);
  }
  if (is_sequence(value)) {
    const Deeper deeper;
    nb::list out;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
      out.append(without_tensors(PySequence_Fast_GET_ITEM(value, i), common));
    return out;
  }
  if (const NestedNumbers number(value); number.are_plain()) join(number.torchs_type());
  return nb::borrow(value);
}

bool holds_tensors(PyObject* value) {
  if (!is_sequence(value)) return as_array(value) != nullptr;
  const Deeper deeper;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
    if (holds_tensors(PySequence_Fast_GET_ITEM(value, i))) return true;
  return false;
}

nb::object name_of(std::optional<DType> type) { return type ? nb::cast(std::string(row(*type).name)) : nb::none(); }

// What is neither a number, a list nor an array of NumPy's: one of these in its place.
nb::object readable_as_torch(nb::handle value, std::optional<DType> type) {
  PyObject* object = value.ptr();
  if (has_attribute(object, "__array__") || has_attribute(object, "__array_interface__")) return asarray_of_numpy(value);
  if (PyUnicode_Check(object) || PyBytes_Check(object))
    raise(ErrorKind::type, "new(): invalid data type '{}'", Py_TYPE(object)->tp_name);
  const bool has_items = has_attribute(object, "__len__") && has_attribute(object, "__getitem__") && !PyDict_Check(object);
  if (!PyRange_Check(object) && !has_items) return python_function("quern.torch._host_values", "plain")(value, name_of(type));
  nb::object list = nb::steal(PySequence_List(object));
  if (!list.is_valid()) throw nb::python_error();
  return list;
}

Array new_as_torch(nb::object value, const HostRequest& request, DeviceId device) {
  Given given = classified(value.ptr());
  const auto is_read = [&] { return given.is_number() || is_sequence(value.ptr()); };
  if (!is_read() && given.what != What::host_array) {
    value = readable_as_torch(value, request.dtype);
    given = classified(value.ptr());
  }
  if (is_read()) {
    std::optional<DType> type = request.dtype;
    if (const NestedNumbers numbers(value.ptr()); numbers.are_plain()) {
      const DType wanted = type ? *type : numbers.torchs_type();
      return elements_in(numbers.torchs_elements(wanted), numbers.shape(), wanted, device);
    }
    if (holds_tensors(value.ptr())) {
      std::optional<DType> common;
      nb::object numbers = without_tensors(value.ptr(), common);
      HostRequest typed = request;
      if (!type) typed.dtype = common;
      return new_as_torch(std::move(numbers), typed, device);
    }
    value = given.what == What::number ? asarray_of_numpy(value)
                                       : python_function("quern.torch._host_values", "host_array")(value, name_of(type));
    if (PyList_Check(value.ptr())) return new_as_torch(std::move(value), request, device);
  } else if (given.is_derived) {
    value = asarray_of_numpy(value);
  }
  const DType type = type_of_numpy(value, "quern.torch._host_values", "name_of_type");
  Array made = array_of_numpy(value, type, device, Order::keep);
  return request.dtype && *request.dtype != type ? astype(made, *request.dtype) : made;
}

}  // namespace

Array tensor_over_numpy(nb::handle array) {
  nb::object host = nb::borrow(array);
  const DType type = type_of_numpy(host, "quern.torch._host_values", "name_of_type");
  if (host.ptr() != array.ptr())
    raise(
        ErrorKind::value,
        "given numpy array has byte order different from the native byte order. Conversion between byte orders is currently not "
        "supported.");
  const Buffered memory(array);
  const Shape shape(memory.view.shape, memory.view.shape + memory.view.ndim);
  std::vector<int64_t> strides(memory.view.strides, memory.view.strides + memory.view.ndim);
  if (std::any_of(strides.begin(), strides.end(), [](int64_t step) { return step < 0; }))
    raise(ErrorKind::value,
          "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
          "supported. "
          "(You can probably work around this by making a copy of your array  with array.copy().) ");
  return over_address(cpu_context(), reinterpret_cast<uintptr_t>(memory.view.buf), shape, std::move(strides), type, false, array);
}

// Raises where an alias is wanted of what has no memory, or has it in another type.
static void check_alias(PyObject* value, const HostRequest& request) {
  const Given given = classified(value);
  const Array* tensor = as_array(value);
  if (given.is_number() || (!tensor && given.what != What::host_array && !PyObject_CheckBuffer(value)))
    raise(ErrorKind::value, "can't alias arbitrary sequence into a tensor.");
  nb::object host = nb::borrow(value);
  if (!request.dtype || (!tensor && given.what != What::host_array)) return;
  const DType type = tensor ? tensor->dtype() : type_of_numpy(host, "quern.torch._host_values", "name_of_type");
  if (type != *request.dtype)
    raise(ErrorKind::value, "can't alias tensor with dtype '{}' into dtype '{}'.", row(type).name, row(*request.dtype).name);
}

MadeOfValue made_as_torch(PyObject* value, const HostRequest& request) {
  if (request.is_alias && request.copies == false) check_alias(value, request);
  const bool copies = request.copies.value_or(false);
  nb::object held = nb::borrow(value);
  const bool is_tensor = as_array(value) && is_tensor_type(Py_TYPE(value));
  const Given::What what = classified(value).what;
  const bool may_be_over = !is_tensor && !classified(value).is_number() && what != What::list && what != What::tuple;
  const auto conversion_of = [&](const Array& array) {
    return Conversion{request.dtype.value_or(array.dtype()), Order::keep, copies, request.device};
  };
  if (what == What::host_array && !copies) {
    Array over = tensor_over_numpy(value);
    Conversion to = conversion_of(over);
    to.device = request.device_of_new();
    std::optional<Array> made = converted(over, to);
    return {made ? std::move(made) : std::optional(std::move(over))};
  }
  if (may_be_over && what != What::host_array && (!copies || has_attribute(value, "__cuda_array_interface__"))) {
    nb::object over = python_function("quern.torch._creation", "over_memory")(held);
    if (!over.is_none()) held = over;
  }
  if (request.is_alias && may_be_over && what != What::host_array && !as_array(held.ptr()) && PyObject_CheckBuffer(value))
    held = python_function("quern.torch._creation", "over_buffer")(held, name_of(request.dtype));
  const Array* array = as_array(held.ptr());
  if (array && request.is_alias && request.dtype && wants_gradient(*array) && !is_real(*request.dtype) &&
      !is_complex(*request.dtype))
    raise(ErrorKind::runtime, "Only Tensors of floating point and complex dtype can require gradients");
  if (!array) return {new_as_torch(held, request, request.device_of_new())};
  const Array own = copies && !request.is_alias ? detached(*array) : Array(*array);
  return {converted(own, conversion_of(own)), copies ? nb::object() : held};
}

}  // namespace quern::python
