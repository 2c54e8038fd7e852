// Copies between a GPU and pageable host memory, in pieces through pinned memory: the driver would copy such memory itself, with
// one thread. Each of a few of the CPU's threads takes piece after piece, with two slots of its own: while one is on its way it
// copies the other.
#include "device/cuda.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace quern {

using namespace cuda;

namespace {

constexpr size_t piece_bytes = size_t{2} << 20;
constexpr size_t least_bytes = size_t{8} << 20;  // below, the driver is as fast

}  // namespace

bool CudaStaging::is_pageable(const void* host) {
  unsigned type = 0;
  // The driver knows pinned, registered and managed memory, and no other.
  return driver().cuPointerGetAttribute(&type, pointer_memory_type, reinterpret_cast<Address>(host)) != success;
}

bool CudaStaging::takes(const void* host, size_t bytes) { return bytes >= least_bytes && is_pageable(host); }

void CudaStaging::wait_for(Slot& slot) {
  if (!slot.memory) {
    QUERN_CU(device_, "copy", cuMemHostAlloc(&slot.memory, piece_bytes, host_portable));
    QUERN_CU(device_, "copy", cuEventCreate(&slot.free, event_disable_timing));
  } else {
    QUERN_CU(device_, "copy", cuEventSynchronize(slot.free));
  }
}

void CudaStaging::in_pieces(size_t bytes, const std::function<void(std::array<Slot, 2>&, const TakePiece&)>& f) {
  std::lock_guard hold(lock_);
  const size_t count = (bytes + piece_bytes - 1) / piece_bytes;
  std::atomic<size_t> next{0};
  const TakePiece take = [&]() -> std::optional<Piece> {
    size_t i = next.fetch_add(1, std::memory_order_relaxed);
    if (i >= count) return std::nullopt;
    return Piece{i * piece_bytes, std::min(piece_bytes, bytes - i * piece_bytes)};
  };
  on_cpu_threads(std::min<size_t>({count, cpu_threads(), slots_.size()}), [&](size_t i) {
    Use use(device_, "copy");
    f(slots_[i], take);
  });
}

void CudaStaging::to_device(StreamHandle stream, Address to, const char* from, size_t bytes) {
  in_pieces(bytes, [&](std::array<Slot, 2>& slots, const TakePiece& take) {
    for (size_t k = 0; auto piece = take(); ++k) {
      Slot& slot = slots[k % 2];
      wait_for(slot);
      std::memcpy(slot.memory, from + piece->at, piece->bytes);
      QUERN_CU(device_, "copy", cuMemcpyHtoDAsync_v2(to + piece->at, slot.memory, piece->bytes, stream));
      QUERN_CU(device_, "copy", cuEventRecord(slot.free, stream));
    }
  });
}

void CudaStaging::to_host(StreamHandle stream, char* to, Address from, size_t bytes) {
  in_pieces(bytes, [&](std::array<Slot, 2>& slots, const TakePiece& take) {
    auto begin = [&](size_t k) {
      auto piece = take();
      if (!piece) return piece;
      wait_for(slots[k % 2]);
      QUERN_CU(device_, "copy", cuMemcpyDtoHAsync_v2(slots[k % 2].memory, from + piece->at, piece->bytes, stream));
      QUERN_CU(device_, "copy", cuEventRecord(slots[k % 2].free, stream));
      return piece;
    };
    auto now = begin(0);
    for (size_t k = 0; now; ++k) {
      auto after = begin(k + 1);
      wait_for(slots[k % 2]);
      std::memcpy(to + now->at, slots[k % 2].memory, now->bytes);
      now = after;
    }
  });
}

}  // namespace quern
