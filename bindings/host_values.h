// Values of the host as arrays: numbers, nested sequences, NumPy arrays, buffers, and objects that give or describe memory.
//
// Numbers alone and in nested lists are read by nested_numbers.h, NumPy arrays by their buffer. NumPy is asked once for all else.
#pragma once

#include "bindings/arrays.h"

namespace quern::python {

// What asarray() is asked for besides the value.
struct HostRequest {
  std::optional<DType> dtype{};
  PyObject* dtype_object = nullptr;     // the same as it was given
  std::optional<DeviceId> device{};     // none: where the value is, else `otherwise`
  std::optional<DeviceId> otherwise{};  // of values without memory on a device; none: the current one
  Order order = Order::keep;
  std::optional<bool> copies{};  // none: where that is needed
  bool is_alias = false;         // torch.asarray(): it shares the memory of buffers, and its copies keep what made a tensor

  DeviceId device_of_new() const { return device ? *device : otherwise ? *otherwise : current_context().id(); }
};

// No array: the object `beside` itself, an array. Else an array whose Python type is that of `beside`, the front end's if there
// is none.
struct MadeOfValue {
  std::optional<Array> array{};
  nb::object beside{};
};

// Of functions that call themselves for nested sequences: RecursionError for a list that holds itself.
struct Deeper {
  Deeper() {
    if (Py_EnterRecursiveCall(" in nested sequences")) throw nb::python_error();
  }
  ~Deeper() { Py_LeaveRecursiveCall(); }
};
// Is there an array of ours in nested sequences, or an object that gives one when asked? NumPy's are none.
bool holds_arrays(PyObject* sequence);
nb::object object_of(MadeOfValue&& made);
MadeOfValue made_as_numpy(PyObject* value, const HostRequest& request);
// Without `copies` a tensor stays itself, and memory of NumPy's and of GPUs is shared.
Array tensor_over_numpy(nb::handle array);
MadeOfValue made_as_torch(PyObject* value, const HostRequest& request);

}  // namespace quern::python
