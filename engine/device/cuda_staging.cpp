// Copies between a GPU and pageable host memory, in pieces through pinned memory: while one piece is on its way the CPU's threads
// copy the next. The driver would copy such memory itself, with one thread.
#include "device/cuda.h"

#include <algorithm>
#include <cstring>

namespace quern {

using namespace cuda;

namespace {

constexpr size_t piece_bytes = size_t{4} << 20;
constexpr size_t least_bytes = 2 * piece_bytes;  // below, the driver is as fast
constexpr size_t most_threads = 8;

void copy_with_threads(char* to, const char* from, size_t bytes) {
  size_t parts = std::min<size_t>({most_threads, cpu_threads(), bytes >> 18});
  if (parts < 2) {
    std::memcpy(to, from, bytes);
    return;
  }
  on_cpu_threads(parts, [&](size_t i) {
    size_t start = bytes * i / parts, end = bytes * (i + 1) / parts;
    std::memcpy(to + start, from + start, end - start);
  });
}

}  // namespace

bool CudaStaging::is_pageable(const void* host) {
  unsigned type = 0;
  // The driver knows pinned, registered and managed memory, and no other.
  return driver().cuPointerGetAttribute(&type, pointer_memory_type, reinterpret_cast<Address>(host)) != success;
}

bool CudaStaging::takes(const void* host, size_t bytes) { return bytes >= least_bytes && is_pageable(host); }

CudaStaging::Slot& CudaStaging::slot(size_t number) {
  Slot& slot = slots_[number % slots_.size()];
  if (!slot.memory) {
    QUERN_CU(device_, "copy", cuMemHostAlloc(&slot.memory, piece_bytes, host_portable));
    QUERN_CU(device_, "copy", cuEventCreate(&slot.free, event_disable_timing));
  } else {
    QUERN_CU(device_, "copy", cuEventSynchronize(slot.free));
  }
  return slot;
}

void CudaStaging::to_device(StreamHandle stream, Address to, const char* from, size_t bytes) {
  std::lock_guard hold(lock_);
  for (size_t at = 0; at < bytes; at += piece_bytes) {
    size_t size = std::min(piece_bytes, bytes - at);
    Slot& piece = slot(next_++);
    copy_with_threads(static_cast<char*>(piece.memory), from + at, size);
    QUERN_CU(device_, "copy", cuMemcpyHtoDAsync_v2(to + at, piece.memory, size, stream));
    QUERN_CU(device_, "copy", cuEventRecord(piece.free, stream));
  }
}

void CudaStaging::to_host(StreamHandle stream, char* to, Address from, size_t bytes) {
  std::lock_guard hold(lock_);
  size_t count = (bytes + piece_bytes - 1) / piece_bytes, first = next_;
  next_ += count;
  auto size_of = [&](size_t i) { return std::min(piece_bytes, bytes - i * piece_bytes); };
  auto begin = [&](size_t i) {
    Slot& piece = slot(first + i);
    QUERN_CU(device_, "copy", cuMemcpyDtoHAsync_v2(piece.memory, from + i * piece_bytes, size_of(i), stream));
    QUERN_CU(device_, "copy", cuEventRecord(piece.free, stream));
  };
  for (size_t i = 0; i < std::min(count, slots_.size()); ++i) begin(i);
  for (size_t i = 0; i < count; ++i) {
    Slot& piece = slot(first + i);  // its copy is done
    copy_with_threads(to + i * piece_bytes, static_cast<const char*>(piece.memory), size_of(i));
    if (i + slots_.size() < count) begin(i + slots_.size());
  }
}

}  // namespace quern
