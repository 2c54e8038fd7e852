// Which of the host's files a text for NVRTC may read. NVRTC does not tell, so its #include lines are followed here, and rather
// too many files are listed than too few: lines in comments and behind #if count, each folder is searched though the header was
// found before. Where a name is put together by macros and nobody can tell, nothing is kept.
#pragma once

#include "compile/files_read.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

struct IncludeWalk {
  std::vector<FileRead> files;
  bool complete = true;  // false: there may be others
};

struct IncludeRoot {
  std::string_view text;
  std::string name;                            // of the text: quotes look beside it first
  std::vector<std::string> folders;            // -I, in order
  std::vector<std::string> before;             // headers read before the text
  std::vector<std::string> definitions;        // -D: "NAME=VALUE"
  std::function<bool(std::string_view)> ours;  // a header that the compiler is given and does not look for
};

// Nothing is read when the source includes only our headers.
IncludeWalk walk_includes(const IncludeRoot& root);

}  // namespace quern
