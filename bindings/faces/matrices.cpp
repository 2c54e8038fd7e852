#include "bindings/faces/matrices.h"

#include "bindings/given.h"
#include "bindings/tensor_operations.h"
#include "core/error.h"
#include "functions/parts.h"
#include "functions/steps.h"
#include "graph/tape.h"
#include "run/transfer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace quern::python::faces {

namespace {

// Several axes, or one.
std::vector<int64_t> axes_in(nb::handle given) {
  std::vector<int64_t> out;
  if (PyIndex_Check(given.ptr())) return {integer_in(given.ptr())};
  nb::object all = nb::steal(PySequence_Tuple(given.ptr()));
  if (!all.is_valid()) throw nb::python_error();
  for (nb::handle one : all) out.push_back(integer_in(one.ptr()));
  return out;
}

// An axis of an array of `rank` axes.
size_t place_of(const Reading& reading, int64_t axis, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  if (axis < -count || axis >= count) reading.front_end.refuse_axis(axis, rank);
  return static_cast<size_t>(axis < 0 ? axis + count : axis);
}

}  // namespace

Plane read_plane(const Reading& reading, PyObject* axis1, PyObject* axis2) {
  const bool is_of_result = reading.function == quern::Function::diag_embed_;
  if (!is_torch(reading) && reading.first->rank() < 2)
    raise(ErrorKind::value, "diag requires an array of at least two dimensions");
  auto place = [&](PyObject* given) { return is_of_result ? read_new_place(reading, given) : read_axis(reading, given); };
  const Plane plane{place(axis1), place(axis2)};
  if (plane.axis1 != plane.axis2) return plane;
  if (!is_torch(reading)) raise(ErrorKind::value, "axis1 and axis2 cannot be the same");
  raise(ErrorKind::runtime, "diagonal dimensions cannot be identical {}, {}", integer_in(axis1), integer_in(axis2));
}

DiagonalNumber read_diagonal_number(const Reading& reading, PyObject* given) {
  if (PyLong_Check(given)) return {static_cast<double>(integer_in(given))};
  double number = PyFloat_AsDouble(given);
  if (number == -1 && PyErr_Occurred()) throw nb::python_error();
  if (!(std::abs(number) < 0x1p62)) raise(ErrorKind::overflow, "{}(): k is too large: {}", reading.face.name, number);
  return {number};
}

DotAxes read_dot_axes(const Reading&, PyObject* given) {
  if (PyIndex_Check(given) && !(as_array(given) && as_array(given)->rank() > 0)) return {integer_in(given), {}, {}};
  nb::object pair = nb::borrow(given);
  if (as_array(given)) pair = pair.attr("tolist")();
  nb::object both = nb::steal(PySequence_Tuple(pair.ptr()));
  if (!both.is_valid()) throw nb::python_error();
  if (nb::len(both) != 2)
    raise(ErrorKind::value, "tensordot(): the axes must be a number or a pair, not {} objects", nb::len(both));
  return {{}, axes_in(both[0]), axes_in(both[1])};
}

CrossAxes read_cross_axes(const Reading& reading, PyObject* of_a, PyObject* of_b, PyObject* of_result, PyObject* of_all) {
  const size_t left = reading.first->rank(), right = reading.second->rank();
  if (left == 0 || right == 0) raise(ErrorKind::value, "At least one array has zero dimension");
  auto axis = [&](PyObject* given) {
    PyObject* named = of_all && of_all != Py_None ? of_all : given;
    return named ? integer_in(named) : -1;
  };
  CrossAxes axes{place_of(reading, axis(of_a), left), place_of(reading, axis(of_b), right), 0};
  const bool gives_third = reading.first->shape()[axes.of_a] == 2 && reading.second->shape()[axes.of_b] == 2;
  if (!gives_third) axes.of_result = place_of(reading, axis(of_result), std::max(left, right));
  return axes;
}

void wait_for(const Array& result) {
  Layout first;
  first.offset = result.layout().offset;
  std::array<std::byte, 16> element;
  read_into(detached(result).view(std::move(first)), element.data(), size_of(result.dtype()));
}

linalg::NormOrder read_norm_order(const Reading& reading, PyObject* given) {
  linalg::NormOrder order;
  if (!is_given(given)) return order;
  if (PyUnicode_Check(given)) {
    order.name = nb::cast<std::string>(nb::handle(given));
    return order;
  }
  nb::object number = nb::borrow(given);
  if (as_array(given)) nb::module_::import_("quern.arrays.core").attr("check_recorded")("norm", number);
  const bool is_array = as_array(given) || classified(given).what == Given::What::host_array;
  if (is_array && nb::cast<int>(number.attr("ndim")) == 0) number = number.attr("item")();
  order.is_valid = read_scalar(number.ptr(), order.number.emplace());
  if (!order.is_valid) order.number.reset();
  if (order.is_valid && is_torch(reading)) order.number->is_weak = true;  // NumPy's numbers, too
  return order;
}

