// Readers of what statistics take (engine/functions/averages.h, quantiles.h), and what they give.
#pragma once

#include "bindings/faces/operands.h"
#include "bindings/faces/shapes.h"
#include "functions/functions.h"

namespace quern::python::faces {

// Fractions, or per cent, in a number, an array of the host's or one that is read.
Quantiles read_quantiles(const Reading& reading, PyObject* given);
QuantileMethod read_method(const Reading& reading, PyObject* method, PyObject* interpolation, PyObject* weights);
void warn_of_no_effect(const Reading& reading, PyObject* bias, PyObject* ddof);

// Raises NoDerivative for an array that wants a gradient where the function only reads it.
void refuse_derivative(const Reading& reading, const Array& array, const char* what);
void warn(PyObject* category, const std::string& text);  // at the user's line

template <>
inline constexpr auto reader<const Quantiles&> = read_quantiles;

// "method interpolation weights": the old name of the first, and what NumPy computes on the host.
template <>
struct Read<QuantileMethod> {
  static constexpr size_t slots = 3;
  QuantileMethod value;
  explicit Read(Reading& reading) {
    PyObject *method = reading.take(), *interpolation = reading.take();
    value = read_method(reading, method, interpolation, reading.take());
  }
};

// "bias ddof"
template <>
struct Read<WithoutEffect> {
  static constexpr size_t slots = 2;
  WithoutEffect value;
  explicit Read(Reading& reading) {
    PyObject* bias = reading.take();
    warn_of_no_effect(reading, bias, reading.take());
  }
};

nb::object hand_back(const Reading& reading, Averages&& result);
nb::object hand_back(const Reading& reading, Covariance&& result);  // warns where no degrees of freedom are left

template <>
struct Check<covariances> {
  static void call(const Reading& reading, const Array& m, const Array* more, bool in_rows, bool is_biased,
                   std::optional<double> ddof, const Array* repeated, const Array* counting, std::optional<DType> dtype);
};
template <>
struct Check<covariances_of_rows> {
  static void call(const Reading& reading, const Array& m, int64_t ddof, const Array* repeated, const Array* counting,
                   std::optional<DType> dtype);
  static void call(const Reading& reading, const Array& m, std::optional<DType> dtype);
};
template <>
struct Check<correlations_of_rows> : Check<covariances_of_rows> {};

}  // namespace quern::python::faces
