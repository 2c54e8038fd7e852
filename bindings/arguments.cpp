// One Python value -> one kernel argument. A type is classified once; after that a lookup decides.
#include "bindings/arrays.h"
#include "core/error.h"

namespace quern::python {

namespace {

using Scalar = ParamType::Scalar;

enum class Class : uint8_t { unknown, allocation, numpy_scalar, integer, real, boolean, complex, other };

struct TypeInfo {
  PyTypeObject* type = nullptr;
  Class what = Class::unknown;
  Scalar scalar = Scalar::none;
  uint16_t offset = 0;  // of a NumPy scalar's bytes in the object
  uint16_t size = 0;
};

thread_local TypeInfo known_types[64];

Scalar scalar_of(const char* format) {
  if (!format || !*format) return Scalar::none;
  char c = format[0];
  if (format[1] != '\0') return Scalar::none;
  if (c == '?') return Scalar::boolean;
  if (std::strchr("bhilqn", c)) return Scalar::integer;
  if (std::strchr("BHILQN", c)) return Scalar::unsigned_integer;
  if (std::strchr("efd", c)) return Scalar::floating;
  return Scalar::none;
}

// Is this one of NumPy's scalar types, and where does an object of it keep its bytes?
bool classify_numpy(PyObject* value, TypeInfo& info) {
  PyTypeObject* type = Py_TYPE(value);
  if (std::strncmp(type->tp_name, "numpy.", 6) != 0 || !type->tp_as_buffer || !type->tp_as_buffer->bf_getbuffer) return false;
  if (PyObject_HasAttrString(value, "shape") == 0 || std::strcmp(type->tp_name, "numpy.ndarray") == 0 ||
      std::strcmp(type->tp_name, "numpy.void") == 0)
    return false;
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  ptrdiff_t offset = static_cast<char*>(view.buf) - reinterpret_cast<char*>(value);
  bool inside = offset >= static_cast<ptrdiff_t>(sizeof(PyObject)) && offset + view.len <= type->tp_basicsize && view.len <= 16 &&
                view.ndim == 0;
  if (inside) {
    info.what = Class::numpy_scalar;
    info.scalar = scalar_of(view.format);
    info.offset = static_cast<uint16_t>(offset);
    info.size = static_cast<uint16_t>(view.len);
  }
  PyBuffer_Release(&view);
  return inside;
}

const TypeInfo& classify(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  TypeInfo& slot = known_types[reinterpret_cast<size_t>(type) / 64 % 64];
  if (slot.type == type) return slot;
  TypeInfo info;
  info.type = type;
  info.what = Class::other;
  if (type == &PyBool_Type) {
    info.what = Class::boolean;
  } else if (type == &PyLong_Type) {
    info.what = Class::integer;
  } else if (type == &PyFloat_Type) {
    info.what = Class::real;
  } else if (type == &PyComplex_Type) {
    info.what = Class::complex;
  } else if (nb::isinstance<PyAllocation>(value)) {
    info.what = Class::allocation;
  } else {
    classify_numpy(value, info);
  }
  // A type of the user's may die and leave its address to another one: keep those that are remembered.
  if (info.what != Class::other) {
    if (slot.type) Py_DECREF(slot.type);
    Py_INCREF(type);
    slot = info;
    return slot;
  }
  thread_local TypeInfo once;
  once = info;
  return once;
}

void add_integer(Arguments& args, PyObject* value) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow == 0) {
    if (number == -1 && PyErr_Occurred()) throw nb::python_error();
    args.integer(number);
    return;
  }
  unsigned long long natural = PyLong_AsUnsignedLongLong(value);
  if (PyErr_Occurred()) throw nb::python_error();
  args.natural(natural);
}

bool add_allocation(Arguments& args, PyObject* value) {
  auto* memory = nb::inst_ptr<PyAllocation>(value);
  memory->require_alive("[launch] an argument is device memory that was freed");
  args.pointer(reinterpret_cast<uint64_t>(memory->buffer.pointer()), memory->buffer.block());
  return true;
}

}  // namespace

