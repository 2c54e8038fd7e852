// Vector variants of the mathematical functions: glibc's libmvec.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>

#include <string>
#include <vector>

#include "compile/clang/target.h"

namespace quern::plugin {

// The variants that this machine's libmvec has and this CPU can run.
std::vector<llvm::VecDesc> vector_functions(const Cpu& cpu);

// Their names: what the linker's stand-in for libmvec exports.
const std::vector<std::string>& libmvec_symbols();

}  // namespace quern::plugin
