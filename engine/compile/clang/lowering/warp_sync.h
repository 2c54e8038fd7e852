// Warp-synchronous code from before Volta: threads of a warp that exchange data by volatile shared memory, without
// barriers.
#pragma once

#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

// Puts a lockstep point between volatile shared accesses of which one may read what another lane's other one wrote:
// then all lanes have loaded before any stores, and all have stored before any loads. Not for kernels that spin.
void keep_warps_in_step(LoweringState& kernel);

// The number in the warp, made of the thread's index. Where warps run in loops over lanes, it is the loop's index instead.
void expand_lanes(llvm::Function& function);

}  // namespace quern::lowering
