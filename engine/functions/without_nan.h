// Reductions of what is no NaN: the bodies of reductions.h with a mask. Types that have no NaN are reduced whole.
#pragma once

#include "functions/reductions.h"

namespace quern {

// NaN where there are no numbers, or not more than `ddof`. Raise ErrorKind::type for a type without fractions where the array has
// them.
Array mean_without_nan(const Array& array, const Over& over);
Array variance_without_nan(const Array& array, const Over& over, double ddof, const Argument* center = nullptr);
Array deviation_without_nan(const Array& array, const Over& over, double ddof, const Argument* center = nullptr);

}  // namespace quern
