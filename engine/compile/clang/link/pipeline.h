// The optimisation pipelines that run over lowered code.
#pragma once

#include <vector>

#include "compile/clang/lowering/lower.h"
#include "compile/clang/target.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace quern::plugin {

// Lets the optimiser compute what the functions of quern/fast.cuh do in any order, as if nothing were NaN or infinite.
void allow_any_order(llvm::Module& module);

// Internalises everything but the kernels and the variables that the host can see, then optimises by a list of passes
// made for lowered loops. `alike`: the bits of an element do not depend on its place among the others.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, const Cpu& cpu,
              const std::vector<lowering::LoweredKernel>& kernels, bool alike);

}  // namespace quern::plugin
