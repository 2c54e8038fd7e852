// Readers of what the functions of matrices take (engine/functions/matrices.h): planes of two axes, the axes that products sum
// over; what PyTorch refuses of them.
#pragma once

#include "bindings/faces/shapes.h"
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
struct Read<const DotAxes&> {
  static constexpr size_t slots = 1;
  DotAxes value;
  explicit Read(Reading& reading) : value(read_dot_axes(reading, reading.take())) {}
};

template <>
struct Read<DiagonalNumber> {
  static constexpr size_t slots = 1;
  DiagonalNumber value;
  explicit Read(Reading& reading) : value(read_diagonal_number(reading, reading.take())) {}
};

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

void check_matrices_as_torch(const Reading& reading);

template <>
struct Check<crossed> {
  static void call(const Reading& reading, const Array& a, const Array& b, const CrossAxes& axes);
};

}  // namespace quern::python::faces
