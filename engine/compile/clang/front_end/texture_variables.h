// Texture and surface references at file scope are the device's, though no word says so (quern/texture_references.cuh).
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
class VarDecl;
}  // namespace clang
namespace llvm {
class GlobalVariable;
}  // namespace llvm

namespace quern::plugin {

// A consumer to put before the code generator: marks those variables as __device__.
std::unique_ptr<clang::ASTConsumer> mark_texture_variables();

// After code generation, which takes their values for the driver's: what the declaration says stands in the variable, where the
// host reads it. Other variables stay as they are.
void keep_declared_values(const clang::VarDecl& decl, llvm::GlobalVariable& variable);

}  // namespace quern::plugin
