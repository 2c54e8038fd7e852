// Arrays for Python: the operators as type slots, views by indexing, and the way in and out. The functions with NumPy's names
// are in python/quern/arrays/ and stand on these. Indexing is in array_index.cpp, memory shared
// with others in exchange.cpp.
#include <algorithm>
#include <cstring>

#include "bindings/arrays.h"
#include "bindings/call_errors.h"
#include "bindings/door.h"
#include "bindings/given.h"
#include "bindings/host_values.h"
#include "bindings/keras_operators.h"
#include "bindings/records.h"
#include "compile/precompiled.h"
#include "core/error.h"
#include "core/expected_errors.h"
#include "core/overlap.h"
#include "device/stream_order.h"
#include "graph/fast_math.h"
#include "graph/keras_types.h"
#include "graph/memory_order.h"
#include "graph/records.h"
#include "graph/tape.h"
#include "graph/tier0.h"
#include "run/calls/matmul.h"
#include "run/eval.h"
#include "run/explain.h"
#include "run/tier0.h"
#include "run/tiers.h"
#include "run/transfer.h"

namespace quern::python {

PyTypeObject* bare_type = nullptr;
PyTypeObject* array_type = nullptr;
// Python's answer to an operator of an array and an object of a class that is not known here: (ufunc, left, right, result or
// None).
static PyObject* with_foreign = nullptr;

Array* as_array(PyObject* object) {
  return Py_TYPE(object) == array_type || classified(object).what == Given::What::array ? nb::inst_ptr<Array>(object) : nullptr;
}

PyObject* wrap(Array&& array, PyTypeObject* type) { return handed_out(wrap_as(std::move(array), result_type(type))); }

PyObject* wrap_as(Array&& array, PyTypeObject* type) {
  nb::object made = nb::inst_alloc(reinterpret_cast<PyObject*>(type));
  if (type != array_type && is_tensor_type(type)) {
    array.set_value(false);  // tensors without dimensions can be written
    array.settle_owner();
    // What nobody else has is new; other views are what the tensor is that they are views of.
    if (InferenceMode::is_on()) {
      GraphLock lock;
      if (array.cell()->references == 1) mark_inference(array);
    }
  }
  settle_view(array);
  const Array& kept = *new (nb::inst_ptr<Array>(made)) Array(std::move(array));
  if (PyType_IsSubtype(type, array_type)) {
    NumPyArray::hold(kept);
  } else if (is_tensor_type(type) && kept && !kept.is_view()) {
    const Array* holder = kept.cell()->holder;
    nb::object known = holder ? nb::find(*holder) : nb::object();
    if (!known || !is_tensor_type(Py_TYPE(known.ptr()))) kept.cell()->holder = &kept;
  }
  nb::inst_mark_ready(made);
  return made.release().ptr();
}

PyObject* wrap_beside(Array&& array, PyObject* beside) {
  PyTypeObject* type = as_array(beside) ? Py_TYPE(beside) : array_type;
  nb::object made = nb::steal(handed_out(wrap_as(std::move(array), result_type(type)), beside));
  if (is_told(type)) tell(made.ptr(), beside);
  return made.release().ptr();
}

nb::object like(nb::handle operand, Array&& array) { return nb::steal(wrap_beside(std::move(array), operand.ptr())); }
nb::object view_of(nb::handle operand, Array&& view) {
  const Array& array = *as_array(operand.ptr());
  bool is_number = array.is_value() && door_of(operand.ptr()).has_numbers && view.cell() == array.cell();
  return like(operand, is_number ? view.apart() : std::move(view));
}
PyObject* leading(PyObject* const* values, size_t count) {
  PyObject *first = nullptr, *told = nullptr;
  double most = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!as_array(values[i])) continue;
    if (!first) first = values[i];
    if (!is_told(Py_TYPE(values[i]))) continue;
    double priority = nb::cast<double>(nb::handle(values[i]).attr("__array_priority__"));
    if (told && priority <= most) continue;
    told = values[i];
    most = priority;
  }
  return told ? told : first ? first : values[0];
}

static PyObject* leading(PyObject* left, PyObject* right) {
  PyObject* both[] = {left, right};
  return leading(both, 2);
}

DType dtype_of(const std::string& name) {
  auto found = dtype_named(name);
  if (!found)
    raise(ErrorKind::type,
          "[dtype] data type '{}' is not supported; it can be one of bool, (u)int8-64, float16/32/64, bfloat16, complex64/128",
          name);
  return *found;
}

