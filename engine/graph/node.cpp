#include "graph/node.h"

#include "core/error.h"
#include "core/interrupts.h"
#include "graph/array.h"

#include <algorithm>
#include <limits>

namespace quern {

SpaceRef space_of(Layout layout) {
  GraphLock lock;
  return SpaceRef(&graph.spaces.find(std::move(layout)));
}
SpaceRef contiguous_space(const Shape& shape) { return space_of(Layout::contiguous(shape)); }

SpaceRef broadcast_space(const SpaceRef& from, const SpaceRef& to) {
  struct Known {
    SpaceRef from, to, made;
  };
  static auto& known = *new std::array<Known, 256>;
  Known& slot = known[(from->hash ^ to->hash >> 8) % known.size()];
  if (!(slot.from == from && slot.to == to)) slot = {from, to, space_of(from->layout.broadcast_to(to->layout.shape))};
  return slot.made;
}

NodeRef::NodeRef(Node* node) : node_(node) {
  if (node_) ++node_->references;
}

void Node::drop_inputs() {
  if (call) return call->operands.clear();
  for (Operand& o : inputs()) o = {};
  operand_count = 0;
}

std::shared_ptr<const Failed> interrupted(const Node& node) {
  if (!is_dropped(node.work)) return nullptr;
  std::string where = describe_site(node.site);
  return std::make_shared<const Failed>(
      ErrorKind::runtime, fmt::format("[array] the program was interrupted while the value was computed; compute it again{}",
                                      where.empty() ? "" : " (recorded at " + where + ")"));
}

NodeRef new_node(Op op, DType dtype, SpaceRef space, int8_t device) {
  constexpr int64_t most_bytes = std::numeric_limits<int64_t>::max();
  if (space->size > most_bytes / 16 && space->size > most_bytes / static_cast<int64_t>(size_of(dtype)))
    raise(ErrorKind::value, "array is too big: {} elements of {}", to_string(space->layout.shape), row(dtype).name);
  if (graph.streams_were_chosen.load(std::memory_order_relaxed) && streams_of_thread() != graph.streams)
    evaluator().change_streams();
  Node* node = graph.free_nodes;
  if (node) {
    graph.free_nodes = node->next;
    --graph.free_node_count;
  } else {
    node = new Node;
  }
  node->op = op;
  node->dtype = node->compute = dtype;
  node->space = std::move(space);
  node->device = device;
  return NodeRef(node);
}

NodeRef constant_node(const Constant& value, DType dtype, int8_t device) {
  static SpaceRef* scalar = new SpaceRef(contiguous_space({}));
  NodeRef node = new_node(Op::constant, dtype, *scalar, device);
  node->constant = value;
  return node;
}

// Chains of nodes are let go one by one, never by recursion: they may be millions long.
void release(Node* node) {
  if (--node->references > 0) return;
  node->next = nullptr;
  for (Node* dead = node; dead;) {
    Node* n = dead;
    dead = n->next;
    graph.nodes_let_go += n->is_pending();
    graph.pending.remove(*n);
    for (Operand& operand : n->inputs()) {
      Node* input = operand.node.detach();
      operand.space = {};
      if (input && --input->references == 0) {
        input->next = dead;
        dead = input;
      }
    }
    if (n->call) n->call.reset();
    if (graph.free_node_count < 4096) {
      n->operand_count = 0;
      n->is_computed = n->is_settled = n->writes_pinned = n->needed = n->overwritten = false;
      n->cells = n->group = n->mark = n->read_by = n->uses = 0;
      n->space = {};
      n->target = {};
      n->axes.clear();
      n->doubts.clear();
      n->work = n->token = 0;
      n->user = nullptr;
      if (n->buffer) n->buffer.reset();
      if (n->error) n->error.reset();
      n->next = std::exchange(graph.free_nodes, n);
      ++graph.free_node_count;
    } else {
      delete n;
    }
  }
}

namespace {
struct FreeCell {
  void* next;
};
}  // namespace

void* Cell::operator new(size_t size) {
  if (void* cell = graph.free_cells) {
    graph.free_cells = static_cast<FreeCell*>(cell)->next;
    return cell;
  }
  return ::operator new(size);
}
void Cell::operator delete(void* memory) { graph.free_cells = new (memory) FreeCell{graph.free_cells}; }

void Cell::set(NodeRef value) {
  if (value) ++value->cells;
  if (node) --node->cells;
  node = std::move(value);
}

}  // namespace quern
