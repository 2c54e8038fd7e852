#include "device/check/memory_map.h"

#include <algorithm>

#include "device/cpu.h"

namespace quern::check {

namespace {
constexpr uintptr_t near_bytes = 1 << 20;
}

bool is_pinned(const void* pointer) { return static_cast<CpuDevice&>(cpu_device()).pinned_pages(pointer).second != 0; }

void MemoryMap::add(const void* pointer, size_t bytes, Site site, bool is_written, bool is_asked) {
  auto begin = reinterpret_cast<uintptr_t>(pointer);
  auto region = std::make_shared<Region>(begin, bytes, site);
  region->is_asked = is_asked;
  if (is_written) region->shadow.mark_all();
  std::lock_guard hold(lock_);
  auto at = regions_.lower_bound(begin);
  if (at != regions_.begin() && std::prev(at)->second->end > begin) --at;
  while (at != regions_.end() && at->first < begin + std::max<size_t>(bytes, 1)) at = regions_.erase(at);
  regions_.emplace(begin, std::move(region));
}

void MemoryMap::know(const void* pointer, size_t bytes, Site site, uint64_t launch) {
  auto begin = reinterpret_cast<uintptr_t>(pointer), end = begin + bytes;
  {
    std::lock_guard hold(lock_);
    auto first = regions_.upper_bound(begin);
    if (first != regions_.begin()) --first;
    for (auto next = first; next != regions_.end() && next->first < end; ++next) {
      const auto& [at, region] = *next;
      if (region->end <= begin || !region->is_live) continue;
      if (begin >= at && end <= region->end) return;
      if (region->known_since != launch) continue;
      begin = std::min(begin, at), end = std::max(end, region->end);
    }
  }
  add(reinterpret_cast<const void*>(begin), end - begin, site, true);
  std::lock_guard hold(lock_);
  regions_.at(begin)->known_since = launch;
}

void MemoryMap::release(const void* pointer) {
  std::lock_guard hold(lock_);
  auto found = regions_.find(reinterpret_cast<uintptr_t>(pointer));
  if (found != regions_.end()) found->second->is_live = false;
}

void MemoryMap::mark_written(const void* pointer, size_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  if (auto region = find(address)) {
    std::lock_guard hold(lock_);
    region->shadow.mark_written(address - region->begin, bytes);
  }
}

std::shared_ptr<Region> MemoryMap::find(uintptr_t address) {
  std::lock_guard hold(lock_);
  auto after = regions_.upper_bound(address);
  if (after == regions_.begin()) return nullptr;
  auto& region = std::prev(after)->second;
  return address < region->end ? region : nullptr;
}

std::shared_ptr<Region> MemoryMap::nearest(uintptr_t address) {
  std::lock_guard hold(lock_);
  auto after = regions_.upper_bound(address);
  std::shared_ptr<Region> best;
  uintptr_t distance = near_bytes;
  if (after != regions_.end() && after->first - address < distance) best = after->second, distance = after->first - address;
  if (after != regions_.begin()) {
    auto& before = std::prev(after)->second;
    if (address - before->end <= distance) best = before;
  }
  return best;
}

std::pair<size_t, size_t> MemoryMap::used() {
  std::lock_guard hold(lock_);
  std::pair<size_t, size_t> out{0, 0};
  for (auto& [begin, region] : regions_) {
    if (!region->shadow.held()) continue;
    out.first += region->size();
    out.second += region->shadow.held();
  }
  return out;
}

void MemoryMap::clear() {
  std::lock_guard hold(lock_);
  regions_.clear();
}

}  // namespace quern::check
