// Readers of what distributions of random numbers take (engine/functions/distributions.h): a generator, parameters, a size, a
// type.
#pragma once

#include "bindings/faces/creation.h"
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

// "low high": integers, the second of which is beyond those that are drawn.
template <>
struct Read<const random::Bounds&> {
  static constexpr size_t slots = 2;
  random::Bounds value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static random::Bounds read(Reading& reading);
};

template <>
struct Check<random::permutation> {
  static void call(const Reading& reading, const random::Stream&, int64_t count, const Making&) {
    check_sizes_as_torch(reading, {count});
  }
};

void define_streams(nb::module_& m);

}  // namespace quern::python::faces
