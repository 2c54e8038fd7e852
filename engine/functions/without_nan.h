// Reductions of what is no NaN: the bodies of reductions.h with a mask. Types that have no NaN are reduced whole.
#pragma once

#include "functions/reductions.h"

namespace quern {

Array sum_without_nan(const Array& array, const Over& over, const Initial& initial = {});
Array product_without_nan(const Array& array, const Over& over, const Initial& initial = {});
// NaN where there is no number. Raise ErrorKind::value for no elements at all without an initial value.
Array largest_without_nan(const Array& array, const Over& over, const Initial& initial = {});
Array smallest_without_nan(const Array& array, const Over& over, const Initial& initial = {});
// NaN where there are no numbers, or not more than `ddof`. Raise ErrorKind::type for a type without fractions where the array has
// them.
Array mean_without_nan(const Array& array, const Over& over);
Array variance_without_nan(const Array& array, const Over& over, double ddof, const Argument* center = nullptr);
Array deviation_without_nan(const Array& array, const Over& over, double ddof, const Argument* center = nullptr);

// Running sums and products (rounding.h) with 0 and 1 in place of NaN.
Array running_sum_without_nan(const Array& array, std::optional<size_t> axis, std::optional<DType> dtype);
Array running_product_without_nan(const Array& array, std::optional<size_t> axis, std::optional<DType> dtype);

}  // namespace quern
