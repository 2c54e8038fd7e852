#include "graph/graph.h"

#include "core/interrupts.h"
#include "core/wait.h"
#include "graph/array.h"
#include "graph/host_reads.h"

#include <algorithm>

namespace quern {

Graph& graph = *new Graph;

static thread_local uint64_t host_reads_here = 0;
uint64_t host_reads() { return host_reads_here; }
void count_host_read() { ++host_reads_here; }

const StreamSet*& streams_of_thread() {
  static thread_local const StreamSet* streams = nullptr;
  return streams;
}

// ---- the lock

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
  set_lock_hooks({[] { return graph.mutex.give_up(); }, [](uint32_t times) { graph.mutex.take_back(times); }});
  return true;
}();

// ---- layouts

static uint64_t mix(uint64_t h, uint64_t x) {
  h ^= x + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdull;
}

static uint64_t form_of(const Layout& layout) {
  uint64_t h = layout.rank();
  for (int64_t d : layout.shape) h = mix(h, static_cast<uint64_t>(d));
  for (int64_t s : layout.strides) h = mix(h, static_cast<uint64_t>(s));
  return h;
}

InternedLayout& InternedLayouts::find(Layout&& layout) {
  uint64_t form = form_of(layout), hash = mix(form, static_cast<uint64_t>(layout.offset));
  InternedLayout*& recent = recent_[hash % recent_.size()];
  if (recent && recent->hash == hash && static_cast<const Layout&>(*recent) == layout) return *recent;
  auto [begin, end] = table_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (static_cast<const Layout&>(*it->second) == layout) return *(recent = it->second.get());
  }
  if (table_.size() >= limit_) sweep();
  auto made = std::make_unique<InternedLayout>();
  made->elements = layout.size();
  made->dense = layout.offset == 0 && layout.is_contiguous();
  made->hash = hash;
  made->form = form;
  static_cast<Layout&>(*made) = std::move(layout);
  recent = made.get();
  table_.emplace(hash, std::move(made));
  return *recent;
}

void InternedLayouts::sweep() {
  recent_.fill(nullptr);
  std::erase_if(table_, [](const auto& entry) { return entry.second->references == 0; });
  limit_ = std::max<size_t>(4096, table_.size() * 2);
}

// ---- what is pending

// An update's value is in memory that is there already.
static int64_t bytes_of(const Node& node) { return node.writes() ? 0 : node.size() * static_cast<int64_t>(size_of(node.dtype)); }

void Pending::add(Node& node) {
  if (count_ == 0) graph.pressure.relieve();
  // Work that nobody wants any more leaves gaps, and may do so for ever.
  if (nodes_.size() >= 2 * count_ + 4096) compact();
  node.slot = nodes_.size();
  nodes_.push_back(&node);
  ++count_;
  bytes_ += bytes_of(node);
}

void Pending::remove(Node& node) {
  if (!node.is_pending()) return;
  nodes_[node.slot] = nullptr;
  node.slot = Node::no_slot;
  --count_;
  bytes_ -= bytes_of(node);
}

void Pending::compact() {
  std::erase(nodes_, nullptr);
  for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->slot = i;
}

// ---- the executor

static Executor executor = nullptr;
void set_executor(Executor given) { executor = given; }
bool execute(Ask ask, std::span<Node* const> nodes) { return executor(ask, nodes); }

// ---- pressure

void Pressure::submit() {
  constexpr size_t most = 1024, most_of_a_loop = 2 * most + low;
  const int64_t most_filled = 4 * low_bytes_;
  const size_t count = graph.pending.count();
  const int64_t bytes = graph.pending.bytes() + filled_;
  if (execute(Ask::rounds_over)) {
    looks_at_ = std::max(low, graph.pending.count() + low / 2);
    filled_ = 0;
    looks_at_bytes_ = graph.pending.bytes() + low_bytes_;
  } else if (filled_ < most_filled && (count < most || (count < most_of_a_loop && graph.rounds.may_come_again()))) {
    wait_for_rounds(count, bytes);
  } else {
    execute(Ask::submitted);
    looks_at_ = low;
    relieve();
  }
}

// Nothing is over yet: until a round is, where one is known, else until there is much more.
void Pressure::wait_for_rounds(size_t count, int64_t bytes) {
  const size_t missing = graph.rounds.missing();
  if (count >= looks_at_) looks_at_ = count + (missing > 0 ? missing : std::min(count, low * 2));
  if (bytes < looks_at_bytes_) return;
  if (missing > 0) looks_at_ = std::min(looks_at_, count + missing);
  looks_at_bytes_ = 2 * bytes;
}

KeepPending::KeepPending() {
  GraphLock lock;
  ++graph.pressure.held_back;
}
KeepPending::~KeepPending() {
  GraphLock lock;
  --graph.pressure.held_back;
}

}  // namespace quern