Order order_of(nb::handle given, Order otherwise) {
  if (given.is_none()) return otherwise;
  if (!PyUnicode_Check(given.ptr()) && !PyBytes_Check(given.ptr()))
    raise(ErrorKind::type, "order must be str, not {}", Py_TYPE(given.ptr())->tp_name);
  const char* text = PyBytes_Check(given.ptr()) ? PyBytes_AS_STRING(given.ptr()) : PyUnicode_AsUTF8(given.ptr());
  if (!text) throw nb::python_error();
  const std::string_view name = text;
  switch (name.size() == 1 ? name[0] | 0x20 : 0) {
    case 'c':
      return Order::c;
    case 'f':
      return Order::fortran;
    case 'a':
      return Order::any;
    case 'k':
      return Order::keep;
  }
  raise(ErrorKind::value, "order must be one of 'C', 'F', 'A', or 'K' (got '{}')", name);
}

DeviceId device_number(PyDevice device) { return device.context->id(); }

void refuse_host_array(PyObject* value, PyObject* beside) {
  if (!beside || !door_of(beside).refuses_host_arrays) return;
  raise(ErrorKind::type, "Unsupported type {}; make an array of it with cupy.asarray()",
        nb::cast<std::string>(nb::str(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(value))))));
}

bool GivenOperand::read(PyObject* value, bool strict, PyObject* beside) {
  array_ = as_array(value);
  if (array_ || read_scalar(value, scalar_)) return true;
  Given given = classified(value);
  bool is_known = given.what == Given::What::host_array ? !given.is_derived
                                                        : given.what == Given::What::list || given.what == Given::What::tuple;
  if (!strict && !is_known) return false;
  make_array(value, beside);
  return array_ != nullptr;
}

nb::object array_of(PyObject* value) { return object_of(made_as_numpy(value, {})); }

template <typename Make>
static nb::object made_on(DeviceId device, const Make& make) {
  Context& before = current_context();
  if (before.id() == device) return make();
  struct Back {
    Context& context;
    ~Back() { set_current_context(&context); }
  } back{before};
  set_current_context(&context_on(device));
  return make();
}

nb::object array_of(PyObject* value, DeviceId device) {
  return made_on(device, [&] { return array_of(value); });
}

nb::object array_of(PyObject* value, DeviceId device, DType dtype) {
  const nb::str name(row(dtype).name.data(), row(dtype).name.size());
  return made_on(device,
                 [&] { return object_of(made_as_numpy(value, {.dtype = settled_type(dtype), .dtype_object = name.ptr()})); });
}

void GivenOperand::make_array(PyObject* value, PyObject* beside) {
  const Array* other = beside ? as_array(beside) : nullptr;
  made_ = other ? array_of(value, other->device()) : array_of(value);
  array_ = as_array(made_.ptr());
}

void wrap_to(Scalar& number, DType type) {
  if (number.kind != WeakScalar::integer || number.is_huge || !is_integer(type)) return;
  bool is_natural = row(type).kind == DTypeKind::natural;
  int unused = 64 - 8 * static_cast<int>(size_of(type));
  uint64_t bits = (number.is_natural ? number.natural : static_cast<uint64_t>(number.integer)) << unused;
  number.natural = bits >> unused;
  number.integer = is_natural ? static_cast<int64_t>(number.natural) : static_cast<int64_t>(bits) >> unused;
  number.is_natural = is_natural && number.natural >> 63;
}

namespace {

struct KerasArray : NumPyArray {};  // Keras's tensors

PyObject* not_implemented() {
  Py_INCREF(Py_NotImplemented);
  return Py_NotImplemented;
}

PyObject* foreign(std::string_view ufunc, PyObject* left, PyObject* right, PyObject* result = Py_None) {
  if (!with_foreign) return not_implemented();
  nb::str name(ufunc.data(), ufunc.size());
  return PyObject_CallFunctionObjArgs(with_foreign, name.ptr(), left, right, result, nullptr);
}

// The operands of an operator, each an array or a number. False: one of them is something else.
bool read_both(GivenOperand& a, PyObject* left, GivenOperand& b, PyObject* right) {
  if (!a.read(left, false, right) || !b.read(right, false, left)) return false;
  if (a.is_made()) refuse_host_array(left, right);
  if (b.is_made()) refuse_host_array(right, left);
  return true;
}

PyObject* binary(Op op, PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    if (op == Op::multiply)
      if (PyObject* made = repeated_sequence(left, right); made || PyErr_Occurred()) return made;
    GivenOperand a, b;
    if (!read_both(a, left, b, right)) return refuse_texts(op, left, right), foreign(name_of(op), left, right);
    if (PyObject* tensor = typed_by(left, right)) return operator_of_keras(op, a, left, b, right, tensor);
    Argument arguments[] = {a.argument(), b.argument()};
    return wrap_beside(elementwise(op, arguments), leading(left, right));
  });
}

