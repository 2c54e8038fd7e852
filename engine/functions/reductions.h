// Functions that take axes away: sums, means, variances, ranges.
//
// For how functions of arrays are written start here: each takes the engine's arrays and plain values, checks what it is given
// and records operations (steps.h). The C++ API (api/) and the bindings translate arguments and call it; nobody has a second
// body.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "graph/array.h"

namespace quern {

// What a reduction goes over.
struct Over {
  std::vector<bool> axes;        // true: the axis goes
  bool keep_dims = false;        // axes that go stay, with one element
  std::optional<DType> dtype{};  // what is computed in, and the result's type; none: NumPy's rule for the function
  const Array* where = nullptr;  // bools that broadcast to the array: which elements count
};
Over all_axes(const Array& array);
Over last_axis(const Array& array, bool keep_dims = false);
Shape shape_over(const Array& array, const Over& over);    // of the result
int64_t count_over(const Array& array, const Over& over);  // elements that one of the result is made of; `where` is not read

// What is added up or multiplied: integers in 64 bits.
DType summed_type(DType type);

// What a reduction starts with: a value, which is converted to the result's type as in an assignment; by default what changes
// nothing. Without a default (`is_none`) there must be an element.
struct Initial {
  std::optional<Argument> value;
  bool is_none = false;
};

// Raises ErrorKind::value for a maximum or minimum of no elements, or of those that a mask chooses, without an initial value.
Array reduced(Reduction reduction, const Array& array, const Over& over, const Initial& initial = {});
Array sum(const Array& array, Over over, const Initial& initial = {});
Array product(const Array& array, Over over, const Initial& initial = {});
Array largest(const Array& array, const Over& over, const Initial& initial = {});
Array smallest(const Array& array, const Over& over, const Initial& initial = {});
Array any_true(const Array& array, const Over& over, const Initial& initial = {});
Array all_true(const Array& array, const Over& over, const Initial& initial = {});

// Statistics count elements: an axis that is named must be there, also where an array has none.
struct Counted : Over {
  Counted(Over over) : Over(std::move(over)) {}
};
// Of integers in float64; halves are added up in float32.
Array mean(const Array& array, Counted over);
// The mean of the squared distances from `center` (the mean, where it is not given; with ones for the axes that go), over their
// number less `ddof`.
Array variance(const Array& array, const Counted& over, double ddof, const Argument* center = nullptr);
Array deviation(const Array& array, const Counted& over, double ddof, const Argument* center = nullptr);
// {variance, mean} and {deviation, mean}.
std::vector<Array> variance_and_mean(const Array& array, const Counted& over, double ddof);
std::vector<Array> deviation_and_mean(const Array& array, const Counted& over, double ddof);
// The largest element less the smallest.
Array spread(const Array& array, const Over& over);

// Limited to [low, high], numbers that have no wider type than the array's.
Array limited(const Array& array, const Scalar& low, const Scalar& high);

}  // namespace quern
