// Blocks whose threads (or which themselves, with QUERN_KERNEL_WHOLE_BLOCKS) are coroutines: start each thread, then resume them
// by the rules of cpu_module.h until all are finished.
//
// BlockRun is one block in flight. A plain kernel runs one block after the other; one that waits on memory (or on the grid)
// keeps many in flight and takes turns, starting further blocks while those at hand wait.
#include "core/error.h"
#include "device/check/checked_launch.h"
#include "device/cpu.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <vector>

namespace quern {

namespace {

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

constexpr size_t warp_size = 32, warp_buffer_bytes = 32 * 16, before_warp_buffer = 256, block_buffer_bytes = 64;

struct Geometry {
  size_t threads, warps, shared, slots = 0, frame, bytes;  // threads: that run as coroutines
  Geometry(const QuernCpuKernel& code, const QuernCpuLaunch& launch) {
    threads = size_t{launch.block[0]} * launch.block[1] * launch.block[2];
    if (code.flags & QUERN_KERNEL_WHOLE_BLOCKS) {
      slots = code.slot_bytes * round_up(threads, 64);
      threads = 1;
    }
    warps = (threads + warp_size - 1) / warp_size;
    shared = round_up(round_up(code.static_shared, 64) + launch.dynamic_shared, 64);
    frame = round_up(code.frame_bytes, 64);
    bytes = shared + round_up(sizeof(QuernCpuThread) * threads, 64) + before_warp_buffer + warps * warp_buffer_bytes +
            block_buffer_bytes + round_up(sizeof(void*) * threads, 64) + frame * threads + slots;
  }
};

class BlockRun {
 public:
  BlockRun(const QuernCpuKernel& code, const QuernCpuLaunch& launch, const Geometry& geometry, uint64_t block, char* memory)
      : geometry_(geometry) {
    char* at = memory;
    auto take = [&](size_t bytes) {
      char* here = at;
      at += round_up(bytes, 64);
      return here;
    };
    char* shared = take(geometry.shared);
    threads_ = reinterpret_cast<QuernCpuThread*>(take(sizeof(QuernCpuThread) * geometry.threads));
    char* warps = take(before_warp_buffer + geometry.warps * warp_buffer_bytes) + before_warp_buffer;
    char* block_buffer = take(block_buffer_bytes);
    std::memset(warps, 0, geometry.warps * warp_buffer_bytes);
    std::memset(block_buffer, 0, block_buffer_bytes);
    handles_ = reinterpret_cast<void**>(take(sizeof(void*) * geometry.threads));
    char* frames = take(geometry.frame * geometry.threads);
    char* slots = take(geometry.slots);
    uint64_t gx = launch.grid[0], gy = launch.grid[1];
    uint32_t bx = static_cast<uint32_t>(block % gx), by = static_cast<uint32_t>(block / gx % gy),
             bz = static_cast<uint32_t>(block / gx / gy);
    for (size_t t = 0; t < geometry.threads; ++t) {
      QuernCpuThread& thread = threads_[t];
      thread = QuernCpuThread{};
      thread.thread[0] = static_cast<uint32_t>(t % launch.block[0]);
      thread.thread[1] = static_cast<uint32_t>(t / launch.block[0] % launch.block[1]);
      thread.thread[2] = static_cast<uint32_t>(t / launch.block[0] / launch.block[1]);
      thread.block[0] = bx;
      thread.block[1] = by;
      thread.block[2] = bz;
      thread.shared = shared;
      thread.warp_buffer = warps + t / warp_size * warp_buffer_bytes;
      thread.block_buffer = block_buffer;
      thread.frame = frames + t * geometry.frame;
      thread.slots = slots;
    }
    if (check::CheckedLaunch* checked = check::current_launch()) {
      checked_ = &checked->begin_block(block, static_cast<uint32_t>(geometry.threads), shared, geometry.shared, memory, at);
      checked_launch_ = checked->number();
      turns_ = check::Turns(geometry.threads, check::options().seed);
    }
    for (size_t n = 0; n < geometry.threads; ++n) {
      size_t t = turns_(n);
      if (checked_) checked_->enter(t);
      handles_[t] = code.start(&launch, &threads_[t]);
    }
  }

  // What a failed launch left behind may go when that launch is long over, and with it what it had checked.
  ~BlockRun() {
    check::CheckedLaunch* now = check::current_launch();
    if (checked_ && now && now->number() == checked_launch_) now->end_block(*checked_);
  }
  BlockRun(const BlockRun&) = delete;
  BlockRun& operator=(const BlockRun&) = delete;

  // Resumes whatever may go on. Returns whether any thread but a yielding one did.
  bool turn() {
    bool progress = false;
    for (size_t w = 0; w < geometry_.warps; ++w)
      while (warp_turn(w)) progress = true;
    if (release_barrier()) progress = true;
    for (size_t t = 0; t < geometry_.threads; ++t)
      if (threads_[t].wait == QUERN_WAIT_YIELD) {
        resume(t);
        if (threads_[t].wait != QUERN_WAIT_YIELD) progress = true;
      }
    return progress;
  }

