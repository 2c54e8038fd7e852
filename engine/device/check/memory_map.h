// What memory there is: every allocation of the CPU device with its shadow, those given back for a while, too.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/site.h"
#include "device/check/shadow.h"

namespace quern::check {

struct Region {
  uintptr_t begin = 0, end = 0;
  Site site = no_site;
  bool is_live = true;
  Shadow shadow;
  Region(uintptr_t begin, size_t bytes, Site site) : begin(begin), end(begin + bytes), site(site), shadow(bytes) {}
  size_t size() const { return end - begin; }
};

class MemoryMap {
 public:
  // Takes the place of what was there before. `is_written`: what lies there is the host's, or unknown.
  void add(const void* pointer, size_t bytes, Site site, bool is_written);
  void release(const void* pointer);
  void mark_written(const void* pointer, size_t bytes);  // by others than checked kernels
  // The region that holds the address; else the nearest one, if there is one within some pages; null.
  std::shared_ptr<Region> find(uintptr_t address);
  std::shared_ptr<Region> nearest(uintptr_t address);
  void clear();

 private:
  std::mutex lock_;
  std::map<uintptr_t, std::shared_ptr<Region>> regions_;  // by their begin
};

}  // namespace quern::check
