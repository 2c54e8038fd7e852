// The cache of compiled code: memory first, then what was compiled when quern was built (compile/precompiled.h), then disk, then
// the compiler.
//
// Start at Cache::get(). A key is a hash of everything that decides the bytes: text, options, target and Compiler::id(). An entry
// on disk (compile/cache_folder.h says where) carries its key and a hash of its content; one that is damaged, foreign or somebody
// else's is compiled again, never run. Where the compiler reads files of the host's (-I), the entry lists what it saw of them
// (compile/files_read.h) and is used while that is unchanged.
#pragma once

#include "compile/cache_folder.h"
#include "compile/compiler.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace quern {

struct CacheKey {
  uint64_t high = 0, low = 0;
  bool operator==(const CacheKey&) const = default;
  std::string hex() const;
};

struct CacheKeyHash {
  size_t operator()(const CacheKey& k) const { return k.low; }
};

enum class CacheHit { memory, disk, compiled, precompiled };
inline constexpr const char* cache_hit_names[] = {"memory", "disk", "compiled", "precompiled"};

struct Cached {
  std::shared_ptr<const Binary> binary;
  CacheHit hit = CacheHit::memory;
  int64_t start_ns = 0, end_ns = 0;  // of what was made ahead (CacheClaim): when that was; else 0
};

struct CacheInfo {
  std::string directory;  // the cache's own; "" when there is none to write to
  std::string problem;    // why the disk is not used
  size_t files = 0, bytes = 0, limit = 0;
};

// What was compiled or read last, up to a limit: a process that makes one kernel after the other does not keep them all twice.
class CacheMemory {
 public:
  static constexpr size_t limit = size_t{32} << 20;  // bytes

  // Nothing: the caller makes it, and everybody else waits until it calls settle().
  std::optional<Cached> take_or_claim(const CacheKey& key);
  bool claim(const CacheKey& key);  // false: it is there, or somebody makes it
  // `made` is reported to the next caller that takes it; without a binary: compilation failed.
  void settle(const CacheKey& key, Cached made);
  void forget(const CacheKey& key, const std::shared_ptr<const Binary>& binary);
  void clear();
  // Around a fork: nobody is in here meanwhile; and in the child nobody makes what other threads had begun.
  void before_fork() { lock_.lock(); }
  void after_fork(bool in_child);

 private:
  struct Entry {
    Cached made;  // no binary while somebody makes it
    std::list<CacheKey>::iterator place;
  };
  using Entries = std::unordered_map<CacheKey, Entry, CacheKeyHash>;
  static size_t size_of(const Binary& binary);
  bool is_being_made(const CacheKey& key);
  void erase(Entries::iterator entry);

  std::mutex lock_;
  std::condition_variable ready_;
  Entries entries_;
  std::list<CacheKey> order_;  // the newest first
  size_t bytes_ = 0;
};

class Cache;

// What nobody has: whoever asks for it waits until make() has made it, or this goes.
class CacheClaim {
 public:
  CacheClaim(Cache& cache, const CacheKey& key) : cache_(&cache), key_(key) {}
  CacheClaim(CacheClaim&& other) noexcept : cache_(std::exchange(other.cache_, nullptr)), key_(other.key_) {}
  CacheClaim& operator=(CacheClaim&&) = delete;
  ~CacheClaim();
  void make(const std::function<Binary()>& make);  // reports to the next caller how it was made, and when

 private:
  Cache* cache_;
  CacheKey key_;
};

class Cache {
 public:
  Cache();
  Cached get(Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target);
  Cached get(const CacheKey& key, const std::function<Binary()>& make);  // for what is made of compiled code
  // For what is asked for soon, and made on another thread meanwhile. Nothing: it is in memory now, or being made.
  std::optional<CacheClaim> claim(Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target);
  // Is it there without a compiler?
  bool has(Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target);
  CacheInfo info();
  // What this process has compiled, and the seconds in which the compiler was at work, on any thread.
  std::pair<size_t, double> compiled();
  size_t clear();        // removes every entry; returns how many files went
  void forget_memory();  // the next get() goes to the disk
  void before_fork() { memory_.before_fork(); }
  void after_fork(bool in_child) { memory_.after_fork(in_child); }

 private:
  friend class CacheClaim;
  enum class For : uint8_t { now, later };
  struct Asked;
  std::optional<CacheClaim> claim(const Asked& asked);
  std::optional<Cached> find(const Asked& asked);
  std::optional<Cached> read_claimed(const Asked& asked, For when);
  Cached make_claimed(const CacheKey& key, const std::function<Binary()>& make, For when);
  std::shared_ptr<const Binary> read(const CacheKey& key);
  void write(const CacheKey& key, const Binary& binary);

  void count_work(bool begins);

  std::mutex work_lock_;
  size_t made_ = 0, at_work_ = 0;
  int64_t busy_since_ = 0, busy_ns_ = 0;

  CacheMemory memory_;
  CacheFolder folder_;
  size_t limit_ = 0;  // bytes on disk; 0: nothing is written
  std::atomic<size_t> written_since_trim_{0};
};

Cache& compile_cache();

CacheKey cache_key(const Compiler& compiler, const Source& source, const CompileOptions& options, const Target& target);
// Of what is made of code with that key, and of all this.
CacheKey cache_key(const CacheKey& of, const std::vector<std::string_view>& parts);

}  // namespace quern
