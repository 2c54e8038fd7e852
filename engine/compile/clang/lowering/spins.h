// Loops that wait for what another thread does to memory.
#pragma once

#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

// Puts a turn for the other threads at the back edges of such loops. Returns whether there are any: then only
// coroutines serve.
bool mark_spins(LoweringState& kernel);

// Marks accesses whose order among threads matters.
inline constexpr const char* one_by_one_name = "quern.one_by_one";

// The threads of a block run on one core: what is atomic only among them need not be so for the machine. Not with
// spins.
void relax_shared_atomics(LoweringState& kernel);

}  // namespace quern::lowering
