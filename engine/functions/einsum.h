// Einstein's sums: subscripts are read, and operands contracted two at a time as matrix products, or as products and sums.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "functions/elementwise.h"
#include "graph/array.h"

namespace quern {

// What is wrong with subscripts, and the operand, label or sizes that it is about.
struct EinsumFault {
  enum class Kind { letter, arrow, operands, too_many, too_few, dots, repeated_output, unknown_output, repeated, sizes };
  Kind kind;
  size_t operand = 0;
  std::string label = {};
  int64_t size = 0, other = 0;  // or counts
};
// What differs between front ends.
struct EinsumRules {
  void (*refuse)(const EinsumFault& fault);  // raises
  bool sums_dots = false;                    // the axes of "..." that the result has not
  bool widens_sums = false;                  // sums of one operand's integers and bools are int64
};
extern const EinsumRules numpys_einsum;

// A call: see einsum().
struct EinsumCall {
  EinsumRules rules = numpys_einsum;
  std::string subscripts = {};
  std::vector<Array> operands = {};
  std::optional<DType> dtype = {};
  std::vector<std::pair<int, int>> steps = {};
  Order order = Order::keep;
};

// "ij,jk->ik" of as many operands as it has terms, in `dtype` or their common type. Spaces mean nothing; "..." stands for further
// axes; without "->" the result has the subscripts that occur once, in order. `steps` says which two operands are contracted next
// (the product takes the last place); what it leaves is contracted from left to right. Raises ErrorKind::value for what does not
// fit.
Array einsum(std::string_view subscripts, std::span<const Array> operands, std::optional<DType> dtype = {},
             std::span<const std::pair<int, int>> steps = {}, const EinsumRules& rules = numpys_einsum);

// The Kronecker product: b in place of each element of a, times it.
Array kron(const Array& a, const Array& b);
Array kronecker(const Rules& rules, const Array& a, const Array& b);  // of operands whose types meet by these rules

}  // namespace quern
