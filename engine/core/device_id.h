// Which device something is on: the CPU, or a GPU by its number.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace quern {

class DeviceId {
 public:
  constexpr DeviceId() = default;  // the CPU
  static constexpr DeviceId cpu() { return {}; }
  static constexpr DeviceId gpu(int number) {
    DeviceId id;
    id.number_ = static_cast<int8_t>(number);
    return id;
  }
  constexpr bool is_cpu() const { return number_ < 0; }
  constexpr bool is_gpu() const { return number_ >= 0; }
  constexpr int number() const { return number_; }                               // of a GPU; -1: the CPU
  constexpr uint64_t key() const { return static_cast<uint64_t>(number_ + 1); }  // small: the CPU's is 0
  std::string name() const { return is_cpu() ? "cpu" : "cuda:" + std::to_string(number_); }
  auto operator<=>(const DeviceId&) const = default;

 private:
  int8_t number_ = -1;
};

}  // namespace quern
