// The largest array that fits on a device: a larger one raises where it is created, not where it is evaluated.
#pragma once

#include "core/device_id.h"
#include "core/dtype.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace quern {

// `limit`: what the device's pool may take; 0: all of the device's memory.
void set_room(DeviceId device, size_t memory, size_t limit);
// Who knows the memory of a device before it has a pool; asked for large arrays alone, since it opens the device.
void set_finder_of_memory(size_t (*memory_of)(DeviceId));
// Raises ErrorKind::out_of_memory for more than fits into an empty device.
void check_room(int64_t elements, DType dtype, DeviceId device);
// The same of equal numbers, most uses of which need no memory for them (graph/fold.h): more than the limit alone.
void check_limit(int64_t elements, DType dtype, DeviceId device);

std::string readable_bytes(size_t bytes);  // "8.0 MiB"

}  // namespace quern
