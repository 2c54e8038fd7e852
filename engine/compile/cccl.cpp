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

bool is_of_cccl(std::string_view header) {
  std::error_code error;
  bool may_be =
      header.starts_with("cub/") || header.starts_with("cuda/") || header.starts_with("nv/") || header.starts_with("thrust/");
  return may_be && std::filesystem::exists(library_directory() + "/cccl/" + std::string(header), error);
}

std::string cccl_version() { return "cccl " QUERN_CCCL_VERSION; }

}  // namespace quern
