// What a launch of array work reads, writes and computes, for the trace: from its form alone, so that it costs little.
#pragma once

#include "codegen/form.h"
#include "core/trace.h"

namespace quern {

void add_work(TracedWork& work, const Group& group, const Form& form);
// KernelIdentity::widened of a group.
std::vector<uint32_t> widened_ops(const Group& group);

}  // namespace quern
