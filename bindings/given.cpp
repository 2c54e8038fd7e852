#include "bindings/given.h"

#include "bindings/arrays.h"
#include "bindings/door.h"
#include "core/error.h"
#include "graph/tier0.h"

#include <array>
#include <cstring>
#include <utility>

namespace quern::python {

namespace {

using What = Given::What;

struct Types {
  PyTypeObject *generic = nullptr, *record = nullptr, *ndarray = nullptr;  // NumPy's
};
Types types;

// A NumPy number: its type, and where an object of it keeps its bytes.
void look_at_number(PyObject* value, Given& given) {
  nb::handle object(value);
  auto dtype = dtype_named(nb::cast<std::string>(nb::str(object.attr("dtype").attr("name"))));
  if (dtype && is_record(*dtype)) dtype.reset();  // of times
  given.has_dtype = dtype.has_value();
  given.dtype = dtype.value_or(DType::boolean);
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return;
  }
  ptrdiff_t offset = static_cast<char*>(view.buf) - reinterpret_cast<char*>(value);
  bool inside = offset >= static_cast<ptrdiff_t>(sizeof(PyObject)) && offset + view.len <= Py_TYPE(value)->tp_basicsize &&
                view.len <= 16 && view.ndim == 0;
  if (inside) given.offset = static_cast<uint16_t>(offset), given.size = static_cast<uint16_t>(view.len);
  PyBuffer_Release(&view);
}

Given look_at(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  auto is = [&](What what, PyTypeObject* base) { return Given{what, type != base}; };
  if (value == Py_None) return {What::none};
  if (PyType_IsSubtype(type, bare_type)) return is(What::array, array_type);
  // NumPy's before Python's: numpy.float64 is a float.
  if (PyType_IsSubtype(type, types.record)) return is(What::record, types.record);
  if (PyType_IsSubtype(type, types.generic)) {
    Given given{What::number};
    look_at_number(value, given);
    return given;
  }
  if (PyType_IsSubtype(type, types.ndarray)) return is(What::host_array, types.ndarray);
  if (PyBool_Check(value)) return {What::boolean};
  if (PyLong_Check(value)) return is(What::integer, &PyLong_Type);
  if (PyFloat_Check(value)) return is(What::real, &PyFloat_Type);
  if (PyComplex_Check(value)) return is(What::complex, &PyComplex_Type);
  if (PyTuple_Check(value)) return is(What::tuple, &PyTuple_Type);
  if (PyList_Check(value)) return is(What::list, &PyList_Type);
  if (nb::isinstance<PyAllocation>(value)) return {What::allocation};
  if (nb::isinstance<PyHostMemory>(value)) return {What::host_memory};
  if (nb::isinstance<PyTransfer>(value)) return {What::transfer};
  return {};
}

void read_integer(PyObject* value, Scalar& out) {
  int overflow = 0;
  out.integer = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow == 0) return;
  out.natural = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
  if (overflow > 0 && !PyErr_Occurred()) {
    out.is_natural = true;
    return;
  }
  PyErr_Clear();
  out.re = PyLong_AsDouble(value);
  if (PyErr_Occurred()) throw nb::python_error();  // OverflowError: not even a float
  out.is_huge = true;
}

// The pinned or managed memory that a NumPy array lies in; null: none.
PyHostMemory* memory_under(PyObject* array, nb::object& hold) {
  hold = nb::borrow(array);
  while (PyObject_TypeCheck(hold.ptr(), types.ndarray)) hold = hold.attr("base");
  if (PyMemoryView_Check(hold.ptr())) hold = hold.attr("obj");
  return nb::isinstance<PyHostMemory>(hold) ? nb::inst_ptr<PyHostMemory>(hold) : nullptr;
}

uint64_t number_of(nb::handle object) {
  uint64_t number = PyLong_AsUnsignedLongLong(object.ptr());
  if (PyErr_Occurred()) throw nb::python_error();
  return number;
}

}  // namespace

