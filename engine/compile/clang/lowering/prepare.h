// From a kernel's thread function as the front end left it to one plain function without calls to device code:
// everything inlined, shared memory placed, arithmetic defined, local variables in registers.
#pragma once

#include "compile/clang/analyses/passes.h"
#include "compile/clang/lowering/lower.h"

#include <llvm/ADT/DenseMap.h>

namespace quern::lowering {

// A __shared__ variable where place_shared() has put it.
struct SharedObject {
  std::string name;
  uint64_t bytes = 0;  // 0: dynamic, as much as the launch has
};

// What the later steps pass along.
struct LoweringState {
  const KernelInput& input;
  llvm::Module& module;
  llvm::Function* thread;  // void (ptr args); the prelude's functions are still calls
  Passes& passes;
  uint32_t static_shared = 0;
  uint32_t joins = 0;                                                 // QUERN_KERNEL_JOINS_...
  llvm::DenseMap<const llvm::Value*, SharedObject> shared_objects{};  // by their addresses in the thread's code
};

// Metadata of loads from the launch's arguments that every thread makes.
inline constexpr char always_loaded[] = "quern.always";

void prepare(LoweringState& kernel);

// Every alloca to the front of the entry block, which splitting must not separate from it.
void gather_allocas(llvm::Function& function);

// In debug builds: stops when a step left invalid code behind.
void verify(const llvm::Function& function, const char* step);

}  // namespace quern::lowering
