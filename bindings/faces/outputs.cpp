#include "bindings/faces/outputs.h"

#include <algorithm>
#include <array>

#include "bindings/door.h"
#include "bindings/faces/matrices.h"
#include "bindings/faces/statistics.h"
#include "bindings/functions.h"
#include "bindings/given.h"
#include "core/error.h"
#include "functions/parts.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/transfer.h"

namespace quern::python::faces {

namespace {

using F = quern::Function;

// ---- NumPy

// An array of ours or of the host that is to take a result. Of transforms it may stand in a tuple.
struct Taker {
  PyObject* object;
  const Array* array;  // null: the host's
  explicit Taker(const Reading& reading, PyObject* out)
      : object(PyTuple_Check(out) && is_transform(reading) && PyTuple_GET_SIZE(out) == 1 ? PyTuple_GET_ITEM(out, 0) : out),
        array(as_array(object)) {}
  static bool is_transform(const Reading& reading) { return std::string_view(reading.face.submodule) == "fft"; }
  bool is_array() const { return array || classified(object).what == Given::What::host_array; }
  nb::object dtype() const { return nb::handle(object).attr("dtype"); }
  Shape shape() const { return array ? array->shape() : nb::cast<Shape>(nb::handle(object).attr("shape")); }
};

nb::object numpys_type(DType type) {
  return nb::module_::import_("quern.arrays.core").attr("_numpy_dtype")(nb::str(std::string(row(type).name).c_str()));
}
bool can_cast(const nb::object& from, const nb::object& to, const char* rule) {
  return nb::cast<bool>(nb::module_::import_("numpy").attr("can_cast")(from, to, rule));
}
bool takes(const Taker& taker, DType type, bool safely) {
  if (taker.array) return safely ? can_cast_safely(type, taker.array->dtype()) : can_cast_same_kind(type, taker.array->dtype());
  return can_cast(numpys_type(type), taker.dtype(), safely ? "safe" : "same_kind");
}
void check_cast(const Taker& taker, DType type, bool safely = false) {
  if (takes(taker, type, safely)) return;
  raise(ErrorKind::type, "Cannot cast array data from {} to {} according to the rule '{}'", nb::repr(numpys_type(type)).c_str(),
        nb::repr(taker.dtype()).c_str(), safely ? "safe" : "same_kind");
}
void check_cast_of_ufunc(const Taker& taker, DType type, const char* ufunc) {
  if (takes(taker, type, false)) return;
  raise(ErrorKind::type, "Cannot cast ufunc '{}' output from {} to {} with casting rule 'same_kind'", ufunc,
        nb::repr(numpys_type(type)).c_str(), nb::repr(taker.dtype()).c_str());
}

void check_same_shape(const Taker& taker, const Shape& shape) {
  if (taker.shape() != shape)
    raise(ErrorKind::value, "the output array has the wrong shape {}, not {}", to_string(taker.shape()), to_string(shape));
}
void check_broadcast(const Taker& taker, const Shape& shape) {
  Shape both[] = {shape, taker.shape()};
  const Shape together = broadcast_shapes(both);
  if (together != both[1])
    raise(ErrorKind::value, "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
          to_string(both[1]), to_string(together));
}

// The ufunc that NumPy's errors name.
const char* ufunc_of(const Reading& reading) {
  switch (reading.function) {
    case F::sum_:
      return &reading.front_end == &reduce ? reading.face.name : "add";
    case F::prod_:
      return "multiply";
    case F::max_:
      return "maximum";
    case F::min_:
      return "minimum";
    case F::any_:
      return "logical_or";
    case F::all_:
      return "logical_and";
    default:
      return reading.face.name;
  }
}

void check_out_of_reduction(const Reading& reading, const Taker& taker, const Shape& shape) {
  const Shape own = taker.shape();
  if (own.size() != shape.size())
    raise(ErrorKind::value,
          "output parameter for reduction operation {} has the wrong number of dimensions: Found {} but expected {}",
          ufunc_of(reading), own.size(), shape.size());
  if (own != shape)
    raise(ErrorKind::value, "output parameter for reduction operation {} has the wrong shape {}, not {}", ufunc_of(reading),
          to_string(own), to_string(shape));
}

// dot() computes in the array itself.
void check_out_of_dot(const Taker& taker, const Array& result) {
  bool is_row_major = taker.array ? taker.array->layout().is_contiguous()
                                  : nb::cast<bool>(nb::handle(taker.object).attr("flags").attr("c_contiguous"));
  bool is_same = taker.array ? taker.array->dtype() == result.dtype() : taker.dtype().equal(numpys_type(result.dtype()));
  if (!is_row_major || !is_same || taker.shape() != result.shape())
    raise(ErrorKind::value,
          "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)");
}

// NumPy asks whatever it is for its type.
void check_out_of_nan_statistic(const Reading& reading, const Taker& taker, DType type) {
  const F function = reading.function;
  if (function != F::nanmean_ && function != F::nanvar_ && function != F::nanstd_) return;
  if (steps::is_whole(type)) return;
  const auto kind = nb::cast<std::string>(taker.dtype().attr("kind"));
  if (kind != "f" && kind != "c") raise(ErrorKind::type, "If a is inexact, then out must be inexact");
}

}  // namespace

void check_out_as_numpy(const Reading& reading, const Array& result, PyObject* out) {
  const Taker taker(reading, out);
  const DType type = result.dtype();
  check_out_of_nan_statistic(reading, taker, type);
  if (!taker.is_array()) raise(ErrorKind::type, "return arrays must be of ArrayType");
  if (!taker.array) {
    PyObject* first = reading.slots[0];
    if (&reading.front_end == &cupy || (as_array(first) && door_of(first).refuses_host_arrays))
      raise(ErrorKind::type, "Unsupported type {} of out; make an array of it with cupy.asarray()",
            nb::repr(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(taker.object)))).c_str());
  }
  const Shape& shape = result.shape();
  if (Taker::is_transform(reading)) return check_cast(taker, type), check_same_shape(taker, shape);
  switch (reading.function) {
    case F::concatenate_:
    case F::stack_:
      if (taker.shape() != shape)
        raise(ErrorKind::value, "Output array is the wrong shape: it is {}, not {}", to_string(taker.shape()), to_string(shape));
      return;
    case F::dot_:
    case F::multi_dot_:
      return check_out_of_dot(taker, result);
    case F::einsum_:
      check_cast(taker, type, true);
      return check_same_shape(taker, shape);
    case F::outer_:
      check_cast_of_ufunc(taker, type, "multiply");
      return check_broadcast(taker, shape);
    case F::permuted_:
      check_cast(taker, type, true);
      return check_same_shape(taker, shape);
    case F::median_:
    case F::nanmedian_:
      return check_same_shape(taker, shape);
    case F::quantile_:
    case F::percentile_:
    case F::nanquantile_:
    case F::nanpercentile_:
      check_cast(taker, type);
      return check_same_shape(taker, shape);
    case F::round_:
      check_cast_of_ufunc(taker, type, reading.face.name);
      if (taker.shape() != shape) raise(ErrorKind::value, "invalid output shape");
      return;
    case F::isposinf_:
    case F::isneginf_:
    case F::clip_:
      check_cast_of_ufunc(taker, type, reading.face.name);
      return check_broadcast(taker, shape);
    case F::argmax_:
    case F::argmin_:
    case F::nanargmax_:
    case F::nanargmin_:
      check_out_of_reduction(reading, taker, shape);
      if (taker.array ? !can_cast_safely(taker.array->dtype(), type) : !can_cast(taker.dtype(), numpys_type(type), "safe"))
        raise(ErrorKind::type, "Cannot cast array data from {} to {} according to the rule 'safe'",
              nb::repr(taker.dtype()).c_str(), nb::repr(numpys_type(type)).c_str());
      return;
    case F::std_:
    case F::ptp_:  // which end with a ufunc
      check_out_of_reduction(reading, taker, shape);
      return check_cast_of_ufunc(taker, type, reading.function == F::std_ ? "sqrt" : "subtract");
    default:
      break;
  }
  check_out_of_reduction(reading, taker, shape);
}