  bool finished() const { return waiting(QUERN_WAIT_FINISHED) == geometry_.threads; }
  // All unfinished threads stand at the grid's barrier.
  bool at_grid() const {
    size_t at = waiting(QUERN_WAIT_GRID);
    return at > 0 && at + waiting(QUERN_WAIT_FINISHED) == geometry_.threads;
  }
  bool yields() const { return waiting(QUERN_WAIT_YIELD) > 0; }
  void pass_grid() {
    for (size_t n = 0; n < geometry_.threads; ++n)
      if (size_t t = turns_(n); threads_[t].wait == QUERN_WAIT_GRID) resume(t);
  }

  // None can go on: for a report.
  void tell_of_stuck() const {
    if (!checked_) return;
    checked_->stuck(who(QUERN_WAIT_WARP), who(QUERN_WAIT_BARRIER));
  }

 private:
  std::vector<uint32_t> who(uint32_t why) const {
    std::vector<uint32_t> out;
    for (size_t t = 0; t < geometry_.threads; ++t)
      if (threads_[t].wait == why) out.push_back(static_cast<uint32_t>(t));
    return out;
  }
  template <class Goes>
  void tell_of_warp(size_t w, Goes&& goes_on) {
    uint32_t lanes = 0;
    for (size_t u = w * warp_size; u < std::min(geometry_.threads, (w + 1) * warp_size); ++u)
      if (goes_on(u)) lanes |= 1u << (u - w * warp_size);
    checked_->pass_warp_barrier(w, lanes);
  }
  size_t waiting(uint32_t why) const {
    size_t n = 0;
    for (size_t t = 0; t < geometry_.threads; ++t) n += threads_[t].wait == why;
    return n;
  }
  void resume(size_t t) {
    void* handle = handles_[t];
    if (checked_) checked_->enter(t);
    (*static_cast<void (**)(void*)>(handle))(handle);
  }
  // A warp wait ends when every unfinished thread that its mask names waits with the same mask. One without a mask, for those who
  // come to a place together, ends when no other can: threads that wait elsewhere in the warp may be on their way there.
  bool warp_turn(size_t w) {
    size_t begin = w * warp_size, end = std::min(geometry_.threads, begin + warp_size), together = end;
    for (size_t t = begin; t < end; ++t) {
      if (threads_[t].wait != QUERN_WAIT_WARP) continue;
      if (threads_[t].mask == 0) {
        together = std::min(together, t);
        continue;
      }
      uint32_t mask = threads_[t].mask | (1u << (t - begin));
      bool ready = true;
      for (size_t u = begin; u < end && ready; ++u)
        if (mask >> (u - begin) & 1)
          ready = threads_[u].wait == QUERN_WAIT_FINISHED ||
                  (threads_[u].wait == QUERN_WAIT_WARP && (threads_[u].mask | (1u << (u - begin))) == mask);
      if (!ready) continue;
      if (checked_ && !(threads_[t].mask >> (t - begin) & 1)) checked_->left_out(static_cast<uint32_t>(t));
      if (checked_) tell_of_warp(w, [&](size_t u) { return mask >> (u - begin) & 1 && threads_[u].wait == QUERN_WAIT_WARP; });
      for (size_t u = begin; u < end; ++u)
        if ((mask >> (u - begin) & 1) && threads_[u].wait == QUERN_WAIT_WARP) resume(u);
      return true;
    }
    if (together == end) return false;
    uint32_t place = threads_[together].place;
    for (size_t u = begin; u < end; ++u)
      here_[u - begin] = threads_[u].wait == QUERN_WAIT_WARP && threads_[u].mask == 0 && threads_[u].place == place;
    if (checked_) tell_of_warp(w, [&](size_t u) { return here_[u - begin]; });
    for (size_t u = begin; u < end; ++u)
      if (here_[u - begin]) resume(u);
    return true;
  }
  bool release_barrier() {
    size_t at = waiting(QUERN_WAIT_BARRIER);
    if (at == 0 || at + waiting(QUERN_WAIT_FINISHED) != geometry_.threads) return false;
    if (checked_) checked_->pass_barrier(who(QUERN_WAIT_BARRIER));
    for (size_t n = 0; n < geometry_.threads; ++n)
      if (size_t t = turns_(n); threads_[t].wait == QUERN_WAIT_BARRIER) resume(t);
    return true;
  }

