// What fences together with atomics and volatile accesses order between threads.
//
// A fence makes ready what its thread knows to be done (Ready); an atomic or volatile write behind it publishes this (a release),
// and whoever reads that address by an atomic or as volatile knows it from then on. Barriers hand both on to the threads that
// meet there. A fence of the block (__threadfence_block()) counts within it alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace quern::check {

using Joined = std::array<uint32_t, 32 * 32>;  // of a warp: [y][x], the tick before which x's accesses are known to y
// Of releases that a thread has read: their addresses, and up to which number.
using Seen = std::unordered_map<uintptr_t, uint64_t>;
using SeenPtr = std::shared_ptr<const Seen>;

// The ticks up to which accesses are ready to be published.
struct Ready {
  uint32_t of_all = 0, own = 0;                             // of the block's threads; of the thread itself
  std::shared_ptr<const std::array<uint32_t, 32>> of_warp;  // of each lane
  std::shared_ptr<const std::vector<uint32_t>> of_threads;  // of each of the block's threads
  SeenPtr seen;
  bool any() const { return of_all || own || of_warp || of_threads || seen; }
};

enum Scope : uint8_t { of_device, of_block, scopes };

// What a thread had ready when it wrote.
struct Told {
  uint32_t thread = 0;  // in its block
  std::array<Ready, scopes> mine, common;
  bool covers(uint32_t thread, uint32_t tick, Scope scope) const;
};

// What the threads of a block have ready and have seen.
class BlockReleases {
 public:
  explicit BlockReleases(uint32_t threads) : threads_(threads) {}
  void fence(uint32_t thread, Scope scope, uint32_t tick, uint32_t barrier_tick, const Joined& joined);
  void pass_barrier();
  void pass_warp_barrier(size_t warp, uint32_t lanes);
  void see(uint32_t thread, uintptr_t address, uint64_t number);
  std::shared_ptr<const Told> told_by(uint32_t thread);  // null: nothing is ready
  bool has_seen_any() const { return has_seen_any_; }
  std::array<const Seen*, 2> seen_by(uint32_t thread) const;
  void clear();

 private:
  struct Of {
    std::array<Ready, scopes> ready;
    std::shared_ptr<const Told> told;  // what is ready, as long as that stays
    std::shared_ptr<Seen> seen;
  };
  Of& of(uint32_t thread);
  uint32_t threads_;
  std::vector<Of> of_threads_;  // empty until there is something to keep
  std::array<Ready, scopes> common_;
  std::shared_ptr<Seen> common_seen_;
  bool is_new_ = false, has_seen_any_ = false;  // is there something that barriers hand on?
};

// The releases of a launch, by address.
class Releases {
 public:
  void add(uintptr_t address, uint64_t block, std::shared_ptr<const Told> told);
  uint64_t known_at(uintptr_t address) const { return at_.contains(address) ? count_ : 0; }  // up to which number; 0: none
  // Has the thread seen a release behind what a thread of `block` did at a tick?
  bool lead_to(const BlockReleases& mine, uint32_t my_thread, uint64_t my_block, uint64_t block, uint32_t thread,
               uint32_t tick) const;
  void clear();

 private:
  struct Release {
    uint64_t number;
    std::shared_ptr<const Told> told;
  };
  using OfBlocks = std::unordered_map<uint64_t, std::vector<Release>>;  // in the order of time
  std::unordered_map<uintptr_t, OfBlocks> at_;
  uint64_t count_ = 0;
};

}  // namespace quern::check