// Only CuPy has eigenvalues of halves.
void Check<linalg::symmetric_factors>::call(const Reading& reading, const Array& a, std::optional<std::string_view>) {
  if (is_torch(reading)) return;  // check_algebra() has refused them
  if (a.dtype() == DType::float16 && &reading.front_end != &cupy)
    raise(ErrorKind::type, "array type float16 is unsupported in linalg");
}

void Check<linalg::matrix_power>::call(const Reading& reading, const Array&, int64_t) {
  if (reading.slots[1] == Py_None) raise(ErrorKind::type, "exponent must be an integer");
}

// NumPy allowed vectors of two components up to 2.4.
void Check<crossed>::call(const Reading& reading, const Array& a, const Array& b, const CrossAxes& axes) {
  const int64_t left = a.shape()[axes.of_a], right = b.shape()[axes.of_b];
  if (left != 2 && right != 2) return;
  if (nb::cast<bool>(nb::module_::import_("quern.arrays.core").attr("NUMPY_2_5")))
    raise(ErrorKind::value,
          "Both input arrays must be (arrays of) 3-dimensional vectors, but they are {} and {} dimensional instead.", left,
          right);
  if (&reading.front_end == &keras) return;
  nb::module_::import_("quern.user_files")
      .attr("warn_user")(
          "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors instead. (deprecated in NumPy "
          "2.0)",
          nb::handle(PyExc_DeprecationWarning));
}

// ---- what PyTorch refuses