Given classified(PyObject* value) {
  struct Known {
    PyTypeObject* type;
    Given given;
  };
#ifdef Py_GIL_DISABLED
  thread_local Known known[64];
#else
  static Known known[64];
#endif
  PyTypeObject* type = Py_TYPE(value);
  Known& slot = known[reinterpret_cast<size_t>(type) / 64 % 64];
  if (slot.type == type) return slot.given;
  Given given = look_at(value);
  // A type of the user's may die and leave its address to another one: those that are remembered are kept.
  PyTypeObject* before = std::exchange(slot.type, reinterpret_cast<PyTypeObject*>(Py_NewRef(reinterpret_cast<PyObject*>(type))));
  slot.given = given;
  Py_XDECREF(reinterpret_cast<PyObject*>(before));
  return given;
}

const void* bytes_of(const Given& given, PyObject* value, nb::object& room) {
  if (given.size > 0) return reinterpret_cast<char*>(value) + given.offset;
  room = nb::handle(value).attr("tobytes")();
  return PyBytes_AS_STRING(room.ptr());
}

Scalar scalar_of(DType dtype, const void* bytes) {
  Scalar out;
  auto get = [&]<class T>(T value) {
    std::memcpy(&value, bytes, sizeof value);
    return value;
  };
  auto integer = [&](auto value) { out.kind = WeakScalar::integer, out.integer = static_cast<int64_t>(value); };
  auto complex = [&](auto parts) { out.kind = WeakScalar::complex, out.re = parts[0], out.im = parts[1]; };
  switch (dtype) {
    case DType::boolean:
      out.kind = WeakScalar::boolean, out.integer = get(uint8_t{}) != 0;
      break;
    case DType::int8:
      integer(get(int8_t{}));
      break;
    case DType::int16:
      integer(get(int16_t{}));
      break;
    case DType::int32:
      integer(get(int32_t{}));
      break;
    case DType::int64:
      integer(get(int64_t{}));
      break;
    case DType::uint8:
      integer(get(uint8_t{}));
      break;
    case DType::uint16:
      integer(get(uint16_t{}));
      break;
    case DType::uint32:
      integer(get(uint32_t{}));
      break;
    case DType::uint64:
      integer(out.natural = get(uint64_t{})), out.is_natural = out.natural >> 63 != 0;
      break;
    case DType::float16:
    case DType::bfloat16:
      out.kind = WeakScalar::real, out.re = tier0_wide(get(uint16_t{}), dtype);
      break;
    case DType::float32:
      out.kind = WeakScalar::real, out.re = get(float{});
      break;
    case DType::float64:
      out.kind = WeakScalar::real, out.re = get(double{});
      break;
    case DType::complex64:
      complex(get(std::array<float, 2>{}));
      break;
    case DType::complex128:
      complex(get(std::array<double, 2>{}));
      break;
  }
  return out;
}

void refuse_huge(const Scalar& number) {
  if (number.is_huge)
    raise(ErrorKind::overflow, "{}", number.re > 0 ? "int too big to convert" : "can't convert negative int to unsigned");
}

bool read_scalar(PyObject* value, Scalar& out) {
  Given given = classified(value);
  switch (given.what) {
    case What::real:
      out.kind = WeakScalar::real, out.re = PyFloat_AS_DOUBLE(value);
      return true;
    case What::boolean:
      out.kind = WeakScalar::boolean, out.integer = value == Py_True;
      return true;
    case What::integer:
      out.kind = WeakScalar::integer;
      read_integer(value, out);
      return true;
    case What::complex:
      out.kind = WeakScalar::complex, out.re = PyComplex_RealAsDouble(value), out.im = PyComplex_ImagAsDouble(value);
      return true;
    case What::number: {
      if (!given.has_dtype) return false;
      nb::object room;
      out = scalar_of(given.dtype, bytes_of(given, value, room));
      out.is_weak = false, out.dtype = given.dtype;
      return true;
    }
    default:
      return false;
  }
}

