// asm statements, which hold PTX, become calls of quern/ptx.cuh's functions. Done right after code generation, so that all that
// follows sees barriers, shuffles and memory as in any other code. Reading starts at translate().
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <string>
#include <vector>

namespace quern::plugin::ptx {

// Takes what is wrong with a statement and its place as clang encoded it (0: unknown).
using Report = std::function<void(const std::string& what, unsigned place)>;

// Of the functions that the threads reach; in all others asm statements do nothing, since nobody runs them.
void translate(llvm::Module& module, const std::vector<llvm::Function*>& threads, const Report& report);

}  // namespace quern::plugin::ptx