namespace {

// As C++ calls the elements.
std::string_view cpp_name(DType type) {
  switch (type) {
    case DType::int8:
      return "signed char";
    case DType::uint8:
      return "unsigned char";
    case DType::int16:
      return "short int";
    case DType::int32:
      return "int";
    case DType::int64:
      return "long int";
    case DType::float32:
      return "float";
    case DType::float64:
      return "double";
    case DType::float16:
      return "c10::Half";
    case DType::bfloat16:
      return "c10::BFloat16";
    case DType::complex64:
      return "c10::complex<float>";
    case DType::complex128:
      return "c10::complex<double>";
    default:
      return row(type).name;
  }
}

// The tensors of a call, of which one is refused.
struct Operands {
  const Reading& reading;
  const char* name = reading.face.name;
  const Array& operator[](size_t slot) const { return *as_array(reading.slots[slot]); }
  // Do two have other types? Their names.
  bool differ(size_t i, size_t j) const { return (*this)[i].dtype() != (*this)[j].dtype(); }
  auto type(size_t i) const { return torch_name_of((*this)[i].dtype()); }
};

void check_vectors(const Operands& of) {
  const Array &a = of[0], &b = of[1];
  if (a.rank() != 1 || b.rank() != 1)
    raise(ErrorKind::runtime, "1D tensors expected, but got {}D and {}D tensors", a.rank(), b.rank());
  if (a.dtype() != b.dtype())
    raise(ErrorKind::runtime, "dot : expected both vectors to have same dtype, but found {} and {}", of.type(0), of.type(1));
  check_product_as_torch(a, b);
}

// `self`: what is called so, in mm() and addmm().
void check_plane_product(const Operands& of, size_t i) {
  const Array &a = of[i], &b = of[i + 1];
  if (a.rank() != 2) raise(ErrorKind::runtime, "{}: self must be a matrix, got {}-D tensor", of.name, a.rank());
  if (b.rank() != 2) raise(ErrorKind::runtime, "{}: mat2 must be a matrix, got {}-D tensor", of.name, b.rank());
  if (a.shape()[1] != b.shape()[0])
    raise(ErrorKind::runtime, "{}: mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", of.name, a.shape()[0],
          a.shape()[1], b.shape()[0], b.shape()[1]);
  check_product_as_torch(a, b);
}

void check_vector_product(const Operands& of, size_t i, size_t rank_of_sum) {
  const Array &a = of[i], &b = of[i + 1];
  if (a.rank() == 0 && i == 0) raise(ErrorKind::index, "Dimension specified as 0 but tensor has no dimensions");
  if (a.rank() != 2 || b.rank() != 1 || rank_of_sum > 1)
    raise(ErrorKind::runtime, "vector + matrix @ vector expected, got {}, {}, {}", rank_of_sum, a.rank(), b.rank());
  const bool is_sum = i > 0;
  const int64_t rows = is_sum && of[0].rank() == 1 ? of[0].shape()[0] : a.shape()[0];
  if (a.shape()[1] != b.shape()[0] || (rows != a.shape()[0] && rows != 1))
    raise(ErrorKind::runtime, "size mismatch, got input ({}), mat ({}x{}), vec ({})", rows, a.shape()[0], a.shape()[1],
          b.shape()[0]);
  if (of.differ(i, i + 1) || (is_sum && of.differ(0, i)))
    raise(ErrorKind::runtime, "addmv input tensors must have the same dtype, but got {}, {}, and {}", of.type(is_sum ? 0 : 1),
          of.type(i), of.type(i + 1));
}

void check_stack_product(const Operands& of, size_t i, bool is_sum) {
  const Array &a = of[i], &b = of[i + 1];
  if (a.rank() != 3) raise(ErrorKind::runtime, "batch1 must be a 3D tensor");
  if (b.rank() != 3) raise(is_sum ? ErrorKind::index : ErrorKind::runtime, "batch2 must be a 3D tensor");
  const Shape &left = a.shape(), &right = b.shape();
  if (left[0] != right[0] || left[2] != right[1])
    raise(ErrorKind::runtime, "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
          left[0], left[2], right[0], right[1]);
  if (a.dtype() != b.dtype()) raise(ErrorKind::runtime, "expected scalar type {} but found {}", of.type(i), of.type(i + 1));
}

void check_weights(const Operands& of) {
  const DType type = of[0].dtype();
  const bool is_of_integers = is_integer(type) && of[1].dtype() == type && of[2].dtype() == type;
  if (of.reading.function != quern::Function::addr_ || !is_of_integers) return;
  for (size_t slot : {size_t{3}, size_t{4}})
    if (PyFloat_Check(of.reading.slots[slot]))
      raise(ErrorKind::runtime, "For integral input tensors, argument {} must not be a floating point number.",
            slot == 3 ? "beta" : "alpha");
}

[[noreturn]] void refuse_algebra(const std::string& text) {
  PyErr_SetString(nb::object(nb::module_::import_("quern.torch._factors").attr("_LinAlgError")).ptr(), text.c_str());
  throw nb::python_error();
}

// What functions are called in errors.
std::string algebra_name(const Reading& reading) {
  using F = quern::Function;
  std::string name = reading.face.name;
  if (name == "inverse" || name == "inv_ex" || reading.function == F::inverse_) return "inv";
  if (name == "pinverse") return "pinv";
  if (name == "svdvals") return "svd";
  if (name == "eigvalsh") return "eigh";
  return name.substr(0, name.find("_ex") == name.size() - 3 ? name.size() - 3 : name.size());
}

void check_order(const Operands& of, const std::string& name) {
  linalg::NormOrder order = read_norm_order(of.reading, of.reading.slots[1]);
  const bool is_of_vectors = of.reading.function == quern::Function::vector_norm_of_tensor_;
  if (order.number && order.number->kind == WeakScalar::complex)
    raise(ErrorKind::runtime, "linalg.{}: Expected a non-complex scalar as the order of norm.", name);
  if (is_of_vectors) return;
  if (of[0].rank() < 2 && (name == "matrix_norm" || !order.name.empty()))
    raise(ErrorKind::runtime, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.");
  PyObject* dim = of.reading.slots[2];
  const bool has_two = dim && (PyTuple_Check(dim) || PyList_Check(dim)) && PySequence_Fast_GET_SIZE(dim) == 2;
  if ((name == "matrix_norm" || !order.name.empty()) && dim && dim != Py_None && !has_two) {
    std::string given = nb::str(nb::handle(dim)).c_str();
    std::erase_if(given, [](char c) { return c == ',' || c == '(' || c == ')' || c == '[' || c == ']'; });
    raise(ErrorKind::runtime, "linalg.matrix_norm: dim must be a 2-tuple. Got {}", given);
  }
  if (name == "norm" && !order.is_none() && (of[0].rank() > 2 || of[0].rank() == 0) && (!dim || dim == Py_None))
    raise(ErrorKind::runtime, "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.",
          of[0].rank());
  const bool is_of_matrices = name == "matrix_norm" || !order.name.empty() || has_two || (of[0].rank() == 2 && dim == nullptr);
  if (order.is_none() || !is_of_matrices) return;
  if (order.name == "fro" || order.name == "nuc") return;
  const double number = order.number && order.number->kind == WeakScalar::integer ? static_cast<double>(order.number->integer)
                        : order.number                                            ? order.number->re
                                                                                  : 0;
  if (std::isinf(number) || std::abs(number) == 1 || std::abs(number) == 2) return;
  raise(ErrorKind::runtime, "linalg.matrix_norm: Order {} not supported.", nb::str(nb::handle(of.reading.slots[1])).c_str());
}

[[noreturn]] void refuse_equation(const char* name, bool left, const Shape& a, const Shape& b) {
  auto size = [](const Shape& shape) {
    return shape.size() < 2 ? quern::formatted("{}x1", shape[0])
                            : quern::formatted("{}x{}", shape[shape.size() - 2], shape.back());
  };
  raise(ErrorKind::runtime, "{}: Incompatible shapes of A and B for the equation {} = B ({} and {})", name, left ? "AX" : "XA",
        size(a), size(b));
}

void check_equation(const Operands& of) {
  const Shape &a = of[0].shape(), &b = of[1].shape();
  if (of.differ(0, 1))
    raise(ErrorKind::runtime,
          "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead", of.type(0),
          of.type(1));
  const bool left = of.reading.slots[2] != Py_False, is_vector = linalg::has_vectors(of[0], of[1]);
  if (is_vector && !left)
    raise(ErrorKind::runtime, "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False.");
  const size_t back = is_vector || !left ? 1 : 2;
  if (b.size() >= back && b[b.size() - back] == a.back()) return;
  if (b.empty()) raise(ErrorKind::runtime, "linalg.solve: The input tensor B must have at least 2 dimensions.");
  refuse_equation("linalg.solve", left, a, b);
}

void check_chain(const Reading& reading) {
  const std::vector<Array>& arrays = reading.sequence->arrays;
  if (reading.function == quern::Function::multi_dot_ && arrays.size() < 2)
    raise(ErrorKind::runtime, "multi_dot(): expected at least 2 tensors but got {}", arrays.size());
  for (size_t i = 1; i < arrays.size(); ++i) {
    const Array &a = arrays[i - 1], &b = arrays[i];
    if (a.dtype() != arrays[0].dtype() || b.dtype() != arrays[0].dtype())
      raise(ErrorKind::runtime, "multi_dot(): all tensors must have be the same dtype but tensor 0 is {} and tensor {} {}",
            cpp_name(arrays[0].dtype()), i, cpp_name(b.dtype()));
    if (a.rank() > 0 && b.rank() > 0 && a.shape().back() != b.shape()[0])
      raise(ErrorKind::runtime, "multi_dot(): tensors {} and {} with shapes {} and {} cannot be multiplied", i - 1, i,
            quern::in_brackets(a.shape()), quern::in_brackets(b.shape()));
  }
}

std::string qualified(const std::string& name) { return (name.starts_with("ldl") ? "torch.linalg." : "linalg.") + name; }

// What PyTorch's messages call its functions where they are given halves.
void refuse_halves(const Operands& of, const std::string& name) {
  static constexpr std::pair<std::string_view, std::string_view> kernels[] = {{"qr", "geqrf"},
                                                                              {"eig", "linalg_eig_out"},
                                                                              {"eigvals", "linalg_eig_out"},
                                                                              {"eigh", "linalg_eigh"},
                                                                              {"svd", "linalg_svd"},
                                                                              {"cond", "linalg_svd"},
                                                                              {"det", "lu"},
                                                                              {"cholesky", "cholesky"},
                                                                              {"solve", "lu"},
                                                                              {"ldl_factor_ex", "ldl_factor_kernel"},
                                                                              {"solve_triangular", "triangular_solve"},
                                                                              {"cholesky_solve", "cholesky_solve"},
                                                                              {"cholesky_inverse", "cholesky_inverse_out"}};
  for (const auto& [function, kernel] : kernels)
    if (name == function) raise(ErrorKind::not_implemented, "\"{}_cpu\" not implemented for '{}'", kernel, of.type(0));
  if (name == "inv" || name == "slogdet" || name == "logdet")
    raise(ErrorKind::not_implemented, "{}: Low precision dtypes not supported. Got {}", qualified(name), of.type(0));
}

void check_numbers(const Operands& of, const std::string& name) {
  const DType type = of[0].dtype();
  const bool is_half = type == DType::float16 || type == DType::bfloat16;
  if (name == "pinv" && (is_half || is_integer(type) || type == DType::boolean || of[0].rank() < 2))
    raise(ErrorKind::runtime,
          "linalg.pinv({}{{{}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types",
          of.type(0), quern::in_brackets(of[0].shape()));
  if (is_half && (name == "matrix_rank" || name == "lstsq"))
    raise(ErrorKind::runtime, "This function doesn't handle types other than float and double");
  if (is_half) return refuse_halves(of, name);
  if (!is_integer(type) && type != DType::boolean) return;
  const char* wanted = "Expected a floating point or complex tensor as input. Got";
  if (name == "eig" || name == "eigvals") raise(ErrorKind::runtime, "Unknown Complex ScalarType for {}", of.type(0));
  if (name == "eigh") raise(ErrorKind::not_implemented, "\"linalg_eigh_cpu\" not implemented for '{}'", of.type(0));
  if (name == "matrix_rank" || name == "lstsq")
    raise(ErrorKind::runtime, "This function doesn't handle types other than float and double");
  raise(ErrorKind::not_implemented, "{}: {} {}", qualified(name), wanted, of.type(0));
}

void check_lu(const Operands& of) {
  const Array& a = of[0];
  const bool is_lu = of.reading.function == quern::Function::lu_;
  if (a.rank() < 2)
    raise(ErrorKind::runtime, "{}: Expected tensor with 2 or more dimensions. Got size: {} instead",
          is_lu ? "linalg.lu" : "torch.lu_factor", quern::in_brackets(a.shape()));
  if (is_integer(a.dtype()) || a.dtype() == DType::boolean || size_of(a.dtype()) == 2)
    raise(ErrorKind::not_implemented, "\"lu_cpu\" not implemented for '{}'", of.type(0));
  if (of.reading.slots[1] == Py_False)
    raise(ErrorKind::runtime, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
}

void check_least_squares(const Operands& of) {
  const Array &a = of[0], &b = of[1];
  if (of.differ(0, 1))
    raise(ErrorKind::runtime, "torch.linalg.lstsq: Expected input and other to have the same dtype, but got {} and {}",
          of.type(0), of.type(1));
  PyObject* driver = of.reading.slots[3];
  const std::string by = driver && driver != Py_None ? nb::cast<std::string>(nb::handle(driver)) : "gels";
  if (by != "gels" && by != "gelsy" && by != "gelsd" && by != "gelss")
    raise(ErrorKind::runtime, "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), but got {}",
          by);
  const bool is_vector = linalg::has_vectors(a, b);
  if (b.rank() > a.rank() || a.rank() - b.rank() > 1)
    raise(ErrorKind::runtime,
          "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1");
  if (a.shape()[a.rank() - 2] != b.shape()[b.rank() - (is_vector ? 1 : 2)])
    raise(ErrorKind::runtime, "torch.linalg.lstsq: input.size(-2) should match other.size(-{}), but they are {} and {}",
          is_vector ? 1 : 2, quern::in_brackets(a.shape()), quern::in_brackets(b.shape()));
}

void check_products_along(const Operands& of) {
  if (of.differ(0, 1))
    raise(ErrorKind::runtime,
          "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {} and y of type {} instead", of.type(0),
          of.type(1));
  if (of[0].rank() == 1 && of[1].rank() == 1) check_product_as_torch(of[0], of[1]);
  const auto rank = static_cast<int64_t>(std::max({of[0].rank(), of[1].rank(), size_t{1}})),
             axis = integer_in(of.reading.slots[2]);
  if (axis < -rank || axis >= rank) torch.refuse_axis(axis, static_cast<size_t>(rank));
}

bool is_by_singular_values(const Reading& reading) {
  const linalg::NormOrder order = read_norm_order(reading, reading.slots[1]);
  if (!order.number) return order.is_none();
  return order.number->kind == WeakScalar::integer ? std::abs(order.number->integer) == 2 : std::abs(order.number->re) == 2;
}

// PyTorch's ValueError, which an Error of its functions of matrices would not be.
void check_order_of_condition(const Reading& reading) {
  const linalg::NormOrder order = read_norm_order(reading, reading.slots[1]);
  if (order.is_none() || order.name == "fro" || order.name == "nuc") return;
  const double p = order.number && order.number->kind != WeakScalar::complex ? linalg::value_of(*order.number) : 0;
  if (std::abs(p) == 1 || std::abs(p) == 2 || std::isinf(p)) return;
  PyErr_Format(PyExc_ValueError, "linalg.cond got an invalid norm type: %S", reading.slots[1]);
  throw nb::python_error();
}

bool is_checked_by_its_body(quern::Function function) {
  using F = quern::Function;
  return function == F::tensorinv_of_tensor_ || function == F::tensorsolve_of_tensor_ || function == F::lu_solve_ ||
         function == F::lu_unpack_ || function == F::householder_product_ || function == F::ormqr_;
}

// Functions of one matrix or a stack of them.
void check_algebra(const Operands& of) {
  using F = quern::Function;
  const F function = of.reading.function;
  std::string name = algebra_name(of.reading);
  if (function == F::multi_dot_ || function == F::chain_matmul_) return check_chain(of.reading);
  const bool is_norm =
      function == F::norm_of_tensor_ || function == F::matrix_norm_of_tensor_ || function == F::vector_norm_of_tensor_;
  const bool is_power = function == F::power_of_tensor_;
  const Array& a = of[0];
  if (function == F::cond_of_tensor_) check_order_of_condition(of.reading);
  const bool is_lu = function == F::lu_ || function == F::lu_factor_ || function == F::lu_factor_ex_;
  if (is_lu) return check_lu(of);
  if (function == F::ldl_factor_ || function == F::ldl_factor_ex_) name = "ldl_factor_ex";
  if (is_power) name = "matrix_power";
  if (is_norm || !is_power) check_numbers(of, is_norm && name == "norm" ? "vector_norm" : name == "cond" ? "svd" : name);
  if (is_norm) return check_order(of, name);
  if (function == F::product_along_) return check_products_along(of);
  if (is_checked_by_its_body(function)) return;
  if (a.rank() < 2)
    raise(ErrorKind::runtime, "{}: The input tensor{} must have at least 2 dimensions.", qualified(name),
          name == "cond" ? "" : " A");
  const Shape& shape = a.shape();
  const bool takes_any = function == F::qr_ || function == F::svd_of_tensor_ || function == F::svdvals_ || function == F::pinv_ ||
                         function == F::rank_of_tensor_ || function == F::old_svd_ || function == F::old_qr_ ||
                         function == F::lstsq_of_tensor_ || function == F::cholesky_solve_ ||
                         (function == F::cond_of_tensor_ && (a.size() == 0 || is_by_singular_values(of.reading)));
  if (!takes_any && shape[a.rank() - 1] != shape[a.rank() - 2])
    raise(ErrorKind::runtime, "{}: A must be batches of square matrices, but they are {} by {} matrices", qualified(name),
          shape[a.rank() - 2], shape[a.rank() - 1]);
  if (is_power) {
    const int64_t n = integer_in(of.reading.slots[1]);
    if (n < 0) check_numbers(of, "inv");
    if (n > 1 && a.dtype() == DType::boolean) raise(ErrorKind::not_implemented, "\"addmm_impl_cpu_\" not implemented for 'Bool'");
  }
  if (function == F::pinv_ && of.reading.slots[4] == Py_True && shape[a.rank() - 1] != shape[a.rank() - 2])
    raise(ErrorKind::runtime, "linalg.eigh: A must be batches of square matrices, but they are {} by {} matrices",
          shape[a.rank() - 2], shape[a.rank() - 1]);
  if (function == F::cholesky_solve_ && (of[1].rank() < 2 || of[1].shape()[of[1].rank() - 1] != shape[a.rank() - 2] ||
                                         of[1].shape()[of[1].rank() - 2] != shape[a.rank() - 2]))
    raise(ErrorKind::runtime, "Incompatible matrix sizes for cholesky_solve: the factor is {} and the right side {}",
          quern::in_brackets(of[1].shape()), quern::in_brackets(shape));
  if (function == F::solve_triangular_ && of[1].rank() < 2)
    raise(ErrorKind::runtime, "linalg.solve_triangular: The input tensor B must have at least 2 dimensions.");
  if (function == F::solve_triangular_ &&
      of[1].shape()[of[1].rank() - (of.reading.slots[3] == Py_False ? 1 : 2)] != shape[a.rank() - 1])
    refuse_equation("linalg.solve_triangular", of.reading.slots[3] != Py_False, shape, of[1].shape());
  if (function == F::lstsq_of_tensor_) return check_least_squares(of);
  if (function == F::checked_solve_ || function == F::solve_ex_) check_equation(of);
  const char* text = nullptr;
  if (function == F::qr_ || function == F::eigh_ || function == F::eigvalsh_) {
    PyObject* word = of.reading.slots[1];
    text = word && PyUnicode_Check(word) ? PyUnicode_AsUTF8(word) : "None";
  }
  const std::string_view said = text ? text : "";
  if (function == F::qr_ && said != "reduced" && said != "complete" && said != "r")
    raise(ErrorKind::runtime, "qr received unrecognized mode '{}' but expected one of 'reduced' (default), 'r', or 'complete'",
          said);
  if (text && function != F::qr_ && said != "L" && said != "U" && said != "l" && said != "u")
    raise(ErrorKind::runtime, "Expected UPLO argument to be 'L' or 'U', but got {}", said);
}

void check_sum(const Operands& of, const Shape& product) {
  if (of.reading.function != quern::Function::addr_ && of.differ(0, 2)) {
    if (of.reading.function == quern::Function::baddbmm_)
      raise(ErrorKind::runtime, "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}", cpp_name(of[0].dtype()),
            cpp_name(of[1].dtype()), cpp_name(of[2].dtype()));
    raise(ErrorKind::runtime, "self and mat2 must have the same dtype, but got {} and {}", of.type(0), of.type(2));
  }
  check_expanded_as_torch(of[0], product);
  check_weights(of);
}

Shape shape_of_product(const Operands& of, bool is_summed) {
  const Shape &left = of[1].shape(), &right = of[2].shape();
  if (left.size() == 1) return {left[0], right[0]};
  Shape out(left.begin() + is_summed, left.end());
  out.back() = right.back();
  return out;
}

void check_outer(const Operands& of, size_t i, const char* first, const char* name) {
  for (size_t n : {size_t{0}, size_t{1}})
    if (of[i + n].rank() != 1)
      raise(ErrorKind::runtime, "{}: Expected 1-D argument {}, but got {}-D", name, n == 0 ? first : "vec2", of[i + n].rank());
}

void check_inner(const Operands& of) {
  const Array &a = of[0], &b = of[1];
  if (a.rank() == 0 || b.rank() == 0) return;
  if (a.dtype() != b.dtype()) raise(ErrorKind::runtime, "both inputs should have same dtype");
  if (a.shape().back() != b.shape().back())
    raise(ErrorKind::runtime, "inner() the last dimension must match on both input tensors but got shapes {} and {}",
          quern::in_brackets(a.shape()), quern::in_brackets(b.shape()));
}

void check_cross(const Operands& of) {
  const Array &a = of[0], &b = of[1];
  if (a.rank() != b.rank()) raise(ErrorKind::runtime, "linalg.cross: inputs must have the same number of dimensions.");
  PyObject* given = of.reading.slots[2];
  if (!is_given(given)) {
    if (std::find(a.shape().begin(), a.shape().end(), 3) == a.shape().end())
      raise(ErrorKind::runtime, "no dimension of size 3 in input");
  } else {
    const size_t axis = read_axis(of.reading, given);
    const int64_t left = a.rank() ? a.shape()[axis] : 1, right = b.rank() ? b.shape()[axis] : 1;
    if (left != 3 || right != 3)
      raise(ErrorKind::runtime, "linalg.cross: inputs dimension {} must have length 3. Got {} and {}", integer_in(given), left,
            right);
  }
  if (a.dtype() != b.dtype()) raise(ErrorKind::runtime, "expected scalar type {} but found {}", of.type(0), of.type(1));
}

void check_tensordot(const Operands& of) {
  const Array &a = of[0], &b = of[1];
  DotAxes axes = read_dot_axes(of.reading, of.reading.slots[2]);
  if (axes.count && *axes.count < 0) raise(ErrorKind::runtime, "tensordot expects dims >= 0, but got dims={}", *axes.count);
  if (axes.count && *axes.count > static_cast<int64_t>(std::min(a.rank(), b.rank())))
    raise(ErrorKind::runtime, "tensordot expects dims < ndim_a or ndim_b, but got dims={}", *axes.count);
  axes = axes.named();
  if (axes.of_a.size() != axes.of_b.size()) raise(ErrorKind::runtime, "both dimension lists should have same length");
  if (a.dtype() != b.dtype()) raise(ErrorKind::runtime, "both inputs should have same dtype");
  std::vector<bool> taken[2] = {std::vector<bool>(a.rank()), std::vector<bool>(b.rank())};
  for (size_t i = 0; i < axes.of_a.size(); ++i) {
    const size_t n = place_of(of.reading, axes.of_a[i], a.rank()), m = place_of(of.reading, axes.of_b[i], b.rank());
    for (auto [line, place] : {std::pair{&taken[0], n}, std::pair{&taken[1], m}}) {
      if ((*line)[place]) torch.refuse_repeated_axis(static_cast<int64_t>(place));
      (*line)[place] = true;
    }
    const int64_t left = a.shape()[n], right = b.shape()[m];
    if (left != right && left != 1 && right != 1)
      raise(ErrorKind::runtime,
            "contracted dimensions need to match, but first has size {} in dim {} and second has size {} in dim {}", left,
            axes.of_a[i], right, axes.of_b[i]);
  }
}

}  // namespace

void check_matrices_as_torch(const Reading& reading) {
  using F = quern::Function;
  const Operands of{reading};
  switch (reading.function) {
    case F::matmul_:
      return check_product_as_torch(of[0], of[1]);
    case F::mm_:
      return check_plane_product(of, 0);
    case F::bmm_:
      return check_stack_product(of, 0, false);
    case F::mv_:
      return check_vector_product(of, 0, 1);
    case F::dot_:
    case F::vdot_:
      return check_vectors(of);
    case F::inner_:
      return check_inner(of);
    case F::outer_:
      return check_outer(of, 0, "self", "outer");
    case F::cross_along_:
      return check_cross(of);
    case F::tensordot_of_ones_:
      return check_tensordot(of);
    case F::addmm_:
      check_plane_product(of, 1);
      return check_sum(of, shape_of_product(of, false));
    case F::addmv_:
      return check_vector_product(of, 1, of[0].rank());
    case F::addr_:
      check_outer(of, 1, "vec1", "addr");
      return check_sum(of, shape_of_product(of, false));
    case F::baddbmm_:
    case F::addbmm_:
      check_stack_product(of, 1, true);
      return check_sum(of, shape_of_product(of, reading.function == F::addbmm_));
    case F::tril_:
    case F::triu_:
      if (of[0].rank() < 2) raise(ErrorKind::runtime, "{}: input tensor must have at least 2 dimensions", of.name);
      return;
    case F::diag_copy_:
      if (of[0].rank() != 1 && of[0].rank() != 2)
        raise(ErrorKind::runtime, "diag(): Supports 1D or 2D tensors. Got {}D", of[0].rank());
      return;
    case F::trace_of_matrices_:
      if (of[0].rank() != 2) raise(ErrorKind::runtime, "trace: expected a matrix, but got tensor with dim {}", of[0].rank());
      if (of[0].dtype() == DType::boolean) raise(ErrorKind::not_implemented, "\"trace\" not implemented for 'Bool'");
      return;
    default:
      if (reading.family() == Family::algebra) check_algebra(of);
      return;
  }
}

void check_status(const Reading& reading, const Array& status) {
  if (status.size() == 0) return;
  const std::vector<int32_t> values = steps::values_of<int32_t>(status);
  auto found = std::find_if(values.begin(), values.end(), [](int32_t one) { return one != 0; });
  if (found == values.end()) return;
  using F = quern::Function;
  const F function = reading.function;
  std::string where = status.rank() > 0 ? "(Batch element " + std::to_string(found - values.begin()) + "): " : "";
  const std::string order = std::to_string(*found);
  if (function == F::lu_factor_ || function == F::lu_factor_ex_)
    raise(ErrorKind::runtime,
          "torch.linalg.{}: {}U[{},{}] is zero and using it on lu_solve would result in a division by zero. If you still want to "
          "perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
          reading.face.name, where, order, order);
  if (function == F::ldl_factor_ || function == F::ldl_factor_ex_)
    raise(ErrorKind::runtime, "torch.linalg.{}: {}the factor D is singular: its block {} is zero", reading.face.name, where,
          order);
  if (function == F::checked_solve_ || function == F::solve_ex_ || function == F::tensorsolve_of_tensor_)
    refuse_algebra(std::string("torch.linalg.solve") + (function == F::solve_ex_ ? "_ex: " : ": ") + where +
                   "The solver failed because the input matrix is singular.");
  if (function == F::checked_cholesky_ || function == F::cholesky_ex_)
    refuse_algebra(
        std::string("linalg.cholesky") + (function == F::cholesky_ex_ ? "_ex: " : ": ") + where +
        "The factorization could not be completed because the input is not positive-definite (the leading minor of order " +
        order + " is not positive-definite).");
  refuse_algebra(std::string("linalg.inv") + (function == F::inv_ex_ ? "_ex: " : ": ") + where + "The diagonal element " + order +
                 " is zero, the inversion could not be completed because the input matrix is singular.");
}

void refuse_algebra_as_torch(const Reading& reading, const Error& error) {
  using F = quern::Function;
  if (reading.function == F::lstsq_of_tensor_)
    refuse_algebra("torch.linalg.lstsq: The algorithm failed to converge because the input contained non-finite values.");
  const bool is_eig = reading.function == F::eig_ || reading.function == F::eigvals_;
  raise_text(ErrorKind::runtime, is_eig ? "torch.linalg.eig: input tensor should not contain infs or NaNs." : error.what());
}

void settle_as_torch(const Reading& reading, const Array& result) {
  using F = quern::Function;
  const F function = reading.function;
  const bool is_symmetric = function == F::eigh_ || function == F::eigvalsh_,
             is_general = function == F::eig_ || function == F::eigvals_;
  const bool is_norm = function == F::norm_of_tensor_ || function == F::matrix_norm_of_tensor_;
  const bool is_by_values =
      function == F::svd_of_tensor_ || function == F::svdvals_ || function == F::pinv_ || function == F::rank_of_tensor_ ||
      function == F::cond_of_tensor_ || function == F::old_svd_ ||
      (is_norm && reading.slots[1] && (PyUnicode_Check(reading.slots[1]) || PyNumber_Check(reading.slots[1])));
  const bool is_lstsq = function == F::lstsq_of_tensor_;
  if (result.size() == 0 || !(is_symmetric || is_general || is_by_values || is_lstsq)) return;
  try {
    wait_for(result);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::algebra) throw;
    if (is_lstsq) refuse_algebra_as_torch(reading, error);
    if (is_by_values)
      refuse_algebra("linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values.");
    refuse_algebra(is_symmetric ? "linalg.eigh: The algorithm failed to converge."
                                : "linalg.eig: The algorithm failed to converge.");
  }
}

}  // namespace quern::python::faces

