// What pools hand out and take back, kept while somebody watches: CuPy's memory hooks receive it.
#pragma once

#include "core/device_id.h"
#include "core/site.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace quern {

struct MemoryEvent {
  enum class Kind : uint8_t { taken, taken_anew, given_back };  // anew: the device was asked for it
  Kind kind;
  DeviceId device;
  uint64_t bytes, capacity;
  const void* pointer;
  Site site;  // the source line of the allocation
};

void watch_memory(bool on);
extern std::atomic<bool> memory_watched;
inline bool memory_is_watched() noexcept { return memory_watched.load(std::memory_order_relaxed); }
void note_memory(const MemoryEvent& event) noexcept;
std::vector<MemoryEvent> take_memory_events();

}  // namespace quern
