// Which pointer parameters a kernel reads and writes through.
#pragma once

#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

// The parameters with their QUERN_ACCESS_ flags; both flags where the code hides it.
std::vector<KernelParam> find_accesses(const LoweringState& kernel);

}  // namespace quern::lowering
