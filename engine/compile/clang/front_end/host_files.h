// The host's files as clang sees them, and a list of what it saw: every path that was tried, found or not, with the hash of
// what was read. Macros, __has_include, links and "../" need no care of ours: what clang asks the file system for is the truth.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <string>

#include "compile/clang/plugin.h"
#include "compile/file_stamp.h"

namespace quern::plugin {

struct HostFile {
  uint32_t kind = QUERN_CLANG_ABSENT;
  FileStamp stamp;
  uint64_t hash[2] = {0, 0};
};

struct HostFiles {
  std::map<std::string, HostFile> seen;  // by absolute path
  std::string relative_to;               // not empty: a relative path was resolved from this folder
  bool steady = true;                    // false: a file changed while clang read it
};

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> host_files(HostFiles& record);

// The files of one folder, and no others; "": none.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_below(const std::string& folder);

}  // namespace quern::plugin
