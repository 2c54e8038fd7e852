// Readers of what distributions of random numbers take (engine/functions/distributions.h): a generator, parameters, a size, a
// type.
#pragma once

#include "bindings/faces/read.h"
#include "functions/distributions.h"

namespace quern::python::faces {

random::Stream read_stream(Reading& reading, PyObject* given);
random::Parameter read_parameter(Reading& reading, PyObject* given);
random::Size read_size(const Reading& reading, PyObject* given);
random::RealType read_real_type(const Reading& reading, PyObject* given);

template <>
struct Read<const random::Stream&> {
  static constexpr size_t slots = 1;
  random::Stream value;
  explicit Read(Reading& reading) : value(read_stream(reading, reading.take())) {}
};

template <>
struct Read<const random::Parameter&> {
  static constexpr size_t slots = 1;
  random::Parameter value;
  explicit Read(Reading& reading) : value(read_parameter(reading, reading.take())) {}
};

template <>
struct Read<const random::Size&> {
  static constexpr size_t slots = 1;
  random::Size value;
  explicit Read(Reading& reading) : value(read_size(reading, reading.take())) {}
};

template <>
struct Read<random::RealType> {
  static constexpr size_t slots = 1;
  random::RealType value;
  explicit Read(Reading& reading) : value(read_real_type(reading, reading.take())) {}
};

void define_streams(nb::module_& m);

}  // namespace quern::python::faces
