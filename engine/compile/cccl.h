// NVIDIA's CCCL: the headers of CUB and libcu++, with which texts of ours sort and select on a GPU. The build takes the files
// that are needed (tools/take_cccl.py) and puts them beside libquern.so; NVRTC reads them there.
#pragma once

#include <string>

namespace quern {

// Raises ErrorKind::os when it is gone.
std::string cccl_folder();
// Part of the cache key of every text that includes them.
std::string cccl_version();

}  // namespace quern
