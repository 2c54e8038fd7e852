// One asm statement as LLVM IR: its registers become variables, its instructions calls of quern/ptx.cuh's functions or, for
// moves, vectors and branches, plain IR.
#pragma once

#include <llvm/IR/Instructions.h>

namespace quern::plugin::ptx {

// Replaces the statement. `number` is its own, for %=; in a kernel, exit ends the thread. Raises Refusal; the module is of no use
// then.
void translate_statement(llvm::CallInst& call, bool in_kernel, unsigned number);

}  // namespace quern::plugin::ptx
