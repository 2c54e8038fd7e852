// What would run to compute an array, in words.
#pragma once

#include <string>

namespace quern {

class Array;

// The groups that its work makes, why each is one of its own, and the kernels' texts; nothing is run.
std::string explain(const Array& array);

}  // namespace quern
