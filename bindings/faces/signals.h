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
inline constexpr auto reader<SampledAxis> = read_sampled_axis;

template <>
inline constexpr auto reader<RunningAxis> = read_running_axis;

template <>
inline constexpr auto reader<const Spacings&> = read_spacings;

template <>
struct Read<Overlap> {
  static constexpr size_t slots = 1;
  Overlap value;
  explicit Read(Reading& reading) : value(read_overlap(reading.take())) {}
};

}  // namespace quern::python::faces
