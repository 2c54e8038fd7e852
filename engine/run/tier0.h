// The driver of tier 0 (graph/tier0.h): tiny work is done on the calling thread, without a node that waits.
#pragma once

#include "graph/array.h"

namespace quern {

// Computes the node when it is small, on the CPU, and all it needs is there. False: it stays for the scheduler.
bool run_tier0(Node& node);

void set_tier0_limit(int64_t elements);  // for tests: 0 for never

// Functions of whole arrays do small work in the same way:
//
//   if (const char* in = at_hand(array)) {
//     char* out;
//     Array result = made_now(array.layout_ref(), array.dtype(), out);
//     ...
//
// at_hand: the first element of an array of at most so many elements that is in the CPU's memory and that nobody may be writing;
// null: the work has to be recorded. With the graph's lock held.
inline constexpr int64_t at_once = 4096;
const char* at_hand(const Array& array, int64_t most = at_once);
Array made_now(LayoutRef layout, DType dtype, char*& memory);

}  // namespace quern