PyObject* in_place(Op op, PyObject* left, PyObject* right) {
  if (door_of(left).rebinds) return not_implemented();  // Python turns to the operator itself, and binds its result
  return guarded([&]() -> PyObject* {
    GivenOperand b;
    Array* a = as_array(left);
    if (!a || !b.read(right, false, left)) return foreign(name_of(op), left, right, left);
    if (b.is_made()) refuse_host_array(right, left);
    Argument arguments[] = {Argument(*a), b.argument()};
    TruncatedPowers truncated(op == Op::power && (door_of(left).truncates_powers || door_of(right).truncates_powers));
    if (a->is_value() && door_of(left).has_numbers) return wrap_beside(elementwise(op, arguments), leading(left, right));
    elementwise(op, arguments, a);
    Py_INCREF(left);
    return left;
  });
}

PyObject* unary(Op op, PyObject* value) {
  return guarded([&] {
    Argument argument(*as_array(value));
    // +x of bools is a copy on JAX, an error in NumPy.
    const WithSlopes slopes(typed_by(value, value) ? slopes_of_keras() : WithSlopes::now());
    bool is_copied = op == Op::positive && argument.type().dtype == DType::boolean && typed_by(value, value);
    return wrap_beside(is_copied ? astype(*argument.array(), DType::boolean) : elementwise(op, {&argument, 1}), value);
  });
}

PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) return not_implemented();
  return guarded([&]() -> PyObject* {
    GivenOperand a, b;
    if (!read_both(a, left, b, right)) return foreign(name_of(Op::power), left, right);
    if (PyObject* tensor = typed_by(left, right)) return operator_of_keras(Op::power, a, left, b, right, tensor);
    const bool is_truncated = door_of(left).truncates_powers || door_of(right).truncates_powers;
    TruncatedPowers truncated(is_truncated);
    Argument both[] = {a.argument(), b.argument()};
    // NumPy's operator squares bools as int8; CuPy's is the ufunc.
    const bool is_ufunc = is_truncated && both[0].type().dtype == DType::boolean;
    return wrap_beside(is_ufunc ? elementwise(Op::power, both) : raised(both[0], both[1]), leading(left, right));
  });
}

template <Op op>
PyObject* binary_slot(PyObject* left, PyObject* right) {
  return binary(op, left, right);
}
template <Op op>
PyObject* in_place_slot(PyObject* left, PyObject* right) {
  return in_place(op, left, right);
}
template <Op op>
PyObject* unary_slot(PyObject* value) {
  return unary(op, value);
}

PyObject* in_place_power(PyObject* left, PyObject* right, PyObject*) { return in_place(Op::power, left, right); }

PyObject* matrix_product(PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    GivenOperand a, b;
    if (!read_both(a, left, b, right)) return foreign("matmul", left, right);
    if (a.is_scalar() || b.is_scalar())
      raise(ErrorKind::value,
            "matmul: Input operand {} does not have enough dimensions (a number was given, not a vector or matrix)",
            a.is_scalar() ? 0 : 1);
    const Array* factors[] = {a.argument().array(), b.argument().array()};
    std::optional<Array> converted[2];
    PyObject* tensor = typed_by(left, right);
    if (tensor)
      if (PyObject* made = answer_of_strict_product(*factors[0], left, *factors[1], right)) return made;
    if (PyErr_Occurred()) return nullptr;
    if (tensor && factors[0]->dtype() != factors[1]->dtype()) {
      OperandType types[] = {type_as_keras(a), type_as_keras(b)};
      DType type = common_type_as_keras(types);
      for (int i : {0, 1})
        if (factors[i]->dtype() != type) factors[i] = &converted[i].emplace(astype(*factors[i], type));
    }
    Array product = matmul(*factors[0], *factors[1]);
    product.settle_owner();
    return wrap_beside(std::move(product), tensor ? tensor : leading(left, right));
  });
}

bool is_of_records(PyObject* value) {
  const Array* array = as_array(value);
  return array && has_records(array->dtype());
}

PyObject* compare_records(Op op, PyObject* left, PyObject* right) {
  return guarded([&]() -> PyObject* {
    auto operand = [](PyObject* value, PyObject* beside) {
      if (as_array(value)) return nb::borrow(value);
      Given given = classified(value);
      bool is_known = given.what == Given::What::record || given.what == Given::What::host_array;
      return is_known ? array_of(value, as_array(beside)->device()) : nb::object();
    };
    nb::object a = operand(left, right), b = operand(right, left);
    if (!a.is_valid() || !b.is_valid())
      raise(ErrorKind::type, "[{}] Cannot compare structured or void to non-void arrays; compare a field, such as a['x']",
            name_of(op));
    if (op != Op::equal && op != Op::not_equal)
      refuse_records(name_of(op), as_array((is_of_records(left) ? a : b).ptr())->dtype());
    Array out = records_equal(*as_array(a.ptr()), *as_array(b.ptr()));
    const Argument only(out);
    if (op == Op::not_equal) out = elementwise(Op::logical_not, {&only, 1});
    out.set_value(out.rank() == 0);
    return wrap_beside(std::move(out), leading(left, right));
  });
}

