#include "run/kept_texts.h"
#include "core/format.h"

#include "compile/cccl.h"

#include <cstdlib>
#include <fstream>
#include <functional>

namespace quern {

void keep_text(const std::string& text, const CompileOptions& options) {
  static const char* folder = std::getenv("QUERN_KEEP_TEXTS");
  if (!folder || !*folder || !options.flags.empty()) return;
  std::string all = text;  // and for tools/check_nvrtc.py, the compiler's other inputs
  if (!options.name_expressions.empty()) all += formatted("\n// names: {}\n", join_text(options.name_expressions, "; "));
  if (options.with_cub) all += "\n// nvrtc: --include-path=" + cccl_folder() + "\n";
  std::ofstream(formatted("{}/{:016x}.cu", folder, std::hash<std::string>()(all))) << all;
}

}  // namespace quern
