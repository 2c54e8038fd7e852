#include "graph/node.h"

#include "core/error.h"
#include "core/interrupts.h"
#include "graph/array.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace quern {

namespace {

uint64_t mix(uint64_t h, uint64_t x) {
  h ^= x + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdull;
}

uint64_t hash_of(const Layout& layout) {
  uint64_t h = layout.rank();
  for (int64_t d : layout.shape) h = mix(h, static_cast<uint64_t>(d));
  for (int64_t s : layout.strides) h = mix(h, static_cast<uint64_t>(s));
  return mix(h, static_cast<uint64_t>(layout.offset));
}

// An open table; spaces that nobody uses go when it has doubled.
class Spaces {
 public:
  SpaceRef find(Layout&& layout) {
    uint64_t hash = hash_of(layout);
    Space*& recent = recent_[hash % recent_.size()];
    if (recent && recent->hash == hash && recent->layout == layout) return SpaceRef(recent);
    auto [begin, end] = table_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (it->second->layout == layout) return SpaceRef(recent = it->second.get());
    }
    if (table_.size() >= limit_) sweep();
    auto made = std::make_unique<Space>();
    made->size = layout.size();
    made->contiguous = layout.offset == 0 && layout.is_contiguous();
    made->hash = hash;
    made->layout = std::move(layout);
    Space* space = made.get();
    table_.emplace(hash, std::move(made));
    recent_[hash % recent_.size()] = space;
    return SpaceRef(space);
  }

 private:
  void sweep() {
    recent_.fill(nullptr);
    std::erase_if(table_, [](const auto& entry) { return entry.second->references == 0; });
    limit_ = std::max<size_t>(4096, table_.size() * 2);
  }

  std::unordered_multimap<uint64_t, std::unique_ptr<Space>> table_;
  std::array<Space*, 1024> recent_{};
  size_t limit_ = 4096;
};

// Never destroyed: arrays may outlive static objects.
Spaces& spaces() {
  static Spaces* all = new Spaces;
  return *all;
}

Node* free_nodes = nullptr;
size_t free_count = 0;
std::vector<Node*>& all_pending = *new std::vector<Node*>;
size_t live_pending = 0, visible_pending = 0;

}  // namespace

GraphMutex graph_mutex;

std::atomic<bool> streams_were_chosen = false;
const void* streams_of_pending = nullptr;
const void*& streams_of_thread() {
  static thread_local const void* streams = nullptr;
  return streams;
}

void GraphMutex::wait(void* self) {
  Waiting without_python;
  waiting_.fetch_add(1, std::memory_order_seq_cst);
  for (;;) {
    void* holder = nullptr;
    if (owner_.compare_exchange_strong(holder, self, std::memory_order_seq_cst)) break;
    owner_.wait(holder, std::memory_order_relaxed);
  }
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

uint32_t GraphMutex::give_up() {
  if (owner_.load(std::memory_order_relaxed) != __builtin_thread_pointer()) return 0;
  uint32_t times = depth_ + 1;
  depth_ = 0;
  unlock();
  return times;
}

void GraphMutex::take_back(uint32_t times) {
  lock();
  depth_ = times - 1;
}

// Handlers of signals run without it.
static const bool lock_is_known = [] {
  set_lock_hooks({[] { return graph_mutex.give_up(); }, [](uint32_t times) { graph_mutex.take_back(times); }});
  return true;
}();

SpaceRef space_of(Layout layout) {
  GraphLock lock;
  return spaces().find(std::move(layout));
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

std::vector<Node*>& pending() { return all_pending; }
size_t pending_count() { return live_pending; }
size_t pending_visible() { return visible_pending; }

void add_pending(Node& node) {
  // Work that nobody wants any more leaves gaps, and may do so for ever.
  if (pending().size() >= 2 * live_pending + 4096) compact_pending();
  node.slot = pending().size();
  pending().push_back(&node);
  ++live_pending;
  visible_pending += node.cells > 0;
}

void remove_pending(Node& node) {
  if (!node.is_pending()) return;
  pending()[node.slot] = nullptr;
  node.slot = Node::no_slot;
  --live_pending;
  visible_pending -= node.cells > 0;
}

void compact_pending() {
  std::erase(pending(), nullptr);
  for (size_t i = 0; i < pending().size(); ++i) pending()[i]->slot = i;
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
  if (streams_were_chosen.load(std::memory_order_relaxed) && streams_of_thread() != streams_of_pending)
    evaluator().change_streams();
  Node* node = free_nodes;
  if (node) {
    free_nodes = node->next;
    --free_count;
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
    remove_pending(*n);
    for (Operand& operand : n->inputs()) {
      Node* input = operand.node.detach();
      operand.space = {};
      if (input && --input->references == 0) {
        input->next = dead;
        dead = input;
      }
    }
    if (n->call) n->call.reset();
    if (free_count < 4096) {
      n->operand_count = 0;
      n->is_computed = n->is_settled = n->writes_pinned = n->needed = n->overwritten = false;
      n->cells = n->group = n->mark = n->read_by = n->uses = 0;
      n->space = {};
      n->target = {};
      n->axes.clear();
      n->doubts.clear();
      n->work = 0;
      n->user = nullptr;
      if (n->buffer) n->buffer.reset();
      if (n->error) n->error.reset();
      n->next = std::exchange(free_nodes, n);
      ++free_count;
    } else {
      delete n;
    }
  }
}

namespace {
struct FreeCell {
  FreeCell* next;
};
FreeCell* free_cells = nullptr;
}  // namespace

void* Cell::operator new(size_t size) {
  if (FreeCell* cell = free_cells) {
    free_cells = cell->next;
    return cell;
  }
  return ::operator new(size);
}
void Cell::operator delete(void* memory) { free_cells = new (memory) FreeCell{free_cells}; }

void Cell::set(NodeRef value) {
  if (value && ++value->cells == 1) visible_pending += value->is_pending();
  if (node && --node->cells == 0) visible_pending -= node->is_pending();
  node = std::move(value);
}

}  // namespace quern
