// What is peculiar to each front end: the types that its functions compute in, what they refuse, and in which words.
#include "bindings/faces/matrices.h"
#include "bindings/faces/networks.h"
#include "bindings/faces/operands.h"
#include "bindings/faces/outputs.h"
#include "bindings/faces/read.h"
#include "bindings/tensor_operations.h"
#include "core/error.h"

#include <algorithm>
#include <array>
#include <utility>

namespace quern::python::faces {

namespace {

void accept(const Reading&, const Over&) {}
void accept_line(const Reading&, std::optional<size_t>) {}
DType as_computed(const Reading&, DType result) { return result; }

bool is_whole(DType type) { return type == DType::boolean || is_integer(type); }
bool is_running(const Reading& reading) {
  using F = quern::Function;
  const F function = reading.function;
  return function == F::cumsum_ || function == F::cumprod_ || function == F::cumulative_sum_ || function == F::cumulative_prod_ ||
         function == F::nancumsum_ || function == F::nancumprod_;
}

// ---- NumPy

// The type of the array that takes the result, where that is asked for and has one.
std::optional<DType> type_of_out(const Reading& reading) {
  PyObject* out = reading.out();
  if (!out || out == Py_None) return {};
  if (const Array* array = as_array(out)) return array->dtype();
  if (!PyObject_HasAttrString(out, "dtype")) return {};
  return read_dtype(reading, nb::object(nb::handle(out).attr("dtype")).ptr());
}

// Sums, extremes and means are computed in the type of the array that takes the result, where that is the wider one.
std::optional<DType> numpys_computed_type(const Reading& reading, std::optional<DType> asked) {
  const Family family = reading.family();
  bool is_mean = reading.function == quern::Function::mean_ || reading.function == quern::Function::nanmean_;
  bool counts = reading.function == quern::Function::count_nonzero_;
  if (asked || counts || !(family == Family::sums || family == Family::extremes || is_mean)) return asked;
  std::optional<DType> out = type_of_out(reading);
  if (!out) return {};
  DType type = reading.first->dtype(), own = type;
  if (family == Family::sums) own = summed_type(type);
  if (is_mean && is_whole(type)) own = DType::float64;
  OperandType both[] = {{own}, {*out}};
  return *out != own && common_type(both) == *out ? out : asked;
}

void refuse_numpys_axis(int64_t axis, size_t rank) {
  nb::object error = nb::module_::import_("numpy.exceptions").attr("AxisError");
  PyErr_SetObject(error.ptr(), nb::make_tuple(axis, rank).ptr());
  throw nb::python_error();
}
void refuse_numpys_repeated_axis(int64_t) { raise(ErrorKind::value, "duplicate value in 'axis'"); }

// ---- PyTorch

std::string_view scalar_name(DType type) {
  switch (type) {
    case DType::boolean:
      return "Bool";
    case DType::int8:
      return "Char";
    case DType::int16:
      return "Short";
    case DType::int32:
      return "Int";
    case DType::int64:
      return "Long";
    case DType::uint8:
      return "Byte";
    case DType::uint16:
      return "UInt16";
    case DType::uint32:
      return "UInt32";
    case DType::uint64:
      return "UInt64";
    default:
      return row(type).name;
  }
}

void refuse_torchs_axis(int64_t axis, size_t rank) {
  auto most = static_cast<int64_t>(std::max<size_t>(rank, 1));
  raise(ErrorKind::index, "Dimension out of range (expected to be in range of [{}, {}], but got {})", -most, most - 1, axis);
}
void refuse_torchs_repeated_axis(int64_t axis) {
  raise(ErrorKind::runtime, "dim {} appears multiple times in the list of dims", axis);
}

// The mean and the variance are no integers.
void check_average(const Reading& reading, DType type, std::optional<DType> asked) {
  const bool is_nanmean = reading.function == quern::Function::nanmean_;
  if (is_nanmean && is_whole(type))
    raise(ErrorKind::not_implemented, "nanmean(): expected input to have floating point or complex dtype but got {}",
          scalar_name(type));
  if (asked && is_whole(*asked))
    raise(is_nanmean ? ErrorKind::runtime : ErrorKind::not_implemented,
          "{}(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: {}",
          reading.face.name, scalar_name(*asked));
  if (asked || !is_whole(type)) return;
  if (reading.function == quern::Function::mean_)
    raise(ErrorKind::not_implemented,
          "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}",
          scalar_name(type));
  const bool has_mean = reading.function == quern::Function::var_mean_ || reading.function == quern::Function::std_mean_;
  raise(ErrorKind::not_implemented, "{} only support floating point and complex dtypes",
        has_mean ? reading.face.name : "std and var");
}

std::optional<DType> torchs_computed_type(const Reading& reading, std::optional<DType> asked) {
  if (!reading.first) {  // of new tensors
    const Array* out = reading.out() ? as_array(reading.out()) : nullptr;
    if (asked && out && out->dtype() != *asked)
      raise(ErrorKind::runtime, "dtype torch.{} does not match dtype of out parameter (torch.{})", row(*asked).name,
            row(out->dtype()).name);
    return asked ? asked : torch_default();
  }
  DType type = reading.first->dtype();
  const Array* out = reading.out() ? as_array(reading.out()) : nullptr;
  const bool is_reduced = reading.family() == Family::sums || reading.family() == Family::averages;
  if (is_reduced && asked && out && out->dtype() != *asked)
    raise(ErrorKind::runtime, "Expected out tensor to have dtype torch.{}, but got torch.{} instead", row(*asked).name,
          row(out->dtype()).name);
  switch (reading.family()) {
    case Family::sums:
      if (!asked && out) asked = out->dtype();
      if (is_running(reading) && asked == DType::boolean && reading.first->rank() > 0 && reading.first->size() > 0)
        raise(ErrorKind::not_implemented, "\"{}_out_cpu\" not implemented for 'Bool'", reading.face.name);
      return asked || !is_whole(type) ? asked : DType::int64;
    case Family::averages:
      check_average(reading, type, asked);
      if (reading.function == quern::Function::mean_ && !asked && out && !is_whole(out->dtype()) &&
          size_of(out->dtype()) > size_of(type))
        return out->dtype();
      return asked;
    case Family::statistics:
      return asked ? asked : is_whole(type) ? torch_default() : type;
    default:
      return asked;
  }
}

void check_as_torch(const Reading& reading, const Over& over) {
  const Array& array = *reading.first;
  if (reading.family() != Family::extremes) return;
  if (is_complex(array.dtype())) raise(ErrorKind::not_implemented, "{}(): does not support complex input", reading.face.name);
  if (array.size() > 0) return;
  PyObject* dim = reading.slots[1];
  const bool has_dim = dim && dim != Py_None && !(PyTuple_Check(dim) && PyTuple_GET_SIZE(dim) == 0);
  bool is_over_all = !has_dim && std::all_of(over.axes.begin(), over.axes.end(), [](bool goes) { return goes; });
  for (size_t d = 0; d < over.axes.size() && !is_over_all; ++d)
    if (over.axes[d] && array.shape()[d] == 0)
      raise(ErrorKind::index, "{}(): Expected reduction dim {} to have non-zero size.", reading.face.name, d);
  if (is_over_all)
    raise(
        ErrorKind::runtime,
        "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
        reading.face.name);
}

// What a function of a line refuses.
struct LineRule {
  std::optional<ErrorKind> complex = {};  // the error for complex numbers
  bool needs_elements = false;
  bool takes_any_scalar = false;  // of a tensor without dimensions also a complex number
};
LineRule torchs_rule_of(quern::Function function) {
  using F = quern::Function;
  switch (function) {
    case F::argmax_:
    case F::argmin_:
    case F::max_along_:
    case F::min_along_:
      return {ErrorKind::type, true};
    case F::sort_along_:
    case F::argsort_along_:
    case F::topk_:
      return {ErrorKind::type, false};
    case F::median_along_:
    case F::nanmedian_along_:
      return {ErrorKind::not_implemented, true};
    case F::mode_:
      return {ErrorKind::not_implemented, true, true};
    case F::kthvalue_:
      return {ErrorKind::not_implemented, true, true};
    case F::cummax_:
    case F::cummin_:
      return {ErrorKind::not_implemented, false, true};
    default:
      return {};
  }
}

void check_line_as_torch(const Reading& reading, std::optional<size_t> axis) {
  if (reading.family() != Family::places && reading.family() != Family::ranks) return;
  const Array& array = *reading.first;
  const char* name = reading.face.name;
  LineRule rule = torchs_rule_of(reading.function);
  if (rule.complex && is_complex(array.dtype()) && !(rule.takes_any_scalar && array.rank() == 0))
    raise(*rule.complex, "{}(): does not support complex input", name);
  if (rule.needs_elements && array.size() == 0) {
    if (!axis)
      raise(ErrorKind::index,
            "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
            "argument.",
            name);
    if (array.shape()[*axis] == 0) raise(ErrorKind::index, "{}(): Expected reduction dim {} to have non-zero size.", name, *axis);
  }
  if (reading.function == quern::Function::argmax_ && array.dtype() == DType::boolean)
    raise(ErrorKind::runtime, "\"argmax_cpu\" not implemented for 'Bool'");
}

DType torchs_result_type(const Reading& reading, DType result) {
  return reading.family() == Family::tests && reading.first->dtype() == DType::uint8 ? DType::uint8 : result;
}

// ---- Keras

std::optional<DType> keras_computed_type(const Reading& reading, std::optional<DType> asked) {
  if (!asked && reading.family() == Family::statistics && is_whole(reading.first->dtype()))
    return dtype_of(nb::cast<std::string>(nb::handle(reading.front_end.default_real)()));
  if (reading.function == quern::Function::clip_ && reading.first->dtype() == DType::boolean) return DType::int32;
  if (asked || reading.family() != Family::sums) return asked;
  if (reading.function == quern::Function::count_nonzero_) return DType::int32;
  if (is_running(reading) && reading.first->dtype() != DType::boolean) return reading.first->dtype();
  switch (reading.first->dtype()) {
    case DType::boolean:
    case DType::int8:
    case DType::int16:
      return DType::int32;
    case DType::uint8:
    case DType::uint16:
      return DType::uint32;
    default:
      return reading.first->dtype();
  }
}
DType keras_result_type(const Reading& reading, DType result) {
  using F = quern::Function;
  switch (reading.family()) {
    case Family::places:
      return DType::int32;
    case Family::algebra:
      return is_integer(result) ? DType::int32 : result;
    case Family::quantiles:
      return reading.first->dtype();
    case Family::averages:
      if (reading.function == F::var_ && is_complex(reading.first->dtype())) return reading.first->dtype();
      if (!is_whole(reading.first->dtype())) return result;
      return reading.function == F::var_ || reading.function == F::std_ ? keras.real_type() : DType::float32;
    default:
      if (reading.function == F::bincount_of_rows_) return keras_type_of(std::array{OperandType{result}});  // 32 bits
      return reading.function == F::nonzero_ ? DType::int32 : result;
  }
}

}  // namespace

static FrontEnd with_numpys_rules(const char* name) {
  return {
      .name = name,
      .takes_lists_of_axes = false,
      .has_axis_without_dimensions = false,
      .has_weak_numbers = false,
      .refuse_call = refuse_as_python,
      .refuse_axis = refuse_numpys_axis,
      .refuse_repeated_axis = refuse_numpys_repeated_axis,
      .computed_type = numpys_computed_type,
      .check = accept,
      .check_line = accept_line,
      .result_type = as_computed,
      .operate = nullptr,
      .rules = &numpys_rules,
      .check_operands = nullptr,
      .write_in_place = nullptr,
      .check_out = check_out_as_numpy,
      .write_out = write_out_as_numpy,
  };
}

FrontEnd numpy = with_numpys_rules("numpy");
// Of this thread: cupyx.errstate(linalg="raise")
static thread_local bool raises_at_calls = false;
bool raise_at_calls(bool on) { return std::exchange(raises_at_calls, on); }

FrontEnd cupy = [] {
  FrontEnd made = with_numpys_rules("cupy");
  made.is_quiet = [] { return !raises_at_calls; };
  made.settle = [](const Reading&, const Array& result) {
    if (raises_at_calls && result.size() > 0) wait_for(result);
  };
  made.refuse_call = refuse_as_cupy;
  return made;
}();
FrontEnd reduce = with_numpys_rules("reduce");

static thread_local std::optional<DeviceId> torch_device = DeviceId::cpu();
void set_torch_device(std::optional<DeviceId> device) { torch_device = device; }

FrontEnd torch{
    .name = "torch",
    .takes_lists_of_axes = true,
    .has_axis_without_dimensions = true,
    .has_weak_numbers = true,
    .refuse_call = refuse_as_torch,
    .refuse_axis = refuse_torchs_axis,
    .refuse_repeated_axis = refuse_torchs_repeated_axis,
    .computed_type = torchs_computed_type,
    .check = check_as_torch,
    .check_line = check_line_as_torch,
    .result_type = torchs_result_type,
    .operate = operate_as_torch,
    .gives_tuples = true,
    .settle = settle_as_torch,
    .copies_turned = true,
    .rules = &torchs_rules,
    .check_operands = check_operands_as_torch,
    .write_in_place = write_as_torch,
    .real_type = torch_default,
    .check_out = check_out_as_torch,
    .write_out = write_out_as_torch,
    .default_device = [] { return torch_device; },
};

FrontEnd keras{
    .name = "keras",
    .takes_lists_of_axes = true,
    .has_axis_without_dimensions = false,
    .has_weak_numbers = false,
    .refuse_call = refuse_as_python,
    .refuse_axis = refuse_numpys_axis,
    .refuse_repeated_axis = refuse_numpys_repeated_axis,
    .computed_type = keras_computed_type,
    .check = accept,
    .check_line = accept_line,
    .result_type = keras_result_type,
    .operate = operate_as_keras,
    .rules = &numpys_rules,
    .check_operands = check_operands_as_keras,
    .layer_operand = keras_layer_operand,
    .write_in_place = nullptr,
    .real_type = [] { return dtype_of(nb::cast<std::string>(nb::handle(keras.default_real)())); },
};

std::string torchs_name(const Face& face) {
  const std::string_view name = face.name;
  if (name == "logsigmoid") return "log_sigmoid";
  if (name == "cross_entropy") return "cross_entropy_loss";
  if (name == "nll_loss") return "nll_loss_nd";
  if (std::string_view(face.submodule) == "nn.functional") return face.name;
  return (*face.submodule ? std::string(face.submodule) + "_" : std::string()) + face.name;
}

FrontEnd& front_end_named(std::string_view name) {
  // Methods of NumPy's types, and of CuPy's.
  if (name == "ndarray" || name == "CupyGenerator" || name == "CupyRandomState") return cupy;
  if (name == "Array" || name == "array_api" || name == "Generator" || name == "RandomState") return numpy;
  if (name == "Tensor") return torch;
  for (FrontEnd* one : {&numpy, &cupy, &reduce, &torch, &keras})
    if (name == one->name) return *one;
  bug("there is no front end {}", name);
}

// ---- calls that no overload takes

namespace {

size_t required_of(const Overload& overload) {
  size_t count = 0;
  for (size_t i = 0; i < overload.positional; ++i) count += overload.parameters[i].constant == required;
  return count;
}

const char* word_for(Kind kind) {
  switch (kind) {
    case Kind::array:
      return "Tensor";
    case Kind::operand:
      return "Tensor or Number";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::number:
      return "Number";
    case Kind::integers:
      return "tuple of ints";
    case Kind::arrays:
      return "tuple of Tensors";
    case Kind::dtype:
      return "torch.dtype";
    case Kind::nothing:
      return "None";
    default:
      return "another type";
  }
}

}  // namespace

void refuse_as_python(const Face& face, const Misfit& misfit) {
  const Overload& overload = *misfit.overload;
  const char* name = face.name;
  const char* parameter = overload.parameters[misfit.parameter].name;
  switch (misfit.why) {
    case Misfit::Why::too_many: {
      size_t least = required_of(overload), most = overload.positional;
      if (least == most)
        PyErr_Format(PyExc_TypeError, "%s() takes %zu positional argument%s but %zu were given", name, most, most == 1 ? "" : "s",
                     misfit.given);
      else
        PyErr_Format(PyExc_TypeError, "%s() takes from %zu to %zu positional arguments but %zu were given", name, least, most,
                     misfit.given);
      return;
    }
    case Misfit::Why::unknown_word:
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, misfit.value);
      return;
    case Misfit::Why::twice:
      if (misfit.other) {
        PyErr_Format(PyExc_ValueError, "%s and %s can't be provided simultaneously.", misfit.other->name, parameter);
        return;
      }
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", name, parameter);
      return;
    case Misfit::Why::missing:
      PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional argument: '%s'", name, parameter);
      return;
    default:
      const Kind kind = overload.parameters[misfit.parameter].kind;
      PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be %s, not %s", name, parameter,
                   kind == Kind::array ? "an array" : word_for(kind), Py_TYPE(misfit.value)->tp_name);
  }
}

