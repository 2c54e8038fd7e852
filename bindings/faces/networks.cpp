// Arguments of functions of networks, and what PyTorch refuses of them in its words.
#include "bindings/faces/networks.h"

#include "bindings/faces/losses.h"
#include "bindings/faces/statistics.h"
#include "bindings/tensor_operations.h"
#include "core/error.h"
#include "functions/parts.h"
#include "functions/steps.h"

namespace quern::python::faces {

nn::SoftmaxAxes read_softmax_axes(const Reading& reading, PyObject* given) {
  const size_t rank = reading.first->rank();
  if (!is_torch(reading)) return {read_axes(reading, given, false)};
  nn::SoftmaxAxes out{std::vector<bool>(rank, false)};
  size_t axis = rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
  if (given && given != Py_None)
    axis = read_axis(reading, given);
  else
    warn(PyExc_UserWarning, std::string("Implicit dimension choice for ") + reading.face.name +
                                " has been deprecated. Change the call to include dim=X as an argument.");
  if (rank > 0) out.over[axis] = true;
  return out;
}

nn::GeluFormula read_gelu_formula(const Reading& reading, PyObject* given) {
  if (!PyUnicode_Check(given)) {
    if (!is_torch(reading)) return read_flag(reading, given) ? nn::GeluFormula::tangent : nn::GeluFormula::exact;
    raise(ErrorKind::type, "gelu(): argument 'approximate' must be str, not {}", Py_TYPE(given)->tp_name);
  }
  if (PyUnicode_CompareWithASCIIString(given, "none") == 0) return nn::GeluFormula::exact;
  if (PyUnicode_CompareWithASCIIString(given, "tanh") == 0) return nn::GeluFormula::tangent;
  raise(ErrorKind::runtime, "approximate argument must be either none or tanh.");
}

Array Read<const nn::RealOperand&>::real_operand(const Reading& reading, const Array& array) {
  return steps::is_whole(array.dtype()) ? astype(array, reading.front_end.real_type()) : array;
}

Array keras_layer_operand(const Reading& reading, const Array& array) {
  if (!steps::is_whole(array.dtype()) || reading.function == quern::Function::relu6_ ||
      reading.function == quern::Function::hard_tanh_)
    return array;
  return astype(array, reading.front_end.real_type());
}

nn::ForEachAxis read_for_each_axis(const Reading& reading, PyObject* given) {
  if (PyTuple_Check(given) || PyList_Check(given)) return {read_integers(reading, given)};
  if (!PyIndex_Check(given))
    raise(ErrorKind::type, "{}(): argument '{}' must be int or tuple of ints, not {}", reading.face.name, parameter_of(reading),
          Py_TYPE(given)->tp_name);
  return {{read_integer(reading, given)}};
}

nn::Around read_padding(const Reading& reading, PyObject* given) {
  if (!PyUnicode_Check(given)) return {read_for_each_axis(reading, given)};
  return {{}, nb::cast<const char*>(nb::handle(given))};
}

nn::WantedSizes read_wanted_sizes(const Reading& reading, PyObject* given) {
  nn::WantedSizes out;
  auto add = [&](PyObject* one) {
    out.sizes.push_back(is_given(one) ? std::optional(read_integer(reading, one)) : std::nullopt);
  };
  if (!PyTuple_Check(given) && !PyList_Check(given)) return add(given), out;
  for (nb::handle one : nb::handle(given)) add(one.ptr());
  return out;
}

nn::ResultSizes read_result_sizes(const Reading& reading, PyObject* given) {
  const bool is_single = !PyTuple_Check(given) && !PyList_Check(given);
  return {read_for_each_axis(reading, given).numbers, is_single};
}

nn::ScaleFactors read_scale_factors(const Reading& reading, PyObject* given) {
  if (!PyTuple_Check(given) && !PyList_Check(given)) return {{read_number(reading, given)}, true};
  nn::ScaleFactors out;
  for (nb::handle one : nb::handle(given)) out.numbers.push_back(read_number(reading, one.ptr()));
  return out;
}

nn::Tensors read_tensors(Reading& reading, PyObject* given) {
  nn::Tensors out;
  const nb::object all = nb::steal(PySequence_Tuple(given));  // a list may change while it is read
  if (!all.is_valid()) throw nb::python_error();
  for (nb::handle one : all) {
    const Array* array = as_array(one.ptr());
    if (!array)
      raise(ErrorKind::type, "{}(): argument '{}' must be tuple of Tensors, but element {} is {}", reading.face.name,
            parameter_of(reading), out.all.size(), Py_TYPE(one.ptr())->tp_name);
    out.all.push_back(*array);
  }
  return out;
}

// ---- what PyTorch refuses

namespace {

// The types besides real ones that PyTorch has a function for, and its kernel's name.
struct Accepted {
  const char* kernel;
  bool integers = false, complex_numbers = false;
};
Accepted accepted_by(quern::Function function) {
  using F = quern::Function;
  switch (function) {
    case F::gelu_:
      return {"GeluKernelImpl"};
    case F::silu_:
      return {"silu_cpu", false, true};
    case F::mish_:
      return {"mish_cpu"};
    case F::softplus_:
      return {"softplus_cpu"};
    case F::log_sigmoid_:
      return {"log_sigmoid_cpu"};
    case F::elu_:
    case F::selu_:
    case F::celu_:
      return {"elu_cpu"};
    case F::hardswish_:
      return {"hardswish_cpu"};
    case F::hardsigmoid_:
      return {"hardsigmoid_cpu"};
    case F::leaky_relu_:
    case F::rrelu_:
      return {"leaky_relu_cpu"};
    case F::prelu_:
      return {"prelu_cpu"};
    case F::softshrink_:
      return {"softshrink_check"};
    case F::hardshrink_:
      return {"hardshrink_cpu"};
    case F::threshold_:
      return {"threshold_cpu", true};
    case F::softsign_:
    case F::tanhshrink_:
      return {"abs_cpu", true, true};
    case F::layer_norm_:
      return {"LayerNormKernelImpl", false, true};
    case F::rms_norm_:
      return {"rms_norm", false, true};
    case F::batch_norm_:
    case F::instance_norm_:
      return {"batch_norm"};
    case F::group_norm_:
      return {"GroupNormKernelImpl"};
    case F::glu_:
      return {"glu_cpu"};
    case F::softmax_:
    case F::softmin_:
      return {"softmax_lastdim_kernel_impl"};
    case F::log_softmax_:
      return {"log_softmax_lastdim_kernel_impl"};
    default:
      return {};
  }
}

void check_linear(const Reading& reading) {
  auto operand = [&](size_t slot) { return reading.slots[slot] ? as_array(reading.slots[slot]) : nullptr; };
  check_linear_as_torch(*operand(0), *operand(1), operand(2));
}

void check_bilinear(const Reading& reading) {
  const DType type = as_array(reading.slots[0])->dtype();
  std::string types;
  bool differ = false;
  for (const auto& [slot, name] :
       {std::pair(0, "input1"), std::pair(1, ", input2"), std::pair(2, ", weight"), std::pair(3, ", bias")}) {
    const Array* one = reading.slots[slot] ? as_array(reading.slots[slot]) : nullptr;
    if (!one) continue;
    differ |= one->dtype() != type;
    types += std::string(name) + ": " + std::string(torch_name_of(one->dtype()));
  }
  if (differ) raise(ErrorKind::runtime, "All tensors must have the same dtype, got {}", types);
}

void check_hardtanh(DType type) {
  if (type == DType::boolean) raise(ErrorKind::not_implemented, "Bool inputs not supported for hardtanh");
  if (is_complex(type)) raise(ErrorKind::not_implemented, "clamp is not supported for complex types");
}

}  // namespace

// Means, variances and factors are of the type of the input, or of float32 where that is of 16 bits.
static void check_factors(const Reading& reading) {
  const DType type = reading.first->dtype();
  if (row(type).kind != DTypeKind::real) return;
  for (size_t slot = 1; slot <= 4; ++slot) {
    const Array* one = reading.slots[slot] ? as_array(reading.slots[slot]) : nullptr;
    if (!one || one->dtype() == type || (size_of(type) == 2 && one->dtype() == DType::float32)) continue;
    raise(ErrorKind::runtime, "mixed dtype ({}): the input is {}, a parameter {}; convert one of them",
          reading.first->device().is_cpu() ? "CPU" : "CUDA", torch_name_of(type), torch_name_of(one->dtype()));
  }
}

void check_linear_as_torch(const Array& x, const Array& weight, const Array* bias) {
  if (x.rank() == 0 || weight.rank() == 0)
    raise(ErrorKind::runtime, "both arguments to linear need to be at least 1D, but they are {}D and {}D", x.rank(),
          weight.rank());
  if (weight.rank() > 2) raise(ErrorKind::runtime, "t() expects a tensor with <= 2 dimensions, but self is {}D", weight.rank());
  if (weight.rank() == 1) {
    if (bias) raise(ErrorKind::runtime, "addmm: mat2 must be a matrix, got 1-D tensor");
    return check_product_as_torch(x, weight);
  }
  const int64_t inner = x.shape().back(), rows = inner ? x.size() / inner : 1;
  if (inner != weight.shape()[1])
    raise(ErrorKind::runtime, "{}: mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", bias ? "addmm" : "mm", rows,
          inner, weight.shape()[1], weight.shape()[0]);
  if (bias && (bias->dtype() != weight.dtype() || x.dtype() != weight.dtype())) {
    const bool is_of_bias = bias->dtype() != weight.dtype();
    raise(ErrorKind::runtime, "{} and mat2 must have the same dtype, but got {} and {}", is_of_bias ? "self" : "mat1",
          torch_name_of(is_of_bias ? bias->dtype() : x.dtype()), torch_name_of(weight.dtype()));
  }
  if (x.dtype() != weight.dtype()) check_product_as_torch(x, steps::transpose(weight, {1, 0}));
  if (bias) check_expanded_as_torch(*bias, {rows, weight.shape()[0]});
}

void check_layers_as_torch(const Reading& reading) {
  using F = quern::Function;
  const F function = reading.function;
  if (function == F::linear_) return check_linear(reading);
  if (function == F::bilinear_) return check_bilinear(reading);
  if (function == F::grid_sample_ || function == F::affine_grid_) return warn_of_corners(reading);
  if (function >= F::l1_loss_) return check_losses_as_torch(reading);
  DType type = reading.first->dtype();
  if (function == F::hardtanh_ || function == F::relu6_) return check_hardtanh(type);
  if (function == F::tanhshrink_ && type == DType::boolean)
    raise(ErrorKind::not_implemented,
          "Subtraction, the `-` operator, with a bool tensor is not supported. To invert a mask, use `~` or logical_not().");
  if (function == F::entr_) {
    if (is_complex(type)) raise(ErrorKind::not_implemented, "\"entr\" not implemented for '{}'", torch_name_of(type));
    return;
  }
  if (function == F::layer_norm_ || function == F::group_norm_ || function == F::batch_norm_ || function == F::instance_norm_)
    check_factors(reading);
  const bool has_type = function == F::softmax_ || function == F::softmin_ || function == F::log_softmax_;
  if (has_type) type = read_dtype(reading, reading.slots[2]).value_or(type);
  const Accepted accepted = accepted_by(function);
  if (!accepted.kernel) return;
  const bool is_accepted = is_complex(type)   ? accepted.complex_numbers
                           : is_integer(type) ? accepted.integers
                                              : type != DType::boolean;
  if (!is_accepted) raise(ErrorKind::not_implemented, "\"{}\" not implemented for '{}'", accepted.kernel, torch_name_of(type));
}

void Check<nn::prelu>::call(const Reading&, const Array& x, const Array& weight) {
  if (x.dtype() != weight.dtype())
    raise(ErrorKind::runtime, "prelu: Type promoting not supported. Got {} and {}", torch_name_of(x.dtype()),
          torch_name_of(weight.dtype()));
}

static void check_spread(const Array& x, size_t first_axis, const char* what) {
  int64_t count = 1;
  for (size_t i = 0; i < x.rank(); ++i)
    if (i != 1 && i >= first_axis) count *= x.shape()[i];
  if (count == 1)
    raise(ErrorKind::value, "Expected more than 1 {} when training, got input size torch.Size({})", what,
          quern::in_brackets(x.shape()));
}

void Check<nn::batch_norm>::call(const Reading& reading, const Array& x, const Array*, const Array*, const Array*, const Array*,
                                 bool uses_its_own, double, double) {
  const bool is_of_instances = reading.function == Function::instance_norm_;
  if (uses_its_own) check_spread(x, is_of_instances ? 2 : 0, is_of_instances ? "spatial element" : "value per channel");
}

void Check<nn::celu>::call(const Reading& reading, const Array& x, double number) {
  if (reading.function == Function::softshrink_) {
    if (number < 0) raise(ErrorKind::runtime, "lambda must be greater or equal to 0, but found to be {}.", number);
    if (const double most = steps::largest(real_part_type(x.dtype())); !(number <= most))
      raise(ErrorKind::runtime, "lambda must be in range [0, {:g}] for input dtype {}, but found {}", most,
            torch_name_of(x.dtype()), number);
  } else if (number == 0 && is_torch(reading)) {
    raise(ErrorKind::runtime, "ZeroDivisionError: alpha cannot be 0 for CELU");
  }
}

}  // namespace quern::python::faces
