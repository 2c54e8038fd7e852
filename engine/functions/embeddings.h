// Rows of a table by their numbers, and class numbers as rows of 0 and one 1. What is said of arguments that do not fit together
// is PyTorch's; a number that is not there is an error when the result is read, or, where it is known, at once.
#pragma once

#include <optional>
#include <string_view>

#include "functions/shaping.h"
#include "run/calls/indexing.h"

namespace quern {

// What PyTorch says of a row that is not there.
inline constexpr OutOfRange no_row{ErrorKind::index, "index out of range in self", false};

// True where the place along a new axis is the class: `count` places.
Array is_class(const Array& classes, int64_t count, size_t axis);

namespace nn {

// 1 at each number's place along a new axis, 0 elsewhere; all 0 where there is no such place. The type is by default
// float32.
Array one_hot_along(const Array& x, int64_t count, NewAxis axis, std::optional<DType> dtype, bool is_sparse);

// The "sum", "mean" or "max" of the rows in each bag: a row of places, or, of one line of places, what lies between two offsets.
// `weights`: a factor for each place of a sum; `padding`: the row that does not count.
Array embedding_bag(const Array& places, const Array& table, const Array* offsets, std::optional<double> max_norm,
                    double norm_order, bool by_frequency, std::optional<std::string_view> mode, bool is_sparse,
                    const Array* weights, bool has_last_offset, std::optional<int64_t> padding);

}  // namespace nn
}  // namespace quern
