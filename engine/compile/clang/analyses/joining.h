// Blocks that may be joined: kernels whose threads know no more of where they are than one number along x.
#pragma once

#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

// QUERN_KERNEL_JOINS_X, _Y or _Z if blocks that are neighbours along that axis of the grid may run as one block that is as
// many times wider in x; 0 if not. Blocks that are one share their loop over x: short rows become long ones.
uint32_t find_joins(const llvm::Function& thread);

}  // namespace quern::lowering
