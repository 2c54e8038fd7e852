// Sorting keys of 32 or 64 bits by comparing a vector of them at a time.
#pragma once

#include <cstdint>
#include <span>

namespace quern {

// Sorts n keys, with `other` as room for as many. With `ranks`, in ascending order, only these places need their keys: what
// stands before one is not greater, what stands behind it not less. False: not on this processor.
bool quicksort(uint64_t* keys, uint64_t* other, int64_t n, std::span<const int64_t> ranks = {});
bool quicksort(uint32_t* keys, uint32_t* other, int64_t n, std::span<const int64_t> ranks = {});

}  // namespace quern
