#include "graph/schedule.h"

#include <algorithm>
#include <iterator>

namespace quern {

namespace {

constexpr size_t most_nodes = 128, most_loads = 48, most_constants = 96;  // of one kernel
constexpr size_t most_waiting = 16;                                       // numbers that one group takes along
constexpr size_t groups_looked_at = 8;
constexpr size_t most_reductions = 4, most_reduction_bytes = 32;  // of a group, and of their sums' types: shared memory is small
constexpr uint8_t most_loops = 4;

// Rows are gone over once more by whoever reduced them: that pays while they fit a cache, and there are enough of them for all.
bool is_worth_going_on(const Group& group) {
  int64_t results = 1, count = 1;
  bool keeps = false;
  for (size_t i = 0; i < group.shape.size(); ++i) {
    (group.axes[i] ? count : results) *= group.shape[i];
    keeps |= !group.axes[i];
  }
  bool is_small = results * count <= (group.device.is_cpu() ? 1 << 15 : 1 << 16);
  return keeps && count <= 4096 && (is_small || results >= (group.device.is_cpu() ? 16 : 512));
}

class Scheduler {
 public:
  explicit Scheduler(bool shares_loads = true) : shares_loads_(shares_loads) {}

  void add(Node& node) {
    if (may_wait(node)) {
      waiting_.push_back(&node);
      for (Operand& o : node.inputs()) o.node->read_by_waiting = true;
      return;
    }
    if (node.writes() && node.inputs()[0].node->read_by_waiting) place_readers(*node.inputs()[0].node);
    place(node);
  }

  std::vector<Group> finish() {
    for (Node* node : waiting_) {
      if (node->waits) place(*node);
    }
    for (Group& group : groups_) {
      for (uint32_t i = 0; i < group.nodes.size(); ++i) {
        Node* node = group.nodes[i];
        if (group.is_call || node->writes() || node->references > node->uses) group.stores.push_back(i);
        node->uses = 0;
      }
    }
    return std::move(groups_);
  }

 private:
  // A single number waits for the first group that needs it: it costs a thread less than a launch costs.
  bool may_wait(Node& node) {
    if (node.op >= Op::constant || !node.shape().empty()) return false;
    size_t before = 0;
    for (const Operand& o : node.inputs()) {
      if (!o.shape().empty()) return false;
      if (is_apart(node, o)) place(*o.node);
      before += o.node->waits;
    }
    if (before >= most_waiting) return false;
    node.waits = static_cast<uint8_t>(before + 1);
    return true;
  }

  // The real part of a complex number, say, is in memory only: the number cannot be computed in the same kernel. Nor can one that
  // is rounded otherwise.
  static bool is_apart(const Node& node, const Operand& o) {
    return o.node->waits && (o.dtype != o.node->dtype || o.node->is_fast != node.is_fast);
  }

  // Memory is about to be overwritten: those that read it come first.
  void place_readers(Node& old) {
    old.read_by_waiting = false;
    for (Node* node : waiting_) {
      if (!node->waits) continue;
      for (Operand& o : node->inputs()) {
        if (o.node.get() != &old) continue;
        place(*node);
        break;
      }
    }
    std::erase_if(waiting_, [](Node* node) { return !node->waits; });
  }

  void place(Node& node) {
    const Shape& shape = work_shape(node);
    bool apart = is_call(node) || std::find(shape.begin(), shape.end(), 0) != shape.end();
    for (Operand& o : node.inputs()) {
      if ((apart && o.node->waits) || is_apart(node, o)) place(*o.node);
    }
    if (node.writes() && node.inputs()[0].node->waits) place(*node.inputs()[0].node);
    node.waits = 0;
    leaves_.clear();
    find_leaves(node);
    Group& group = group_for(node);
    for (Operand& o : node.inputs()) {
      if (o.node->waits) join(group, *o.node);
    }
    put(group, node);
  }

  void join(Group& group, Node& node) {
    node.waits = 0;
    for (Operand& o : node.inputs()) {
      if (o.node->waits) join(group, *o.node);
    }
    put(group, node);
  }

  // What the node and the numbers it takes along read.
  void find_leaves(Node& node) {
    for (Operand& o : node.inputs().subspan(first_input(node))) {
      if (o.node->waits) {
        find_leaves(*o.node);
      } else if (o.node->op != Op::constant) {
        leaves_.push_back(&o);
      }
    }
  }

  void put(Group& group, Node& node) {
    group.first_origins.push_back(static_cast<uint32_t>(group.origins.size()));
    std::span<Operand> inputs = node.inputs();
    uint8_t loop = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      group.origins.push_back(i < first_input(node) ? Origin{} : source(group, inputs[i]));
      const Origin& from = group.origins.back();
      if (i >= first_input(node) && from.kind == Origin::Kind::local) loop = std::max(loop, loop_after(group, *inputs[i].node));
    }
    group.loops.push_back(loop);
    group.per_result.push_back(group.reduces && !group.is_uniform(node) && work_shape(node) != group.shape);
    if (node.writes()) inputs[0].node->read_by = group.number;
    node.group = group.number;
    node.mark = static_cast<uint32_t>(group.nodes.size());
    group.nodes.push_back(&node);
    group.updates |= node.op == Op::update;
    if (node.op == Op::reduce) {
      group.reduces = true;
      group.axes = node.axes;
      group.goes_on = is_worth_going_on(group);
    }
  }

