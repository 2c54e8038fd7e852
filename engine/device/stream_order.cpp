#include "device/stream_order.h"

#include <map>
#include <mutex>

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
  std::lock_guard hold(block.uses_lock);
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

}  // namespace quern
