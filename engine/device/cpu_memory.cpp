// CPU memory. Large blocks are mappings of their own that end at a guard page, so that a kernel that runs past the end faults
// instead of spoiling a neighbour; the pool keeps and reuses them.
#include "core/error.h"
#include "device/check/checker.h"
#include "device/check/timeline.h"
#include "device/cpu.h"

#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace quern {

namespace {

constexpr size_t page = 4096;
constexpr size_t huge_page = size_t{2} << 20;
constexpr size_t guarded_from = size_t{64} << 10;

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

// A control group may allow less than the machine has.
size_t memory_limit() {
  size_t total = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * page;
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream in(path);
    size_t limit = 0;
    if (in >> limit && limit > 0 && limit < total) return limit;
  }
  return total;
}

size_t available_memory() {
  std::ifstream in("/proc/meminfo");
  std::string key;
  size_t kilobytes;
  std::string unit;
  while (in >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    std::getline(in, unit);
  }
  return static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
}

}  // namespace

MemoryInfo CpuDevice::memory() {
  size_t total = memory_limit();
  return {std::min(available_memory(), total), total};
}

void* CpuDevice::allocate(size_t bytes) {
  if (bytes < guarded_from) {
    void* p = std::aligned_alloc(256, round_up(std::max<size_t>(bytes, 1), 256));
    if (p) allocated_ += bytes;
    return p;
  }
  // Linux hands out addresses without memory behind them; a kernel would die of it later. Refuse what cannot be there.
  if (bytes > memory().free) return nullptr;
  size_t data = round_up(bytes, page);
  size_t align = data >= huge_page ? huge_page : page;
  size_t span = data + page + align;
  char* raw = static_cast<char*>(mmap(nullptr, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (raw == MAP_FAILED) return nullptr;
  char* start = reinterpret_cast<char*>(round_up(reinterpret_cast<size_t>(raw), align));
  if (mprotect(start, data, PROT_READ | PROT_WRITE) != 0) {
    munmap(raw, span);
    return nullptr;
  }
  // Filled page by page where it is first written, it would cost several times the writing.
  madvise(start, data, data >= huge_page ? MADV_HUGEPAGE : MADV_POPULATE_WRITE);
  if (start > raw) munmap(raw, static_cast<size_t>(start - raw));
  size_t kept = data + page;
  size_t tail = span - static_cast<size_t>(start - raw) - kept;
  if (tail) munmap(start + kept, tail);
  std::lock_guard hold(memory_lock_);
  mapped_[start] = kept;
  allocated_ += bytes;
  return start;
}

void CpuDevice::release(void* pointer) noexcept {
  if (!pointer) return;
  {
    std::lock_guard hold(memory_lock_);
    auto found = mapped_.find(static_cast<const char*>(pointer));
    if (found != mapped_.end()) {
      munmap(pointer, found->second);
      mapped_.erase(found);
      return;
    }
  }
  std::free(pointer);
}

void* CpuDevice::allocate_pinned(size_t bytes, PinnedOptions) {
  size_t size = round_up(std::max<size_t>(bytes, 1), page);
  void* p = std::aligned_alloc(page, size);
  if (!p) return nullptr;
  std::lock_guard hold(memory_lock_);
  pinned_[static_cast<const char*>(p)] = size;
  return p;
}

void CpuDevice::release_pinned(void* pointer) noexcept {
  {
    std::lock_guard hold(memory_lock_);
    pinned_.erase(static_cast<const char*>(pointer));
  }
  std::free(pointer);
}

void CpuDevice::register_host(void* pointer, size_t bytes, unsigned) {
  std::lock_guard hold(memory_lock_);
  if (!pinned_.emplace(static_cast<const char*>(pointer), bytes).second)
    raise(ErrorKind::logic, "[register_host_memory] this memory is registered already");
}

void CpuDevice::unregister_host(void* pointer) noexcept {
  std::lock_guard hold(memory_lock_);
  pinned_.erase(static_cast<const char*>(pointer));
}

bool CpuDevice::is_exposed(const void* pointer, size_t bytes) {
  const char* p = static_cast<const char*>(pointer);
  std::lock_guard hold(memory_lock_);
  auto after = pinned_.upper_bound(p);
  if (after == pinned_.begin()) return false;
  auto block = std::prev(after);
  return p + bytes <= block->first + block->second;
}

std::pair<const void*, size_t> CpuDevice::pinned_pages(const void* pointer) {
  const char* p = static_cast<const char*>(pointer);
  std::lock_guard hold(memory_lock_);
  auto after = pinned_.upper_bound(p);
  if (after == pinned_.begin()) return {};
  auto [begin, bytes] = *std::prev(after);
  bool whole = reinterpret_cast<size_t>(begin) % page == 0 && bytes % page == 0;
  return whole && p < begin + bytes ? std::pair<const void*, size_t>{begin, bytes} : std::pair<const void*, size_t>{};
}

void* CpuDevice::device_pointer(void* host_pointer) { return host_pointer; }

void* CpuDevice::allocate_managed(size_t bytes, unsigned) { return allocate_pinned(bytes, {}); }

void CpuDevice::release_managed(void* pointer) noexcept { release_pinned(pointer); }

// ---- copies and fills

// As CUDA does: from or to memory that is not pinned, the call returns when that memory has been read or written.
void CpuDevice::copy(Stream& stream, void* dst, const void* src, size_t bytes, CopyKind kind) {
  if (bytes == 0) return;
  auto& on = static_cast<CpuStream&>(stream);
  auto fill = [&](Command& command) {
    command.what = Command::What::copy;
    command.dst = dst;
    command.src = src;
    command.bytes = bytes;
  };
  bool host_waits = (kind == CopyKind::host_to_device && !is_exposed(src, bytes)) ||
                    (kind == CopyKind::device_to_host && !is_exposed(dst, bytes));
  if (check::on()) check::copied(stream, dst, src, bytes, host_waits);
  if (!host_waits) {
    uint32_t number = on.submit(fill);
    if (check::on()) finish(*on.state, number);  // what it touches is known to be over when the host goes on
    return;
  }
  wait_until(*on.state, on.submit(fill, CpuStream::Wake::by_waiter));
  if (kind == CopyKind::device_to_host) raise_failure(*on.state);
}

void CpuDevice::fill(Stream& stream, void* dst, uint32_t value, unsigned value_bytes, size_t count) {
  fill_2d(stream, dst, 0, value, value_bytes, count, 1);
}

void CpuDevice::fill_2d(Stream& stream, void* dst, size_t pitch, uint32_t value, unsigned value_bytes, size_t width,
                        size_t height) {
  if (width == 0 || height == 0) return;
  if (check::on()) check::filled(stream, dst, pitch * (height - 1) + width * value_bytes);
  static_cast<CpuStream&>(stream).submit([&](Command& command) {
    command.what = Command::What::fill;
    command.dst = dst;
    command.pitch = pitch;
    command.value = value;
    command.value_bytes = value_bytes;
    command.width = width;
    command.height = height;
  });
}

// Carrying them out: one thread until several pay.

namespace {

constexpr size_t parallel_from = size_t{1} << 20;

template <class F>
void in_slices(ThreadPool& pool, size_t bytes, F f) {
  constexpr size_t slice = size_t{512} << 10;
  pool.for_each((bytes + slice - 1) / slice, [&](size_t i) { f(i * slice, std::min(slice, bytes - i * slice)); });
}

}  // namespace

void CpuDevice::copy_bytes(void* dst, const void* src, size_t bytes) noexcept {
  if (check::on()) check::written(dst, bytes);
  char* to = static_cast<char*>(dst);
  const char* from = static_cast<const char*>(src);
  bool overlap = to < from + bytes && from < to + bytes;
  if (overlap || bytes < parallel_from || threads_ == 1) {
    std::memmove(to, from, bytes);
    return;
  }
  in_slices(pool(), bytes, [&](size_t begin, size_t count) { std::memcpy(to + begin, from + begin, count); });
}

void CpuDevice::fill_bytes(const Command& command) noexcept {
  auto fill_row = [&](char* row, size_t count) {
    switch (command.value_bytes) {
      case 1:
        std::memset(row, static_cast<int>(command.value & 0xff), count);
        break;
      case 2:
        std::fill_n(reinterpret_cast<uint16_t*>(row), count, static_cast<uint16_t>(command.value));
        break;
      default:
        std::fill_n(reinterpret_cast<uint32_t*>(row), count, command.value);
    }
  };
  if (check::on()) check::written(command.dst, command.pitch * (command.height - 1) + command.width * command.value_bytes);
  char* to = static_cast<char*>(command.dst);
  if (command.height == 1) {
    size_t bytes = command.width * command.value_bytes;
    if (bytes < parallel_from || threads_ == 1)
      fill_row(to, command.width);
    else
      in_slices(pool(), bytes, [&](size_t begin, size_t count) { fill_row(to + begin, count / command.value_bytes); });
    return;
  }
  for (size_t y = 0; y < command.height; ++y) fill_row(to + y * command.pitch, command.width);
}

}  // namespace quern
