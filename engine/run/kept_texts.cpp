#include "run/kept_texts.h"

#include "compile/cccl.h"

#include <fmt/core.h>

#include <cstdlib>
#include <fstream>
#include <functional>

namespace quern {

void keep_text(const std::string& text, const CompileOptions& options) {
  static const char* folder = std::getenv("QUERN_KEEP_TEXTS");
  if (!folder || !*folder || !options.flags.empty()) return;
  std::ofstream file(fmt::format("{}/{:016x}.cu", folder, std::hash<std::string>()(text)));
  file << text;
  if (options.with_cub) file << "\n// nvrtc: --include-path=" << cccl_folder() << "\n";  // tools/check_nvrtc.py reads it
}

}  // namespace quern
