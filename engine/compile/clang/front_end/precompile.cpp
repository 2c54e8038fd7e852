// The precompiled header: headers[0] is parsed once and kept in a file that later compilations map into memory. It is made
// for the default options; what differs between requests (contraction, macros, CPU) is not part of it.
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "compile/clang/front_end/clang_run.h"
#include "compile/clang/front_end/frontend.h"

namespace quern::plugin {
namespace {

// Sema's list of functions to look at again at the end of a text is private; naming a private member in an explicit
// instantiation is how C++ lets one through.
template <auto member>
struct DeferredChecks {
  friend auto& deferred_checks(clang::Sema& sema) { return sema.*member; }
};
template struct DeferredChecks<&clang::Sema::DeclsToCheckForDeferredDiags>;
auto& deferred_checks(clang::Sema& sema);

// clang notes every inline device function of the header for a check at the end of each text that uses it, and would read all
// of them from the file for that: 10 ms for what is known to be clean.
class ForgetDeferredChecks : public clang::SemaConsumer {
 public:
  void InitializeSema(clang::Sema& sema) override { sema_ = &sema; }
  void ForgetSema() override { sema_ = nullptr; }
  void HandleTranslationUnit(clang::ASTContext&) override {
    if (sema_) deferred_checks(*sema_).clear();
  }

 private:
  clang::Sema* sema_ = nullptr;
};

class PrecompileAction : public clang::GeneratePCHAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance, llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<ForgetDeferredChecks>());
    consumers.push_back(GeneratePCHAction::CreateASTConsumer(instance, file));
    if (!consumers.back()) return nullptr;
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }
};

}  // namespace

void precompile(const Request& request, const std::string& path) {
  if (request.headers.empty()) throw CompileError("[compile] there is no header to precompile");
  std::vector<std::string> options = language_options(UserOptions(), "");
  // Templates that the header itself uses are instantiated in the file, not in every text again.
  for (const std::string& word : {std::string("-D__QUERN_PRECOMPILING__"), std::string("-fpch-instantiate-templates"),
                                  std::string("-emit-pch"), std::string("-o"), path, header_path(request.headers[0].path)}) {
    options.push_back(word);
  }
  std::string log;
  PrecompileAction action;
  if (!run_clang(options, header_files(request), action, log, nullptr)) throw CompileError(log);
}

}  // namespace quern::plugin
