// Stand-ins for shared libraries: enough of an ELF file for lld to resolve symbols against and to record the library as
// needed. No development files have to be installed where kernels are compiled.
#pragma once

#include <string>
#include <vector>

namespace quern::plugin {

std::vector<char> stub_library(const std::string& soname, const std::vector<std::string>& symbols);

}  // namespace quern::plugin
