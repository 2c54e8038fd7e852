// The compiler contract: text + options + target -> bytes + log.
//
// Two compilers keep it: compile/nvrtc.cpp (CUDA C++ -> cubin) and compile/clang.cpp (CUDA C++ -> a small shared object for
// the CPU, by way of the plug-in in compile/clang/). compile/cache.h stands in front of both; nothing else calls them.
#pragma once

#include "compile/files_read.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace quern {

enum class DeviceKind { cpu, cuda };

struct Source {
  std::string text;                // CUDA C++
  std::string name = "kernel.cu";  // what messages and __FILE__ say
  std::string types = {};          // of a text made of a function in Python: its arguments' types, in words
};

struct CompileOptions {
  std::vector<std::string> flags;             // as the user wrote them: -D, -I, -U, -std=, --use_fast_math, ...
  std::vector<std::string> name_expressions;  // "reduce<float, 256>": instantiated and listed in Binary::names
  bool fast_arithmetic = false;  // array code in fastmath(): any order, products fused with sums, no NaN and no infinity expected
  bool exact_arithmetic = false;  // array code: no contraction, no reassociation; off: nvcc's defaults (contraction on)
  bool with_cub = false;          // a text of ours that includes NVIDIA's CUB (compile/cccl.h); for NVRTC alone
  bool tells_types = false;       // of kernels that are extern "C", for those who pack a user's values (compile/c_kernels.h)
  bool relocatable = false;       // functions may be missing: the code is linked before it is loaded (Device::link)
};

struct Target {
  DeviceKind kind = DeviceKind::cpu;
  std::string arch;  // "sm_90", or a CPU as "znver4:+avx512f,-avx512fp16,..."
};

struct Binary {
  std::vector<std::byte> code;                             // a cubin, or a shared object for the CPU
  std::vector<std::pair<std::string, std::string>> names;  // name expression -> symbol in the code
  std::string log;                                         // warnings; empty when there are none
  std::vector<FileRead> files;  // what the compiler saw of the host's; the code holds while they are unchanged
  bool lasting = true;          // false: what decides the code is not known; not to be used a second time
};

class Compiler {
 public:
  virtual ~Compiler() = default;

  // Names the compiler, its version and our own build: part of every cache key. Must not load the compiler.
  virtual std::string id() const = 0;

  // Raises ErrorKind::compile with the log (line, column, source line shown) when the text is at fault.
  virtual Binary compile(const Source& source, const CompileOptions& options, const Target& target) = 0;
};

}  // namespace quern
