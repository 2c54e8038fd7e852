#include "compile/clang/front_end/clang_run.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "compile/clang/front_end/diagnostics.h"

namespace quern::plugin {
namespace {

constexpr const char* header_dir = "/quern/include";
constexpr const char* before_cccl = "/quern/include/cccl";  // what stands before CCCL's headers of the same names

}  // namespace

std::string header_path(std::string_view name) { return std::string(header_dir) + "/" + std::string(name); }

std::vector<std::string> language_options(const UserOptions& options, const std::string& cccl) {
  std::vector<std::string> out = {
      "-triple", triple, "-x", "cuda", "-fcuda-is-device", "-fcuda-allow-variadic-functions", "-std=" + options.standard,
      "-fdeclspec", "-fno-rtti", "-fno-threadsafe-statics", "-fgnuc-version=4.2.1",
      // Reading a float's bits through an int pointer is common in CUDA code, and nvcc lets it pass.
      "-relaxed-aliasing", "-O2", "-disable-llvm-passes", "-mrelocation-model", "pic", "-pic-level", "2", "-fvisibility=hidden",
      "-nostdsysteminc", "-nobuiltininc", "-nostdinc++", "-Wno-unknown-pragmas", "-Wno-unused-value", "-Wno-pass-failed",
      "-Wno-inline-new-delete", "-Wno-c++11-narrowing", "-Wno-c++11-narrowing-const-reference", "-ferror-limit", "20"};
  out.push_back(options.contract ? "-ffp-contract=fast" : "-ffp-contract=off");
  if (options.fast_math) {
    for (const char* flag : {"-fapprox-func", "-freciprocal-math", "-fno-signed-zeros"}) out.push_back(flag);
  }
  if (options.line_info) {
    for (const char* flag : {"-debug-info-kind=line-tables-only", "-dwarf-version=4"}) out.push_back(flag);
  }
  // Else names of files lose what they have in common with the current folder.
  out.push_back("-fdebug-compilation-dir=/");
  if (options.quiet) out.push_back("-w");
  // As system headers: clang then skips the warnings' analyses there, which cost more than parsing.
  for (const char* word : {"-isystem", header_dir}) out.push_back(word);
  if (!cccl.empty()) {
    for (const char* word : {"-isystem", before_cccl}) out.push_back(word);
  }
  // The user's folders come after it, so that a CUDA toolkit's headers, which speak PTX, do not hide ours.
  for (const std::string& dir : options.include_dirs) {
    out.push_back("-isystem");
    out.push_back(dir);
  }
  if (!cccl.empty()) {
    for (const char* word : {"-isystem", cccl.c_str()}) out.push_back(word);
  }
  return out;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> header_files(const Request& request) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const Header& header : request.headers) {
    files->addFile(header_path(header.path), 0,
                   llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(header.text.data(), header.text.size())));
  }
  return files;
}

bool run_clang(const std::vector<std::string>& options, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
               clang::FrontendAction& action, std::string& log, bool* bad_pch) {
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());

  auto text_options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  text_options->ShowPresumedLoc = true;  // the user's file names and lines, not ours
  Messages messages(log, text_options.get());
  clang::CompilerInstance instance;
  instance.createDiagnostics(&messages, /*ShouldOwnClient=*/false);
  clang::DiagnosticsEngine& diagnostics = instance.getDiagnostics();
  if (!clang::CompilerInvocation::CreateFromArgs(instance.getInvocation(), words, diagnostics)) return false;
  clang::ProcessWarningOptions(diagnostics, instance.getDiagnosticOpts(), /*ReportDiags=*/false);
  diagnostics.setErrorLimit(instance.getDiagnosticOpts().ErrorLimit);
  instance.createFileManager(std::move(files));
  instance.setVerboseOutputStream(llvm::nulls());  // "2 errors generated" belongs to command lines
  bool ok = instance.ExecuteAction(action) && !diagnostics.hasErrorOccurred();
  if (bad_pch) *bad_pch = messages.bad_precompiled_header;
  return ok;
}

}  // namespace quern::plugin
