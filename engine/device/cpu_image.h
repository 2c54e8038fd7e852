// Compiled objects in memory, many to a map.
//
// The system's loader takes about four maps for each object, and a process has some 65,000. Here objects lie side by side in
// arenas: code and constants in one map that may be read and run, __device__ variables in one that may be written, as far apart
// in both as the plug-in's linker put them (compile/clang/link/link.cpp). Nothing is writable and executable at once. Every image
// has its own variables: two of the same bytes share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quern {

class CpuImage {
 public:
  // `runtime` goes to the variable of that name that the object has: constants cannot be written afterwards.
  // Raises ErrorKind::os when there is no memory, ErrorKind::value when the bytes are no object of ours.
  CpuImage(std::span<const std::byte> object, const char* runtime_name, const void* runtime);
  ~CpuImage();
  CpuImage(const CpuImage&) = delete;
  CpuImage& operator=(const CpuImage&) = delete;

  const void* symbol(const char* name) const;  // nullptr: there is none
  bool contains(const void* pointer) const {
    auto at = static_cast<const char*>(pointer);
    return (at >= place_.base && at < place_.base + place_.code) ||
           (at >= place_.base + place_.distance && at < place_.base + place_.distance + place_.data);
  }

  struct Mapping {
    char* base = nullptr;  // of the code, and where addresses begin
    size_t code = 0;       // bytes, whole pages
    size_t data = 0;       // at base + distance
    size_t distance = 0;
    char* alone = nullptr;  // the memory that it has to itself; nullptr: it lies in an arena
    size_t alone_bytes = 0;
  };

 private:
  Mapping place_;
  const struct Symbol* symbols_ = nullptr;
  const char* names_ = nullptr;
  size_t symbol_count_ = 0;
};

}  // namespace quern
