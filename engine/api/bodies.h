// What the bodies of the public arrays share: their arrays are the engine's, numbers become its scalars, and what
// happens is asked for by the caller's line.
#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <span>
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
using quern::steps::real_number;
using quern::steps::whole;

// What happens in f is asked for by that line: the trace tells it, and errors do.
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
inline Array view(const Array& array, Layout layout) { return wrap(array.handle().view(std::move(layout))); }

quern::Context& ready(const Device& device);
int8_t number_of(const Device& device);

Scalar scalar_of(const Operand& operand);
quern::Argument argument_of(const Operand& operand);
DType default_type(const Scalar& scalar);

// For bodies: compute(Op::add, a, 1.0), in the line that asked() names.
inline quern::Argument operand(const Array& array) { return quern::Argument(array.handle()); }
inline quern::Argument operand(const quern::Argument& argument) { return argument; }
inline quern::Argument operand(double value) { return quern::Argument(real_number(value)); }
template <std::integral T>
quern::Argument operand(T value) {
  return quern::Argument(whole(static_cast<int64_t>(value)));
}
template <class... T>
Array compute(Op op, const T&... operands) {
  quern::Argument all[] = {operand(operands)...};
  return wrap(quern::elementwise(op, all));
}

const Shape& checked(const Shape& shape);  // raises ErrorKind::value for negative numbers
size_t checked_axis(int64_t axis, size_t rank);
std::vector<bool> chosen(const Axes& axes, size_t rank);  // true for each that is named; for all when none is
std::vector<int> axes_in_order(size_t rank);
Array transposed(const Array& array, const std::vector<int>& order);
Array with_last(const Array& array, size_t axis);  // the axis becomes the last one
Array cut(const Array& array, size_t axis, std::optional<int64_t> start,
          std::optional<int64_t> stop);  // a part of one axis: a view

Array made(const Shape& shape, const Scalar& value, DType dtype, const Device& device);
Array as_type(const Array& array, DType dtype);  // the array itself where it has the type
quern::Over over(const Array& array, const Axes& axes, bool keepdims, std::optional<DType> dtype = {});
Array reduced(Reduction reduction, const Array& array, const Axes& axes, bool keepdims, std::optional<DType> dtype = {});
DType common_type(std::initializer_list<DType> types);
bool is_integer_or_bool(DType type);

}  // namespace qn::inside
