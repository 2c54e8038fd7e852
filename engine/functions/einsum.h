// Einstein's sums: subscripts are read, and operands contracted two at a time as matrix products, or as products and sums.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "graph/array.h"

namespace quern {

// "ij,jk->ik" of as many operands as it has terms, in `dtype` or their common type. Spaces mean nothing; "..." stands for further
// axes; without "->" the result has the subscripts that occur once, in order. `steps` says which two operands are contracted next
// (the product takes the last place); what it leaves is contracted from left to right. Raises ErrorKind::value for what does not
// fit.
Array einsum(std::string_view subscripts, std::span<const Array> operands, std::optional<DType> dtype = {},
             std::span<const std::pair<int, int>> steps = {});

// The Kronecker product: b in place of each element of a, times it.
Array kron(const Array& a, const Array& b);

}  // namespace quern
