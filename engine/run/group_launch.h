// From a group to a launch: memory for its results, its arguments in the order of the kernel source, the kernel, the grid. A
// reduction that is too large for one kernel takes further ones, which combine the parts.
//
// With the graph's lock held. They throw Restart (undisturbed.h), and what is wrong with a kernel or the memory.
#pragma once

#include "run/batch.h"
#include "run/kernel_cache.h"

#include <optional>

namespace quern {

// What the group's kernel is compiled from; `printed`: its text, where that is known.
KernelText kernel_text(TextOf of, const Group& group, const Form& form, std::string printed = {});
// `plan` is made where there is none yet.
void launch_group(Group& group, std::optional<LaunchPlan>& plan);
// All members in one launch. False, and nothing is done: their memory does not allow it.
bool launch_together(Batch& batch);

}  // namespace quern
