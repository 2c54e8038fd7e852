// Numbers made rounder, how near they are to each other, and differences of neighbours.
#pragma once

#include "graph/array.h"

namespace quern {

// To so many decimals; fewer than none: to tens, hundreds ... Halves go to the even neighbour. Integers stay integers.
Array rounded(const Array& array, int64_t decimals);

// |a - b| <= atol + rtol |b|, or equal; one of a and b at least is an array. `equal_nan`: NaN equals NaN.
Array near(const Argument& a, const Argument& b, const Argument& rtol, const Argument& atol, bool equal_nan);

// Each element less the one before it, so many times over; of bools: do they differ.
Array differences(const Array& array, int64_t times, size_t axis);
// With an element of that value in front of each line.
Array with_first(const Array& array, const Scalar& value, size_t axis);

}  // namespace quern
