// Array programs under `quern check`: the nodes of a fused group are computed one by one, in tier 0's loops, before its kernel
// runs, and what that stores is compared with them.
//
// Whole numbers and bools must be the same. Others may differ by 1e-4 (float32), 1e-9 (float64) or 2e-2 (shorter ones) of the
// largest number that the group has met: sums are added in another order, and functions are rounded otherwise. What a comparison,
// or a step of a function such as floor, has made of numbers that may differ is left out.
#pragma once

#include <unordered_map>
#include <vector>

#include "graph/schedule.h"

namespace quern {

// With the graph's lock held, what the group reads being there.
class Recomputed {
 public:
  explicit Recomputed(const Group& group);
  void compare() const;  // what is stored, when the group's kernel has ended

 private:
  struct Value {
    std::vector<char> bytes;  // as the node's memory
    bool is_known = true;     // there is a loop for it
    bool is_rounded = false;  // it may differ in its last digits
    bool is_doubtful = false;
  };
  const char* memory_of(const Node& node) const;
  void gather_operand(const Operand& operand, DType to, char* out) const;
  void compute(const Node& node, Value& out) const;
  void note(const Node& node, Value& out);
  bool is_same(const Node& node, const Value& value, int64_t& where, double& fused, double& alone) const;

  const Group& group_;
  bool is_done_ = false;
  double largest_ = 0;
  std::unordered_map<const Node*, Value> values_;
};

// A number of the node's that is NaN or infinite while its operands' are not: reported as a finding, at the node's line.
void tell_if_not_finite(const Node& node);

}  // namespace quern
