// Batches: groups that go out as one launch. Most hold one group. Small updates of many arrays (an optimizer's step over its
// parameters) come as many groups with the same kernel; those that do not depend on each other share a launch of it.
#pragma once

#include "codegen/emit.h"
#include "run/kernel.h"

#include <array>
#include <optional>
#include <vector>

namespace quern {

// How a group is launched.
struct Plan {
  Form form;
  Key key;
  Kernel* kernel = nullptr;  // nullptr: not looked for yet
  LaunchShape shape;
};

struct Batch {
  struct Member {
    Group group;
    std::optional<Plan> plan;
  };
  std::vector<Member> members;
  // Of more than one together; nullptr: not looked for yet.
  Kernel* kernel = nullptr;
  LaunchShape shape;
  Segments segments;
  std::array<uint32_t, Segments::most> first_blocks;
};

// The groups of schedule(), in the order to run them.
std::vector<Batch> batches_of(std::vector<Group> groups);

}  // namespace quern
