// What checks find: one Finding for each pair of places and kind of mistake, with the first case of it and a count.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "core/site.h"

namespace quern::check {

enum class Kind : uint8_t {
  out_of_bounds,    // of an array that the code names, or of every allocation
  after_release,    // of memory that was given back
  null,             // near address 0
  misaligned,       // not a multiple of the access's size
  const_written,    // through a pointer to const
  never_written,    // a read of what nobody wrote
  race,             // two threads, one of them writes, nothing orders them
  barrier_places,   // threads of a block meet at different barriers
  barrier_missing,  // threads wait at a barrier that others never reach
  division,         // by 0, or of the lowest number by -1
  overflow,         // of an index, in 32 bits
  shift,            // by more than there are bits
  not_finite,       // a number that became NaN or infinite
  unordered,        // two pieces of work, or work and the host, that use the same memory and that nothing orders
  leak,             // memory that the program asked for and did not give back
  block_order,      // another result with the blocks in another order
  recomputed,       // another result than the operations of a fused group give one by one
  argument_type,    // an array of another type than the kernel's parameter points to
};
inline constexpr const char* kind_names[] = {
    "out_of_bounds",  "after_release",   "null",       "misaligned",   "const_written", "never_written", "race",
    "barrier_places", "barrier_missing", "division",   "overflow",     "shift",         "not_finite",    "unordered",
    "leak",           "block_order",     "recomputed", "argument_type"};

struct Access {
  std::string file, function;
  std::string source;                       // the line's text, where it is no file's
  uint32_t line = 0, column = 0, what = 0;  // QUERN_CHECK_...
  std::array<uint32_t, 3> thread{}, block{};
};

struct Finding {
  Kind kind{};
  std::string kernel;
  Access access, other;  // `other`: of races, and of barriers
  std::string object;    // the array's name in the text; "" if unknown
  uint32_t object_kind = 0;
  uint64_t bytes = 0;  // of the access
  int64_t offset = 0;  // of the access in the array or in the nearest allocation
  uint64_t size = 0;   // of that
  Site allocated = no_site, launch = no_site;
  bool has_allocation = false;    // is there one near?
  bool of_grid = false;           // of barriers: blocks wait, not threads
  bool passed_by = false;         // of barriers: the other thread went around it, and on
  bool of_warp = false;           // of races: between threads of one warp
  int32_t axis = -1;              // of an index outside of its axis: `offset`, among `size` elements
  uint32_t sign = 0;              // of the operation that overflows: '+', '-' or '*'
  int64_t first = 0, second = 0;  // operands (cpu_module.h)
  std::string work, other_work;   // of unordered ones: "kernel 'k'", "a copy"
  Site other_launch = no_site;
  uint64_t count = 1;
};

class Findings {
 public:
  void add(Finding finding);
  std::vector<Finding> take();

 private:
  using Key = std::tuple<Kind, std::string, std::string, uint32_t, uint32_t, std::string, uint32_t, uint32_t, Site, Site>;
  std::mutex lock_;
  std::vector<Finding> all_;
  std::map<Key, size_t> known_;
};

}  // namespace quern::check
