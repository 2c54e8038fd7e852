// Checked code: before each access to memory, fence and barrier of a thread stands a call that reports it to the device, and
// behind a comparison one for each value that cannot be right.
//
// The device (device/check/) answers with the address to use: the one that was asked for, or one that harms nobody where that is
// wrong.
#pragma once

#include "compile/clang/lowering/prepare.h"

namespace quern::lowering {

// Before anything is inlined: what inlining would make of constants that are wrong.
void keep_wrong_constants(llvm::Module& module);
// Divisions, shifts, variables that are read before they are set: when the thread's code is inlined, while arithmetic is still as
// the text has it and variables are in memory.
void check_arithmetic(LoweringState& kernel);
// Accesses, and what numbers become: when scalars are in registers, before anything merges accesses.
void instrument(LoweringState& kernel);

// Parts of them: rows of arrays; ways around barriers; variables; what shuffles take; integers that lead to addresses; numbers
// that become NaN or infinite (with KernelInput::checks_nan).
void check_rows(LoweringState& kernel);
void check_passed_barriers(LoweringState& kernel);
void check_variables(LoweringState& kernel);
void check_lanes(LoweringState& kernel);
void check_indices(LoweringState& kernel);
void check_finite(LoweringState& kernel);

// Functions that call themselves are not checked, nor is what is compiled when checks are over.
void drop_left_checks(llvm::Module& module);

}  // namespace quern::lowering
