// Checks: kernels of the user's, compiled with calls before each access (compile/clang/checks/), run one thread after the other
// while the device keeps a record of all memory. Start reading here, then in checked_launch.h.
//
// Off, every hook costs one load.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "device/check/findings.h"

namespace quern::check {

struct Options {
  bool never_written = true;  // also reads of what nobody wrote
  bool nan = false;           // also numbers that become NaN or infinite
  bool leaks = false;         // also memory that the program asked for and has not given back
  uint32_t orders = 1;        // in how many orders the blocks of a launch run
  uint32_t seed = 0;          // of the order in which blocks and a block's threads take their turns; 0: by their numbers
};

extern std::atomic<bool> is_on;
inline bool on() { return is_on.load(std::memory_order_relaxed); }

void start(Options options);
std::vector<Finding> stop();
const Options& options();
std::pair<size_t, size_t> memory_used();  // bytes that kernels have used, and those that are kept about them
void tell(Finding finding);

// The text that a module was compiled from, by the name that its places have: for findings in it.
void keep_text(const void* module, std::string name, std::string text);

// Hooks, called by the device and by its memory pools while checks are on.
void allocated(const Block& block);
void unwritten(const Block& block);  // it was asked for as it is: what is read of it must have been written
void known(const Block& block);      // memory that is handed to a kernel, whoever made it
void known(const void* pointer, size_t bytes, Site site = no_site);  // the same, of the host's
void unwritten(const void* pointer, size_t bytes);                   // the same, by a kernel
void freed(const void* pointer);                                     // by a kernel
// A block that is given back rests for a while, so that its use is seen; returns one that has rested, or null.
Block* rest(Block* block);
void written(const void* pointer, size_t bytes);  // by the host, a copy, a fill, a kernel that is not checked

}  // namespace quern::check
