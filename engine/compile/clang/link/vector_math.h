// Vector forms of the mathematical functions: those of glibc's libmvec that are as exact as CUDA's manual has them. The others
// have bodies in quern/math_vector.cuh, which the vectoriser turns into vector code; tests/engine/codegen/vector_math_test.cpp
// measures both.
//
// Such a body may leave what is rare to a scalar function, one of quern_far_*. The vectoriser takes these for functions of
// vectors and a mask; write_far_calls() then makes of such a call a test whether any element needs it, and a loop over those that
// do.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>

#include <string>
#include <vector>

#include "compile/clang/target.h"

namespace quern::plugin {

// What is libmvec's: the variants that this machine's has and this CPU can run; and the far functions. `alike`: an element's bits
// must not depend on its place, so write_alike_calls() follows.
std::vector<llvm::VecDesc> vector_functions(const Cpu& cpu, bool alike);

// libmvec's names: what the linker's stand-in for it exports.
const std::vector<std::string>& libmvec_symbols();

// Answers what the prelude asks about the CPU (__quern_has_fma, __quern_converts_long); before any pass reads the code.
void tell_of_cpu(llvm::Module& module, const Cpu& cpu);

// After the vectoriser.
void write_far_calls(llvm::Module& module);

// After the vectoriser: whatever calls one of libmvec's functions, in vectors or alone, calls the variant with the most lanes.
// The others, and the C library's scalar functions, give other last digits.
void write_alike_calls(llvm::Module& module, const Cpu& cpu);

}  // namespace quern::plugin
