// Random numbers: Philox4x32-10 of a key and of a number's place in the stream (core/elements/quern/random.cuh), so that they
// are the same on every device and in both languages.
#pragma once

#include "graph/call.h"

namespace quern {

// The key that a seed gives: NumPy's SeedSequence of these words, its first 64 bits.
uint64_t random_key(const std::vector<uint32_t>& words);

// An array of a row of the table whose typing is "random". `first` is the place of its first element in the stream of `key`.
Array random_row(Op op, const Shape& shape, uint64_t key, uint64_t first, DType dtype, DeviceId device);

}  // namespace quern
