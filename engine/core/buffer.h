// Buffer: a counted reference to a block of device memory.
//
// The block belongs to whoever made it (device/allocator.h for pooled memory); when the last Buffer goes, the owner gets it
// back. `uses` names the streams that used it, so that it is not handed out again while work on it is pending, and that work of
// one waits for that of another (device/stream_order.h). `exposures` counts who outside knows its address (Exposure, or for
// good).
#pragma once

#include "core/site.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace quern {

struct Block;

class BlockOwner {
 public:
  virtual ~BlockOwner() = default;
  virtual void give_back(Block* block) noexcept = 0;
};

struct Block {
  void* pointer = nullptr;
  size_t bytes = 0;      // as asked for
  void* base = nullptr;  // the whole block, as the device gave it
  size_t capacity = 0;
  BlockOwner* owner = nullptr;
  Site site = no_site;                         // the source line that allocated it
  Block *previous = nullptr, *next = nullptr;  // among the owner's live ones
  std::atomic<uint32_t> references{0};
  std::atomic<bool> escaped{false};    // its address was handed out as a number: any stream may use it
  std::atomic<uint32_t> exposures{0};  // its address is known outside: it is read and written in place and at once
  std::atomic<uint64_t> writes{0};     // while exposed: how often arrays of ours wrote into it
  std::atomic<const void*> last_stream{nullptr};
  std::atomic<bool> is_shared{false};  // more than one stream used it
  struct Use {
    std::shared_ptr<void> stream;
    uint64_t last, last_write;  // of the stream's works, by their numbers; 0: none
  };
  static constexpr uint64_t unknown = ~uint64_t{0};
  std::mutex uses_lock;
  std::vector<Use> uses;  // one for each Stream

  // With the lock held: the stream's, perhaps a new one.
  Use& use_of(const std::shared_ptr<void>& stream) {
    last_stream.store(stream.get(), std::memory_order_relaxed);
    for (Use& use : uses)
      if (use.stream == stream) return use;
    uses.push_back({stream, 0, 0});
    is_shared.store(uses.size() > 1, std::memory_order_relaxed);
    return uses.back();
  }
};

class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Block* block) : block_(block) {
    if (block_) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Buffer(const Buffer& other) : Buffer(other.block_) {}
  Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Buffer() { reset(); }

  void reset() noexcept {
    Block* block = std::exchange(block_, nullptr);
    if (block && block->references.fetch_sub(1, std::memory_order_acq_rel) == 1) block->owner->give_back(block);
  }
  explicit operator bool() const { return block_ != nullptr; }
  Block* block() const { return block_; }
  void* pointer() const { return block_ ? block_->pointer : nullptr; }
  size_t bytes() const { return block_ ? block_->bytes : 0; }

 private:
  Block* block_ = nullptr;
};

// Memory that somebody outside sees, for as long as this lives. Let go of on any thread.
class Exposure {
 public:
  Exposure() = default;
  explicit Exposure(Buffer buffer) : buffer_(std::move(buffer)) {
    buffer_.block()->escaped = true;
    buffer_.block()->exposures.fetch_add(1);
  }
  Exposure(Exposure&& other) noexcept = default;
  Exposure& operator=(Exposure other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~Exposure() {
    if (buffer_) buffer_.block()->exposures.fetch_sub(1);
  }
  const Buffer& buffer() const { return buffer_; }
  void keep_for_good() { buffer_.reset(); }  // until the memory itself goes

 private:
  Buffer buffer_;
};

}  // namespace quern
