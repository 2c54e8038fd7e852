// From a packed parameter block to a call: void thread(ptr args) loads each parameter and calls the kernel.
#pragma once

#include <string>

namespace clang {
class FunctionDecl;
class MangleContext;
namespace CodeGen {
class CodeGenModule;
}
}  // namespace clang
namespace llvm {
class Function;
}

namespace quern::plugin {

struct KernelEntry;

// Fills thread, signature, params and param_bytes. Raises CompileError for parameters that a launch cannot pass.
void make_thunk(clang::CodeGen::CodeGenModule& code, clang::MangleContext& mangler, const clang::FunctionDecl& decl,
                llvm::Function& function, KernelEntry& kernel);

}  // namespace quern::plugin
