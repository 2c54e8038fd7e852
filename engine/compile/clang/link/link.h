// From optimised IR to the bytes of a shared object, in memory.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include <vector>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace quern::plugin {

llvm::SmallVector<char, 0> emit_object(llvm::Module& module, llvm::TargetMachine& machine);

// Links against libm, libmvec and the few functions of libc that compilers call. Everything else must be defined: an undefined
// name is a CompileError.
std::vector<char> link_object(const llvm::SmallVectorImpl<char>& object);

}  // namespace quern::plugin
