#include "run/host_ranges.h"

#include <map>
#include <mutex>

namespace quern {

namespace {

struct Range {
  size_t bytes;
  uintptr_t on_device;
  const Device* only;
};

struct Ranges {
  std::atomic<size_t> count{0};  // most programs have none, and their launches take no lock
  std::mutex lock;
  std::map<uintptr_t, Range> by_start;
};

Ranges& ranges() {
  static Ranges& ranges = *new Ranges;
  return ranges;
}

}  // namespace

void add_host_range(void* host, size_t bytes, void* on_device, const Device* only) {
  std::lock_guard hold(ranges().lock);
  ranges().by_start[reinterpret_cast<uintptr_t>(host)] = {bytes, reinterpret_cast<uintptr_t>(on_device), only};
  ranges().count = ranges().by_start.size();
}

void remove_host_range(void* host) noexcept {
  std::lock_guard hold(ranges().lock);
  ranges().by_start.erase(reinterpret_cast<uintptr_t>(host));
  ranges().count = ranges().by_start.size();
}

void* reached_by(const Device& device, const void* host, size_t bytes) {
  if (ranges().count.load(std::memory_order_relaxed) == 0) return nullptr;
  uintptr_t at = reinterpret_cast<uintptr_t>(host);
  std::lock_guard hold(ranges().lock);
  auto next = ranges().by_start.upper_bound(at);
  if (next == ranges().by_start.begin()) return nullptr;
  const auto& [start, range] = *--next;
  size_t offset = at - start;
  if (offset > range.bytes || bytes > range.bytes - offset || (range.only && range.only != &device)) return nullptr;
  return reinterpret_cast<void*>(range.on_device + offset);
}

}  // namespace quern