  static size_t first_input(const Node& node) { return node.writes() ? 1 : 0; }
  static bool is_call(const Node& node) { return node.op == Op::call || node.op == Op::part; }

  // The index space that the node's work goes over.
  static const Shape& work_shape(const Node& node) {
    if (node.op == Op::reduce) return node.operands[0].shape();
    if (node.op == Op::update) return node.target->shape;
    return node.shape();
  }

  // The value of a node of the same group, element for element, or a number.
  static bool is_local(const Group& group, const Operand& o) {
    const Node& node = *o.node;
    return node.group == group.number && node.is_pending() && o.dtype == node.dtype &&
           (o.layout == node.layout || (group.is_uniform(node) && o.layout->offset == 0)) && node.op != Op::reduce &&
           node.op != Op::update;
  }

  // The first loop that can use the node's value.
  static uint8_t loop_after(const Group& group, const Node& node) {
    return static_cast<uint8_t>(group.loops[node.mark] + (node.op == Op::reduce));
  }

  // A result of the group's reductions, or what the group computes from it, as whoever needs it for that result sees it.
  static bool is_of_results(const Group& group, const Operand& o) {
    const Node& node = *o.node;
    if (!group.goes_on || node.group != group.number || !node.is_pending() || o.dtype != node.dtype) return false;
    if (node.op != Op::reduce && !group.per_result[node.mark]) return false;
    auto seen = group.over_elements(*o.layout), own = group.over_elements(*node.layout);
    return seen && own && *seen == *own && loop_after(group, node) < most_loops;
  }

  // Elementwise work on what the group's reductions give.
  bool is_on_results(const Group& group, const Node& node) const {
    if (!group.goes_on || node.op >= Op::constant || !group.over_elements(*node.layout)) return false;
    return std::any_of(leaves_.begin(), leaves_.end(), [&](const Operand* o) { return is_of_results(group, *o); });
  }

  Group& group_for(Node& node) {
    // No group before this one may hold it: it needs what others compute, and must not write what others still read.
    uint32_t earliest = 0;
    for (const Operand* o : leaves_) {
      if (o->node->is_pending()) earliest = std::max(earliest, o->node->group);
    }
    if (node.writes()) {
      const Node& old = *node.inputs()[0].node;
      earliest = std::max({earliest, old.read_by, old.is_pending() ? old.group : 0});
    }
    const Shape& shape = work_shape(node);
    Apart apart = groups_.empty() ? Apart::first : is_call(node) ? Apart::call : Apart::shape;
    for (size_t k = groups_.size(); !is_call(node) && k-- > 0 && k + groups_looked_at >= groups_.size();) {
      Group& group = groups_[k];
      if (group.number < earliest) {
        if (apart == Apart::shape) apart = Apart::order;
        break;
      }
      if (group.device != node.device || group.is_fast != node.is_fast || (group.shape != shape && !is_on_results(group, node)))
        continue;
      if (takes(group, node)) return group;
      apart = group.nodes.size() + most_waiting >= most_nodes ? Apart::full : Apart::order;
    }
    Group group;
    group.apart = apart;
    group.number = static_cast<uint32_t>(groups_.size()) + 1;
    group.shape = shape;
    group.device = node.device;
    group.is_fast = node.is_fast;
    group.is_call = is_call(node);
    groups_.push_back(std::move(group));
    return groups_.back();
  }

  bool takes(const Group& group, const Node& node) const {
    if (group.is_call || group.nodes.size() + most_waiting >= most_nodes || group.constants.size() >= most_constants ||
        group.loads.size() + leaves_.size() >= most_loads)
      return false;
    bool empty = std::find(group.shape.begin(), group.shape.end(), 0) != group.shape.end();
    if (empty) return false;
    if (node.op == Op::reduce && group.reduces && (group.axes != node.axes || !has_room(group, node))) return false;
    if (node.op == Op::update && group.reduces) return false;
    if (node.op == Op::reduce && group.updates) return false;
    for (const Operand* o : leaves_) {
      // What the group computes can be used in it only as it is, element for element.
      if (o->node->is_pending() && o->node->group == group.number && !is_local(group, *o) && !is_of_results(group, *o))
        return false;
    }
    if (node.op != Op::update) return !group.updates || reads_no_written(group);
    // What is written may be read in the same kernel only by the thread that writes it.
    Node* old = node.operands[0].node.get();
    if (old->is_pending() && old->group == group.number) return false;
    for (const Load& load : group.loads) {
      if (load.node == old && !(load.layout == node.target && load.dtype == node.target_dtype)) return false;
    }
    for (const Operand* o : leaves_) {
      if (o->node.get() == old && !(o->layout == node.target && o->dtype == node.target_dtype)) return false;
    }
    return true;
  }