PyObject* compare(PyObject* left, PyObject* right, int how) {
  constexpr Op ops[] = {Op::less, Op::less_equal, Op::equal, Op::not_equal, Op::greater, Op::greater_equal};
  if (is_of_records(left) || is_of_records(right)) return compare_records(ops[how], left, right);
  // One element of NumPy's is compared also where arrays of the host's are refused.
  if (door_of(left).refuses_host_arrays && classified(right).what == Given::What::host_array &&
      nb::cast<int>(nb::handle(right).attr("ndim")) == 0)
    return guarded([&] { return binary(ops[how], left, nb::handle(right).attr("item")().ptr()); });
  return binary(ops[how], left, right);
}

// ---- reading values

}  // namespace

nb::object item_of(const Array& array) {
  if (array.size() != 1) raise(ErrorKind::value, "can only convert an array of size 1 to a Python scalar");
  alignas(16) char bytes[16] = {};
  Array wide = settled(array);
  if (array.dtype() == DType::float16 || array.dtype() == DType::bfloat16) wide = astype(array, DType::float32);
  read_into(wide, bytes, size_of(wide.dtype()));
  auto as = [&](auto zero) {
    std::memcpy(&zero, bytes, sizeof zero);
    return zero;
  };
  size_t size = size_of(wide.dtype());
  size_t unused = 64 - 8 * std::min<size_t>(size, 8);
  uint64_t bits = as(uint64_t{}) << unused;
  switch (row(wide.dtype()).kind) {
    case DTypeKind::boolean:
      return nb::bool_(bits != 0);
    case DTypeKind::integer:
      return nb::int_(static_cast<int64_t>(bits) >> unused);
    case DTypeKind::natural:
      return nb::int_(bits >> unused);
    case DTypeKind::real:
      return nb::float_(size == sizeof(float) ? as(float{}) : as(double{}));
    default: {
      auto single = as(std::array<float, 2>{});
      auto z = size == sizeof single ? std::array<double, 2>{single[0], single[1]} : as(std::array<double, 2>{});
      return nb::steal(PyComplex_FromDoubles(z[0], z[1]));
    }
  }
}

namespace {

// For int(), float() and related conversions, which raise TypeError where item() raises ValueError.
nb::object number_of(PyObject* value) {
  const Array& array = *as_array(value);
  if (array.size() != 1) raise(ErrorKind::type, "only 0-dimensional arrays can be converted to Python scalars");
  return item_of(array);
}
PyObject* to_float(PyObject* value) {
  return guarded([&] { return PyNumber_Float(number_of(value).ptr()); });
}
PyObject* to_integer(PyObject* value) {
  return guarded([&] { return PyNumber_Long(number_of(value).ptr()); });
}
PyObject* to_index(PyObject* value) {
  return guarded([&]() -> PyObject* {
    Array& array = *as_array(value);
    if (array.rank() != 0 || !is_integer(settled_type(array.dtype())))
      raise(ErrorKind::type, "only integer scalar arrays can be converted to a scalar index");
    return PyNumber_Long(item_of(array).ptr());
  });
}
int to_bool(PyObject* value) {
  try {
    Array& array = *as_array(value);
    if (array.size() == 0 && door_of(value).refuses_host_arrays) {  // CuPy's rule
      const char* text =
          "The truth value of an empty array is ambiguous. Returning False, but in future this will result in an error. Use "
          "`array.size > 0` to check that an array is not empty.";
      return PyErr_WarnEx(PyExc_DeprecationWarning, text, 1);
    }
    if (array.size() != 1)
      raise(ErrorKind::value, "The truth value of {} is ambiguous. {}",
            array.size() == 0 ? "an empty array" : "an array with more than one element",
            array.size() == 0 ? "Use `array.size > 0` to check that an array is not empty." : "Use a.any() or a.all()");
    return PyObject_IsTrue(item_of(array).ptr());
  } catch (...) {
    set_python_error();
    return -1;
  }
}

Py_ssize_t length(PyObject* self) {
  Array& array = *as_array(self);
  if (array.rank() > 0) return static_cast<Py_ssize_t>(array.shape()[0]);
  PyErr_SetString(PyExc_TypeError, "len() of unsized object");
  return -1;
}

// ---- making arrays and asking about them

// An array argument that keeps its Python type.
struct Self : nb::handle_t<Array> {
  using nb::handle_t<Array>::handle_t;
  Self(nb::handle_t<Array> handle) : nb::handle_t<Array>(handle) {}
  Array* operator->() const { return nb::inst_ptr<Array>(*this); }
  Array& operator*() const { return *nb::inst_ptr<Array>(*this); }
};

std::vector<Argument> arguments_of(const std::vector<GivenOperand>& operands) {
  std::vector<Argument> out;
  for (const GivenOperand& o : operands) out.push_back(o.argument());
  return out;
}

nb::tuple tuple_of(const std::vector<int64_t>& values) {
  nb::object out = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(values[i]));
  return nb::borrow<nb::tuple>(out);
}

