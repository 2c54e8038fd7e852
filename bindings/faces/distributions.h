// Readers of what random numbers are drawn with (engine/functions/distributions.h, sampling.h): a generator, parameters, a size,
// a type, what is picked from.
#pragma once

#include "bindings/faces/creation.h"
#include "core/error.h"
#include "functions/distributions.h"
#include "functions/sampling.h"

namespace quern::python::faces {

// `made`: keeps a stream that was made for this call.
random::Stream read_stream(Reading& reading, PyObject* given, nb::object& made);
random::Parameter read_parameter(Reading& reading, PyObject* given);
random::Size read_size(const Reading& reading, PyObject* size, PyObject* dtype);
random::Whole read_whole(Reading& reading, PyObject* given);
random::Population read_population(Reading& reading, PyObject* given, PyObject* axis);
random::Odds read_odds(const Reading& reading, PyObject* given);
random::Counts read_counts(const Reading& reading, PyObject* given);

template <>
struct Read<const random::Stream&> {
  static constexpr size_t slots = 1;
  nb::object made;
  random::Stream value;
  explicit Read(Reading& reading) : value(read_stream(reading, reading.take(), made)) {}
};

template <>
inline constexpr auto reader<const random::Parameter&> = read_parameter;

// "size dtype"
template <>
struct Read<const random::Size&> {
  static constexpr size_t slots = 2;
  random::Size value;
  explicit Read(Reading& reading) {
    PyObject* size = reading.take();
    value = read_size(reading, size, reading.take());
  }
};

// "low high"
template <>
struct Read<const random::Limits&> {
  static constexpr size_t slots = 2;
  random::Limits value;
  explicit Read(Reading& reading) {
    value.low = read_whole(reading, reading.take());
    if (PyObject* high = reading.take(); is_given(high)) value.high = read_whole(reading, high);
  }
};

// "a axis"
template <>
struct Read<const random::Population&> {
  static constexpr size_t slots = 2;
  random::Population value;
  explicit Read(Reading& reading) {
    PyObject* given = reading.take();
    value = read_population(reading, given, reading.take());
  }
};

template <>
inline constexpr auto reader<const random::Odds&> = read_odds;
template <>
inline constexpr auto reader<const random::Counts&> = read_counts;

template <>
struct Read<random::PickMethod> {
  static constexpr size_t slots = 1;
  random::PickMethod value;
  explicit Read(Reading& reading) {
    const auto name = nb::cast<std::string>(nb::str(nb::handle(reading.take())));
    if (name != "count" && name != "marginals") raise(ErrorKind::value, "method must be \"count\" or \"marginals\".");
  }
};

// "mean cov check_valid tol method"
template <>
struct Read<const random::NormalVectors&> {
  static constexpr size_t slots = 5;
  random::NormalVectors value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static random::NormalVectors read(Reading& reading);
};

template <>
struct Read<const random::SharedAxes&> {
  static constexpr size_t slots = 1;
  random::SharedAxes value;
  explicit Read(Reading& reading) {
    PyObject* given = reading.take();
    if (!is_given(given)) return;
    value.emplace();
    for (nb::handle one : nb::handle(given))
      value->push_back(one.is_none() ? std::nullopt : std::optional(integer_in(one.ptr())));
  }
};

// "low high": integers, the second of which is beyond those that are drawn.
template <>
struct Read<const random::Bounds&> {
  static constexpr size_t slots = 2;
  random::Bounds value;
  explicit Read(Reading& reading) : value(read(reading)) {}

 private:
  static random::Bounds read(Reading& reading);
};

template <>
struct Check<random::permutation_of_size> : Check<lower_places> {};

// Draws of very many are NumPy's.
template <>
struct Check<random::hypergeometric> {
  static void call(const Reading&, const random::Stream&, const random::Counts& good, const random::Counts& bad,
                   const random::Counts& picked, const random::Size&) {
    if (!random::has_tables(good, bad, picked)) throw Unserved{};
  }
};
template <>
struct Check<random::hypergeometric_at_most> : Check<random::hypergeometric> {};
template <>
struct Check<random::multivariate_hypergeometric> {
  static void call(const Reading&, const random::Stream&, const random::Counts& colors, int64_t, random::PickMethod,
                   const random::Size& size) {
    if (!random::are_few(colors, size)) throw Unserved{};
  }
};
template <>
struct Check<random::choice> {
  static void call(const Reading& reading, const random::Stream&, const random::Population& from,
                   const std::optional<random::Odds>&, const random::Size&, bool);
};

void define_streams(nb::module_& m);

}  // namespace quern::python::faces
