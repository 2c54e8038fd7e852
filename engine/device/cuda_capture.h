// A library's call, learned: which kernels it launches, and where in their arguments the caller's pointers stand. It is then
// launched without the library (a call of cuBLASLt takes the host 10 to 90 us), and collected as launches of ours are.
//
// It is learned by capturing the call twice with different pointers, on a stream of its own; nothing runs. Arguments that differ
// must do so by the distance of one of the pointers. A call that copies, fills, uses clusters or hides pointers (tensor maps) is
// not learned.
#pragma once

#include "device/cuda.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace quern {

class CapturedCall {
 public:
  // `call` submits to the stream with these pointers; false, or an exception: it failed. The pointers of later launches must be
  // aligned as these are, to `alignment` bytes at the most.
  using Submit = std::function<bool(std::span<char* const> pointers, cuda::StreamHandle stream)>;
  static constexpr int64_t alignment = 256;
  static std::optional<CapturedCall> learn(CudaDevice& device, std::span<char* const> pointers, const Submit& call);

  // `name` lives for ever.
  void launch(CudaStream& stream, std::span<char* const> pointers, const std::string* name, Site site) const;

 private:
  struct Pointer {
    uint32_t at, which;  // where in the arguments; which of the pointers
    int64_t offset;
  };
  struct Step {
    CudaLaunch launch;
    std::vector<char> args;
    std::vector<Pointer> pointers;
  };
  static std::optional<std::vector<Step>> captured(CudaDevice& device, std::span<char* const> pointers, const Submit& call);
  std::vector<Step> steps_;
};

}  // namespace quern
