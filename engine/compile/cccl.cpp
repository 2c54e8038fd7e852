#include "compile/cccl.h"

#include "compile/clang.h"
#include "core/error.h"

#include <filesystem>

namespace quern {

std::string cccl_folder() {
  std::string folder = library_directory() + "/cccl";
  std::error_code error;
  if (!std::filesystem::exists(folder + "/cub/version.cuh", error))
    raise(ErrorKind::os, "[compile] the headers of CUB are missing from {}; install quern again", folder);
  return folder;
}

std::string cccl_version() { return "cccl " QUERN_CCCL_VERSION; }

}  // namespace quern
