// Readers of what searches and counts take (engine/functions/ordering.h, counting.h): sides, edges and numbers of bins, limits.
#pragma once

#include "bindings/faces/statistics.h"

namespace quern::python::faces {

std::string_view read_name(const Reading& reading, PyObject* given);
BinEdges read_edges(Reading& reading, PyObject* given);
Bins read_bins(Reading& reading, PyObject* given);
Limits read_limits(const Reading& reading, PyObject* given);

template <>
inline constexpr auto reader<std::string_view> = read_name;
template <>
inline constexpr auto reader<const BinEdges&> = read_edges;
template <>
struct Read<const WholeNumbers&> {
  static constexpr size_t slots = 1;
  Read<const Array&> array;
  WholeNumbers value;
  explicit Read(Reading& reading) : array(reading), value{array.value} {
    PyObject* given = reading.slots[reading.next - 1];
    bool is_empty = (PyList_Check(given) || PyTuple_Check(given)) && PySequence_Fast_GET_SIZE(given) == 0;
    if (is_empty) value.values = astype(value.values, DType::int64);
  }
};
template <>
inline constexpr auto reader<const Bins&> = read_bins;
template <>
inline constexpr auto reader<const Limits&> = read_limits;

template <>
struct Check<both_extremes> {
  static void call(const Reading& reading, const Array& array, std::optional<size_t> axis, bool keep_dims);
};
template <>
struct Check<is_in_either> {
  static void call(const Reading& reading, const Argument& array, const Argument& tests, bool invert);
};
template <>
struct Check<histogram_in> {
  static void call(const Reading& reading, const Array& array, const Bins& bins, const Limits& limits, bool density,
                   const Array* weights);
  static void call(const Reading& reading, const Array& array, const Bins& bins, const Limits& limits, const Array* weights);
};
template <>
struct Check<histogram_edges> : Check<histogram_in> {};

}  // namespace quern::python::faces
