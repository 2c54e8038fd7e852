// The one allocator: a pool for each device, shared by everything that needs device memory, and beside it pools of pinned host
// memory, one for each kind of that.
//
// allocate() gives a block that nobody uses any more: one that came back keeps the streams that used it, and is handed out again
// only when their work is done. Work of the default stream may have it sooner: it comes after all that. There is no
// preallocation; when memory runs out the pool gives back all it can and tries again.
#pragma once

#include "core/buffer.h"
#include "device/device.h"

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace quern {

struct PoolInfo {
  size_t used = 0;     // bytes in live blocks, as asked for
  size_t held = 0;     // bytes in live blocks, as the device gave them
  size_t kept = 0;     // bytes in blocks that wait to be used again
  size_t blocks = 0;   // live blocks
  size_t waiting = 0;  // blocks that wait to be used again
  size_t limit = 0;    // held + kept stay within it; 0: no limit
};

class Pool : public BlockOwner {
 public:
  // `pinned`: of host memory, which streams of every device of that kind may use.
  explicit Pool(Device& device, std::optional<PinnedOptions> pinned = {});
  ~Pool() override;

  // Raises ErrorKind::out_of_memory, naming the largest live blocks and their lines, when trimming does not help.
  // `in_order`: only what is submitted to the default stream from here on will touch the memory, until that has been waited for.
  Buffer allocate(size_t bytes, Site site, bool in_order = false);
  void give_back(Block* block) noexcept override;
  // Gives every unused block back to the device; returns the bytes. `wait`: also pinned memory whose streams are not done yet.
  size_t trim(bool wait = false);
  PoolInfo info();
  // What the pool may take from the device; 0: no limit. What is live already may be more than that.
  void set_limit(size_t bytes);
  bool holds(const void* pointer);            // does it point into a live block?
  std::string describe(const void* pointer);  // that block: its size and who made it; "" for others
  struct Room {
    size_t offset, bytes;  // in the block, and of the block as it was asked for
    size_t left;           // up to the block's end
  };
  std::optional<Room> room_at(const void* pointer);  // of a live block

  // Streams that exist: memory whose address escaped may be in use on any of them.
  void know(const std::shared_ptr<Stream>& stream);
  std::vector<std::shared_ptr<Stream>> streams();  // those; not the default one

 private:
  Block* find(const void* pointer);  // with the lock held
  struct Idle {
    void* base;
    std::vector<std::unique_ptr<Event>> fences;  // all done: nobody uses it
    std::shared_ptr<Stream> in_order;            // the default stream, of those in IdleBlocks::in_order
    std::shared_ptr<Event> mark;                 // of those: behind their work there, once somebody wanted to know
    uint64_t number = 0;                         // they count from 1 as they come back
  };
  // Those of one capacity, in the order in which they came back. A program may be thousands of blocks ahead of its work.
  struct IdleBlocks {
    std::deque<Idle> in_order;  // only the default stream's work uses them
    size_t marked = 0;          // how many of those, the first ones, have marks
    std::deque<Idle> fenced;
    size_t size() const { return in_order.size() + fenced.size(); }
    void add(Idle idle) { (idle.in_order ? in_order : fenced).push_back(std::move(idle)); }
    Idle take_latest();  // in order, both
    Idle take_first();
  };
  std::optional<Idle> take_idle(size_t capacity, bool in_order);
  void* take_out_of_order(size_t capacity);
  void* take_new(size_t capacity);
  void release(void* base) noexcept;
  std::string name() const;  // of what it has, for messages
  void fence(Idle& idle, Block& block);
  std::string largest();
  [[noreturn]] void refuse(size_t bytes, size_t capacity);  // there is no room for so many
  void link(Block* block);                                  // with the lock held
  void unlink(Block* block);
  void tell_checks(const Block& block) const;

  Device& device_;
  const std::optional<PinnedOptions> pinned_;
  std::mutex lock_;
  std::map<size_t, IdleBlocks> idle_;  // by capacity
  uint64_t came_back_ = 0;             // blocks that only work in order uses
  // Small blocks that no stream has used: handed out again as they are.
  static constexpr size_t quick_classes = 33;
  std::array<std::vector<Block*>, quick_classes> quick_;
  Block* live_ = nullptr;
  size_t live_count_ = 0;
  std::vector<std::weak_ptr<Stream>> streams_;
  size_t used_ = 0, held_ = 0, kept_ = 0, limit_ = 0;
};

}  // namespace quern
