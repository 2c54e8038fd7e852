#include "device/memory_watch.h"

#include <exception>
#include <mutex>
#include <utility>

namespace quern {

std::atomic<bool> memory_watched{false};

namespace {

struct Watch {
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
  memory_watched = on;
  w.events.clear();
}

void note_memory(const MemoryEvent& event) noexcept {
  Watch& w = watch();
  try {
    std::lock_guard hold(w.lock);
    if (memory_watched) w.events.push_back(event);
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
