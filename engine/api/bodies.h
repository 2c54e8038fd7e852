// What the bodies of the public functions share: their arrays become the engine's, numbers its scalars, and what happens is
// asked for by the caller's line. Most of them are a call().
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "functions/reductions.h"
#include "functions/steps.h"
#include "graph/call.h"
#include "quern/array.h"
#include "run/context.h"

namespace qn::inside {

using quern::ErrorKind;
using quern::Layout;
using quern::Op;
using quern::raise;
using quern::Reduction;
using quern::Scalar;
using quern::WeakScalar;
using quern::steps::is_whole;
using quern::steps::real_number;
using quern::steps::whole;

// The work of f belongs to that source line in the trace and in errors.
template <class F>
auto asked(const Here& here, F&& f) {
  quern::Site site = quern::site_of(here);
  quern::AtSite scope(site);
  try {
    return f();
  } catch (const quern::Error& e) {
    std::string text = e.what(), where = quern::describe_site(site);
    if (e.kind() == ErrorKind::bug || text.find(where) != std::string::npos) throw;
    throw quern::Error(e.kind(), text + " (at " + where + ")");
  }
}

inline Array wrap(quern::Array&& array) { return Array(std::make_shared<quern::Array>(std::move(array))); }

quern::Context& ready(const Device& device);
quern::DeviceId number_of(const Device& device);

Scalar scalar_of(const Operand& operand);
quern::Argument argument_of(const Operand& operand);
DType default_type(const Scalar& scalar);

const Shape& checked(const Shape& shape);  // raises ErrorKind::value for negative numbers
size_t checked_axis(int64_t axis, size_t rank);
std::vector<size_t> chosen(const Axes& axes, size_t rank);  // those that are named, rising; all when none is

Array made(const Shape& shape, const Scalar& value, DType dtype, const Device& device);

// ---- the engine's functions, called with what the public ones are given

// What is checked, by the array's axes, once the caller's line is known.
struct Along {  // one axis
  const Array& array;
  int axis;
};
struct AlongOrFlat {  // none: the elements in C order, as a number's are whatever axis it is given
  const Array& array;
  std::optional<int> axis;
};
struct AlongAll {  // several
  const Array& array;
  const Axes& axes;
};
struct Over {  // those that a reduction goes over
  const Array& array;
  const Axes& axes;
  bool keep_dims;
};

template <class T>
const T& given(const T& value) {
  return value;
}
inline const quern::Array& given(const Array& array) { return array.handle(); }
inline quern::Argument given(const Operand& operand) { return argument_of(operand); }
std::vector<quern::Array> given(const std::vector<Array>& arrays);
size_t given(const Along& along);
std::optional<size_t> given(const AlongOrFlat& along);
std::vector<size_t> given(const AlongAll& along);
quern::Over given(const Over& over);

inline Array returned(quern::Array&& array) { return wrap(std::move(array)); }
std::vector<Array> returned(std::vector<quern::Array>&& arrays);

// call(here, quern::dot, a, b): a function of the engine's, asked for by that line.
template <class R, class... P, class... A>
auto call(const Here& here, R (*function)(P...), const A&... arguments) {
  return asked(here, [&] {
    if constexpr (std::is_void_v<R>) {
      function(given(arguments)...);
    } else {
      return returned(function(given(arguments)...));
    }
  });
}

}  // namespace qn::inside
