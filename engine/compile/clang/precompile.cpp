// The precompiled header: headers[0] is parsed once and kept in a file that later compilations map into memory. It is made
// for the default options; what differs between requests (contraction, macros, CPU) is not part of it.
#include <clang/Frontend/FrontendActions.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "compile/clang/clang_run.h"
#include "compile/clang/frontend.h"

namespace quern::plugin {

void precompile(const Request& request, const std::string& path) {
  if (request.headers.empty()) throw CompileError("[compile] there is no header to precompile");
  std::vector<std::string> options = language_options(UserOptions());
  for (const std::string& word : {std::string("-emit-pch"), std::string("-o"), path, header_path(request.headers[0].path)}) {
    options.push_back(word);
  }
  std::string log;
  clang::GeneratePCHAction action;
  if (!run_clang(options, header_files(request), action, log, nullptr)) throw CompileError(log);
}

}  // namespace quern::plugin
