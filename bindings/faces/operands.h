// Elementwise operations of each front end: how their operands are read, and what the front end refuses.
#pragma once

#include "bindings/faces/face.h"

namespace quern::python::faces {

nb::object operate_as_torch(Reading& reading, Op op);

}  // namespace quern::python::faces
