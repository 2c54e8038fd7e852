// What takes a result: `out`. Each front end checks it before anything is written, so that a failed call leaves it as it was.
#pragma once

#include "bindings/faces/face.h"

namespace quern::python::faces {

// Raise the peer's errors for an object that cannot take the result.
void check_out_as_numpy(const Reading& reading, const Array& result, PyObject* out);
void check_out_as_torch(const Reading& reading, const Array& result, PyObject* out);
// Write the values of `made` into `out`, which is given back. PyTorch resizes what has another shape.
nb::object write_out_as_numpy(const Reading& reading, nb::object made, PyObject* out);
nb::object write_out_as_torch(const Reading& reading, nb::object made, PyObject* out);

}  // namespace quern::python::faces
