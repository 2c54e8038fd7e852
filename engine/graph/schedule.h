// From pending nodes to groups: each group is one kernel.
//
// Start at schedule() in schedule.cpp. Nodes are taken in the order they were recorded, which is a topological one, and join the
// newest group of their shape that comes late enough; so a group holds elementwise work of one shape, the writes of it into parts
// of arrays, and the reductions over it. Single numbers (shape ()) that such a group needs are computed in it by every thread.
#pragma once

#include "graph/node.h"

namespace quern {

struct Load {
  Node* node;
  LayoutRef layout;
  DType dtype;
};

// Where a node of a group finds an operand.
struct Origin {
  enum class Kind : uint8_t { local, load, constant } kind;
  uint32_t index;
};

// Why a group's first node did not join a group before it.
enum class Apart : uint8_t {
  first,  // there was none
  call,   // it is a function of whole arrays
  shape,  // they go over other shapes
  order,  // it needs, elsewhere than element for element, what a group before it computes; or that one reads what it overwrites
  full,
};

struct Group {
  uint32_t number = 0;
  Shape shape;
  DeviceId device;
  Apart apart = Apart::first;
  bool reduces = false;
  bool is_fast = false;    // of its nodes (Node::is_fast)
  bool is_call = false;    // its one node is a call, or a part of one
  std::vector<bool> axes;  // those that its reductions take away
  bool updates = false;    // writes into parts of arrays
  bool goes_on = false;    // what needs the reductions' results may join
  std::vector<Node*> nodes;
  // A group that needs its own reductions' results goes over its elements again: the loop in which a node is computed. A node
  // that is computed once for each result, in front of that loop, stands in per_result.
  std::vector<uint8_t> loops;
  std::vector<bool> per_result;
  std::vector<Origin> origins;          // of all nodes' operands, one node after the other
  std::vector<uint32_t> first_origins;  // of each node
  std::vector<Load> loads;
  std::vector<Node*> constants;
  std::vector<uint32_t> stores;  // nodes whose value is kept: the index of each

  // A single number in a group of more: the same for every element.
  bool is_uniform(const Node& node) const { return node.shape().empty() && !shape.empty() && node.op < Op::constant; }
  // A layout over the results (with the reduced axes or without them) as one over all elements. Nothing: it is none.
  std::optional<Layout> over_elements(const Layout& results) const;
  // Where a node finds its operands; an update's first is not read.
  std::span<const Origin> sources(size_t node) const {
    size_t begin = first_origins[node], end = node + 1 < first_origins.size() ? first_origins[node + 1] : origins.size();
    return {origins.data() + begin, end - begin};
  }
};

// Of what is pending, what must run so that the targets are there (none: all of it), in the order it was recorded: their
// ancestors, and whoever still reads memory that one of those overwrites.
std::vector<Node*> needed_for(std::span<Node* const> targets);

// A node that is no call by itself, as a group that reads each operand by a load of its own.
Group group_of(Node& node);

// The groups that compute the nodes, in the order to run them. What they need of other pending nodes has to run before.
std::vector<Group> schedule(std::span<Node* const> nodes);

}  // namespace quern
