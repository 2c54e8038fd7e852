// The compiler's messages as the user sees them, and clear ones for features that are not supported on a CPU.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/TextDiagnostic.h>

#include <memory>
#include <string>

namespace clang {
class Preprocessor;
}

namespace quern::plugin {

// Prints each message with file:line:column, the source line and a caret; the files' names are the user's.
class Messages : public clang::DiagnosticConsumer {
 public:
  Messages(std::string& log, clang::DiagnosticOptions* options);
  ~Messages() override;

  void BeginSourceFile(const clang::LangOptions& language, const clang::Preprocessor* preprocessor) override;
  void EndSourceFile() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& message) override;

  // The precompiled prelude does not fit this build of the compiler: parse the text instead.
  bool bad_precompiled_header = false;

 private:
  std::string& log_;
  llvm::raw_string_ostream out_;
  clang::DiagnosticOptions* options_;
  std::unique_ptr<clang::TextDiagnostic> printer_;
  bool silent_ = false;  // after an error that explains all that follow
};

// Explains includes of headers that are not here.
void explain_missing_headers(clang::Preprocessor& preprocessor);

}  // namespace quern::plugin
