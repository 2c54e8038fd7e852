// One LLVM coroutine for each CUDA thread: right for any control flow, slower than regions. Or one for each block, whose threads
// are loops in it: for regions that meet at barriers of the whole grid.
#pragma once

#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

struct Coroutine {
  llvm::Function* start = nullptr;              // QuernCpuStart
  llvm::GlobalVariable* frame_bytes = nullptr;  // i64
};

// Takes over the body of kernel.thread and splits it: what comes out are plain functions.
Coroutine make_coroutine(LoweringState& kernel);
// The same of a function that runs a block.
Coroutine make_block_coroutine(LoweringState& kernel, llvm::Function* body);

}  // namespace quern::lowering
