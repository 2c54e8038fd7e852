// Values that functions refuse. What a device finds in them is an error when a result that depends on them is read, or, where
// they are known already, at once.
#pragma once

#include <optional>

#include "graph/array.h"
#include "run/calls/checks.h"

namespace quern {

// Are all of them from `low` to `high`? Bool, of no dimensions; what is no number is not.
Array all_within(const Array& values, double low, double high);
// The same; none where they are few, at hand and seen to be.
std::optional<Array> unless_known_within(const Array& values, double low, double high);

// Class numbers that are not there, as PyTorch says it.
Refusal no_class(int64_t classes, int64_t ignored);
// Are all classes from 0 to `classes` - 1, or `ignored`? False: it is not known; those of a GPU, and others that are not there
// yet, are not waited for. Raises ErrorKind::index for others.
bool are_classes(const Array& target, int64_t classes, int64_t ignored);

// The array, for whoever may see it only where none of the numbers is refused.
Array unless_refused(const Array& array, const Array& numbers, Refusal refusal);

// Integers, for whoever divides by them on the CPU as PyTorch does: a zero among them raises ErrorKind::runtime, at once where
// they are known already, else when a result that depends on them is read.
Array without_zeros(const Array& divisors);

}  // namespace quern
