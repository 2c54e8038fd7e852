// What a launch of array work reads, writes and computes, for the trace: from its form alone, so that it costs little.
#pragma once

#include "codegen/form.h"
#include "core/trace.h"

namespace quern {

void add_work(TracedWork& work, const Group& group, const Form& form);
// An operand of a kernel of the user's, as if each element were used once, along the axis on which they lie closest.
void add_operand(TracedWork& work, const Layout& layout, size_t size, DeviceId device);
// KernelIdentity::widened of a group.
std::vector<uint32_t> widened_ops(const Group& group);

}  // namespace quern
