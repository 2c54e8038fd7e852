#include "device/check/block_orders.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "compile/cpu_module.h"

namespace quern::check {

namespace {

constexpr size_t word_bytes = 4;
constexpr double tolerance = 1e-4;

uint32_t& word_at(uintptr_t address) { return *reinterpret_cast<uint32_t*>(address); }

double real_at(const void* address, uint8_t bytes) {
  float single;
  double out;
  if (bytes == sizeof single) {
    std::memcpy(&single, address, sizeof single);
    return single;
  }
  std::memcpy(&out, address, sizeof out);
  return out;
}

}  // namespace

Turns::Turns(uint64_t count, uint32_t seed) : count_(count) {
  if (seed == 0 || count < 3 || count >> 32 != 0) return;
  step_ = 2 + (seed * 2654435761ull >> 7) % (count - 2);  // neither their order nor the same one turned
  while (std::gcd(step_, count) != 1) step_ = step_ % count + 1;
  first_ = seed % count;
}

uint64_t BlockOrders::block_at(uint64_t n) const {
  constexpr uint32_t first_shuffled = 3;
  uint64_t half = (blocks_ + 1) / 2;
  switch (now) {
    case 0:
      return turns_(n);
    case 1:
      return blocks_ - 1 - n;
    case 2:
      return n < half ? 2 * n : 2 * (n - half) + 1;
    default: {
      constexpr uint64_t primes[] = {7919, 104729, 1299709, 15485863, 179424673};
      uint64_t step = 1;
      for (uint32_t i = 0; i < std::size(primes); ++i)
        if (blocks_ % primes[(now - first_shuffled + i) % std::size(primes)] != 0) {
          step = primes[(now - first_shuffled + i) % std::size(primes)];
          break;
        }
      return (n * (step % blocks_) + now) % blocks_;
    }
  }
}

void BlockOrders::keep_words(uintptr_t address, uint64_t bytes, uint32_t what) {
  uintptr_t begin = address / word_bytes * word_bytes;
  for (uintptr_t at = begin; at < address + bytes; at += word_bytes) {
    auto [found, is_new] = words_.try_emplace(at);
    if (is_new) found->second.before = found->second.after = word_at(at);
  }
  if (!(what & QUERN_CHECK_REAL) || address != begin) return;
  Word& word = words_[begin];
  word.real = static_cast<uint8_t>(bytes);
  double seen = std::abs(real_at(reinterpret_cast<void*>(address), word.real));
  if (std::isfinite(seen)) word.largest = std::max(word.largest, seen);
}

bool BlockOrders::agrees(uintptr_t address, const Word& word) {
  if (word_at(address) == word.after) return true;
  // The first word of a number speaks for both.
  auto previous = words_.find(address - word_bytes);
  if (previous != words_.end() && previous->second.real == 2 * word_bytes) return true;
  if (!word.real) return false;
  uint32_t first[2] = {word.after, 0};
  if (word.real == 2 * word_bytes) first[1] = words_.at(address + word_bytes).after;
  double a = real_at(first, word.real), b = real_at(reinterpret_cast<void*>(address), word.real);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), word.largest});
}

std::optional<uintptr_t> BlockOrders::end_one() {
  if (now == 0) {
    for (auto& [address, word] : words_) word.after = word_at(address);
    return std::nullopt;
  }
  std::optional<uintptr_t> differs;
  for (auto& [address, word] : words_)
    if (!agrees(address, word) && (!differs || address < *differs)) differs = address;
  return differs;
}

bool BlockOrders::begin_next() {
  if (now + 1 >= orders_) return false;
  ++now;
  for (auto& [address, word] : words_) word_at(address) = word.before;
  return true;
}

void BlockOrders::end() {
  if (now)
    for (auto& [address, word] : words_) word_at(address) = word.after;
  now = 0;
}

}  // namespace quern::check
