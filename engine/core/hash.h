// Hashes of words, one after the other.
#pragma once

#include <cstdint>

namespace quern {

inline uint64_t mixed(uint64_t hash, uint64_t word) { return (hash ^ word) * 0x9e3779b97f4a7c15ull + (hash >> 29); }

}  // namespace quern
