// What would run to compute an array, in words.
#pragma once

#include <string>
#include <vector>

namespace quern {

class Array;
struct Group;

// The groups that its work makes, why each is one of its own, and the kernels' source; nothing is run.
std::string explain(const Array& array);
// The names of what a group computes, in order.
std::vector<std::string> ops_of(const Group& group);

}  // namespace quern
