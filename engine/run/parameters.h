// A kernel's parameters as bytes, and the memory that it is handed: what every launch takes (Kernel::launch). Who knows the
// kernel, because he printed it, puts them one after the other; Arguments (kernel.h) checks a user's against the kernel.
#pragma once

#include "core/buffer.h"
#include "device/device.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace quern {

class Parameters {
 public:
  static constexpr size_t limit = 4096;  // bytes, CUDA's on every GPU

  // As a C caller lays them out.
  template <class T>
  Parameters& add(const T& value) {
    raw(&value, sizeof value, alignof(T));
    return *this;
  }
  void raw(const void* value, size_t size, size_t alignment);
  void fill(size_t size);  // up to so many bytes
  // Where a value of that size goes that starts at `offset`; nullptr: there is no room.
  char* at(size_t offset, size_t size) {
    if (offset + size > limit) return nullptr;
    if (offset + size > end_) end_ = offset + size;
    return bytes_.data() + offset;
  }
  const void* data() const { return bytes_.data(); }
  size_t size() const { return end_; }

  // `ordered`: the launch waits for what other streams do with it (device/stream_order.h). Whoever was handed the address as a
  // number sees to the order himself.
  void uses(Block& block, bool writes, bool ordered = true) {
    Used used{&block, writes, ordered};
    if (count_ < used_.size())
      used_[count_++] = used;
    else
      more_.push_back(used);
  }
  void use_on(const std::shared_ptr<Stream>& stream) const;
  void tell_checks(const LoadedKernel& kernel) const;  // of the memory that it is handed
  bool any_exposed() const;                            // is memory handed over that is seen outside?

 private:
  struct Used {
    Block* block;
    bool writes, ordered;
  };
  size_t end_ = 0, count_ = 0;
  std::array<Used, 32> used_;
  std::vector<Used> more_;
  alignas(16) std::array<char, limit> bytes_;
};

}  // namespace quern
