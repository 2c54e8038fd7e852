// Host memory that kernels of GPUs reach where it lies: allocated or registered as mapped, or managed. A host array that is
// handed to a kernel and lies in such a range is not copied (host_arguments.h). Whoever allocates and frees the memory keeps the
// list.
#pragma once

#include "device/device.h"

namespace quern {

// `only`: the GPU whose kernels reach it; nullptr: all of them.
void add_host_range(void* host, size_t bytes, void* on_device, const Device* only);
void remove_host_range(void* host) noexcept;  // does nothing where there is none

// What kernels of the device call `bytes` bytes from `host` on; nullptr when these are not all in one range that it reaches.
void* reached_by(const Device& device, const void* host, size_t bytes);

}  // namespace quern
