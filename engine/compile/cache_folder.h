// Where the cache keeps its files: a folder of its own, below the one that it is given.
//
// The given folder may be anybody's, /tmp or a home, and may be reached by links: nothing in it is read, changed or removed
// but our own folder. That one is made with mode 0700 and a marker file. Whoever writes, counts or removes opens it without
// following links and checks owner, mode and marker through the descriptor; everything below it is reached from there. Only
// regular files whose names the cache itself could have written are ever counted or removed:
//
//   GIVEN/quern-cache-1-UID/marker.txt
//   GIVEN/quern-cache-1-UID/ab/ab...     32 hex digits: an entry
//   GIVEN/quern-cache-1-UID/ab/ab....PID.N.tmp    one that is being written, or whose writer was killed
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace quern {

// A file descriptor that closes itself; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

class CacheFolder {
 public:
  explicit CacheFolder(const std::string& given);

  const std::string& path() const { return path_; }  // "" when none was given
  // Why it cannot be used; "" when it can. `make`: it is made where there is none.
  std::string problem(bool make);

  // `name`: 32 hex digits. Whatever goes wrong is no error here: the code is compiled again, or not kept. A folder that must not
  // be used is reported once, on standard error.
  std::optional<std::string> read(const std::string& name);
  bool write(const std::string& name, std::string_view bytes);
  void remove(const std::string& name);

  struct Sum {
    size_t files = 0, bytes = 0;
  };
  Sum sum();                // of the entries
  size_t clear();           // removes all of them; returns how many files went
  void trim(size_t limit);  // the ones used longest ago, until nine tenths of the limit are left; what killed writers left behind

 private:
  struct File;
  Descriptor open(bool make, std::string* problem = nullptr);
  Descriptor open_part(const Descriptor& folder, const std::string& part, bool make);
  void each_file(const std::function<void(const File&)>& visit);
  void tell(const std::string& problem);

  std::string given_, path_;
  std::atomic<bool> seen_{false}, told_{false};
};

}  // namespace quern
