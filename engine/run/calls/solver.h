// Factorisations of stacks of matrices by cuSOLVER, for arrays on a GPU: nothing is brought to the host, nothing is waited for
// until evaluation. Only lapack.cpp's factor() calls this.
#pragma once

#include "graph/array.h"

#include <string_view>

namespace quern {

// Is there a library for it? Where not, factor() goes through the host.
bool factors_on_gpu(std::string_view name);

// As factor() says (lapack.h). Results may be views: the library's matrices lie in columns.
std::vector<Array> factor_on_gpu(std::string_view name, std::span<const Array> operands, std::string_view mode, double number);

}  // namespace quern
