// One reader for each type that a body of engine/functions/ takes: Read<T>(reading).value. It takes as many slots as the type
// stands for, and lives as long as the call.
#pragma once

#include "bindings/faces/face.h"
#include "graph/tape.h"

namespace quern::python::faces {

// An array among the arguments; what is none is made one, as the front end does it.
const Array& read_array(Reading& reading, PyObject* given, nb::object& made, std::optional<Array>& numbers);
// The first array. Where it is made of other values, it goes to the device of a later one, whose Python type results then have.
// What operator.index() gives, if it fits.
int64_t integer_in(PyObject* given);
const Array& read_first(Reading& reading, PyObject* given);
std::vector<bool> read_axes(const Reading& reading, PyObject* given, bool counts_elements);
// The place of one axis of the first array.
size_t read_axis(const Reading& reading, PyObject* given);
std::optional<size_t> read_axis_or_none(const Reading& reading, PyObject* given);
std::optional<DType> read_dtype(const Reading& reading, PyObject* given);
DeviceId read_device(const Reading& reading, PyObject* given);
bool read_flag(const Reading& reading, PyObject* given);
int64_t read_integer(const Reading& reading, PyObject* given);
double read_number(const Reading& reading, PyObject* given);
// Bools that say which elements count; null where all do.
const Array* read_mask(Reading& reading, PyObject* given, std::optional<Array>& room);

// Of types that one function reads from one argument: that function.
template <class T>
inline constexpr auto reader = nullptr;

template <class T>
struct Read {
  static constexpr size_t slots = 1;
  std::invoke_result_t<decltype(reader<T>), Reading&, PyObject*> value;
  explicit Read(Reading& reading) : value(reader<T>(reading, reading.take())) {}
};
// The same, or None, which is as no argument.
template <class T>
struct ReadSome {
  static constexpr size_t slots = 1;
  std::optional<std::remove_cvref_t<T>> value;
  explicit ReadSome(Reading& reading) {
    if (PyObject* given = reading.take(); is_given(given)) value = reader<T>(reading, given);
  }
};
template <class T>
struct Read<std::optional<T>> : ReadSome<T> {
  using ReadSome<T>::ReadSome;
};
template <class T>
struct Read<const std::optional<T>&> : ReadSome<const T&> {
  using ReadSome<const T&>::ReadSome;
};

template <>
struct Read<const Array&> {
  static constexpr size_t slots = 1;
  nb::object made;
  std::optional<Array> numbers;
  const Array& value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  const Array& read(Reading& reading) {
    PyObject* given = reading.take();
    if (!reading.first) return read_first(reading, given);
    const Array& array = read_array(reading, given, made, numbers);
    if (!reading.second) reading.second = &array;
    if (reading.family() != Family::algebra || !reading.front_end.layer_operand) return array;
    return numbers.emplace(reading.front_end.layer_operand(reading, Array(array)));
  }
};

// Another array, or none.
template <>
struct Read<const Array*> {
  static constexpr size_t slots = 1;
  nb::object made;
  std::optional<Array> numbers;
  const Array* value;
  explicit Read(Reading& reading) : value(nullptr) {
    PyObject* given = reading.take();
    if (is_given(given)) value = &read_array(reading, given, made, numbers);
  }
};

template <>
inline constexpr auto reader<double> = read_number;

template <>
inline constexpr auto reader<bool> = read_flag;

// The place of an axis: bodies have no other parameters of this type.
template <>
struct Read<size_t> {
  static constexpr size_t slots = 1;
  size_t value;
  explicit Read(Reading& reading) : value(read_axis(reading, reading.take())) { reading.front_end.check_line(reading, value); }
};
// None: the flattened array.
template <>
struct Read<std::optional<size_t>> {
  static constexpr size_t slots = 1;
  std::optional<size_t> value;
  explicit Read(Reading& reading) : value(read_axis_or_none(reading, reading.take())) {
    reading.front_end.check_line(reading, value);
  }
};

template <>
struct Read<std::optional<DType>> {
  static constexpr size_t slots = 1;
  std::optional<DType> value;
  explicit Read(Reading& reading) : value(reading.front_end.computed_type(reading, read_dtype(reading, reading.take()))) {}
};

// The device of what is new; None: the current one.
template <>
inline constexpr auto reader<DeviceId> = read_device;

template <>
inline constexpr auto reader<int64_t> = read_integer;

// "axis keepdims dtype where"
template <>
struct Read<const Over&> {
  static constexpr size_t slots = 4;
  Over value;
  std::optional<Array> mask;
  explicit Read(Reading& reading, bool counts_elements = false) {
    value.axes = read_axes(reading, reading.take(), counts_elements);
    value.keep_dims = read_flag(reading, reading.take());
    value.dtype = reading.front_end.computed_type(reading, read_dtype(reading, reading.take()));
    value.where = read_mask(reading, reading.take(), mask);
    reading.front_end.check(reading, value);
  }
};
template <>
struct Read<Over> : Read<const Over&> {
  using Read<const Over&>::Read;
};
template <>
struct Read<const Counted&> : Read<const Over&> {
  explicit Read(Reading& reading) : Read<const Over&>(reading, true) {}
};
template <>
struct Read<Counted> : Read<const Counted&> {
  using Read<const Counted&>::Read;
};

// None, which is not the same as no argument: there is nothing to start with.
template <>
struct Read<const Initial&> {
  static constexpr size_t slots = 1;
  GivenOperand operand;
  Initial value;
  explicit Read(Reading& reading) {
    PyObject* given = reading.take();
    if (!given) return;
    value.is_none = given == Py_None;
    if (value.is_none) return;
    operand.read(given, true, reading.beside);
    value.value = operand.argument();
  }
};

}  // namespace quern::python::faces
