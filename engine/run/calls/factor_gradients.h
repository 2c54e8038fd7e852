// The derivatives of factorisations, for the host's (lapack.cpp) and a GPU's (solver.cpp) alike. All is as the caller of factor()
// sees it, whatever was turned for the library.
#pragma once

#include "graph/tape.h"

#include <string_view>

namespace quern {

struct FactorKeeps {
  bool operand, results;
};
FactorKeeps factor_keeps(std::string_view name, std::string_view mode);

// `name`, `mode`: as factor() has them. The operands and results that are kept stand in the call.
std::vector<std::optional<Array>> factor_gradients(std::string_view name, std::string_view mode, const GradientCall& call);

}  // namespace quern
