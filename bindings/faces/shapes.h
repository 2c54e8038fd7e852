// Readers of what the shaping functions take (engine/functions/shaping.h): shapes and other lists of integers, axes of an array
// and of a result. What the front ends' peers refuse before a body runs, in their words, is Check<body>.
#pragma once

#include "bindings/faces/read.h"
#include "functions/border.h"
#include "functions/shaping.h"

namespace quern::python::faces {

// One integer, or a sequence of them.
std::vector<int64_t> read_integers(const Reading& reading, PyObject* given);
// Places among `rank` axes; each may be named once.
std::vector<size_t> read_places(const Reading& reading, PyObject* given, size_t rank);
std::optional<Axes> read_some_places(const Reading& reading, PyObject* given);
size_t read_new_place(const Reading& reading, PyObject* given);
std::vector<size_t> read_new_places(const Reading& reading, PyObject* given);
std::optional<bool> read_copies(const Reading& reading, PyObject* given);
Permutation read_permutation(const Reading& reading, PyObject* given);
Division read_division(const Reading& reading, PyObject* given);
SqueezedAxes read_squeezed(const Reading& reading, PyObject* given);

// The same; PyTorch's errors for a new array of sizes that no memory can be asked for.
const char* parameter_of(const Reading& reading);  // whose slot was taken last, as the face calls it
std::vector<int64_t> read_shape(const Reading& reading, PyObject* given);
void check_sizes_as_torch(const Reading& reading, const Shape& shape);

// A shape, numbers of parts, times that something is repeated.
template <>
inline constexpr auto reader<const std::vector<int64_t>&> = read_shape;

template <>
struct Read<const std::optional<Shape>&> {
  static constexpr size_t slots = 1;
  std::optional<Shape> value;
  explicit Read(Reading& reading) {
    if (PyObject* given = reading.take()) value = read_integers(reading, given);
  }
};

// "pad_width mode constant_values": a border's widths are one number, a pair for all axes or one for each.
template <>
struct Read<const Bordering&> {
  static constexpr size_t slots = 3;
  Bordering value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static Bordering read(Reading& reading);
};

// The arrays of one argument. The first of a front end is the one whose Python type results have.
const std::vector<Array>& read_sequence(Reading& reading, PyObject* given);
JoinedType read_joined(const Reading& reading, PyObject* dtype, PyObject* casting);

template <>
inline constexpr auto reader<const std::vector<Array>&> = read_sequence;

// "dtype casting"
template <>
struct Read<JoinedType> {
  static constexpr size_t slots = 2;
  JoinedType value;
  explicit Read(Reading& reading) {
    PyObject* dtype = reading.take();
    value = read_joined(reading, dtype, reading.take());
  }
};

template <>
inline constexpr auto reader<const Division&> = read_division;

template <>
struct Read<NewAxis> {
  static constexpr size_t slots = 1;
  NewAxis value;
  explicit Read(Reading& reading) : value{read_new_place(reading, reading.take())} {}
};

template <>
struct Read<Order> {
  static constexpr size_t slots = 1;
  Order value = Order::c;
  explicit Read(Reading& reading) {
    if (PyObject* given = reading.take()) value = order_of(given, Order::c);
  }
};

// Must there be a copy, or must there be none? None: where it is needed.
template <>
struct Read<std::optional<bool>> {
  static constexpr size_t slots = 1;
  std::optional<bool> value;
  explicit Read(Reading& reading) : value(read_copies(reading, reading.take())) {}
};

template <>
inline constexpr auto reader<const Permutation&> = read_permutation;

template <>
struct Read<const Axes&> {
  static constexpr size_t slots = 1;
  Axes value;
  explicit Read(Reading& reading) : value(read_places(reading, reading.take(), reading.first->rank())) {}
};
// None, or no argument: all axes, or the flattened array.
template <>
struct Read<const std::optional<Axes>&> {
  static constexpr size_t slots = 1;
  std::optional<Axes> value;
  explicit Read(Reading& reading) : value(read_some_places(reading, reading.take())) {}
};

template <>
struct Read<const NewAxes&> {
  static constexpr size_t slots = 1;
  NewAxes value;
  explicit Read(Reading& reading) : value{read_new_places(reading, reading.take())} {}
};

template <>
inline constexpr auto reader<const SqueezedAxes&> = read_squeezed;

// Raises PyTorch's errors for a tensor that does not expand to these sizes.
void check_expanded_as_torch(const Array& array, const Shape& sizes);
// Raises PyTorch's error for shapes that do not broadcast; `kept`: how many of the last axes need not.
void check_broadcast_as_torch(const Shape& a, const Shape& b, size_t kept = 0);
// Raises an error of a shaping function's body again where the peer's has another type.
void refuse_shapes(const Reading& reading, const Error& error);

template <auto body>
struct Check {
  template <class... T>
  static void call(const Reading&, const T&...) {}
};
template <>
struct Check<turned> {
  static void call(const Reading& reading, const Array& array, int64_t quarters, const Axes& plane);
};
template <>
struct Check<reshaped_as> {
  static void call(const Reading& reading, const Array& array, const Shape& shape, Order order, std::optional<bool> copies);
  static void call(const Reading& reading, const Array& array, const std::optional<Shape>& shape, std::optional<DType> dtype);
};
template <>
struct Check<viewed> : Check<reshaped_as> {};
template <>
struct Check<broadcast_view> {
  static void call(const Reading& reading, const Array& array, const Shape& shape);
};
template <>
struct Check<concatenated> {
  static void call(const Reading& reading, const std::vector<Array>& arrays, std::optional<size_t> axis, JoinedType type);
};
template <>
struct Check<stacked_along> {
  static void call(const Reading& reading, const std::vector<Array>& arrays, NewAxis axis, JoinedType type);
};
template <>
struct Check<stacked_columns> {
  static void call(const Reading& reading, const std::vector<Array>& arrays, JoinedType type);
};
template <>
struct Check<stacked_rows> : Check<stacked_columns> {};
template <>
struct Check<broadcast_together> {
  static void call(const Reading& reading, const std::vector<Array>& arrays);
};
template <>
struct Check<split_columns> {
  static void call(const Reading& reading, const Array& array, const Division& by);
};
template <>
struct Check<split_rows> : Check<split_columns> {};
template <>
struct Check<split_depths> : Check<split_columns> {};
template <>
struct Check<imaginary_part> {
  static void call(const Reading& reading, const Array& array);
};
template <>
struct Check<tiled> {
  static void call(const Reading& reading, const Array& array, const std::vector<int64_t>& times);
};
template <>
struct Check<rolled> {
  static void call(const Reading& reading, const Array& array, const std::vector<int64_t>& shifts,
                   const std::optional<Axes>& axes);
};

}  // namespace quern::python::faces
