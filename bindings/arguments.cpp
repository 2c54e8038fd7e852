// One Python value -> one argument of a kernel that a user wrote in CUDA C++, or an address. What the value is, given.h says.
#include "bindings/arrays.h"
#include "bindings/given.h"
#include "core/error.h"
#include "core/site.h"
#include "device/check/checker.h"
#include "graph/tape.h"
#include "run/transfer.h"

#include <algorithm>
#include <cstring>

namespace quern::python {

namespace {

using What = Given::What;
using ParamNumber = ParamType::Number;

ParamNumber kind_of(const Given& given) {
  if (!given.has_dtype) return ParamNumber::none;
  switch (row(given.dtype).kind) {
    case DTypeKind::boolean:
      return ParamNumber::boolean;
    case DTypeKind::integer:
      return ParamNumber::integer;
    case DTypeKind::natural:
      return ParamNumber::unsigned_integer;
    case DTypeKind::complex:
      return ParamNumber::none;
    default:
      return ParamNumber::floating;
  }
}

// Of what a buffer holds.
ParamNumber kind_of(const char* format) {
  if (format && std::strchr("@=<", *format)) ++format;
  if (!format || !*format || format[1] != '\0') return ParamNumber::none;
  if (*format == '?') return ParamNumber::boolean;
  if (std::strchr("bhilqn", *format)) return ParamNumber::integer;
  if (std::strchr("BHILQN", *format)) return ParamNumber::unsigned_integer;
  return std::strchr("efd", *format) ? ParamNumber::floating : ParamNumber::none;
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

// The bytes of a structure of ctypes, a record or a whole NumPy array, where the kernel takes so many by value. An array of as
// many bytes as a pointer has is no pointer.
bool add_bytes(Arguments& args, const Given& given, PyObject* value) {
  nb::object copy;
  Py_buffer view;
  if (PyObject_GetBuffer(value, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    if (given.what != What::record) return false;
    copy = nb::handle(value).attr("tobytes")();  // its fields overlap, say
    if (PyObject_GetBuffer(copy.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  struct Release {
    Py_buffer* view;
    ~Release() { PyBuffer_Release(view); }
  } release{&view};
  auto size = static_cast<size_t>(view.len);
  if (given.what == What::host_array ? !args.takes_value(size) : given.what == What::other && view.ndim != 0) return false;
  args.typed(view.buf, size, given.what == What::record ? ParamNumber::none : kind_of(view.format), Py_TYPE(value)->tp_name);
  return true;
}

// Memory of the CPU device is none for kernels of GPUs, nor the other way round.
void check_device(const Context& context, bool is_cpu, const Arguments& args) {
  if (is_cpu != (context.device.kind == DeviceKind::cpu))
    raise(ErrorKind::value, "[launch] argument {} is on another device; the kernel runs on {}", args.count() + 1, context.name());
}

// Kernels read an array's bytes as their parameter's type, whatever it holds; a program that means it casts in the kernel.
void note_type(const Kernel& kernel, size_t argument, DType dtype) {
  std::string wanted = kernel.unlike(argument, dtype);
  if (wanted.empty()) return;
  const std::string& name = kernel.info().name;
  if (check::on()) {
    check::Finding found;
    found.kind = check::Kind::argument_type;
    found.kernel = name;
    found.first = static_cast<int64_t>(argument) + 1;
    found.object = std::move(wanted);
    found.work = row(dtype).name;
    found.launch = current_site();
    check::tell(std::move(found));
    return;
  }
  std::string_view of = std::string_view(wanted).substr(wanted.starts_with("const ") ? 6 : 0);
  of.remove_suffix(1);
  auto found = std::ranges::find_if(dtype_rows, [&](const DTypeRow& one) { return one.cuda == of; });
  std::string advice = found == dtype_rows.end() ? "the kernel's type" : formatted("{0}, such as x.astype('{0}')", found->name);
  std::string text = formatted("[launch] argument {} of '{}' is an array of {}, the kernel reads it as {}; pass an array of {}",
                               argument + 1, name, row(dtype).name, wanted, advice);
  nb::module_::import_("quern.user_files").attr("warn_user")(text);
}

}  // namespace

std::optional<DType> host_dtype(nb::handle array) {
  if (classified(array.ptr()).what != Given::What::host_array) return std::nullopt;
  const nb::object dtype = array.attr("dtype");
  const auto kind = nb::cast<std::string>(dtype.attr("kind"));
  const auto size = nb::cast<size_t>(dtype.attr("itemsize"));
  for (size_t i = 0; i < std::size(dtype_rows); ++i)
    if (kind[0] == static_cast<char>(dtype_rows[i].kind) && size == dtype_rows[i].size) return static_cast<DType>(i);
  return std::nullopt;
}

bool device_address(PyObject* value, uint64_t& address, Block** block) {
  *block = nullptr;
  Given given = classified(value);
  switch (given.what) {
    case What::allocation: {
      auto* memory = nb::inst_ptr<PyAllocation>(value);
      memory->require_alive("this device memory was freed");
      address = reinterpret_cast<uint64_t>(memory->buffer.pointer());
      *block = memory->buffer.block();
      return true;
    }
    case What::host_memory:
      address = reinterpret_cast<uint64_t>(nb::inst_ptr<PyHostMemory>(value)->device_pointer());
      return true;
    case What::array:
      address = address_for_kernel(*as_array(value), block);
      return true;
    case What::other:
    case What::host_array:
      if (foreign_address(given, value, address, block)) return true;
      if (given.what == What::host_array) return false;
      break;
    case What::integer:
    case What::number:
      break;
    default:
      return false;
  }
  if (!PyIndex_Check(value)) return false;
  nb::object number = nb::steal(PyNumber_Index(value));
  if (number.is_valid()) address = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred()) throw nb::python_error();
  return true;
}

// A number of NumPy's.
static bool add_number(Arguments& args, const Given& given, PyObject* value) {
  nb::object room;
  size_t size = given.size > 0 ? given.size : given.has_dtype ? size_of(given.dtype) : 0;
  if (size == 0) return false;
  if (given.has_dtype && row(given.dtype).kind == DTypeKind::complex && (args.takes_value(8) || args.takes_value(16))) {
    Scalar number = scalar_of(given.dtype, bytes_of(given, value, room));
    args.complex(number.re, number.im);  // of the parameter's width
    return true;
  }
  const void* bytes = bytes_of(given, value, room);
  bool is_half = size == 2 && kind_of(given) == ParamNumber::floating;
  if (is_half && (args.takes_value(4) || args.takes_value(8))) {  // two bytes alone do not say which half it is
    auto wide = static_cast<float>(scalar_of(given.dtype, bytes).re);
    args.typed(&wide, 4, ParamNumber::floating, Py_TYPE(value)->tp_name);
    return true;
  }
  args.typed(bytes, size, kind_of(given), Py_TYPE(value)->tp_name);
  return true;
}

bool add_argument(Arguments& args, PyObject* value) {
  Given given = classified(value);
  uint64_t address;
  Block* block;
  switch (given.what) {
    case What::number:
      return add_number(args, given, value);
    case What::integer:
      add_integer(args, value);
      return true;
    case What::boolean:
      args.integer(value == Py_True, true);
      return true;
    case What::real:
      args.real(PyFloat_AS_DOUBLE(value));
      return true;
    case What::complex:
      args.complex(PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value));
      return true;
    case What::array:
      check_device(args.context(), as_array(value)->device().is_cpu(), args);
      check_no_gradient("launch", *as_array(value));
      break;
    case What::allocation:
      check_device(args.context(), nb::inst_ptr<PyAllocation>(value)->context->device.kind == DeviceKind::cpu, args);
      break;
    case What::host_memory:
      break;
    case What::record:
      return add_bytes(args, given, value);
    case What::host_array:
    case What::other:
      block = nullptr;
      if (foreign_address(given, value, address, &block)) {
        args.pointer(address, block);
        return true;
      }
      if (PyObject_CheckBuffer(value) && !PyBytes_Check(value)) return add_bytes(args, given, value);
      if (given.what == What::host_array || !PyIndex_Check(value)) return false;
      {
        nb::object number = nb::steal(PyNumber_Index(value));
        if (!number.is_valid()) throw nb::python_error();
        add_integer(args, number.ptr());
      }
      return true;
    default:
      return false;
  }
  if (!device_address(value, address, &block)) return false;
  args.pointer(address, block);
  std::optional<DType> holds = given.what == What::array        ? as_array(value)->dtype()
                               : given.what == What::allocation ? nb::inst_ptr<PyAllocation>(value)->holds
                                                                : std::nullopt;
  if (holds) note_type(args.kernel(), args.count() - 1, *holds);
  return true;
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
    raise(rule.kind, "[launch] {} must contain integers of at least 1, not {}", what, n);
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
  if (n > 3 || n < rule.least) raise(ErrorKind::value, "[launch] {} must have one, two or three elements, not {}", what, n);
  for (Py_ssize_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = read_dim(PySequence_Fast_GET_ITEM(value, i), what, rule);
  return out;
}

HostView::HostView(nb::handle object, bool writable, const char* what) {
  if (nb::cast<bool>(nb::getattr(nb::getattr(object, "dtype", nb::none()), "hasobject", nb::bool_(false))))
    raise(ErrorKind::type, "[{}] arrays of Python objects cannot be in device memory; pass an array of a numeric dtype", what);
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
