// Elementwise operations of each front end: how their operands are read, and what the front end refuses.
#pragma once

#include "bindings/faces/read.h"

namespace quern::python::faces {

nb::object operate_as_torch(Reading& reading, Op op);
nb::object operate_as_keras(Reading& reading, Op op);
void check_operands_as_torch(const Reading& reading);
void check_operands_as_keras(const Reading& reading);

// An array or a number, as the front end reads it. Of numbers alone the first is made an array.
struct Operand {
  nb::object made;
  std::optional<Array> numbers;
  Argument argument = Argument(Scalar{});
  void read(Reading& reading, PyObject* given);
  // Another type; a number of Python's stays weak where the type's kind holds it.
  void convert(DType type);
  Array array(DType type, DeviceId device) const;
};

// What Keras's functions compute operands in together.
DType keras_type_of(std::span<const OperandType> types);

template <>
struct Read<const Alike&> {
  static constexpr size_t slots = 2;
  Alike value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static Alike read(Reading& reading);
};

// "a b": arrays; those that correspond to samples and their coordinates, or to elements and weights, become real numbers.
template <>
struct Read<const AlikeArrays&> {
  static constexpr size_t slots = 2;
  AlikeArrays value;
  explicit Read(Reading& reading) : value(read(reading)) {
    if (value.b) reading.second = &*value.b;
  }

 private:
  static AlikeArrays read(Reading& reading);
};

template <>
struct Read<const Rules&> {
  static constexpr size_t slots = 0;
  const Rules& value;
  explicit Read(Reading& reading) : value(*reading.front_end.rules) {}
};

template <>
struct Read<const Argument&> {
  static constexpr size_t slots = 1;
  Operand operand;
  const Argument& value;
  explicit Read(Reading& reading) : value(operand.argument) { operand.read(reading, reading.take()); }
};
template <>
struct Read<const Argument*> {
  static constexpr size_t slots = 1;
  Operand operand;
  const Argument* value = nullptr;
  explicit Read(Reading& reading) {
    PyObject* given = reading.take();
    if (!is_given(given)) return;
    operand.read(reading, given);
    value = &operand.argument;
  }
};

template <>
struct Read<std::optional<std::string_view>> {
  static constexpr size_t slots = 1;
  std::optional<std::string_view> value;
  explicit Read(Reading& reading) : value(read_text(reading.take())) {}

 private:
  static std::optional<std::string_view> read_text(PyObject* given);
};

}  // namespace quern::python::faces