  static bool has_room(const Group& group, const Node& reduction) {
    size_t count = 1, bytes = size_of(accumulator(reduction.reduction, reduction.compute));
    for (const Node* node : group.nodes) {
      if (node->op != Op::reduce) continue;
      ++count;
      bytes += size_of(accumulator(node->reduction, node->compute));
    }
    return count <= most_reductions && bytes <= most_reduction_bytes;
  }

  bool reads_no_written(const Group& group) const {
    for (Node* writer : group.nodes) {
      if (writer->op != Op::update) continue;
      Node* old = writer->operands[0].node.get();
      for (const Operand* o : leaves_) {
        if (o->node.get() == old) return false;
      }
    }
    return true;
  }

  Origin source(Group& group, const Operand& o) {
    Node* node = o.node.get();
    if (node->op == Op::constant) {
      group.constants.push_back(node);
      return {Origin::Kind::constant, static_cast<uint32_t>(group.constants.size() - 1)};
    }
    if (is_local(group, o) || is_of_results(group, o)) {
      ++node->uses;
      return {Origin::Kind::local, node->mark};
    }
    node->read_by = std::max(node->read_by, group.number);
    LayoutRef layout = o.layout;
    if (layout->shape.empty() && !group.shape.empty()) {
      layout = interned(layout->broadcast_to(group.shape));
    } else if (group.reduces && layout->shape != group.shape) {
      layout = interned(*group.over_elements(*layout));
    }
    for (uint32_t i = 0; shares_loads_ && i < group.loads.size(); ++i) {
      const Load& load = group.loads[i];
      if (load.node == node && load.layout == layout && load.dtype == o.dtype) return {Origin::Kind::load, i};
    }
    group.loads.push_back({node, std::move(layout), o.dtype});
    return {Origin::Kind::load, static_cast<uint32_t>(group.loads.size() - 1)};
  }

  std::vector<Group> groups_;
  std::vector<Node*> waiting_;
  std::vector<const Operand*> leaves_;  // of the node that is being placed
  const bool shares_loads_;             // what is read twice is loaded once
};

void forget_places(Node& node) {
  node.group = node.uses = node.read_by = 0;
  for (Operand& o : node.inputs()) {
    o.node->group = o.node->read_by = 0;
    o.node->read_by_waiting = false;
  }
}

}  // namespace

std::optional<Layout> Group::over_elements(const Layout& results) const {
  size_t rank = shape.size(), next = 0;
  bool with_axes = results.rank() == rank;
  Layout out{shape, std::vector<int64_t>(rank, 0), results.offset};
  for (size_t i = 0; i < rank; ++i) {
    if (axes[i]) {
      if (with_axes && results.shape[i] != 1 && results.strides[i] != 0) return std::nullopt;
      continue;
    }
    size_t at = with_axes ? i : next++;
    if (at >= results.rank() || results.shape[at] != shape[i]) return std::nullopt;
    if (shape[i] != 1) out.strides[i] = results.strides[at];
  }
  if (!with_axes && next != results.rank()) return std::nullopt;
  return out;
}

std::vector<Node*> needed_for(std::span<Node* const> targets) {
  std::vector<Node*> all;
  all.reserve(graph.pending.count());
  std::copy_if(graph.pending.nodes().begin(), graph.pending.nodes().end(), std::back_inserter(all),
               [](Node* node) { return node; });
  if (targets.empty()) return all;
  for (Node* node : all) node->needed = false;
  for (Node* target : targets) target->needed = true;
  for (size_t i = all.size(); i-- > 0;) {
    Node* node = all[i];
    for (Operand& o : node->inputs()) node->needed |= o.node->overwritten;
    if (!node->needed) continue;
    for (Operand& o : node->inputs()) o.node->needed = true;
    if (node->writes()) node->inputs()[0].node->overwritten = true;
  }
  for (Node* node : all) {
    node->overwritten = false;
    for (Operand& o : node->inputs()) o.node->overwritten = false;
  }
  std::erase_if(all, [](Node* node) { return !node->needed; });
  return all;
}

Group group_of(Node& node) {
  forget_places(node);
  Scheduler scheduler(false);
  scheduler.add(node);
  Group group = std::move(scheduler.finish()[0]);
  group.is_fast = false;  // there are kernels of exact operations
  return group;
}

std::vector<Group> schedule(std::span<Node* const> nodes) {
  for (Node* node : nodes) forget_places(*node);
  Scheduler scheduler;
  for (Node* node : nodes) scheduler.add(*node);
  return scheduler.finish();
}

}  // namespace quern
