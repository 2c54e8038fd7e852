// Sorting keys of 32 or 64 bits by comparing a vector of them at a time.
#pragma once

#include <cstdint>

namespace quern {

// Sorts n keys, with `other` as room for as many. False: not on this processor.
bool quicksort(uint64_t* keys, uint64_t* other, int64_t n);
bool quicksort(uint32_t* keys, uint32_t* other, int64_t n);

}  // namespace quern
