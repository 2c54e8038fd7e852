#include "device/memory_watch.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace quern {

namespace {

struct Watch {
  std::atomic<bool> is_on{false};
  std::mutex lock;
  std::vector<MemoryEvent> events;
};

Watch& watch() {
  static auto* one = new Watch;  // memory comes back while the process ends
  return *one;
}

}  // namespace

void watch_memory(bool on) {
  Watch& w = watch();
  std::lock_guard hold(w.lock);
  w.is_on = on;
  w.events.clear();
}

bool memory_is_watched() noexcept { return watch().is_on.load(std::memory_order_relaxed); }

void note_memory(const MemoryEvent& event) noexcept {
  Watch& w = watch();
  try {
    std::lock_guard hold(w.lock);
    if (w.is_on) w.events.push_back(event);
  } catch (const std::exception&) {
    // Without memory for it the program goes on.
  }
}

std::vector<MemoryEvent> take_memory_events() {
  Watch& w = watch();
  std::lock_guard hold(w.lock);
  return std::exchange(w.events, {});
}

}  // namespace quern
