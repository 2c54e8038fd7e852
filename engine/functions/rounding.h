// Numbers made rounder, how near they are to each other, differences of neighbours and running results.
#pragma once

#include <optional>
#include <string_view>

#include "functions/elementwise.h"

namespace quern {

// To so many decimals; fewer than none: to tens, hundreds ... Halves go to the even neighbour. Integers stay integers.
// PyTorch rounds numbers of 16 bits in 32, the others in their own type.
Array rounded(const Rules& rules, const Array& array, int64_t decimals);

// |a - b| <= atol + rtol |b|, or equal; one of a and b at least is an array. `equal_nan`: NaN equals NaN.
Array near(const Rules& rules, const Argument& a, const Argument& b, const Argument& rtol, const Argument& atol, bool equal_nan);
// Are all? A bool without axes; are_all_near() waits for the values.
Array all_near(const Rules& rules, const Argument& a, const Argument& b, const Argument& rtol, const Argument& atol,
               bool equal_nan);
bool are_all_near(const Rules& rules, const Argument& a, const Argument& b, const Argument& rtol, const Argument& atol,
                  bool equal_nan);

// The logarithm of the running sums of exponentials along an axis, without overflow. Raises ErrorKind::not_implemented for
// integers.
Array running_log_sum(const Array& array, size_t axis);

// Each element less the one before it, so many times over; of bools: do they differ.
Array differences(const Array& array, int64_t times, size_t axis);
// What a ufunc gives of the first element along an axis, of the first two, and so on; none, or the array has none: of the
// elements in C order. In `dtype`; none: sums and products in 64 bits, tests as bools, others in the array's type. No result
// where there is no such scan: see has_scan() of run/calls/sorting.h.
std::optional<Array> accumulated(const Array& array, std::string_view op, std::optional<size_t> axis, std::optional<DType> dtype);
// The sums (products) of the first element, of the first two, and so on. An array without axes is one element where an axis is
// named. Raises ErrorKind::type for a type that has no scan.
Array running_sum(const Array& array, std::optional<size_t> axis, std::optional<DType> dtype);
Array running_product(const Array& array, std::optional<size_t> axis, std::optional<DType> dtype);
// The axis of running results, which only arrays of one dimension may leave out.
struct RunningAxis {
  std::optional<size_t> place;
};
// The same as the Array API has them, with a 0 (a 1) in front of each line where that is asked for.
Array cumulative_sum(const Array& array, RunningAxis axis, std::optional<DType> dtype, bool include_initial);
Array cumulative_product(const Array& array, RunningAxis axis, std::optional<DType> dtype, bool include_initial);
// With an element of that value in front of each line.
Array with_first(const Array& array, const Scalar& value, size_t axis);

}  // namespace quern
