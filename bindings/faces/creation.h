// Readers of what functions take that make new arrays (engine/functions/creation.h), and what their peers refuse.
#pragma once

#include "bindings/faces/matrices.h"
#include "bindings/faces/operands.h"
#include "bindings/faces/shapes.h"
#include "functions/creation.h"
#include "functions/ranges.h"
#include "functions/windows.h"

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

// "a dtype order device copy ndmin ndmax sparse ragged subok": values of the host (bindings/host_values.h)
template <>
struct Read<const MadeOfValues&> {
  static constexpr size_t slots = 10;
  MadeOfValues value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static MadeOfValues read(Reading& reading);
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

// "start stop num endpoint"
template <>
struct Read<const Ends&> {
  static constexpr size_t slots = 4;
  Operand start, stop;
  Ends value{Argument(Scalar{}), Argument(Scalar{}), 0, true, DType::float64, DType::float64};
  explicit Read(Reading& reading) { read(reading); }

 private:
  void read(Reading& reading);
};

// "axis dtype device"
template <>
struct Read<const Spread&> {
  static constexpr size_t slots = 3;
  Spread value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static Spread read(Reading& reading);
};

// "M periodic dtype device"
template <>
struct Read<const WindowSize&> {
  static constexpr size_t slots = 4;
  WindowSize value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static WindowSize read(Reading& reading);
};

template <>
struct Check<filled_with> {
  template <class T, class U>
  static void call(const Reading& reading, const Rules&, const T&, const Argument& value, const U&) {
    check_value(reading, value);
  }

 private:
  static void check_value(const Reading& reading, const Argument& value);
};
template <>
struct Check<filled_like> : Check<filled_with> {};

// The axis of spread numbers, and what PyTorch refuses of their ends.
template <>
struct Check<multiples_spread> {
  static void call(const Reading& reading, const Ends& ends, const Spread& spread) { check(reading, ends, spread, nullptr); }
  static void call(const Reading& reading, const Ends& ends, bool, const Spread& spread) { call(reading, ends, spread); }
  static void call(const Reading& reading, const Ends& ends, const Argument& base, const Spread& spread) {
    check(reading, ends, spread, &base);
  }

 private:
  static void check(const Reading& reading, const Ends& ends, const Spread& spread, const Argument* base);
};
template <>
struct Check<evenly_spread> : Check<multiples_spread> {};
template <>
struct Check<powers_spread> : Check<multiples_spread> {};
// Sizes that are numbers of their own.
template <>
struct Check<lower_places> {
  template <class T>
  static void call(const Reading& reading, const T&, int64_t count, const Making&) {
    check_sizes_as_torch(reading, {count});
  }
  static void call(const Reading& reading, int64_t rows, int64_t columns, int64_t k, const Making& how);
};
template <>
struct Check<upper_places> : Check<lower_places> {};
template <>
struct Check<grid_indices> {
  static void call(const Reading& reading, const Shape& shape, bool is_sparse, const Making& how);
};
template <>
struct Check<grid_by_name> {
  static void call(const Reading& reading, const std::vector<Array>& arrays, bool, bool, std::optional<std::string_view> name);
};

}  // namespace quern::python::faces
