// CPU: what stands before a text that may say alignas() after __shared__, where clang takes C's _Alignas() alone: the macros lead each
// such place to the front end's handler (compile/clang/front_end/alignments.h). Never part of the precompiled header.
#pragma once
#undef __shared__
#undef __constant__
#define __shared__ __attribute__((shared)) _Pragma("quern_alignas")
#define __constant__ __attribute__((constant)) _Pragma("quern_alignas")
