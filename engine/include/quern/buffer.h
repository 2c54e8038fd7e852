// File: quern/buffer.h
//
// Buffer<T>: device memory for `size` values of a trivially copyable type. Copies are ordered on a stream, by default the
// device's default stream; copy_to() and to_vector() block until the values are on the host.
//
//   qn::Buffer<float> x(device, 1'000'000);
//   x.copy_from(host);                 // std::span, std::vector, std::array
//   std::vector<float> y = x.to_vector();
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "quern/device.h"

namespace quern {
struct Block;
}

namespace qn {

namespace detail {

// Untyped memory, reference-counted; reused once the work that uses it has finished.
class Memory {
 public:
  Memory(const Device& device, size_t bytes);
  void copy_from(const void* host, size_t bytes, const Stream* stream);
  void copy_to(void* host, size_t bytes, const Stream* stream) const;
  void fill_bytes(uint8_t value, size_t bytes, const Stream* stream);
  void* pointer() const;
  quern::Block* block() const;
  const Device& device() const { return device_; }

 private:
  Device device_;
  std::shared_ptr<void> holder_;
};

}  // namespace detail

// Memory of `size` values of a plain type on a device, without shape.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "a Buffer holds plain values");

 public:
  // New memory for `size` values, which are not set, or with a copy of host values. Throws ErrorKind::out_of_memory.
  Buffer(const Device& device, size_t size) : memory_(device, size * sizeof(T)), size_(size) {}
  Buffer(const Device& device, std::span<const T> values) : Buffer(device, values.size()) { copy_from(values); }

  size_t size() const { return size_; }  // values
  size_t bytes() const { return size_ * sizeof(T); }
  T* pointer() const { return static_cast<T*>(memory_.pointer()); }  // a device address
  Device device() const { return memory_.device(); }

  // Copies from and to the host, ordered on a stream, by default the device's default one. Throw ErrorKind::value unless `values`
  // has the buffer's size.
  void copy_from(std::span<const T> values) { copy_from_(values, nullptr); }
  void copy_from(std::span<const T> values, const Stream& stream) { copy_from_(values, &stream); }
  void copy_to(std::span<T> values) const { copy_to_(values, nullptr); }
  void copy_to(std::span<T> values, const Stream& stream) const { copy_to_(values, &stream); }
  // The values, copied to the host.
  std::vector<T> to_vector() const {
    std::vector<T> values(size_);
    copy_to(values);
    return values;
  }
  void clear() { memory_.fill_bytes(0, bytes(), nullptr); }  // all bytes zero

  const detail::Memory& memory() const { return memory_; }

 private:
  void check(size_t n) const {
    if (n != size_) throw quern::Error(quern::ErrorKind::value, "[copy] the host array and the buffer differ in size");
  }
  void copy_from_(std::span<const T> values, const Stream* stream) {
    check(values.size());
    memory_.copy_from(values.data(), bytes(), stream);
  }
  void copy_to_(std::span<T> values, const Stream* stream) const {
    check(values.size());
    memory_.copy_to(values.data(), bytes(), stream);
  }

  detail::Memory memory_;
  size_t size_;
};

}  // namespace qn
