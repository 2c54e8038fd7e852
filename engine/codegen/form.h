// The form of a group: how its index space is walked and where each operand lies, split into what the kernel text depends on
// (patterns, which are part of the key) and what it takes as arguments (numbers).
#pragma once

#include "graph/schedule.h"

namespace quern {

// How an operand moves along one dimension of the form.
enum class Step : uint8_t { none, unit, numbered };

struct Place {
  std::vector<Step> steps;  // one for each dimension
  int64_t offset = 0;       // of its first element
};

struct Form {
  // Dimensions: first the kept ones, then those that reductions take away; each part collapsed by itself.
  size_t kept = 0, reduced = 0;
  bool wide = false;         // indices need 64 bits
  bool lanes_inside = true;  // of a reduction: neighbouring threads take neighbouring reduced elements, not neighbouring results
  Shape shape;               // of the dimensions
  int64_t results = 1, count = 1;  // elements kept, elements of each that are reduced
  std::vector<Place> loads, stores;
  std::vector<int64_t> numbers;  // arguments: the shape, then every numbered step
};

Form form_of(const Group& group);

// What a kernel is found by: equal keys have equal texts, and the numbers are arguments.
using Key = std::vector<uint64_t>;
Key key_of(const Group& group, const Form& form);

}  // namespace quern
