// CPU: what stands before a text that may have asm statements: the macros lead each of them to the front end's handler
// (compile/clang/front_end/asm_statements.h). Never part of the precompiled header, which macros would follow into every text.
#pragma once
#include "ptx.cuh"
#define asm _Pragma("quern_asm") asm
#define __asm__ _Pragma("quern_asm") __asm__
#define __asm _Pragma("quern_asm") __asm
