// The cache of compiled code: memory first, then disk, then the compiler.
//
// Start at Cache::get(). A key is a hash of everything that decides the bytes: text, options, target and Compiler::id(). An entry
// on disk (compile/cache_folder.h says where) carries its key and a hash of its content; one that is damaged, foreign or somebody
// else's is compiled again, never run.
#pragma once

#include "compile/cache_folder.h"
#include "compile/compiler.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace quern {

struct CacheKey {
  uint64_t high = 0, low = 0;
  bool operator==(const CacheKey&) const = default;
  std::string hex() const;
};

struct CacheKeyHash {
  size_t operator()(const CacheKey& k) const { return k.low; }
};

enum class CacheHit { memory, disk, compiled };
inline constexpr const char* cache_hit_names[] = {"memory", "disk", "compiled"};

struct Cached {
  std::shared_ptr<const Binary> binary;
  CacheHit hit;
};

struct CacheInfo {
  std::string directory;  // the cache's own; "" when there is none to write to
  std::string problem;    // why the disk is not used
  size_t files = 0, bytes = 0, limit = 0;
};

class Cache {
 public:
  Cache();
  Cached get(Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target);
  Cached get(const CacheKey& key, const std::function<Binary()>& make);  // for what is made of compiled code
  CacheInfo info();
  size_t clear();        // removes every entry; returns how many files went
  void forget_memory();  // the next get() goes to the disk

 private:
  std::shared_ptr<const Binary> read(const CacheKey& key);
  void write(const CacheKey& key, const Binary& binary);

  struct Entry {
    std::shared_ptr<const Binary> binary;  // null while somebody compiles it
  };
  std::mutex lock_;
  std::condition_variable ready_;
  std::unordered_map<CacheKey, Entry, CacheKeyHash> memory_;
  CacheFolder folder_;
  size_t limit_ = 0;  // bytes on disk; 0: nothing is written
  size_t written_since_trim_ = 0;
};

Cache& compile_cache();

CacheKey cache_key(const Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target);
// Of what is made of code with that key, and of all this.
CacheKey cache_key(const CacheKey& of, const std::vector<std::string_view>& parts);

}  // namespace quern
