// Readers of what sorts take (engine/functions/ordering.h): methods, fields of records, places, keys; and results of sets
// (sets.h).
#pragma once

#include "bindings/faces/searching.h"

namespace quern::python::faces {

void check_sort(const Reading& reading, PyObject* kind, PyObject* stable);
void check_select(const Reading& reading, PyObject* kind);
SortFields read_fields(const Reading& reading, PyObject* order);
std::vector<int64_t> read_kth(PyObject* given);
SortKeys read_keys(Reading& reading, PyObject* given);

// "kind stable"
template <>
struct Read<SortMethod> {
  static constexpr size_t slots = 2;
  SortMethod value;
  explicit Read(Reading& reading) {
    PyObject* kind = reading.take();
    check_sort(reading, kind, reading.take());
  }
};
template <>
struct Read<SelectMethod> {
  static constexpr size_t slots = 1;
  SelectMethod value;
  explicit Read(Reading& reading) { check_select(reading, reading.take()); }
};
template <>
inline constexpr auto reader<const SortFields&> = read_fields;
template <>
struct Read<const Kth&> {
  static constexpr size_t slots = 1;
  Kth value;
  explicit Read(Reading& reading) : value{read_kth(reading.take())} {}
};
template <>
inline constexpr auto reader<const SortKeys&> = read_keys;

inline nb::object hand_back(const Reading&, Nothing&&) { return nb::none(); }
nb::object hand_back(const Reading& reading, OneOrMore&& result);
nb::object hand_back(const Reading& reading, Named&& result);

// What is sorted along an axis has one.
void check_has_axes(const Reading& reading, const Array& array, bool has_axis);
template <>
struct Check<sorted_copy> {
  template <class... T>
  static void call(const Reading& reading, const Array& array, const T&...) {
    using F = quern::Function;
    const bool needs_axis = reading.function == F::sort_complex_;
    check_has_axes(reading, array, needs_axis || is_given(reading.slots[reading.function == F::partition_ ? 2 : 1]));
  }
};
template <>
struct Check<partitioned_copy> : Check<sorted_copy> {};
template <>
struct Check<sorted_as_complex> : Check<sorted_copy> {};
template <>
struct Check<distinct_in> {
  static void call(const Reading& reading, const Array& array, bool places, bool inverse, bool counts, std::optional<size_t> axis,
                   bool equal_nan);
};
template <>
struct Check<distinct_along> {
  static void call(const Reading& reading, const Array& array, bool inverse, bool counts, std::optional<size_t> axis);
};
template <>
struct Check<distinct_in_turn> : Check<distinct_along> {};

}  // namespace quern::python::faces
