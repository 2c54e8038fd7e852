// Comparisons of integers that have no type in common: with a sign and 64 bits without one, or of more than 64 bits.
#pragma once

#include "graph/array.h"

namespace quern {

// Are these integers with a sign and ones of 64 bits without, which have no type in common but float64?
bool mixes_signs(std::span<const Argument> arguments);
// Comparisons of those are exact all the same: by the sign first, then as integers without one.
Array compare_signs(Op op, std::span<const Argument> arguments, const Array* into, DeviceId device);

// An integer of more than 64 bits lies beyond all others: among integers, infinity is as good.
bool is_huge(const Argument& a);
std::array<Argument, 2> beyond_all(std::span<const Argument> arguments);

}  // namespace quern
