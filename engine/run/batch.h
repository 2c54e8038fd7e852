// Batches: groups that go out as one launch. Most hold one group. Small updates of many arrays (an optimizer's step over its
// parameters) come as many groups with the same kernel; those that do not depend on each other share a launch of it.
#pragma once

#include "codegen/emit.h"
#include "run/kernel.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace quern {

// How a group is launched.
struct LaunchPlan {
  Form form;
  Key key;
  Kernel* kernel = nullptr;  // nullptr: not looked for yet
  LaunchShape shape;
  std::string text = {};   // the kernel's, where it was printed ahead (side_by_side.h)
  bool is_single = false;  // one operation of a group whose kernel is not compiled yet (tiers.h)
};

struct Batch {
  struct Member {
    Group group;
    std::optional<LaunchPlan> plan;
  };
  std::vector<Member> members;
  // Of more than one together: as a plan's.
  Kernel* kernel = nullptr;
  std::string text = {};
  LaunchShape shape;
  Segments segments;
  std::array<uint32_t, Segments::most> first_blocks;
};

inline bool is_empty(const Group& group) { return std::find(group.shape.begin(), group.shape.end(), 0) != group.shape.end(); }

// The groups of schedule(), in the order to run them.
std::vector<Batch> batches_of(std::vector<Group> groups);

}  // namespace quern
