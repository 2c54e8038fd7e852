// Handlers of signals may run where a thread waits while it runs groups. When one has used arrays, or let go of some, what was
// about to run is scheduled anew:
//
//   Undisturbed undisturbed;
//   ... a wait, a compiler ...
//   undisturbed.check();  // throws Restart, which the executor (eval.cpp) catches
//
// With the graph's lock held.
#pragma once

#include "graph/graph.h"

namespace quern {

struct Restart {};

class Undisturbed {
 public:
  Undisturbed() : evaluations_(graph.evaluations), let_go_(graph.nodes_let_go) {}
  void check() const {
    if (graph.evaluations != evaluations_ || graph.nodes_let_go != let_go_) throw Restart{};
  }

 private:
  const uint64_t evaluations_, let_go_;
};

}  // namespace quern
