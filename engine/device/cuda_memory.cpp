// The CUDA device's memory, copies and fills.
#include "core/error.h"
#include "device/cuda.h"

#include <cstring>

namespace quern {

using namespace cuda;

namespace {

Address address(const void* pointer) { return static_cast<Address>(reinterpret_cast<uintptr_t>(pointer)); }
void* pointer(Address address) { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }

void check_value_bytes(const char* op, unsigned value_bytes) {
  if (value_bytes != 1 && value_bytes != 2 && value_bytes != 4) {
    raise(ErrorKind::value, "[{}] values have 1, 2 or 4 bytes, not {}", op, value_bytes);
  }
}

}  // namespace

MemoryInfo CudaDevice::memory() {
  Use use(*this, "memory");
  MemoryInfo info;
  if (use) QUERN_CU(*this, "memory", cuMemGetInfo_v2(&info.free, &info.total));
  return info;
}

int CudaDevice::number_of(const void* memory) {
  Use use(*this, "memory");
  int number = -1;
  if (use && driver().cuPointerGetAttribute(&number, pointer_device_ordinal, address(memory)) != success) number = -1;
  return number;
}

int cuda_device_of(const void* address, int asking) { return static_cast<CudaDevice&>(cuda_device(asking)).number_of(address); }

void* CudaDevice::allocate(size_t bytes) {
  Use use(*this, "allocate");
  if (!use) return nullptr;
  Address result = 0;
  Result status = driver().cuMemAlloc_v2(&result, bytes ? bytes : 1);
  if (status == error_out_of_memory) return nullptr;
  check(status, "allocate", "cuMemAlloc");
  return pointer(result);
}

void CudaDevice::release(void* p) noexcept {
  if (!p || !usable()) return;
  try {
    Use use(*this, "release");
    if (use) note(driver().cuMemFree_v2(address(p)));
  } catch (...) {
  }
}

void* CudaDevice::allocate_pinned(size_t bytes, PinnedOptions options) {
  Use use(*this, "pinned memory");
  if (!use) return nullptr;
  unsigned flags = (options.portable ? host_portable : 0u) | (options.mapped ? host_mapped : 0u) |
                   (options.write_combined ? host_write_combined : 0u);
  void* result = nullptr;
  QUERN_CU(*this, "pinned memory", cuMemHostAlloc(&result, bytes ? bytes : 1, flags));
  return result;
}

void CudaDevice::release_pinned(void* p) noexcept {
  if (!p || !usable()) return;
  try {
    Use use(*this, "release");
    if (use) note(driver().cuMemFreeHost(p));
  } catch (...) {
  }
}

void CudaDevice::register_host(void* p, size_t bytes, unsigned flags) {
  Use use(*this, "register");
  if (!use) return;
  Result status = driver().cuMemHostRegister_v2(p, bytes, flags);
  if (status == error_host_memory_already_registered) {
    raise(ErrorKind::value, "[register] this host memory, or a part of it, is registered already");
  }
  check(status, "register", "cuMemHostRegister");
}

void CudaDevice::unregister_host(void* p) noexcept {
  if (!p || !usable()) return;
  try {
    Use use(*this, "unregister");
    if (use) note(driver().cuMemHostUnregister(p));
  } catch (...) {
  }
}

void* CudaDevice::device_pointer(void* host_pointer) {
  Use use(*this, "device pointer");
  if (!use) return nullptr;
  Address result = 0;
  Result status = driver().cuMemHostGetDevicePointer_v2(&result, host_pointer, 0);
  if (status == error_invalid_value) {
    raise(ErrorKind::value, "[device pointer] this host memory is not mapped: allocate it as mapped, or register it first");
  }
  check(status, "device pointer", "cuMemHostGetDevicePointer");
  return pointer(result);
}

void* CudaDevice::allocate_managed(size_t bytes, unsigned flags) {
  Use use(*this, "managed memory");
  if (!use) return nullptr;
  Address result = 0;
  Result status = driver().cuMemAllocManaged(&result, bytes ? bytes : 1, flags ? flags : managed_attach_global);
  if (status == error_not_supported) raise(ErrorKind::runtime, "[managed memory] {} does not support it", info_.name);
  check(status, "managed memory", "cuMemAllocManaged");
  return pointer(result);
}

void CudaDevice::release_managed(void* p) noexcept { release(p); }

std::string CudaDevice::share(void* p) {
  Use use(*this, "share");
  IpcMemory handle{};
  if (use) QUERN_CU(*this, "share", cuIpcGetMemHandle(&handle, address(p)));
  return std::string(handle.bytes, sizeof handle.bytes);
}

void* CudaDevice::open_shared(const std::string& handle, unsigned flags) {
  IpcMemory given{};
  if (handle.size() != sizeof given.bytes)
    raise(ErrorKind::logic, "[shared memory] a handle has {} bytes, not {}", sizeof given.bytes, handle.size());
  std::memcpy(given.bytes, handle.data(), handle.size());
  Use use(*this, "shared memory");
  Address result = 0;
  if (!use) return nullptr;
  Result status = driver().cuIpcOpenMemHandle_v2(&result, given, flags);
  if (status == error_invalid_context || status == error_invalid_value)
    raise(ErrorKind::logic, "[shared memory] this is not a handle of memory that another running process owns on {}", info_.name);
  check(status, "shared memory", "cuIpcOpenMemHandle");
  return pointer(result);
}

void CudaDevice::close_shared(void* p) noexcept {
  if (!p || !usable()) return;
  try {
    Use use(*this, "close");
    if (use) note(driver().cuIpcCloseMemHandle(address(p)));
  } catch (...) {
  }
}

void CudaDevice::copy(Stream& stream, void* dst, const void* src, size_t bytes, CopyKind how) {
  Use use(*this, "copy");
  if (!use) return;
  StreamHandle s = own(stream, "copy").handle();
  if (bytes == 0) return;
  switch (how) {
    case CopyKind::host_to_device:
      // Of pageable memory the driver keeps so much and returns; for more, it would wait here for the work before.
      if (bytes > (size_t{64} << 10) && staging_.is_pageable(src)) wait_here(s);
      if (staging_.takes(src, bytes)) return staging_.to_device(s, address(dst), static_cast<const char*>(src), bytes);
      QUERN_CU(*this, "copy", cuMemcpyHtoDAsync_v2(address(dst), src, bytes, s));
      break;
    case CopyKind::device_to_host:
      wait_here(s);
      if (staging_.takes(dst, bytes)) return staging_.to_host(s, static_cast<char*>(dst), address(src), bytes);
      QUERN_CU(*this, "copy", cuMemcpyDtoHAsync_v2(dst, address(src), bytes, s));
      break;
    case CopyKind::device_to_device:  // the driver sees from the addresses whether it is one GPU or two
      QUERN_CU(*this, "copy", cuMemcpyAsync(address(dst), address(src), bytes, s));
      break;
  }
}

bool CudaDevice::can_reach(Device& other) {
  if (other.kind != DeviceKind::cuda || &other == this) return false;
  Use use(*this, "peer access");
  int can = 0;
  if (use) QUERN_CU(*this, "peer access", cuDeviceCanAccessPeer(&can, id_, static_cast<CudaDevice&>(other).id_));
  return can != 0;
}

// Both ways: which of the two GPUs moves the bytes is the driver's choice.
void CudaDevice::reach(Device& other) {
  if (other.kind != DeviceKind::cuda || &other == this) return;
  auto& peer = static_cast<CudaDevice&>(other);
  std::lock_guard lock(reached_mutex_);
  if (reached_.contains(&peer)) return;
  let_access(peer);
  peer.let_access(*this);
  reached_.insert(&peer);
}

void CudaDevice::let_access(CudaDevice& other) {
  if (!can_reach(other)) return;
  Use use(*this, "peer access");
  if (!use) return;
  Result result = driver().cuCtxEnablePeerAccess(other.context_, 0);
  // Another library may have been here; and a GPU has a limited number of peers.
  if (result != error_peer_access_already_enabled && result != error_too_many_peers)
    check(result, "peer access", "cuCtxEnablePeerAccess");
}

void CudaDevice::fill(Stream& stream, void* dst, uint32_t value, unsigned value_bytes, size_t count) {
  Use use(*this, "fill");
  if (!use) return;
  check_value_bytes("fill", value_bytes);
  StreamHandle s = own(stream, "fill").handle();
  if (count == 0) return;
  if (value_bytes == 1) {
    QUERN_CU(*this, "fill", cuMemsetD8Async(address(dst), static_cast<unsigned char>(value), count, s));
  } else if (value_bytes == 2) {
    QUERN_CU(*this, "fill", cuMemsetD16Async(address(dst), static_cast<unsigned short>(value), count, s));
  } else {
    QUERN_CU(*this, "fill", cuMemsetD32Async(address(dst), value, count, s));
  }
}

void CudaDevice::fill_2d(Stream& stream, void* dst, size_t pitch, uint32_t value, unsigned value_bytes, size_t width,
                         size_t height) {
  Use use(*this, "fill");
  if (!use) return;
  check_value_bytes("fill", value_bytes);
  StreamHandle s = own(stream, "fill").handle();
  if (width == 0 || height == 0) return;
  if (value_bytes == 1) {
    QUERN_CU(*this, "fill", cuMemsetD2D8Async(address(dst), pitch, static_cast<unsigned char>(value), width, height, s));
  } else if (value_bytes == 2) {
    QUERN_CU(*this, "fill", cuMemsetD2D16Async(address(dst), pitch, static_cast<unsigned short>(value), width, height, s));
  } else {
    QUERN_CU(*this, "fill", cuMemsetD2D32Async(address(dst), pitch, value, width, height, s));
  }
}

}  // namespace quern