// In place: the same elements over the same memory.
void set_shape(Array& array, nb::handle given) {
  Shape shape;
  auto add = [&](nb::handle size) {
    Py_ssize_t value = PyNumber_AsSsize_t(size.ptr(), PyExc_ValueError);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    shape.push_back(value);
  };
  if (PyIndex_Check(given.ptr()))
    add(given);
  else
    for (nb::handle size : given) add(size);
  if (!array.set_shape(shape))
    throw nb::attribute_error(
        "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.");
}

#define IN_PLACE_TOO(name, op)                                           \
  {Py_nb_##name, reinterpret_cast<void*>(binary_slot<Op::op>)}, {        \
    Py_nb_inplace_##name, reinterpret_cast<void*>(in_place_slot<Op::op>) \
  }
PyType_Slot slots[] = {
    IN_PLACE_TOO(add, add),
    IN_PLACE_TOO(subtract, subtract),
    IN_PLACE_TOO(multiply, multiply),
    IN_PLACE_TOO(true_divide, true_divide),
    IN_PLACE_TOO(floor_divide, floor_divide),
    IN_PLACE_TOO(remainder, remainder),
    IN_PLACE_TOO(and, bitwise_and),
    IN_PLACE_TOO(or, bitwise_or),
    IN_PLACE_TOO(xor, bitwise_xor),
    IN_PLACE_TOO(lshift, left_shift),
    IN_PLACE_TOO(rshift, right_shift),
    {Py_nb_power, reinterpret_cast<void*>(power)},
    {Py_nb_inplace_power, reinterpret_cast<void*>(in_place_power)},
    {Py_nb_matrix_multiply, reinterpret_cast<void*>(matrix_product)},
    {Py_nb_negative, reinterpret_cast<void*>(unary_slot<Op::negative>)},
    {Py_nb_positive, reinterpret_cast<void*>(unary_slot<Op::positive>)},
    {Py_nb_absolute, reinterpret_cast<void*>(unary_slot<Op::absolute>)},
    {Py_nb_invert, reinterpret_cast<void*>(unary_slot<Op::invert>)},
    {Py_nb_float, reinterpret_cast<void*>(to_float)},
    {Py_nb_int, reinterpret_cast<void*>(to_integer)},
    {Py_nb_index, reinterpret_cast<void*>(to_index)},
    {Py_nb_bool, reinterpret_cast<void*>(to_bool)},
    {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
    {Py_mp_subscript, reinterpret_cast<void*>(get_array_item)},
    {Py_mp_ass_subscript, reinterpret_cast<void*>(set_array_item)},
    {Py_mp_length, reinterpret_cast<void*>(length)},
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
    {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
    {0, nullptr},
};

}  // namespace

Op op_named(const std::string& name) {
  for (uint16_t i = 0; i < row_count; ++i)
    if (row(static_cast<Op>(i)).name == name) return static_cast<Op>(i);
  bug("there is no op '{}'", name);
}

PyObject* call_op(Op op, PyObject* const* values, size_t count, PyObject* into) {
  return guarded([&]() -> PyObject* {
    Array* target = into ? as_array(into) : nullptr;
    if (into && !target) return nullptr;
    if (Array* only = count == 1 ? as_array(values[0]) : nullptr) {
      Argument argument(*only);
      Array result = elementwise(op, {&argument, 1}, target);
      return target ? Py_NewRef(into) : wrap_beside(std::move(result), values[0]);
    }
    std::array<GivenOperand, 3> operands;
    PyObject* const* first = std::find_if(values, values + count, as_array);
    if (first == values + count) return nullptr;
    for (size_t i = 0; i < count; ++i) {
      if (!operands[i].read(values[i], false, *first)) return nullptr;
    }
    std::array<Argument, 3> arguments = {operands[0].argument(), operands[1].argument(), operands[2].argument()};
    auto truncates = [](PyObject* value) { return door_of(value).truncates_powers; };
    TruncatedPowers truncated(op == Op::power && std::any_of(values, values + count, truncates));
    Array result = elementwise(op, {arguments.data(), count}, target);
    return target ? Py_NewRef(into) : wrap_beside(std::move(result), leading(values, count));
  });
}

constexpr const char* array_doc = R"(Multidimensional array of one dtype, on the CPU or a GPU, with NumPy's methods and operators.

Functions such as :func:`quern.array`, :func:`quern.zeros` and :func:`quern.asarray` create arrays. Operations are lazy: they are
recorded, fused into few kernels, and run when a value is needed.

Examples
--------
>>> import quern
>>> x = quern.array([1.0, 2.0])
>>> x + 1
array([2., 3.])
)";