void refuse_as_cupy(const Face& face, const Misfit& misfit) {
  const Kind kind = misfit.overload->parameters[misfit.parameter].kind;
  if (misfit.why == Misfit::Why::wrong_kind && kind == Kind::nothing) {
    PyErr_Format(PyExc_TypeError, "%s is not supported yet", misfit.overload->parameters[misfit.parameter].name);
    return;
  }
  if (misfit.why == Misfit::Why::wrong_kind && kind == Kind::own && std::string_view(face.submodule) == "linalg") {
    nb::object error = nb::module_::import_("numpy.linalg").attr("LinAlgError");
    PyErr_SetString(error.ptr(), "cupy.linalg only supports cupy.ndarray; make an array with cupy.asarray()");
    return;
  }
  if (misfit.why != Misfit::Why::wrong_kind || (kind != Kind::operand && kind != Kind::own && kind != Kind::array))
    return refuse_as_python(face, misfit);
  PyErr_Format(PyExc_TypeError, "Unsupported type %R; make an array of it with cupy.asarray()", Py_TYPE(misfit.value));
}

// PyTorch asks the operands of these losses for their size before anything else.
static bool asks_for_sizes(std::string_view name) {
  for (std::string_view one : {"l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
                               "binary_cross_entropy_with_logits", "gaussian_nll_loss"})
    if (name == one) return true;
  return false;
}

