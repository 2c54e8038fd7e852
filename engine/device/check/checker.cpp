#include "device/check/checker.h"

#include <deque>
#include <mutex>

#include "device/check/checked_launch.h"
#include "device/check/host_pages.h"
#include "device/check/state.h"
#include "graph/calls_at_once.h"

namespace quern::check {

std::atomic<bool> is_on{false};

namespace {

constexpr size_t most_resting_bytes = 64 << 20, most_resting = 4096;

struct Resting {
  std::mutex lock;
  std::deque<Block*> blocks;
  size_t bytes = 0;
};

Resting& resting() {
  static auto* one = new Resting;
  return *one;
}

}  // namespace

State& state() {
  static auto* one = new State;
  return *one;
}

void start(Options options) {
  state().options = options;
  state().findings.take();
  state().map.clear();
  timeline().clear();
  is_on = true;
  calls_at_once = true;
}

const Options& options() { return state().options; }
std::pair<size_t, size_t> memory_used() { return state().map.used(); }
void tell(Finding finding) { state().findings.add(std::move(finding)); }

std::vector<Finding> stop() {
  is_on = false;
  calls_at_once = false;
  forget_host_pages();
  if (state().options.leaks)
    state().map.each_asked([](const Region& region) {
      Finding found;
      found.kind = Kind::leak;
      found.size = region.size(), found.allocated = region.site, found.has_allocation = true;
      state().findings.add(std::move(found));
    });
  Resting& all = resting();
  std::deque<Block*> rested;
  {
    std::lock_guard hold(all.lock);
    rested.swap(all.blocks);
    all.bytes = 0;
  }
  for (Block* block : rested) block->owner->give_back(block);
  return state().findings.take();
}

void keep_text(const void* module, std::string name, std::string text) {
  std::lock_guard hold(state().texts_lock);
  state().texts[module] = {std::move(name), std::move(text)};
}

void allocated(const Block& block) { state().map.add(block.pointer, block.bytes, block.site, true); }
void unwritten(const Block& block) { state().map.add(block.pointer, block.bytes, block.site, false, true); }

void known(const void* pointer, size_t bytes, Site site) {
  if (pointer) state().map.know(pointer, bytes, site, state().launches + 1);
}

void known(const Block& block) { known(block.pointer, block.bytes, block.site); }

void unwritten(const void* pointer, size_t bytes) { state().map.add(pointer, bytes, no_site, false); }
void freed(const void* pointer) { state().map.release(pointer); }

Block* rest(Block* block) {
  state().map.release(block->pointer);
  Resting& all = resting();
  std::lock_guard hold(all.lock);
  all.blocks.push_back(block);
  all.bytes += block->capacity;
  if (all.bytes <= most_resting_bytes && all.blocks.size() <= most_resting) return nullptr;
  Block* oldest = all.blocks.front();
  all.blocks.pop_front();
  all.bytes -= oldest->capacity;
  return oldest;
}

void written(const void* pointer, size_t bytes) { state().map.mark_written(pointer, bytes); }

}  // namespace quern::check
