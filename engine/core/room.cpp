#include "core/room.h"

#include "core/error.h"

#include <array>
#include <atomic>

namespace quern {

namespace {

struct Room {
  std::atomic<size_t> memory{0}, limit{0};  // 0: not known, and none
};
std::array<Room, 129> rooms;  // by DeviceId::key()
std::atomic<size_t (*)(DeviceId)> finder{nullptr};
constexpr size_t large = size_t{256} << 20;  // any device has as much

size_t memory_of(DeviceId device) {
  Room& room = rooms[device.key()];
  auto* find = finder.load(std::memory_order_acquire);
  if (room.memory.load(std::memory_order_relaxed) == 0 && find) room.memory.store(find(device), std::memory_order_relaxed);
  return room.memory.load(std::memory_order_relaxed);
}

}  // namespace

void set_finder_of_memory(size_t (*memory_of)(DeviceId)) { finder.store(memory_of, std::memory_order_release); }

void set_room(DeviceId device, size_t memory, size_t limit) {
  Room& room = rooms[device.key()];
  room.memory.store(memory, std::memory_order_relaxed);
  room.limit.store(limit, std::memory_order_relaxed);
}

void check_limit(int64_t elements, DType dtype, DeviceId device) {
  if (rooms[device.key()].limit.load(std::memory_order_relaxed) != 0) check_room(elements, dtype, device);
}

void check_room(int64_t elements, DType dtype, DeviceId device) {
  const Room& room = rooms[device.key()];
  const size_t limit = room.limit.load(std::memory_order_relaxed), most_elements = (limit ? limit : large) / size_of(dtype);
  if (static_cast<size_t>(elements) <= most_elements) return;
  const size_t memory = memory_of(device);
  if (!limit && (memory == 0 || static_cast<size_t>(elements) <= memory / size_of(dtype))) return;
  if (static_cast<size_t>(elements) > SIZE_MAX / 2 / size_of(dtype))
    return;  // more bytes than there are numbers: an error of its own
  const std::string wanted = readable_bytes(static_cast<size_t>(elements) * size_of(dtype));
  if (limit)
    raise(ErrorKind::out_of_memory, "[memory] out of memory: no room for {} on {}: the pool's limit is {}; raise the limit",
          wanted, device.name(), readable_bytes(limit));
  raise(ErrorKind::out_of_memory, "[memory] out of memory: no room for {} on {}, which has {}; make the array smaller", wanted,
        device.name(), readable_bytes(memory));
}

std::string readable_bytes(size_t bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) value /= 1024, ++unit;
  return unit == 0 ? formatted("{} bytes", bytes) : formatted("{:.1f} {}", value, units[unit]);
}

}  // namespace quern
