// Readers of what functions take that make new arrays (engine/functions/creation.h), and what their peers refuse.
#pragma once

#include "bindings/faces/operands.h"
#include "bindings/faces/shapes.h"
#include "functions/creation.h"

namespace quern::python::faces {

// "dtype order device memory_format"
template <>
struct Read<const Making&> {
  static constexpr size_t slots = 4;
  Making value;
  explicit Read(Reading& reading) : value(read(reading, nullptr, false)) {}
  static Making read(Reading& reading, const Array* like, bool has_shape);
};

// "shape dtype order device memory_format"
template <>
struct Read<const MakingLike&> {
  static constexpr size_t slots = 5;
  MakingLike value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static MakingLike read(Reading& reading);
};

// "start stop step dtype device"
template <>
struct Read<const EvenNumbers&> {
  static constexpr size_t slots = 5;
  EvenNumbers value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static EvenNumbers read(Reading& reading);
};

// "n m": rows, and columns, as many where there is no argument.
template <>
struct Read<Sides> {
  static constexpr size_t slots = 2;
  Sides value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static Sides read(Reading& reading);
};

// PyTorch's errors for sizes that no memory can be asked for.
void check_sizes_as_torch(const Reading& reading, const Shape& shape);

template <>
struct Check<zeros> {
  static void call(const Reading& reading, const Shape& shape, const Making& how);
};
template <>
struct Check<ones> : Check<zeros> {};
template <>
struct Check<filled_with> {
  static void call(const Reading& reading, const Rules&, const Shape& shape, const Argument& value, const Making& how);
};
template <>
struct Check<zeros_like> {
  static void call(const Reading& reading, const Array&, const MakingLike& how);
};
template <>
struct Check<ones_like> : Check<zeros_like> {};
template <>
struct Check<filled_like> {
  static void call(const Reading& reading, const Rules&, const Array&, const Argument& value, const MakingLike& how);
};
template <>
struct Check<with_ones_on_diagonal> {
  static void call(const Reading& reading, Sides sides, int64_t k, const Making& how);
};

}  // namespace quern::python::faces