  const Geometry& geometry_;
  QuernCpuThread* threads_ = nullptr;
  void** handles_ = nullptr;
  bool here_[warp_size] = {};  // who goes on together
  check::CheckedBlock* checked_ = nullptr;
  check::Turns turns_;  // in which the threads are started, and go on behind barriers
  uint64_t checked_launch_ = 0;
};

constexpr const char* stuck_text =
    "its threads wait for each other and none can go on: a barrier or warp operation that not all of its threads reach";

}  // namespace

void run_coroutine_blocks(const CpuKernel& kernel, const QuernCpuLaunch& launch, uint64_t first, uint64_t last,
                          const std::atomic<bool>& failed) {
  Geometry geometry(*kernel.code, launch);
  char* memory = scratch(geometry.bytes);
  const check::CheckedLaunch* checked = check::current_launch();
  for (uint64_t b = first; b < last; ++b) {
    BlockRun block(*kernel.code, launch, geometry, checked ? checked->block_at(b) : b, memory);
    while (!block.finished()) {
      if (!block.turn() && !block.yields()) {
        block.tell_of_stuck();
        end_kernel(stuck_text);
      }
      if (failed.load(std::memory_order_relaxed)) return;
    }
  }
}

namespace {

// A block that has begun and not ended.
struct InFlight {
  std::unique_ptr<char[]> memory;
  std::unique_ptr<BlockRun> run;
  bool at_grid = false;
  uint64_t passed = 0;  // of the barrier, when it came there
};

// Gives each block a turn; takes those out that end. Has any of them come further?
bool turn_all(std::deque<InFlight>& blocks, GridBarrier& barrier, std::atomic<uint64_t>& finished) {
  bool progress = false;
  for (size_t i = 0; i < blocks.size();) {
    if (blocks[i].run->turn()) progress = true;
    if (blocks[i].run->finished()) {
      finished.fetch_add(1, std::memory_order_release);
      blocks.erase(blocks.begin() + static_cast<long>(i));
      progress = true;
      continue;
    }
    InFlight& block = blocks[i++];
    if (!block.at_grid && block.run->at_grid()) {
      block.at_grid = true;
      block.passed = barrier.passed.load();
      barrier.waiting.fetch_add(1);
      progress = true;
    } else if (block.at_grid && block.passed != barrier.passed.load()) {
      block.at_grid = false;
      block.run->pass_grid();
      progress = true;
    }
  }
  return progress;
}

}  // namespace

void run_coroutine_grid(const CpuKernel& kernel, const QuernCpuLaunch& launch, std::atomic<uint64_t>& next, uint64_t count,
                        std::atomic<uint64_t>& finished, GridBarrier& barrier, unsigned threads,
                        const std::atomic<bool>& failed) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t memory_for_blocks = size_t{1} << 30;
  constexpr auto patience = std::chrono::seconds(20);
  Geometry geometry(*kernel.code, launch);
  size_t limit = std::max<size_t>(1, memory_for_blocks / geometry.bytes);
  // Where all blocks meet at barriers, each thread takes its share, so that none has more to do between two of them; if another
  // does not come, its share, too. Neighbours belong together: their memory is likely to, and stays in one core's cache. Blocks
  // that wait for memory are taken one by one, since they may wait for those before them.
  bool by_share = kernel.code->flags & QUERN_KERNEL_WHOLE_BLOCKS;
  size_t share = by_share ? (count + threads - 1) / threads : count;
  uint64_t mine = 0, end_of_mine = 0;
  constexpr auto others_come_within = std::chrono::microseconds(200);
  // A kernel's failure jumps out of here without unwinding; what is in flight then hangs on this list and is freed next time.
  thread_local std::deque<InFlight> blocks;
  blocks.clear();
  auto last_progress = Clock::now();
  while (finished.load(std::memory_order_acquire) < count && !failed.load(std::memory_order_relaxed)) {
    bool progress = turn_all(blocks, barrier, finished);
    // When all that are not finished wait, nobody can change these numbers but who lets them go on.
    uint64_t all = count - finished.load();
    if (all > 0 && barrier.waiting.compare_exchange_strong(all, 0)) {
      if (check::CheckedLaunch* checked = check::current_launch()) checked->pass_grid_barrier(finished.load());
      barrier.passed.fetch_add(1);
    }
    bool wants_more = blocks.size() < share || Clock::now() - last_progress > others_come_within;
    if (!progress && wants_more && blocks.size() < limit) {
      if (mine == end_of_mine) {
        uint64_t at_once = by_share ? std::min(share, limit) : 1;
        mine = std::min(count, next.fetch_add(at_once, std::memory_order_relaxed));
        end_of_mine = std::min(count, mine + at_once);
      }
      if (mine < end_of_mine) {
        uint64_t b = mine++;
        auto raw = std::make_unique<char[]>(geometry.bytes + 64);
        char* memory = reinterpret_cast<char*>(round_up(reinterpret_cast<size_t>(raw.get()), 64));
        auto run = std::make_unique<BlockRun>(*kernel.code, launch, geometry, b, memory);
        blocks.push_back({std::move(raw), std::move(run)});
        progress = true;
      }
    }
    if (progress) {
      last_progress = Clock::now();
    } else if (Clock::now() - last_progress > patience) {
      end_kernel(
          "its blocks wait for something that does not come: a grid that waits for blocks not yet started needs a "
          "cooperative launch, and a loop on memory needs somebody who writes it");
    } else {
      std::this_thread::yield();
    }
  }
  blocks.clear();
}

}  // namespace quern
