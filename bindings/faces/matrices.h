// Readers of what the functions of matrices take (engine/functions/matrices.h): planes of two axes, the axes that products sum
// over; what PyTorch refuses of them.
#pragma once

#include "bindings/faces/operands.h"
#include "bindings/faces/shapes.h"
#include "core/error.h"
#include "functions/matrices.h"

namespace quern::python::faces {

Plane read_plane(const Reading& reading, PyObject* axis1, PyObject* axis2);
DiagonalNumber read_diagonal_number(const Reading& reading, PyObject* given);
DotAxes read_dot_axes(const Reading& reading, PyObject* given);
CrossAxes read_cross_axes(const Reading& reading, PyObject* of_a, PyObject* of_b, PyObject* of_result, PyObject* of_all);

// "axis1 axis2"
template <>
struct Read<Plane> {
  static constexpr size_t slots = 2;
  Plane value;
  explicit Read(Reading& reading) {
    PyObject* axis1 = reading.take();
    value = read_plane(reading, axis1, reading.take());
  }
};

template <>
inline constexpr auto reader<const DotAxes&> = read_dot_axes;

template <>
inline constexpr auto reader<DiagonalNumber> = read_diagonal_number;

// "axisa axisb axisc axis"
template <>
struct Read<const CrossAxes&> {
  static constexpr size_t slots = 4;
  CrossAxes value;
  explicit Read(Reading& reading) {
    PyObject *of_a = reading.take(), *of_b = reading.take(), *of_result = reading.take();
    value = read_cross_axes(reading, of_a, of_b, of_result, reading.take());
  }
};

// Waits for the work that makes an array; raises what failed in it.
void wait_for(const Array& result);
linalg::NormOrder read_norm_order(const Reading& reading, PyObject* given);

// A number, a name or None.
template <>
inline constexpr auto reader<const linalg::NormOrder&> = read_norm_order;

// "rcond rtol atol"
template <>
struct Read<const linalg::Cutoff&> {
  static constexpr size_t slots = 3;
  Operand operand, least;
  linalg::Cutoff value{&operand.argument};
  explicit Read(Reading& reading) {
    PyObject *rcond = reading.take(), *rtol = reading.take();
    const bool has_rtol = rtol && (rtol != Py_None || &reading.front_end != &torch);
    if (rcond && rcond != Py_None && has_rtol && &reading.front_end == &torch)
      raise(ErrorKind::type, "linalg_pinv(): arguments 'rtol' and 'rcond' are the same; pass one of them");
    if (rcond && rcond != Py_None && has_rtol) raise(ErrorKind::value, "`rtol` and `rcond` can't be both set.");
    PyObject* given = rcond && rcond != Py_None ? rcond : rtol;
    operand.argument = Argument(steps::real_number(1e-15));
    if (is_given(given)) operand.read(reading, given);
    if (given ? given == Py_None : &reading.front_end == &torch) value.value = nullptr;
    if (PyObject* atol = reading.take(); atol && atol != Py_None) {
      least.read(reading, atol);
      value.atol = &least.argument;
    }
  }
};

template <>
struct Read<linalg::Eigenvalues> {
  static constexpr size_t slots = 0;
  linalg::Eigenvalues value;
  explicit Read(Reading& reading) : value{reading.front_end.has_real_eigenvalues} {}
};

// Raise PyTorch's error, at the call, for what a status or the work for a result says.
void check_status(const Reading& reading, const Array& status);
void refuse_algebra_as_torch(const Reading& reading, const Error& error);
void settle_as_torch(const Reading& reading, const Array& result);
EinsumCall read_einsum(Reading& reading);

// "a equation optimize dtype order casting"
template <>
struct Read<const EinsumCall&> {
  static constexpr size_t slots = 6;
  EinsumCall value;
  explicit Read(Reading& reading) : value(read_einsum(reading)) {}
};

void check_matrices_as_torch(const Reading& reading);

template <>
struct Check<linalg::symmetric_factors> {
  static void call(const Reading& reading, const Array& a, std::optional<std::string_view> triangle);
};
template <>
struct Check<linalg::symmetric_values> : Check<linalg::symmetric_factors> {};
template <>
struct Check<linalg::matrix_power> {
  static void call(const Reading& reading, const Array& a, int64_t n);
};
template <>
struct Check<crossed> {
  static void call(const Reading& reading, const Array& a, const Array& b, const CrossAxes& axes);
};

}  // namespace quern::python::faces