nb::object write_out_as_numpy(const Reading& reading, nb::object made, PyObject* out) {
  const Taker taker(reading, out);
  nb::object values = taker.array ? std::move(made) : nb::module_::import_("quern").attr("asnumpy")(made);
  if (taker.array) {
    if (set_array_item(taker.object, Py_Ellipsis, values.ptr()) != 0) throw nb::python_error();
  } else if (PyObject_SetItem(taker.object, Py_Ellipsis, values.ptr()) != 0) {
    throw nb::python_error();
  }
  return nb::borrow(taker.object);
}

// ---- PyTorch

namespace {

// Functions whose `out` must have the result's type; that of others may be wider.
constexpr std::string_view of_one_type[] = {
    "abs",         "absolute",
    "addbmm",      "addmm",
    "addmv",       "all",
    "amax",        "amin",
    "any",         "argmax",
    "argmin",      "baddbmm",
    "bitwise_not", "bmm",
    "bucketize",   "ceil",
    "cholesky",    "clamp",
    "clip",        "cross",
    "det",         "diag",
    "dot",         "eigvalsh",
    "fix",         "float_power",
    "floor",       "frac",
    "heaviside",   "histc",
    "inner",       "inv",
    "inverse",     "isin",
    "isneginf",    "isposinf",
    "log_softmax", "matmul",
    "matrix_norm", "mm",
    "msort",       "multi_dot",
    "multinomial", "mv",
    "nan_to_num",  "nanquantile",
    "neg",         "negative",
    "norm",        "quantile",
    "round",       "searchsorted",
    "sgn",         "sign",
    "signbit",     "softmax",
    "solve",       "solve_triangular",
    "svdvals",     "tensordot",
    "tril",        "triu",
    "trunc",       "vdot",
    "vecdot",      "vector_norm",
    "where",
};
bool needs_one_type(const Reading& reading) {
  return std::find(std::begin(of_one_type), std::end(of_one_type), reading.face.name) != std::end(of_one_type);
}

// Of several results, too, but those of these functions.
bool needs_one_type_of_several(const Reading& reading) {
  return reading.function != F::eig_ && reading.function != F::lstsq_of_tensor_;
}

bool has_repeated_elements(const Array& array) {
  for (size_t i = 0; i < array.rank(); ++i)
    if (array.layout().strides[i] == 0 && array.shape()[i] > 1 && array.size() > 0) return true;
  return false;
}

}  // namespace

