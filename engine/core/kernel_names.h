// Names of kernels for messages, traces and reports, where the program calls them otherwise than their source in C++ does.
#pragma once

#include <string>

namespace quern {

// Kernels of that symbol are shown under `name`: Python's `div` is `kernel_div` in C++, where `div` is a function.
void show_kernel_as(const std::string& symbol, std::string name);
// The name that kernels of that symbol are shown under; `otherwise` where nobody chose one.
std::string shown_kernel_name(const std::string& symbol, std::string otherwise);

}  // namespace quern
