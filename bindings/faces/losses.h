// Readers of what losses take (engine/functions/losses.h), and what PyTorch refuses of them.
#pragma once

#include "bindings/faces/networks.h"

namespace quern::python::faces {

// The name of a reduction: `reduction`, unless one of the two older arguments is given, which warns.
std::string loss_reduction(nb::handle size_average, nb::handle reduce, nb::handle reduction);
nn::LossReduction read_loss_reduction(const Reading& reading, PyObject* size_average, PyObject* reduce, PyObject* reduction);
void check_losses_as_torch(const Reading& reading);

// "size_average reduce reduction"
template <>
struct Read<nn::LossReduction> {
  static constexpr size_t slots = 3;
  nn::LossReduction value;
  explicit Read(Reading& reading) {
    PyObject *size_average = reading.take(), *reduce = reading.take();
    value = read_loss_reduction(reading, size_average, reduce, reading.take());
  }
};

}  // namespace quern::python::faces
