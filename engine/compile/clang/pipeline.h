// The optimisation pipelines that run over lowered code.
#pragma once

#include <vector>

#include "compile/clang/lower.h"
#include "compile/clang/target.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace quern::plugin {

// Internalises everything but `keep` (and variables the host can see), then optimises: a short list of passes for kernels
// without barriers, -O3 with LLVM's coroutine passes for the others.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, const Cpu& cpu,
              const std::vector<lowering::LoweredKernel>& kernels);

}  // namespace quern::plugin