void check_out_as_torch(const Reading& reading, const Array& result, PyObject* out) {
  const Array* into = as_array(out);
  if (!into)
    raise(ErrorKind::type, "{}(): argument 'out' must be Tensor, not {}", torchs_name(reading.face), Py_TYPE(out)->tp_name);
  PyObject* given = reading.out();
  const bool is_one_of_several = given != out;
  if ((is_one_of_several ? needs_one_type_of_several(reading) : needs_one_type(reading)) && into->dtype() != result.dtype())
    raise(ErrorKind::runtime, "Expected out tensor to have dtype torch.{}, but got torch.{} instead", row(result.dtype()).name,
          row(into->dtype()).name);
  if (GradientMode::is_on() && (wants_gradient(result) || wants_gradient(*into)))
    raise(ErrorKind::runtime,
          "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
          "grad.",
          torchs_name(reading.face));
  if (has_repeated_elements(*into))
    raise(ErrorKind::runtime,
          "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
          "clone() the tensor before performing the operation.");
  if (into->shape() != result.shape() && wants_gradient(*into))
    raise(ErrorKind::runtime, "cannot resize variables that require grad");
  if (!can_write_as_torch(result.dtype(), into->dtype()))
    raise(ErrorKind::runtime, "result type {} can't be cast to the desired output type {}", torch_name_of(result.dtype()),
          torch_name_of(into->dtype()));
  GraphLock lock;
  check_may_write(*into);
}

// As the result lies. The same memory where it holds so many elements one after the other, else new memory.
static void resize(Array& array, const Array& result) {
  const Array plain = detached(array);
  const LayoutRef place = copied_layout(result);
  const bool fits = result.size() <= plain.size() && plain.layout().is_contiguous();
  const Array made = fits ? steps::part(raveled(plain, Order::c), 0, 0, result.size()).view(*place)
                          : full_in(place, steps::whole(0), plain.dtype(), plain.device());
  GraphLock lock;
  set_data(array, made);
}

nb::object write_out_as_torch(const Reading& reading, nb::object made, PyObject* out) {
  Array& into = *as_array(out);
  const Array result = *as_array(made.ptr());
  if (into.shape() != result.shape()) {
    // New tensors have no values of `out` to keep: PyTorch resizes it without a word.
    if (into.size() > 0 && reading.family() != Family::creates)
      warn(PyExc_UserWarning,
           "An output with one or more elements was resized since it had shape " + in_brackets(into.shape()) +
               ", which does not match the required output shape " + in_brackets(result.shape()) +
               ". This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have zero "
               "elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).");
    resize(into, result);
  }
  assign(into, Argument(moved_to(result, context_on(into.device()))));
  return nb::borrow(out);
}

}  // namespace quern::python::faces
