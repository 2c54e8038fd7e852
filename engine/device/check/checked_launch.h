// One launch of a checked kernel: what its threads do, and what orders it.
//
// Each block counts ticks: one at each barrier of the block or of one of its warps. A thread's access comes before another's when
//   - it was made in an earlier launch, or before the last barrier of the grid;
//   - both are of one block, which has had a barrier since;
//   - both are of one warp, and warp barriers lead from one to the other (`joined`);
//   - it was released (a fence, then an atomic or volatile write), and the second thread has seen that (an atomic or volatile
//   read
//     of the same address): releases.h.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compile/cpu_module.h"
#include "device/check/block_orders.h"
#include "device/check/checker.h"
#include "device/check/memory_map.h"
#include "device/check/releases.h"
#include "device/check/timeline.h"

namespace quern {
class CpuKernel;
}

namespace quern::check {

class CheckedLaunch;

struct CheckedBlock {
  CheckedLaunch& launch;
  uint64_t number;
  uint32_t threads;
  uint32_t tick, barrier_tick;
  char *shared, *private_begin, *private_end;
  Shadow shared_shadow;
  std::vector<Joined> joined;  // of each warp
  struct Point {
    uint32_t what = 0, place = 0;
  };
  std::vector<Point> points;  // of each thread: the last barrier it came to
  // How often each thread passed by barriers since its last one, by their places.
  std::vector<std::map<uint32_t, uint32_t>> passed_by;
  BlockReleases releases;
  // Of each warp: who is together in its last operation; what is reported of the values that lanes gave.
  struct Exchange {
    uint32_t present = 0;
    std::array<uint32_t, 32> doubts{};
  };
  std::vector<Exchange> exchanges;

  CheckedBlock(CheckedLaunch& launch, uint64_t number, uint32_t threads, char* shared, size_t shared_bytes, char* private_begin,
               char* private_end);

  void enter(size_t thread);  // what comes next is this thread's
  // `waiting`: those that go on.
  void pass_barrier(const std::vector<uint32_t>& waiting);
  void find_absent(const std::vector<uint32_t>& waiting);
  void pass_warp_barrier(size_t warp, uint32_t lanes);
  void next_tick();
  void stuck(const std::vector<uint32_t>& of_warps, const std::vector<uint32_t>& of_block);  // none of those that wait can go on
  void left_out(uint32_t thread);  // it waits with a mask that does not name itself
};

class CheckedLaunch {
 public:
  CheckedLaunch(const CpuKernel& kernel, const QuernCpuLaunch& launch, const StreamState& stream, Site site, bool is_turned);
  ~CheckedLaunch();
  uint64_t number() const { return number_; }  // of this launch alone, in this process

  CheckedBlock& begin_block(uint64_t number, uint32_t threads, char* shared, size_t shared_bytes, char* private_begin,
                            char* private_end);
  void end_block(CheckedBlock& block);
  void pass_grid_barrier(uint64_t finished);                           // `finished`: how many blocks never came there
  uint64_t block_at(uint64_t n) const { return orders_.block_at(n); }  // the one to be run as the n-th
  // After a run of all blocks: are they to be run once more, in another order? What they wrote is taken back then.
  bool begin_order();
  void end_orders() { orders_.end(); }

  void* access(void* pointer, uint64_t bytes, uint32_t what, uint32_t place, void* base, uint64_t size, uint32_t object);
  void event(uint32_t what, uint32_t place);
  void value(uint32_t what, uint32_t place, int64_t first, int64_t second);
  void local(const void* base, uint64_t bytes);
  void* index(const void* data, int64_t index, int64_t extent, uint32_t axis, uint32_t place, uint32_t object);
  uint32_t lane(int64_t lane, uint32_t place) const;
  void give(uint32_t doubt);
  static constexpr uint64_t most_told = 1'000'000;
  uint64_t told() const { return told_; }

