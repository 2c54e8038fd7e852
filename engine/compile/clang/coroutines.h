// One LLVM coroutine for each CUDA thread: right for any control flow, slower than regions.
#pragma once

#include "compile/clang/prepare.h"

namespace quern::lowering {

struct Coroutine {
  llvm::Function* start = nullptr;              // QuernCpuStart
  llvm::GlobalVariable* frame_bytes = nullptr;  // i64
};

// Takes over the body of kernel.thread and splits it: what comes out are plain functions.
Coroutine make_coroutine(Kernel& kernel);

}  // namespace quern::lowering
