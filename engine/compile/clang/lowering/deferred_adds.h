// Atomic additions whose result nobody uses, gathered: cores that add to the same few places (histograms, sums of clusters) would
// pass a cache line to and fro for each of them.
#pragma once

#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

// Marks the additions that may be gathered, and what has to look for them first.
void mark_deferred_adds(llvm::Function& thread);

// In the function that runs a range of blocks: marked additions go to tables of its own, which are added to memory when a place
// is needed for another address, when their own thread looks there, and at the end.
void defer_adds(llvm::Function& blocks);

}  // namespace quern::lowering
