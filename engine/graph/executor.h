// What the graph asks of the executor (run/eval.cpp), which stands above it: one function.
#pragma once

#include <cstdint>
#include <span>

namespace quern {

struct Node;

enum class Ask : uint8_t {
  at_once,        // the value of one node, where it is tiny and all that it needs is there; else false, and nothing is done
  submitted,      // the work for the nodes' values; no nodes: everything pending
  with_readers,   // the same for the first node; the others read its memory, which is about to be exposed
  done,           // submitted, and on the CPU it has ended; a GPU's order is its streams'
  round_over,     // everything pending, as one round of a loop: the program says that one is over
  rounds_over,    // whole rounds of the loop that is pending (rounds.h); else false
  other_streams,  // everything pending; what is recorded from here on is for the streams of the calling thread
};

using Executor = bool (*)(Ask ask, std::span<Node* const> nodes);
void set_executor(Executor executor);
bool execute(Ask ask, std::span<Node* const> nodes = {});
inline bool execute(Ask ask, Node& node) {
  Node* one = &node;
  return execute(ask, {&one, 1});
}

}  // namespace quern
