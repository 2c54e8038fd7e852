// Threads whose end is known when they are compiled.
#pragma once

#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

// Does each thread end after a number of steps that depends on nothing, and that is not large? Not so: loops whose rounds are
// counted by an argument or by memory, recursion.
bool is_bounded(LoweringState& kernel);

}  // namespace quern::lowering
