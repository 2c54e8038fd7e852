#include "device/stream_order.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

namespace quern {

namespace {

// How far one stream has waited for another, by their numbers.
struct Waited {
  std::mutex lock;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> until;
};
Waited& waited() {
  static auto* one = new Waited;  // never destroyed: memory is given back late
  return *one;
}

void wait_until(Stream& stream, Stream& other, uint64_t work) {
  constexpr size_t most = 4096;  // pairs; those forgotten are waited for once more
  {
    std::lock_guard hold(waited().lock);
    if (waited().until.size() > most) waited().until.clear();
    uint64_t& until = waited().until[{stream.number, other.number}];
    if (work != Block::unknown && until >= work) return;
    until = other.works;
  }
  wait_for(stream, other);
}

// A stream whose work is done says nothing any more: memory that lives long would keep every stream that ever touched it. What it
// returns is to go when the block's lock is free.
std::vector<Block::Use> without_idle(Block& block, const Stream& next) {
  constexpr size_t few = 8;
  std::vector<Block::Use> idle;
  if (block.uses.size() < few || std::ranges::any_of(block.uses, [&](auto& use) { return use.stream.get() == &next; }))
    return idle;
  auto first_idle = std::partition(block.uses.begin(), block.uses.end(),
                                   [](auto& use) { return !static_cast<Stream*>(use.stream.get())->idle(); });
  std::move(first_idle, block.uses.end(), std::back_inserter(idle));
  block.uses.erase(first_idle, block.uses.end());
  return idle;
}

}  // namespace

void wait_for(Stream& stream, Stream& other) {
  if (other.idle()) return;
  auto event = other.device.create_event({false, false});  // of the device whose work it marks
  event->record(other);
  stream.wait(*event);
}

void use_on(const std::shared_ptr<Stream>& stream, Block& block, bool writes) {
  if (block.last_stream.load(std::memory_order_relaxed) == stream.get() && !block.is_shared.load(std::memory_order_relaxed))
    return;
  std::vector<Block::Use> idle;
  std::lock_guard hold(block.uses_lock);
  idle = without_idle(block, *stream);
  // A stream alone does not count what it does: it may have been now.
  if (block.uses.size() == 1 && block.uses[0].stream != stream) {
    Block::Use& first = block.uses[0];
    first.last = first.last_write = ++std::static_pointer_cast<Stream>(first.stream)->works;
  }
  for (Block::Use& use : block.uses) {
    uint64_t work = writes ? use.last : use.last_write;
    if (use.stream != stream && work > 0) wait_until(*stream, *std::static_pointer_cast<Stream>(use.stream), work);
  }
  Block::Use& mine = block.use_of(stream);
  mine.last = ++stream->works;
  if (writes) mine.last_write = mine.last;
}

void used_on(const std::shared_ptr<Stream>& stream, Block& block) {
  if (block.last_stream.load(std::memory_order_relaxed) == stream.get() && !block.is_shared.load(std::memory_order_relaxed))
    return;
  std::vector<Block::Use> idle;
  std::lock_guard hold(block.uses_lock);
  idle = without_idle(block, *stream);
  Block::Use& use = block.use_of(stream);
  use.last = use.last_write = Block::unknown;
}

}  // namespace quern
