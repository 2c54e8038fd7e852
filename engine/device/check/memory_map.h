// What memory there is: every allocation of the CPU device with its shadow, those given back for a while, too.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/site.h"
#include "device/check/shadow.h"

namespace quern::check {

bool is_pinned(const void* pointer);  // with pages of its own

struct Region {
  uintptr_t begin = 0, end = 0;
  Site site = no_site;
  bool is_live = true;
  bool is_asked = false;     // by the program itself, which gives it back
  uint64_t known_since = 0;  // of memory that is nobody's but handed over: the launch before which it was
  Shadow shadow;
  Region(uintptr_t begin, size_t bytes, Site site) : begin(begin), end(begin + bytes), site(site), shadow(bytes) {}
  size_t size() const { return end - begin; }
  bool is_hosts() {  // pinned or managed memory
    if (!hosts_) hosts_ = is_pinned(reinterpret_cast<const void*>(begin));
    return *hosts_;
  }

 private:
  std::optional<bool> hosts_;
};

class MemoryMap {
 public:
  // Takes the place of what was there before. `is_written`: what lies there is the host's, or unknown.
  void add(const void* pointer, size_t bytes, Site site, bool is_written, bool is_asked = false);
  // Memory that is handed to the launch of that number: together with what else it is handed of it, such as two fields of
  // records.
  void know(const void* pointer, size_t bytes, Site site, uint64_t launch);
  void release(const void* pointer);
  void mark_written(const void* pointer, size_t bytes);  // by others than checked kernels
  // The region that holds the address; else the nearest one, if there is one within some pages; null.
  std::shared_ptr<Region> find(uintptr_t address);
  std::shared_ptr<Region> nearest(uintptr_t address);
  void clear();
  // Of memory that kernels have used: its bytes, and those that are kept about it.
  std::pair<size_t, size_t> used();
  // Those that the program asked for and has not given back.
  template <class F>
  void each_asked(F&& f) {
    std::lock_guard hold(lock_);
    for (auto& [begin, region] : regions_)
      if (region->is_live && region->is_asked) f(*region);
  }

 private:
  std::mutex lock_;
  std::map<uintptr_t, std::shared_ptr<Region>> regions_;  // by their begin
};

}  // namespace quern::check