void refuse_as_torch(const Face& face, const Misfit& misfit) {
  const char* parameter = misfit.overload->parameters[misfit.parameter].name;
  std::string name = torchs_name(face);
  const bool makes_noise = name == "gumbel_softmax" && misfit.why == Misfit::Why::wrong_kind && misfit.parameter == 0;
  if (makes_noise) name = "empty_like", parameter = "input";  // the function with which PyTorch checks the logits
  // PyTorch hands the table on before the row numbers.
  const bool is_lookup = name == "embedding" && misfit.parameter < 2;
  const size_t position = is_lookup ? 2 - misfit.parameter : misfit.parameter + 1;
  if (is_lookup && misfit.parameter == 0) parameter = "indices";
  if (misfit.why == Misfit::Why::missing) {
    PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional arguments: \"%s\"", name.c_str(), parameter);
  } else if (misfit.why == Misfit::Why::wrong_kind && misfit.parameter <= 1 && asks_for_sizes(name) &&
             misfit.given >= required_of(*misfit.overload)) {
    PyErr_Format(PyExc_AttributeError, "%s(): argument '%s' must be Tensor: '%s' object has no attribute 'size'", name.c_str(),
                 parameter, Py_TYPE(misfit.value)->tp_name);
  } else if (misfit.why == Misfit::Why::wrong_kind) {
    const Parameter& wanted = misfit.overload->parameters[misfit.parameter];
    std::string place = wanted.is_keyword_only ? "" : " (position " + std::to_string(position) + ")";
    PyErr_Format(PyExc_TypeError, "%s(): argument '%s'%s must be %s, not %s", name.c_str(), parameter, place.c_str(),
                 word_for(wanted.kind), Py_TYPE(misfit.value)->tp_name);
  } else {
    refuse_as_python(face, misfit);
  }
}

}  // namespace quern::python::faces
