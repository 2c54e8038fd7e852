// Checked code: before each access to memory, fence and barrier of a thread stands a call that tells the device of it.
//
// The device (device/check/) answers with the address to use: the one that was asked for, or one that harms nobody where that is
// wrong. Runs when the thread's code is inlined and its scalars are in registers, before anything merges accesses.
#pragma once

#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

void instrument(LoweringState& kernel);

}  // namespace quern::lowering
