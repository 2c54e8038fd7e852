// The front end: CUDA C++ text -> LLVM IR for one CUDA thread, and a list of what the text defines.
//
// Start reading at parse() in frontend.cpp. Everything is known from clang's declarations, never guessed from IR.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

#include "compile/clang/checks/places.h"
#include "compile/clang/front_end/host_files.h"
#include "compile/clang/lowering/lower.h"
#include "compile/clang/request.h"

namespace quern::plugin {

struct KernelEntry {
  llvm::Function* thread = nullptr;  // void (ptr args): one CUDA thread; see thunks.h
  std::string symbol, name, signature;
  std::vector<lowering::KernelParam> params;
  uint32_t param_bytes = 0, max_threads = 1024;
  bool prints = false;  // may call printf
  std::vector<std::string> param_names;
};

struct Global {
  llvm::GlobalVariable* variable = nullptr;
  std::string name, symbol;
  uint64_t size = 0;
};

struct Program {
  std::unique_ptr<std::string> errors;  // LLVM's own messages, from any step; the context points here
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::vector<KernelEntry> kernels;
  std::vector<Global> globals;                        // __device__ and __constant__
  std::vector<llvm::GlobalVariable*> shared;          // __shared__ with a size
  std::vector<llvm::GlobalVariable*> dynamic_shared;  // extern __shared__
  std::vector<std::string> name_symbols;              // one for each name expression
  HostFiles host_files;                               // what clang saw of them
  lowering::CheckTables checks;                       // filled while kernels are lowered
};

// Raises CompileError with the log; otherwise the log holds warnings, if there are any.
Program parse(const Request& request, std::string& log);

// Writes headers[0] as a precompiled header to `path`; the folder must exist. Raises CompileError.
void precompile(const Request& request, const std::string& path);

}  // namespace quern::plugin
