// The same launch with its blocks in other orders: whatever they wrote is taken back in between, and must come out the same.
//
// Floats that are sums of several blocks' parts differ in their last digits: those agree that differ by less than 1e-4 of the
// largest number that was seen there.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace quern::check {

// The numbers below `count` in another order, which the seed decides; 0: their own.
class Turns {
 public:
  Turns() = default;
  Turns(uint64_t count, uint32_t seed);
  uint64_t operator()(uint64_t n) const { return step_ == 1 ? n : (n * step_ + first_) % count_; }

 private:
  uint64_t count_ = 1, step_ = 1, first_ = 0;
};

class BlockOrders {
 public:
  uint32_t now = 0;  // 0: the natural one

  void begin(uint32_t orders, uint64_t blocks, uint32_t seed) {
    orders_ = orders, blocks_ = blocks;
    turns_ = Turns(blocks, seed);
  }
  bool any() const { return orders_ > 1; }
  uint64_t block_at(uint64_t n) const;

  // Before a write to memory that is seen outside of its block. `what`: QUERN_CHECK_...
  void keep(uintptr_t address, uint64_t bytes, uint32_t what) {
    if (any()) keep_words(address, bytes, what);
  }
  std::optional<uintptr_t> end_one();  // a run has ended; returns where it differs from the first one
  bool begin_next();                   // takes back what it wrote; false when all orders were run
  void end();                          // leaves what the first run wrote

 private:
  struct Word {
    uint32_t before = 0, after = 0;  // the first run; what it has not written stays
    uint8_t real = 0;                // 4, 8: the first of a float's or double's words
    double largest = 0;
  };
  void keep_words(uintptr_t address, uint64_t bytes, uint32_t what);
  bool agrees(uintptr_t address, const Word& word);

  uint32_t orders_ = 1;
  uint64_t blocks_ = 1;
  Turns turns_;
  std::unordered_map<uintptr_t, Word> words_;
};

}  // namespace quern::check
