// Reductions whose elements are known to be equal: nobody goes over them.
#pragma once

#include "graph/array.h"

namespace quern {

// The number that every element is, as the array's type, where the host knows it: of full(), zeros() and related functions, until
// they are in memory.
std::optional<Constant> number_of(const Array& array);

// What a reduction of `count` such numbers gives, bit for bit what kernels would make of them in their order. `results`: how many
// such there are.
Constant reduced_number(Reduction reduction, const Constant& number, DType from, DType type, DeviceId device, int64_t results,
                        int64_t count);

// The same array with repeated axes cut to one element, where that leaves the reduction's bits as they are; how often each
// element was repeated is multiplied into `times`.
std::optional<Array> without_repeats(Reduction reduction, const Array& array, const std::vector<bool>& axes, DType type,
                                     int64_t& times);

}  // namespace quern