// The dtypes in which an operation computes operands of these dtypes, and of its result.
static std::pair<std::string, std::string> types_of_op(const std::string& name, const std::vector<std::string>& types) {
  std::vector<OperandType> operands;
  for (const std::string& t : types) operands.push_back({dtype_of(t)});
  Loop loop = resolve(op_named(name), operands);
  return {std::string(row(loop.compute).name), std::string(row(loop.result).name)};
}

void init_arrays(nb::module_& m) {
  install_executor();
  auto type = nb::class_<Array>(m, "BareArray", nb::is_weak_referenceable());
  bare_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  auto numpy_type =
      nb::class_<NumPyArray, Array>(m, "Array", nb::type_slots(slots), nb::is_weak_referenceable(), nb::pooled(256), array_doc);
  array_type = reinterpret_cast<PyTypeObject*>(numpy_type.ptr());
  // A class of Python's own would do but for what its objects cost: they are not pooled.
  nb::class_<KerasArray, NumPyArray>(m, "Tensor", nb::is_weak_referenceable(), nb::pooled(256));
  numpy_type
      .def_prop_rw(
          "shape", [](const Array& a) { return tuple_of(a.shape()); },
          [](NumPyArray& a, nb::handle shape) { set_shape(a, shape); })
      .def_prop_ro("ndim", [](const Array& a) { return a.rank(); })
      .def_prop_ro("size", [](const Array& a) { return a.size(); })
      .def_prop_ro("itemsize", [](const Array& a) { return size_of(a.dtype()); })
      .def_prop_ro("nbytes", [](const Array& a) { return a.size() * static_cast<int64_t>(size_of(a.dtype())); })
      .def_prop_ro("strides", [](const Array& a) { return tuple_of(strides_in_bytes(a)); })
      .def("item", [](const Array& a) { return item_of(a); });
  type.def_prop_ro("_shape", [](const Array& a) { return tuple_of(a.shape()); })
      .def_prop_ro("_strides", [](const Array& a) { return tuple_of(strides_in_bytes(a)); })
      .def_prop_ro("_size", [](const Array& a) { return a.size(); })
      .def_prop_ro("_rank", [](const Array& a) { return a.rank(); })
      .def("_item", [](const Array& a) { return item_of(a); })
      .def_prop_ro("_dtype_name", [](const Array& a) { return std::string(row(a.dtype()).name); })
      .def_prop_ro("_device_number", [](const Array& a) { return a.device().number(); })
      .def_prop_ro("_offset", &offset_in_bytes)
      .def_prop_ro("_contiguous",
                   [](const Array& a) {
                     const ElementLayout layout(a);
                     return std::make_pair(layout->is_contiguous(), layout->is_fortran());
                   })
      // Of a structured or void type.
      .def_prop_ro("_has_records", [](const Array& a) { return has_records(a.dtype()); })
      .def("_transposed",
           [](nb::handle_t<Array> given, std::vector<int> axes) {
             Self self(given);
             return like(self, self->view(self->layout().transposed(axes)));
           })
      .def("_broadcast_to",
           [](nb::handle_t<Array> given, const Shape& shape) {
             Self self(given);
             Array out = self->view(self->layout().broadcast_to(shape));
             out.set_read_only(self->is_read_only() || door_of(self.ptr()).broadcasts_read_only);
             return like(self, std::move(out));
           })
      .def("_view",
           [](nb::handle_t<Array> given, const Shape& shape, std::vector<int64_t> strides) {
             Self self(given);
             return view_of(self, view_of_bytes(*self, shape, strides, offset_in_bytes(*self), self->dtype()));
           })
      .def(
          "_reshaped",
          [](nb::handle_t<Array> given, const Shape& shape, nb::handle order) {
            Self self(given);
            return view_of(self, reshaped(*self, shape, order_of(order, Order::c)));
          },
          nb::arg("shape"), nb::arg("order").none() = nb::none())
      .def(
          "_raveled",
          [](nb::handle_t<Array> given, nb::handle order) {
            Self self(given);
            return view_of(self, raveled(*self, order_of(order, Order::c)));
          },
          nb::arg("order").none() = nb::none())
      .def(
          "_astype",
          [](nb::handle_t<Array> given, const std::string& dtype, nb::handle order) {
            Self self(given);
            const TorchOrder torch_order(is_tensor_type(Py_TYPE(given.ptr())));
            return like(self, astype(*self, dtype_of(dtype), order_of(order, Order::keep)));
          },
          nb::arg("dtype"), nb::arg("order").none() = nb::none())
      // The array itself where it lies so.
      .def_prop_ro("_is_channels_last", [](const Array& a) { return is_channels_last(a.layout()); })
      .def_prop_ro("_suggests_channels_last", [](const Array& a) { return suggests_channels_last(a.layout()); })
      .def(
          "_in_order",
          [](nb::handle_t<Array> given, nb::handle order) {
            Self self(given);
            Order wanted = order_of(order, Order::keep);
            return is_in_order(*self, wanted) ? nb::borrow(given) : like(self, in_order(*self, wanted));
          },
          nb::arg("order").none())
      .def("_real",
           [](nb::handle_t<Array> given) {
             Self self(given);
             return like(self, self->real());
           })
      .def("_imag",
           [](nb::handle_t<Array> given) {
             Self self(given);
             return like(self, self->imag());
           })
      .def("_as",
           [](nb::handle_t<Array> given, nb::handle type) {
             Self self(given);
             return nb::steal(wrap_as(Array(*self), reinterpret_cast<PyTypeObject*>(type.ptr())));
           })
      .def_prop_ro("_has_numbers", [](nb::handle_t<Array> self) { return door_of(self.ptr()).has_numbers; })
      .def_prop_ro("_broadcasts_read_only", [](nb::handle_t<Array> self) { return door_of(self.ptr()).broadcasts_read_only; })
      .def_prop_ro("_is_value", &Array::is_value)  // stands for one of NumPy's numbers, which are no arrays
      .def("_shares_cell", [](const Array& a, const Array& b) { return a.cell() == b.cell(); })
      .def("_overlaps",  // None: not known after so many steps
           [](const Array& a, const Array& b, int64_t work) -> std::optional<bool> {
             if (a.cell() != b.cell()) return false;
             auto bytes = [](const Array& array) { return static_cast<int64_t>(size_of(array.dtype())); };
             return overlap(a.layout(), bytes(a), b.layout(), bytes(b), work);
           })
      .def("_ranges_meet", [](const Array& a, const Array& b) {  // from the lowest to the highest element of each
        if (a.cell() != b.cell() || a.size() == 0 || b.size() == 0) return false;
        auto bytes = [](const Array& array) {
          auto [first, last] = array.layout().extent();
          int64_t size = static_cast<int64_t>(size_of(array.dtype()));
          return std::pair(first * size, last * size);
        };
        auto [first, last] = bytes(a);
        auto [first_of_b, last_of_b] = bytes(b);
        return first < last_of_b && first_of_b < last;
      });

  define_exchange(m, type);
  init_records(m);
  m.def("tensor_over_numpy", [](nb::handle array) { return NumPyArray(tensor_over_numpy(array)); });
  m.def("offers_array", [](nb::handle value) { return offers_array(value.ptr()); }, nb::arg().none());
  m.def(
      "holds_arrays",
      [](nb::handle given) { return (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())) && holds_arrays(given.ptr()); },
      nb::arg().none());
  m.def("set_foreign_operator", [](nb::object f) { with_foreign = f.release().ptr(); });
  // `like`: the array whose order "A" and "K" mean; without one they are not permitted.
  m.def(
      "array_full",
      [](const Shape& shape, nb::handle value, const std::string& dtype, PyDevice device, nb::handle order, nb::handle like) {
        Scalar scalar;
        if (!read_scalar(value.ptr(), scalar)) raise(ErrorKind::type, "[full] the value must be a number");
        Order wanted = order_of(order, like.is_none() ? Order::c : Order::keep);
        if (like.is_none() && (wanted == Order::any || wanted == Order::keep))
          raise(ErrorKind::value, "only 'C' or 'F' order is permitted");
        GraphLock lock;
        LayoutRef layout = like.is_none()
                               ? interned(wanted == Order::fortran ? Layout::fortran(shape) : Layout::contiguous(shape))
                               : layout_beside(array_operand(like), shape, wanted);
        return NumPyArray(full_in(std::move(layout), scalar, dtype_of(dtype), device_number(device)));
      },
      nb::arg("shape"), nb::arg("value"), nb::arg("dtype"), nb::arg("device"), nb::arg("order").none() = nb::none(),
      nb::arg("like").none() = nb::none());
  m.def(
      "array_op",
      [](const std::string& name, nb::args values, nb::handle into, const std::string& compute,
         const std::string& gives) -> nb::object {
        std::vector<GivenOperand> operands(values.size());
        nb::handle first;
        for (nb::handle value : values)
          if (!first.is_valid() && as_array(value.ptr())) first = value;
        for (size_t i = 0; i < values.size(); ++i) operands[i].read(values[i].ptr(), true, first.ptr());
        // Numbers alone are computed where new arrays are made. One with a type of its own is the array: Python's beside it have
        // none.
        if (std::all_of(operands.begin(), operands.end(), [](const GivenOperand& o) { return o.is_scalar(); })) {
          auto typed = std::find_if(operands.begin(), operands.end(), [](GivenOperand& o) { return !o.scalar().is_weak; });
          const size_t made = typed == operands.end() ? 0 : static_cast<size_t>(typed - operands.begin());
          operands[made].make_array(values[made].ptr());
        }
        std::vector<Argument> arguments = arguments_of(operands);
        std::optional<Loop> loop;
        if (!compute.empty()) loop = Loop{dtype_of(compute), dtype_of(gives)};
        Op op = op_named(name);
        auto truncates = [](nb::handle value) { return door_of(value.ptr()).truncates_powers; };
        TruncatedPowers truncated(op == Op::power && std::any_of(values.begin(), values.end(), truncates));
        Array result = elementwise(op, arguments, into.is_none() ? nullptr : as_array(into.ptr()), loop);
        return first.is_valid() ? like(first, std::move(result)) : nb::steal(wrap(std::move(result), array_type));
      },
      nb::arg("name"), nb::arg("values"), nb::kw_only(), nb::arg("into").none() = nb::none(), nb::arg("compute") = "",
      nb::arg("result") = "");
  m.def("array_op_types", types_of_op);
  m.def("try_array_op_types", [](const std::string& name, const std::vector<std::string>& types) {
    const ExpectedErrors expected;
    return types_of_op(name, types);
  });
  // Of each row: its name, its operands, whose function it is, and what documents it.
  m.def("array_ops", [] {
    constexpr const char* origins[] = {"numpy", "own", "part", "inner"};
    std::vector<nb::tuple> rows;
    for (uint16_t i = 0; i < row_count; ++i) {
      const OpRow& r = row(static_cast<Op>(i));
      nb::tuple text = nb::make_tuple(std::string(r.what), std::string(r.calls), std::string(r.gives));
      rows.push_back(nb::make_tuple(std::string(r.name), r.operands, origins[static_cast<size_t>(r.origin)], text));
    }
    return rows;
  });
  init_doors(m);
  init_keras_operators(m);
  init_array_functions(m);
  init_tensors(m);
  m.def("array_evaluate", [](const Array& array) { evaluate(array); });
  // The number in an array of the CPU that nobody may be writing; None for others. Unlike item(), it is no copy in a profile.
  m.def("number_at_hand", [](const Array& array) -> nb::object {
    GraphLock lock;
    const char* in = array.size() == 1 ? at_hand(array) : nullptr;
    if (in && array.dtype() == DType::float32) return nb::float_(*reinterpret_cast<const float*>(in));
    if (in && array.dtype() == DType::float64) return nb::float_(*reinterpret_cast<const double*>(in));
    return nb::none();
  });
  m.def("array_wait", [](const Array& array) {
    if (is_there(array)) return;
    WaitsSoon soon;
    Buffer buffer = evaluate(array);
    ReleaseGil release;
    Context& context = context_on(array.device());
    StreamPtr stream = context.stream_of_work();
    use_on(stream, *buffer.block(), false);
    context.wait(stream, "an array");
    raise_if_wrong(array);
  });
  m.def("array_evaluate_all", [] { evaluate_all(); });
  m.def("end_round", [] { end_round(); });
  m.def("array_explain", [](const Array& array) { return explain(array); });
  m.def("array_pending", [] { return graph.pending.count(); });
  m.def("array_replayed", &replayed);
  m.def("set_pressure_bytes", [](int64_t bytes) {
    GraphLock lock;
    graph.pressure.set_low_bytes(bytes);
  });
  nb::class_<KeepPending>(m, "KeepPending").def(nb::init<>());
  m.attr("tier0_limit") = tier0_limit;
  m.def("set_tier0_limit", &set_tier0_limit);
  m.def("tier0_level", [] { return std::string(tier0_level()); });
  m.def("is_tiered", &is_tiered);
  m.def("set_tiered", &set_tiered);
  m.def("set_fast_math", &set_fast_math);
  m.def("tier_counts", [] {
    GraphLock lock;
    const Tiers::Counts counts = tiers().counts();
    nb::dict out;
    out["precompiled"] = Precompiled::installed().size();
    out["groups"] = counts.groups, out["behind"] = counts.behind, out["open"] = counts.open;
    return out;
  });
}

}  // namespace quern::python
