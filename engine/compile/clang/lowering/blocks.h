// The frame around a kernel's body: the function that runs a range of blocks.
#pragma once

#include "compile/clang/lowering/regions.h"

namespace quern::lowering {

// A copy of the thread function to which the regions can be applied, with what is the same for a block as arguments.
llvm::Function* make_body(LoweringState& kernel, BodyArguments& arguments);

llvm::CallInst* call_body(llvm::IRBuilder<>& builder, llvm::Function* body, const BodyArguments& from);

// QuernCpuBlocks, with the body inlined.
llvm::Function* make_blocks(LoweringState& kernel, llvm::Function* body);

}  // namespace quern::lowering
