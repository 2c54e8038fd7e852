// Functions of arrays that are made of a few operations: what they work in, and in which steps. python/quern/arrays/ has the same
// steps for the arguments that these do not take.
#pragma once

#include "graph/array.h"

namespace quern {

// What is added up or multiplied: integers in 64 bits.
DType summed_type(DType type);

// Of all elements, to an array without dimensions.
Array reduced_to_one(Reduction reduction, const Array& array);

// The mean and the variance (over N) of all elements; not for 16-bit reals, the variance not for complex numbers either.
bool has_mean(DType type);
bool has_variance(DType type);
Array mean(const Array& array);
Array variance(const Array& array);

// Limited to [low, high]; for numbers that have no narrower type than the array's.
bool is_plain_limit(DType type, const Scalar& limit);
Array limited(const Array& array, const Scalar& low, const Scalar& high);

}  // namespace quern