bool device_address(PyObject* value, uint64_t& address, Block** block) {
  *block = nullptr;
  if (nb::isinstance<PyAllocation>(value)) {
    auto* memory = nb::inst_ptr<PyAllocation>(value);
    memory->require_alive("this device memory was freed");
    address = reinterpret_cast<uint64_t>(memory->buffer.pointer());
    *block = memory->buffer.block();
    return true;
  }
  if (nb::isinstance<PyHostMemory>(value)) {
    auto* memory = nb::inst_ptr<PyHostMemory>(value);
    address = reinterpret_cast<uint64_t>(memory->device_pointer());
    return true;
  }
  if (array_address(value, address, block)) return true;
  nb::handle object(value);
  if (PyLong_Check(value)) {
    address = PyLong_AsUnsignedLongLong(value);
    if (PyErr_Occurred()) throw nb::python_error();
    return true;
  }
  // GPUArray and its kin, PyCUDA's PointerHolderBase, CuPy's and others' arrays.
  if (nb::hasattr(object, "gpudata")) {
    nb::object inner = object.attr("gpudata");
    return inner.ptr() != value && device_address(inner.ptr(), address, block);
  }
  if (nb::hasattr(object, "__cuda_array_interface__")) {
    nb::object interface = object.attr("__cuda_array_interface__");
    nb::object data = interface["data"];
    nb::object pointer = data[0];
    address = PyLong_AsUnsignedLongLong(pointer.ptr());
    if (PyErr_Occurred()) throw nb::python_error();
    return true;
  }
  if (nb::hasattr(object, "get_pointer")) {
    nb::object pointer = object.attr("get_pointer")();
    return pointer.ptr() != value && device_address(pointer.ptr(), address, block);
  }
  if (PyIndex_Check(value)) {  // numpy.intp and its kin
    nb::object number = nb::steal(PyNumber_Index(value));
    if (!number.is_valid()) throw nb::python_error();
    return device_address(number.ptr(), address, block);
  }
  return false;
}

bool add_argument(Arguments& args, PyObject* value) {
  const TypeInfo& info = classify(value);
  switch (info.what) {
    case Class::allocation:
      return add_allocation(args, value);
    case Class::numpy_scalar:
      args.typed(reinterpret_cast<char*>(value) + info.offset, info.size, info.scalar, Py_TYPE(value)->tp_name);
      return true;
    case Class::integer:
      add_integer(args, value);
      return true;
    case Class::boolean:
      args.integer(value == Py_True, true);
      return true;
    case Class::real:
      args.real(PyFloat_AS_DOUBLE(value));
      return true;
    case Class::complex:
      args.complex(PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value));
      return true;
    default:
      break;
  }
  if (nb::isinstance<PyAllocation>(value)) return add_allocation(args, value);
  if (as_array(value)) {
    uint64_t address;
    Block* block;
    array_address(value, address, &block);
    args.pointer(address, block);
    return true;
  }
  // numpy.void, ctypes structures: bytes that are the parameter. A whole ndarray is not: it needs a copy, which the door makes.
  bool is_array = std::strcmp(Py_TYPE(value)->tp_name, "numpy.ndarray") == 0;
  uint64_t address;
  Block* block;
  if (!is_array && !PyObject_CheckBuffer(value) && device_address(value, address, &block)) {
    args.pointer(address, block);
    return true;
  }
  if (is_array || !PyObject_CheckBuffer(value) || PyBytes_Check(value)) return false;
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  bool single = view.ndim == 0;
  if (single) {
    try {
      args.typed(view.buf, static_cast<size_t>(view.len), Scalar::none, Py_TYPE(value)->tp_name);
    } catch (...) {
      PyBuffer_Release(&view);
      throw;
    }
  }
  PyBuffer_Release(&view);
  return single;
}

uint32_t read_dim(PyObject* value, const char* what, DimRule rule) {
  PyObject* number = PyLong_CheckExact(value) ? Py_NewRef(value) : PyNumber_Index(value);
  if (!number) {
    PyErr_Clear();
    raise(ErrorKind::type, "[launch] {} must be an int or a tuple of up to three, not {}", what, Py_TYPE(value)->tp_name);
  }
  int overflow = 0;
  long long n = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (overflow || n < rule.least || n > 0xffffffffLL)
    raise(rule.kind, "[launch] {} must hold numbers from 1 up, not {}", what, n);
  return static_cast<uint32_t>(n);
}

Dim3 read_dims(PyObject* value, const char* what, DimRule rule) {
  Dim3 out{1, 1, 1};
  if (!PyTuple_Check(value) && !PyList_Check(value)) {
    // An array of numbers, say.
    if (!PyIndex_Check(value) && !PyUnicode_Check(value)) {
      nb::object items = nb::steal(PySequence_Tuple(value));
      if (items.is_valid()) return read_dims(items.ptr(), what, rule);
      PyErr_Clear();
    }
    out[0] = read_dim(value, what, rule);
    return out;
  }
  Py_ssize_t n = PySequence_Fast_GET_SIZE(value);
  if (n > 3 || n < rule.least) raise(ErrorKind::value, "[launch] {} must have one, two or three numbers, not {}", what, n);
  for (Py_ssize_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = read_dim(PySequence_Fast_GET_ITEM(value, i), what, rule);
  return out;
}

HostView::HostView(nb::handle object, bool writable, const char* what) {
  int flags = PyBUF_ANY_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) {
    PyErr_Clear();
    nb::str name = nb::str(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__name__"));
    if (!PyObject_CheckBuffer(object.ptr()))
      raise(ErrorKind::type, "[{}] a host array is needed, not {}; pass a NumPy array or another object with a buffer", what,
            name.c_str());
    raise(ErrorKind::value, "[{}] the host array is not contiguous{}; pass a contiguous{} copy", what,
          writable ? " or is read-only" : "", writable ? ", writable" : "");
  }
}

}  // namespace quern::python
