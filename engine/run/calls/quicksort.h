// Sorting 64-bit keys by comparing four at a time.
#pragma once

#include <cstdint>

namespace quern {

// Sorts n keys, with `other` as room for as many. False: not on this processor.
bool quicksort(uint64_t* keys, uint64_t* other, int64_t n);

}  // namespace quern
