// What spares NVRTC work and leaves its code as it is.
//
//   is_minimal(text)      the text speaks of no texture, no surface and nothing of CUDA's runtime: NVRTC can do without them
//   Heads::returns(...)   texts of this process began alike before, so the headers at their beginning are worth keeping parsed
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace quern {

// Wrong is only slow: a text that fails without them is compiled again with them.
bool is_minimal(std::string_view text);

// The lines of the preprocessor that a text begins with, and what stands between them.
std::string_view head_of(std::string_view text);

class Heads {
 public:
  // Counts the text. NVRTC writes parsed headers out in about the time that three texts save with them, those of CUB and libcu++
  // in less than one saves. Each takes 10 to 90 MB in the folder for temporary files, so only the first few heads return.
  bool returns(std::string_view text, const std::vector<std::string>& words);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, uint32_t> seen_;
  uint32_t kept_ = 0;
};

}  // namespace quern
