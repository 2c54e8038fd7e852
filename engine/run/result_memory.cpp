#include "run/result_memory.h"

#include "device/stream_order.h"
#include "run/undisturbed.h"

#include <algorithm>

namespace quern {

namespace {

// A value that is gone once the group has run, in memory of ours that it has for itself.
bool only_here(const Context& context, const Group& group, const Node& value) {
  const Block& block = *value.buffer.block();
  if (value.cells > 0 || block.references != 1 || block.owner != &context.pool || block.escaped || value.is_exposed())
    return false;
  uint32_t here = 0;
  for (const Node* node : group.nodes) {
    for (const Operand& o : node->inputs()) here += o.node.get() == &value;
  }
  return value.references == here;
}

// The memory of a value that the result is computed from, where it lies like the result and nobody else will see it: `a = a +
// b` then stays where it is. Each thread reads all that it needs before it writes, and it writes over what it alone has read.
Buffer taken_over(const Context& context, const Group& group, const Node& node) {
  if (group.reduces || group.updates || node.size() <= 1 || node.shape() != group.shape) return {};
  for (const Load& load : group.loads) {
    const Node& old = *load.node;
    if (!old.buffer || !(load.layout == node.layout) || load.dtype != node.dtype || !only_here(context, group, old)) continue;
    auto others = [&](const Load& other) {
      return other.node == load.node && !(other.layout == load.layout && other.dtype == load.dtype);
    };
    if (std::none_of(group.loads.begin(), group.loads.end(), others) && old.size() == node.size() && old.dtype == node.dtype)
      return old.buffer;
  }
  return {};
}

}  // namespace

Buffer memory_for(Context& context, size_t bytes, Site site, bool in_order) {
  Undisturbed undisturbed;
  Buffer out = context.allocate(bytes, site, in_order);
  undisturbed.check();
  return out;
}

Buffer memory_of(Context& context, std::span<Node* const> group, Node& node) {
  size_t bytes = std::max<size_t>(static_cast<size_t>(node.size()) * size_of(node.dtype), 1);
  if (!node.writes()) return memory_for(context, bytes, node.site);
  Node& old = *node.inputs()[0].node;
  uint32_t here = 0;
  for (Node* other : group) {
    for (Operand& o : other->inputs()) here += o.node.get() == &old;
  }
  bool free = old.cells == 0 && old.references == here;
  if (free || node.writes_exposed) return old.buffer;
  Buffer copy = memory_for(context, bytes, node.site);
  use_on(context.work_stream, *old.buffer.block(), false);
  use_on(context.work_stream, *copy.block(), true);
  context.copy(context.work_stream, copy.pointer(), old.buffer.pointer(), bytes, CopyKind::device_to_device, false);
  return copy;
}

Buffer memory_of(Context& context, const Group& group, uint32_t store) {
  Node& node = *group.nodes[store];
  if (Buffer taken = taken_over(context, group, node)) return taken;
  return memory_of(context, group.nodes, node);
}

}  // namespace quern