bool foreign_address(const Given& given, PyObject* value, uint64_t& address, Block** block) {
  nb::handle object(value);
  nb::object hold;
  if (given.what == What::host_array) {
    PyHostMemory* memory = memory_under(value, hold);
    if (!memory) return false;
    auto data = nb::cast<uintptr_t>(object.attr("__array_interface__")["data"][0]);
    address = reinterpret_cast<uint64_t>(memory->device_pointer()) + (data - reinterpret_cast<uintptr_t>(memory->pointer));
    return true;
  }
  // GPUArray and related classes, PyCUDA's PointerHolderBase, CuPy's and others' arrays.
  if (nb::hasattr(object, "gpudata")) {
    hold = object.attr("gpudata");
  } else if (nb::hasattr(object, "__cuda_array_interface__")) {
    nb::object interface = object.attr("__cuda_array_interface__");
    nb::object stream = interface.attr("get")("stream");
    if (!stream.is_none() && current_context().device.kind == DeviceKind::cuda)
      order_foreign_stream(current_context(), number_of(stream), true);
    hold = interface["data"][0];
    address = hold.is_none() ? 0 : number_of(hold);
    Context& context = current_context();
    if (address && context.device.kind == DeviceKind::cpu && !context.pool.holds(reinterpret_cast<const void*>(address)))
      raise(ErrorKind::value,
            "[launch] `{}` describes memory of a GPU (__cuda_array_interface__), and kernels run on the CPU here; copy it to the "
            "host where it was made and pass an array of that copy",
            Py_TYPE(value)->tp_name);
    return true;
  } else if (nb::hasattr(object, "get_pointer")) {
    hold = object.attr("get_pointer")();
  }
  return hold.is_valid() && hold.ptr() != value && device_address(hold.ptr(), address, block);
}

bool has_attribute(PyObject* value, const char* name) {
  if (nb::steal(PyObject_GetAttrString(value, name)).is_valid()) return true;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
  PyErr_Clear();
  return false;
}

bool offers_array(PyObject* value) {
  const Given given = classified(value);
  if (given.is_number() || given.what == What::none || given.what == What::host_array) return false;
  return has_attribute(value, "__cupy_get_ndarray__") || has_attribute(value, "__cuda_array_interface__");
}

void init_given() {
  nb::object numpy = nb::module_::import_("numpy");
  auto type = [&](const char* name) { return reinterpret_cast<PyTypeObject*>(nb::object(numpy.attr(name)).release().ptr()); };
  types.generic = type("generic"), types.record = type("void"), types.ndarray = type("ndarray");
}

// Python's sequences that an integer repeats.
static bool is_repeated(PyObject* value) {
  return PyList_Check(value) || PyTuple_Check(value) || PyUnicode_Check(value) || PyBytes_Check(value) ||
         PyByteArray_Check(value);
}

PyObject* repeated_sequence(PyObject* left, PyObject* right) {
  const bool is_left = is_repeated(left);
  PyObject* number = is_left ? right : left;
  const Array* array = as_array(number);
  if (!array || !array->is_value() || !door_of(number).has_numbers || !(is_left || is_repeated(right))) return nullptr;
  PyObject* sequence = is_left ? left : right;
  if (!is_integer(array->dtype()))
    raise(ErrorKind::type, "can't multiply sequence by non-int of type '{}'", row(array->dtype()).name);
  const Py_ssize_t times = PyNumber_AsSsize_t(number, PyExc_OverflowError);
  if (times == -1 && PyErr_Occurred()) throw nb::python_error();
  return PySequence_Repeat(sequence, times);
}

void refuse_texts(Op op, PyObject* left, PyObject* right) {
  auto is_text = [](PyObject* one) { return PyUnicode_Check(one) || PyBytes_Check(one) || PyByteArray_Check(one); };
  if ((op != Op::add && op != Op::multiply) || (!is_text(left) && !is_text(right))) return;
  raise(ErrorKind::type, "unsupported operand type(s) for {}: '{}' and '{}'", op == Op::add ? '+' : '*', Py_TYPE(left)->tp_name,
        Py_TYPE(right)->tp_name);
}

}  // namespace quern::python
