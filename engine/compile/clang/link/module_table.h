// Writes `quern_module` and `quern_runtime`, the two symbols that a compiled text exports (see compile/cpu_module.h).
#pragma once

#include <vector>

#include "compile/clang/front_end/frontend.h"
#include "compile/clang/lowering/lower.h"

namespace quern::plugin {

// lowered[i] belongs to program.kernels[i]. Called when the code is optimised: only then frame sizes are known.
void add_module_table(Program& program, const std::vector<lowering::LoweredKernel>& lowered);

}  // namespace quern::plugin
