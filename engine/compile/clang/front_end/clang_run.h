// One run of clang in memory: the options it gets, the files it sees, where its messages go. Shared by the front end and the
// precompiled header.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>

#include <string>
#include <vector>

#include "compile/clang/request.h"

namespace clang {
class FrontendAction;
}
namespace llvm::vfs {
class FileSystem;
class InMemoryFileSystem;
}  // namespace llvm::vfs

namespace quern::plugin {

// Where things lie in the compiler's file system. Messages show the user's names instead.
inline constexpr const char* main_path = "/quern/main.cu";
inline constexpr const char* pch_path = "/quern/prelude.pch";
std::string header_path(std::string_view name);

// The options that decide how text is read; the caller adds what is made of it and the input file.
// `cccl`: the folder of CCCL's headers, or "".
std::vector<std::string> language_options(const UserOptions& options, const std::string& cccl);

// The request's headers, in memory.
llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> header_files(const Request& request);

// Returns false when the log has errors. `bad_pch` (may be null): the precompiled header does not fit this compiler.
bool run_clang(const std::vector<std::string>& options, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
               clang::FrontendAction& action, std::string& log, bool* bad_pch);

}  // namespace quern::plugin
