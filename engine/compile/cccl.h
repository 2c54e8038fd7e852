// NVIDIA's CCCL: the headers of CUB and libcu++, with which texts of ours sort and select on a GPU, and which users' texts
// include: CUB's for blocks and warps, cuda/std. The build takes the files that are needed (tools/take_cccl.py) and puts them
// beside libquern.so; NVRTC reads them there, and the CPU's compiler, for which codegen/prelude/cccl has what comes before them.
#pragma once

#include <string>
#include <string_view>

namespace quern {

// Raises ErrorKind::os when it is gone.
std::string cccl_folder();
// Part of NVRTC's id.
std::string cccl_version();
bool is_of_cccl(std::string_view header);

}  // namespace quern
