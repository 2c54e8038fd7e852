// Identifies the version of a file that was read, without reading it again. For the engine and for the plug-in alike.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <ctime>

namespace quern {

struct FileStamp {
  uint64_t size = 0, written = 0, changed = 0, inode = 0;  // times in nanoseconds; all 0: nothing is known but by reading
  bool operator==(const FileStamp&) const = default;
  bool known() const { return inode != 0; }
};

// A file that was written just now may be written again without a sign: clocks of file systems are coarse.
inline FileStamp stamp_of(const struct stat& s) {
  auto nanoseconds = [](const timespec& t) {
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
  };
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  constexpr time_t coarse = 2;  // seconds; FAT's
  if (s.st_mtim.tv_sec + coarse >= now.tv_sec || s.st_ctim.tv_sec + coarse >= now.tv_sec) return {};
  return {static_cast<uint64_t>(s.st_size), nanoseconds(s.st_mtim), nanoseconds(s.st_ctim), static_cast<uint64_t>(s.st_ino)};
}

}  // namespace quern
