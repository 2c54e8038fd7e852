// Arguments and results of statistics: quantiles, methods between two elements, weights of observations.
#include "bindings/faces/statistics.h"

#include "bindings/faces/results.h"
#include "bindings/tensor_operations.h"
#include "core/error.h"
#include "functions/steps.h"
#include "graph/tape.h"

namespace quern::python::faces {

void warn(PyObject* category, const std::string& text) {
  nb::module_::import_("quern.user_files").attr("warn_user")(text, nb::handle(category));
}

void refuse_derivative(const Reading& reading, const Array& array, const char* what) {
  if (!GradientMode::is_on() || !wants_gradient(array)) return;
  nb::object error = nb::module_::import_("quern.arrays.core").attr("NoDerivative");
  PyErr_Format(error.ptr(),
               "[%s] derivative for %s is not implemented with respect to %s, which it only reads; give it arrays of "
               "quern.autograd.detach(), or compose it of other functions",
               reading.face.name, reading.face.name, what);
  throw nb::python_error();
}

static Quantiles quantiles_in(const Reading& reading, PyObject* given, double whole) {
  const bool is_keras = &reading.front_end == &keras;
  if (PyFloat_CheckExact(given) || PyLong_CheckExact(given)) {
    double number = PyFloat_AsDouble(given);
    if (number == -1 && PyErr_Occurred()) throw nb::python_error();
    return {{number / whole}, {}, {PyLong_CheckExact(given) && whole == 1, true, DType::float64}, is_keras};
  }
  nb::object made = as_array(given) ? nb::borrow(given)
                    : is_keras      ? nb::handle(keras.convert)(nb::handle(given), "float64")
                                    : array_of(given, DeviceId::cpu());
  Array q = *as_array(made.ptr());
  refuse_derivative(reading, q, "its quantiles");
  const size_t most = &reading.front_end == &cupy ? 1 : 2;
  if (q.rank() > most && most == 1) raise(ErrorKind::value, "Expected q to have a dimension of 1.\nActual: {} != 1", q.rank());
  if (q.rank() > most) raise(ErrorKind::value, "q must be a scalar or 1d");
  if (is_complex(q.dtype())) raise(ErrorKind::type, "q must be real numbers, not complex ones");
  if (whole != 1) q = steps::compute(Op::true_divide, q, whole);
  const bool are_whole = steps::is_whole(q.dtype());
  return {steps::values_of<double>(q), q.shape(), {are_whole, false, are_whole ? DType::float64 : q.dtype()}, is_keras};
}

Quantiles read_quantiles(const Reading& reading, PyObject* given) {
  const bool are_per_cent =
      reading.function == quern::Function::percentile_ || reading.function == quern::Function::nanpercentile_;
  const double whole = are_per_cent ? 100 : 1;
  Quantiles out = quantiles_in(reading, given, whole);
  out.function = reading.face.name, out.whole = whole;
  return out;
}

QuantileMethod read_method(const Reading& reading, PyObject* method, PyObject* interpolation, PyObject* weights) {
  if (weights && weights != Py_None) throw Unserved{"quantiles with weights are not native"};
  auto text_of = [](PyObject* given) {
    const char* text = PyUnicode_AsUTF8(given);
    if (!text) throw nb::python_error();
    return std::string_view(text);
  };
  QuantileMethod out{text_of(method)};
  if (interpolation && interpolation != Py_None) {
    const char* name = reading.face.name;
    warn(PyExc_DeprecationWarning,
         std::string("the `interpolation=` argument to ") + name + " was renamed to `method=`, which has additional options.");
    if (out.name != "linear")
      raise(ErrorKind::type, "[{}] `method` and `interpolation` are the same argument; pass `method` alone", name);
    out.name = text_of(interpolation);
  }
  const bool skips_nan = reading.function == quern::Function::nanquantile_ || reading.function == quern::Function::nanpercentile_;
  const Array& array = *reading.first;
  if (skips_nan && array.size() > 0 && row(array.dtype()).kind == DTypeKind::real && !skips_nan_by(out.name))
    throw Unserved{"the method '" + std::string(out.name) + "' without NaN is not native"};
  return out;
}

void warn_of_no_effect(const Reading&, PyObject* bias, PyObject* ddof) {
  if (is_given(bias) || is_given(ddof)) warn(PyExc_DeprecationWarning, "bias and ddof have no effect and are deprecated");
}

nb::object hand_back(const Reading& reading, Averages&& result) {
  if (result.arrays.size() == 1) return hand_back(reading, std::move(result.arrays[0]));
  return hand_back(reading, std::move(result.arrays));
}

nb::object hand_back(const Reading& reading, Covariance&& result) {
  if (result.is_degenerate && is_torch(reading))
    warn(PyExc_UserWarning,
         "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.");
  else if (result.is_degenerate)
    warn(PyExc_RuntimeWarning, "Degrees of freedom <= 0 for slice");
  return hand_back(reading, std::move(result.values));
}

// ---- what peers refuse in other words

void Check<covariances>::call(const Reading& reading, const Array&, const Array*, bool, bool, std::optional<double>,
                              const Array* repeated, const Array*, std::optional<DType>) {
  if (&reading.front_end == &cupy && repeated && !is_integer(repeated->dtype()))
    raise(ErrorKind::type, "fweights must be integer");
}

static void check_variables(const char* name, const Array& m) {
  if (m.rank() > 2)
    raise(ErrorKind::runtime, "{}(): expected input to have two or fewer dimensions but got an input with {} dimensions", name,
          m.rank());
  if (m.dtype() == DType::boolean) raise(ErrorKind::not_implemented, "cov(): bool dtype is not supported for input");
}

static void check_weights(const Array& m, const Array& weights, const char* name, bool are_whole) {
  const int64_t count = m.rank() < 2 ? m.size() : m.shape()[1];
  if (weights.rank() > 1)
    raise(ErrorKind::runtime, "cov(): expected {} to have one or fewer dimensions but got {} with {} dimensions", name, name,
          weights.rank());
  if (are_whole ? !is_integer(weights.dtype()) : row(weights.dtype()).kind != DTypeKind::real)
    raise(ErrorKind::runtime, "cov(): expected {} to have {} dtype but got {} with {} dtype", name,
          are_whole ? "integral" : "floating point", name, torch_name_of(weights.dtype()));
  if (weights.size() != count)
    raise(ErrorKind::runtime, "cov(): expected {} to have the same numel as there are observations in the input but got {} != {}",
          name, weights.size(), count);
}

void Check<covariances_of_rows>::call(const Reading&, const Array& m, int64_t, const Array* repeated, const Array* counting,
                                      std::optional<DType>) {
  check_variables("cov", m);
  if (repeated) check_weights(m, *repeated, "fweights", true);
  if (counting) check_weights(m, *counting, "aweights", false);
}

void Check<covariances_of_rows>::call(const Reading& reading, const Array& m, std::optional<DType>) {
  if (is_torch(reading)) return check_variables("corrcoef", m);
  if (m.rank() > 2)
    raise(ErrorKind::value, "corrcoef(): expected input to have two or fewer dimensions but got an input with {} dimensions",
          m.rank());
}

}  // namespace quern::python::faces
