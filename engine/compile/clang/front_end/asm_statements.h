// asm statements of CUDA C++ as clang reads them for the host: their constraints are PTX's ("l", "f", "h"), which mean other
// registers there. Reading starts at AsmHandler::HandlePragma(): the macros of quern/asm.cuh lead each `asm` to it.
#pragma once

#include <memory>
#include <string>

namespace clang {
class ASTConsumer;
class ASTContext;
class CodeGenerator;
class Preprocessor;
}  // namespace clang

namespace quern::plugin {

// The templates of all asm statements that clang has read.
struct AsmTexts {
  std::string all;
};

// Registers the handler, which adds each statement's template to `texts`.
void watch_asm(clang::Preprocessor& preprocessor, std::shared_ptr<AsmTexts> texts);

// A consumer to put before the code generator: has the functions that those statements will be translated to (quern/ptx.cuh)
// generated.
std::unique_ptr<clang::ASTConsumer> request_rows(clang::CodeGenerator& generator, std::shared_ptr<AsmTexts> texts);

}  // namespace quern::plugin
