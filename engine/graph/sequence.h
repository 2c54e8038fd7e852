// Pending nodes in words: two rounds of a loop whose words are equal are scheduled alike, value for value. Everything that
// schedule() and form_of() look at is in them; numbers, memory and calls' functions are not.
#pragma once

#include "graph/node.h"

namespace quern {

struct Sequence {
  std::vector<uint64_t> words;
  std::vector<Node*> nodes;  // by number (Node::number): those that are pending, and what they read, as they are met
  uint64_t hash = 0;
};

uint64_t hash_of(std::span<const uint64_t> words);

// The nodes as in schedule(). The sequence's memory is used again.
void read(std::span<Node* const> nodes, Sequence& sequence);

// The layouts whose addresses stand in the words: whoever keeps the words keeps them.
std::vector<LayoutRef> layouts_of(const Sequence& sequence);

}  // namespace quern
