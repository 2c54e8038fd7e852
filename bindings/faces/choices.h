// Readers of what where(), clip() and astype() take, and what their peers refuse.
#pragma once

#include "bindings/faces/operands.h"
#include "bindings/faces/shapes.h"
#include "functions/creation.h"

namespace quern::python::faces {

// "x y"
template <>
struct Read<const Choices&> {
  static constexpr size_t slots = 2;
  Operand x, y;
  Choices value;
  explicit Read(Reading& reading) { read(reading); }

 private:
  void read(Reading& reading);
};

// "a_min a_max min max where casting order signature": two pairs of names, and keywords of ufuncs.
template <>
struct Read<const ClipLimits&> {
  static constexpr size_t slots = 8;
  Operand low, high;
  ClipLimits value;
  explicit Read(Reading& reading) { read(reading); }

 private:
  void read(Reading& reading);
};

// "dtype order casting copy device subok"
template <>
struct Read<const Conversion&> {
  static constexpr size_t slots = 6;
  Conversion value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static Conversion read(Reading& reading);
};

// "condlist choicelist default"
template <>
struct Read<const Cases&> {
  static constexpr size_t slots = 3;
  Cases value;
  std::vector<nb::object> made;  // keeps what the arrays are made of
  explicit Read(Reading& reading) { read(reading); }

 private:
  void read(Reading& reading);
};

template <>
struct Check<chosen> {
  static void call(const Reading& reading, const Rules&, const Array& condition, const Choices& choices);
};
template <>
struct Check<between_limits> {
  static void call(const Reading& reading, const Rules&, const Array& x, const ClipLimits& limits, std::optional<DType> dtype);
};

}  // namespace quern::python::faces
