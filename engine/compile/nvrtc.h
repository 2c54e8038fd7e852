// NVRTC as a Compiler: CUDA C++ to a cubin. The library is found by core/nvidia_libraries.h and loaded by the first compile.
#pragma once

#include "compile/compiler.h"

namespace quern {

// For a target "compute_90" it gives PTX, else a cubin. Never destroyed. Its id() reads a few bytes of NVRTC's file and never
// loads it, so a warm start stays small; it raises ErrorKind::runtime when there is no usable NVRTC.
Compiler& nvrtc_compiler();

// The options NVRTC is given for these: what nvcc's users write in NVRTC's words. For `-arch` of the user only a suffix
// ("sm_90a") counts, the number is the target's. Here for tests.
std::vector<std::string> nvrtc_options(const CompileOptions& options, const std::string& gpu_architecture);

}  // namespace quern
