// Groups whose kernels are not compiled yet, on the CPU: their operations run one by one, with kernels that were compiled when
// quern was built (compile/precompiled.h), so that a program does not wait for the compiler. The values are the same bit for bit.
// What a program computes often enough is compiled on another thread meanwhile, and its own kernel takes over. Start at
// Tiers::runs_singly().
//
// With the graph's lock held.
#pragma once

#include "run/batch.h"
#include "run/kernel_cache.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace quern {

// On unless QUERN_TIERED=0.
bool is_tiered();
bool set_tiered(bool on);  // returns how it was

class Tiers {
 public:
  // Would the group run as single operations, as things are?
  bool may_run_singly(const Group& group, std::optional<LaunchPlan>& plan);
  // The same, for a group that runs now: its costs are counted, and its kernel is compiled where that pays.
  bool runs_singly(const Group& group, std::optional<LaunchPlan>& plan);
  // The same of groups that share a launch.
  bool may_run_singly(Batch& batch);
  bool runs_singly(Batch& batch);

  // Groups that ran as single operations; kernels that were compiled on another thread, and those that still are to be.
  struct Counts {
    uint64_t groups, behind, open;
  };
  Counts counts() const;

 private:
  struct Known {
    enum class State : uint8_t { waits, compiling, there } state = State::there;
    bool was_seen = false;
    double spent_ns = 0;
    std::shared_ptr<std::atomic<bool>> done;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  Known* found(TextOf of, const Group& group, std::optional<LaunchPlan>& plan);
  void count(Known& known, TextOf of, const Group& group, const Form& form, size_t times);

  std::unordered_map<Key, Known, Hash> of_groups_, of_segments_;
  uint64_t groups_ = 0, behind_ = 0;
};

Tiers& tiers();

// How one operation of a group is launched: with a kernel that is there, if there is one. The operands must have the types that
// it computes in.
struct Single {
  Group group;
  std::optional<LaunchPlan> plan;
};
Single single_of(Node& node);

// Of a node's operand to the type that the node computes in. It runs first, and becomes the operand once it has: until then the
// node is as it was recorded.
struct Conversion {
  size_t operand;
  NodeRef node;
};
std::vector<Conversion> conversions_for(const Node& node);
void take_conversion(Node& node, Conversion conversion);

}  // namespace quern
