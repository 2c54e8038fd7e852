// What spares NVRTC work and leaves its code as it is.
//
//   is_minimal(text, ...)  the text speaks of no texture, no surface and nothing of CUDA's runtime: NVRTC can do without them
//   Heads                 texts that begin alike: the headers at their beginning are kept parsed, as long as the process lives
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace quern {

// Wrong is only slow: a text that fails without them is compiled again with them.
bool is_minimal(std::string_view text, const std::vector<std::string>& words);

// The lines of the preprocessor that a text begins with, and what stands between them.
std::string_view head_of(std::string_view text);

class Heads {
 public:
  // The option that NVRTC receives for the head of a source, which it counts: to write it out parsed, to read what was written,
  // or nothing (""). Writing takes about the time that three texts save with it, a head of CUB's or libcu++'s less than one
  // saves.
  std::string option(std::string_view text, const std::vector<std::string>& words);
  // After a compile with that option, however it ended. What was written has no name from here on, so that it goes with the
  // process, and nobody else reads or changes it; it takes 10 to 90 MB of the folder for temporary files.
  void compiled(const std::string& option);

 private:
  struct Head {
    uint32_t seen = 0;
    std::string option;  // that reads it
  };
  std::mutex mutex_;
  std::unordered_map<std::string, Head> heads_;
  std::unordered_map<std::string, std::string> writing_;  // the option -> the key of its head
  uint32_t free_ = 8;                                     // so many heads more are kept
};

}  // namespace quern