namespace quern::python {

void check_product_as_torch(const Array& a, const Array& b) {
  if (a.rank() == 0 || b.rank() == 0)
    raise(ErrorKind::runtime, "both arguments to matmul need to be at least 1D, but they are {}D and {}D", a.rank(), b.rank());
  if (a.dtype() != b.dtype() && a.rank() == 1 && b.rank() == 1)
    raise(ErrorKind::runtime, "dot : expected both vectors to have same dtype, but found {} and {}", torch_name_of(a.dtype()),
          torch_name_of(b.dtype()));
  if (a.dtype() != b.dtype())
    raise(ErrorKind::runtime, "expected m1 and m2 to have the same dtype, but got: {} != {}", faces::cpp_name(a.dtype()),
          faces::cpp_name(b.dtype()));
  const Shape &left = a.shape(), &right = b.shape();
  const int64_t inner = right[right.size() == 1 ? 0 : right.size() - 2];
  faces::check_broadcast_as_torch(left, right, 2);
  if (left.back() == inner) return;
  if (left.size() == 1 && right.size() == 1)
    raise(ErrorKind::runtime,
          "inconsistent tensor size, expected tensor {} and src {} to have the same number of elements, but got {} and {} "
          "elements respectively",
          quern::in_brackets(left), quern::in_brackets(right), left[0], right[0]);
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < left.size(); ++d) rows *= left[d];
  if (right.size() == 1)
    raise(ErrorKind::runtime, "size mismatch, got input ({}), mat ({}x{}), vec ({})", rows, rows, left.back(), inner);
  if (right.size() > 2)
    raise(ErrorKind::runtime, "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
          right[right.size() - 3], left.back(), right[right.size() - 3], inner);
  raise(ErrorKind::runtime, "mm: mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", rows, left.back(), inner,
        right.back());
}

}  // namespace quern::python
