// A function of whole arrays (graph/call.h): memory for its results, then its body submits the work.
#pragma once

namespace quern {

struct Node;

// With the graph's lock held. Throws Restart (undisturbed.h), and what the body finds wrong.
void run_call(Node& node);

}  // namespace quern
