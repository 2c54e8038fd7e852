// Host code in a text of kernels: whole CUDA programs are given to SourceModule and RawModule, whose compilers of device code
// pass over `main` and its kin. Ours parse every function, and a GPU's functions alone are known to them.
#pragma once

#include <string>
#include <string_view>

namespace quern {

// The text with blanks for the functions outside of classes that nothing marks as a device's. Lines stay where they are.
std::string without_host_code(std::string_view text);

}  // namespace quern