 private:
  friend struct CheckedBlock;
  void tell(Finding found);
  Finding finding(Kind kind, uint32_t what, uint32_t place, uint32_t object) const;
  Access access_of(uint32_t thread, uint32_t what, uint32_t place) const;
  void settle_write() {
    if (written_.pointer) settle_pending_write();
  }
  void settle_pending_write();
  void follow(Shadow& shadow, const void* pointer, size_t offset, uint64_t bytes, uint32_t what, uint32_t place, uint32_t object);
  void follow_local(size_t offset, uint64_t bytes, uint32_t what, uint32_t place, uintptr_t base, uint32_t object);
  bool is_mine(Stamp stamp) const { return stamp.thread == me_ && stamp.tick >= first_tick_; }
  const Work* beside(uint32_t tick) const;  // the other work that the tick is of, where nothing orders it and this launch
  void meet(const Work& other, const Region* region, uint32_t what, uint32_t place, uint32_t object, uint64_t bytes);
  void meet_ranges(uintptr_t at, uint64_t bytes, uint32_t what, uint32_t place, uint32_t object);
  // Is it before what the thread that runs does now?
  bool ordered(Stamp before) const {
    if (before.tick < first_tick_) return others_.empty() || !beside(before.tick);
    if (before.tick < grid_tick_) return true;
    if (is_of_block(before.thread)) {
      if (before.tick < block_->barrier_tick) return true;
      uint32_t thread = before.thread - first_;
      if (thread / 32 == thread_ / 32 && before.tick < block_->joined[thread_ / 32][thread_ % 32 * 32 + thread % 32]) return true;
    }
    return block_->releases.has_seen_any() && released_to_us(before);
  }
  bool released_to_us(Stamp before) const;
  bool is_of_block(uint32_t thread) const { return thread - first_ < threads_in_block_; }
  void drop_doubtful(uintptr_t address);
  void release(uintptr_t address);
  void acquire(uintptr_t address);
  Region* recent_at(uintptr_t address, uint32_t object);  // where that object was last, if the address is there
  Region* region_at(uintptr_t address, uint32_t object);

  const CpuKernel& kernel_;
  const QuernCpuModule& module_;  // its table
  const QuernCpuLaunch& launch_;
  Site site_;
  uint64_t number_, told_ = 0;  // `told_`: how often something was found
  bool is_turned_;              // x and y of a block's threads stand in each other's place
  uint32_t first_tick_, grid_tick_ = 0, last_tick_;
  uint32_t threads_in_block_;
  std::vector<std::unique_ptr<CheckedBlock>> blocks_;
  CheckedBlock* block_ = nullptr;    // whose thread runs
  uint32_t first_ = 0, me_ = 0;      // the numbers in the launch of its block's first thread, and its own
  const char* elsewhere_ = nullptr;  // memory for accesses that are wrong
  uint32_t thread_ = 0;              // in its block
  Releases releases_;
  std::array<std::shared_ptr<Region>, 16> recents_;  // by the numbers of objects
  Region* here_ = nullptr;                           // of the access that is checked; null: shared memory
  BlockOrders orders_;
  // Plain reads of what others update by atomics, by thread and address: reported at the end unless the thread exchanges it, too.
  std::map<std::pair<uint32_t, uintptr_t>, Finding> doubtful_;
  WorkPtr work_;
  std::vector<WorkPtr> others_;               // work that may run beside this launch
  std::map<const Region*, Range> host_used_;  // pinned memory that it uses
  std::unordered_map<uintptr_t, std::vector<bool>>
      locals_;  // followed local arrays by their addresses: the bytes that are written
  // A write by the thread that has just read there, or of what another has written: what was there, until it is seen whether that
  // changed.
  struct Written {
    const void* pointer = nullptr;
    size_t bytes = 0, count = 0;
    Cell* first = nullptr;
    std::array<char, 16> before;
    std::array<Cell, 16> cells;
    std::optional<Finding> race;
  } written_;
};

// The launch that this thread of the host works on; null: none that is checked.
CheckedLaunch* current_launch();

// What kernels call (QuernCpuRuntime).
void* check_access(void* pointer, uint64_t bytes, uint32_t what, uint32_t place, void* base, uint64_t size, uint32_t object);
void check_event(uint32_t what, uint32_t place);
void check_value(uint32_t what, uint32_t place, int64_t first, int64_t second);
void check_local(const void* base, uint64_t bytes);
void* check_index(const void* data, int64_t index, int64_t extent, uint32_t axis, uint32_t place, uint32_t object);
uint32_t check_lane(int64_t lane, uint32_t place);
void check_give(uint32_t doubt);

}  // namespace quern::check
