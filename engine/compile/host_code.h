// Host code in the source of kernels: whole CUDA programs are given to SourceModule and RawModule, whose compilers of device code
// skip `main` and other host functions. Ours parse every function, and know the functions of a GPU alone.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace quern {

// The text with blanks for the functions outside of classes that nothing marks as a device's. Lines stay where they are.
// `names`, if it is given, gets the names of these functions.
std::string without_host_code(std::string_view text, std::set<std::string>* names = nullptr);

// A compiler's message about the text without host code, with the lines that it quotes as they stand in `text`.
std::string quoting_whole_lines(std::string message, std::string_view text, std::string_view without_host_code);
// The same message, in which an unknown name that is a host function's is reported as one.
std::string naming_host_functions(std::string message, const std::set<std::string>& names);

}  // namespace quern
