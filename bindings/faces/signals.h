// Readers of what functions of sampled signals take (engine/functions/signals.h).
#pragma once

#include "bindings/faces/read.h"
#include "functions/rounding.h"
#include "functions/signals.h"

namespace quern::python::faces {

SampledAxis read_sampled_axis(const Reading& reading, PyObject* given);
RunningAxis read_running_axis(const Reading& reading, PyObject* given);
Spacings read_spacings(Reading& reading, PyObject* given);
Overlap read_overlap(PyObject* given);

template <>
struct Read<SampledAxis> {
  static constexpr size_t slots = 1;
  SampledAxis value;
  explicit Read(Reading& reading) : value(read_sampled_axis(reading, reading.take())) {}
};

template <>
struct Read<RunningAxis> {
  static constexpr size_t slots = 1;
  RunningAxis value;
  explicit Read(Reading& reading) : value(read_running_axis(reading, reading.take())) {}
};

template <>
struct Read<const Spacings&> {
  static constexpr size_t slots = 1;
  Spacings value;
  explicit Read(Reading& reading) : value(read_spacings(reading, reading.take())) {}
};

template <>
struct Read<Overlap> {
  static constexpr size_t slots = 1;
  Overlap value;
  explicit Read(Reading& reading) : value(read_overlap(reading.take())) {}
};

}  // namespace quern::python::faces
