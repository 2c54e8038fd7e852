// Rows of an array that belong together by numbers of segments: their sums, products and extremes.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/array.h"

namespace quern {

// One result for each of `count` segments; none: as many as the greatest number says, which is waited for. Numbers below 0, or
// from `count` on, belong to no segment. Of a segment without rows: 0, 1, or what every element is beyond. Raises
// ErrorKind::value for a negative count.
Array segment_sums(const Array& data, const Array& numbers, std::optional<int64_t> count);
Array segment_products(const Array& data, const Array& numbers, std::optional<int64_t> count);
Array segment_maxima(const Array& data, const Array& numbers, std::optional<int64_t> count);
Array segment_minima(const Array& data, const Array& numbers, std::optional<int64_t> count);

}  // namespace quern
