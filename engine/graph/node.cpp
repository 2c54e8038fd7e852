#include "graph/node.h"

#include "core/error.h"
#include "core/interrupts.h"
#include "graph/array.h"
#include "graph/fast_math.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace quern {

LayoutRef interned(Layout layout) {
  GraphLock lock;
  return LayoutRef(&graph.layouts.find(std::move(layout)));
}
LayoutRef contiguous_layout(const Shape& shape) { return interned(Layout::contiguous(shape)); }

LayoutRef broadcast_layout(const LayoutRef& from, const LayoutRef& to) {
  struct Known {
    LayoutRef from, to, made;
  };
  static auto& known = *new std::array<Known, 256>;
  Known& slot = known[(from->hash ^ to->hash >> 8) % known.size()];
  if (!(slot.from == from && slot.to == to)) slot = {from, to, interned(from->broadcast_to(to->shape))};
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
  return std::make_shared<const Failed>(
      ErrorKind::runtime,
      formatted("[array] the program was interrupted while the value was computed; compute it again{}", recorded_at(node.site)));
}

NodeRef new_node(Op op, DType dtype, LayoutRef layout, DeviceId device) {
  constexpr int64_t most_bytes = std::numeric_limits<int64_t>::max();
  if (layout->elements > most_bytes / 16 && layout->elements > most_bytes / static_cast<int64_t>(size_of(dtype)))
    raise(ErrorKind::value, "array is too big: {} elements of {}", to_string(layout->shape), row(dtype).name);
  if (graph.streams_were_chosen.load(std::memory_order_relaxed) && streams_of_thread() != graph.streams)
    execute(Ask::other_streams);
  if (op != Op::data && op != Op::constant && op != Op::index) ++graph.operations_recorded;
  Node* node = graph.free_nodes;
  if (node) {
    graph.free_nodes = node->next;
    --graph.free_node_count;
  } else {
    node = new Node;
  }
  node->op = op;
  node->dtype = node->compute = dtype;
  node->layout = std::move(layout);
  node->device = device;
  node->is_fast = is_fast_math();
  return NodeRef(node);
}

NodeRef constant_node(const Constant& value, DType dtype, DeviceId device) {
  static LayoutRef* scalar = new LayoutRef(contiguous_layout({}));
  NodeRef node = new_node(Op::constant, dtype, *scalar, device);
  node->constant = value;
  return node;
}

KnownPart known_part(const Node& constant) {
  if (constant.op != Op::constant || !constant.is_fast || !is_complex(constant.dtype)) return KnownPart::none;
  auto part = [&](auto zero, size_t i) {
    std::memcpy(&zero, constant.constant.bytes.data() + i * sizeof zero, sizeof zero);
    return static_cast<double>(zero);
  };
  const bool is_small = constant.dtype == DType::complex64;
  if ((is_small ? part(float{}, 1) : part(double{}, 1)) == 0) return KnownPart::imaginary_is_zero;
  return (is_small ? part(float{}, 0) : part(double{}, 0)) == 0 ? KnownPart::real_is_zero : KnownPart::none;
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
      operand.layout = {};
      if (input && --input->references == 0) {
        input->next = dead;
        dead = input;
      }
    }
    if (n->call) n->call.reset();
    if (graph.free_node_count < 4096) {
      n->operand_count = 0;
      n->is_computed = n->is_settled = n->writes_exposed = n->needed = n->overwritten = false;
      n->cells = n->group = n->mark = n->read_by = n->uses = 0;
      n->layout = {};
      n->target = {};
      n->axes.clear();
      n->deferred.clear();
      n->looked_through.clear();
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
