// The graph: everything about recorded work that is not a value itself. What is pending, the lock that guards it all, layouts
// that are kept once, whose streams the pending work belongs to, and when work that nobody reads is submitted.
//
// There is one, `graph`, which is never destroyed, since arrays may outlive static objects.
#pragma once

#include "core/layout.h"
#include "core/site.h"
#include "graph/executor.h"
#include "graph/rounds.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace quern {

struct Node;

// The lock, which its holder may take again. Taken for each operation that is recorded: std::recursive_mutex costs four times as
// much.
class GraphMutex {
 public:
  void lock() {
    void* self = __builtin_thread_pointer();
    if (owner_.load(std::memory_order_relaxed) == self) {
      ++depth_;
      return;
    }
    void* nobody = nullptr;
    if (!owner_.compare_exchange_strong(nobody, self, std::memory_order_acquire)) wait(self);
  }
  void unlock() {
    if (depth_ > 0) {
      --depth_;
      return;
    }
    owner_.store(nullptr, std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_seq_cst) > 0) owner_.notify_one();
  }
  // Lets go of it however often the calling thread holds it; returns how often, for take_back().
  uint32_t give_up();
  void take_back(uint32_t times);

 private:
  void wait(void* self);
  std::atomic<void*> owner_ = nullptr;  // the holder's thread pointer
  std::atomic<uint32_t> waiting_ = 0;
  uint32_t depth_ = 0;  // how often its holder holds it, less one
};

// A layout that is kept once, so that equal ones are the same pointer.
struct InternedLayout : Layout {
  int64_t elements = 0;  // size(), known
  bool dense = false;    // C order without gaps, from the start of the memory
  uint64_t hash = 0;
  uint64_t form = 0;  // the same for layouts that differ in their offset alone
  uint32_t references = 0;
};

// An open table; layouts that nobody uses go when it has doubled.
class InternedLayouts {
 public:
  InternedLayout& find(Layout&& layout);

 private:
  void sweep();
  std::unordered_multimap<uint64_t, std::unique_ptr<InternedLayout>> table_;
  std::array<InternedLayout*, 1024> recent_{};
  size_t limit_ = 4096;
};

// The nodes that wait to be evaluated, in the order they were recorded; those that nobody holds any more leave a null.
class Pending {
 public:
  const std::vector<Node*>& nodes() const { return nodes_; }
  size_t count() const { return count_; }
  int64_t bytes() const { return bytes_; }  // of their values, whether they will be stored or not
  void add(Node& node);
  void remove(Node& node);
  void compact();

 private:
  std::vector<Node*> nodes_;
  size_t count_ = 0;
  int64_t bytes_ = 0;
};

// When work whose values nobody has read is submitted: once much is pending, whole rounds of the loop that the program is in;
// where no loop is seen, all of it once very much is. Much are many operations, or many bytes: those of pending values and of the
// memory that programs have filled since, which pending work may keep from being used again.
class Pressure {
 public:
  inline void feel();  // after an operation was recorded
  void filled(int64_t bytes) { filled_ += bytes; }
  void relieve() { filled_ = 0, looks_at_bytes_ = low_bytes_; }                // nothing is pending
  void set_low_bytes(int64_t bytes) { low_bytes_ = looks_at_bytes_ = bytes; }  // for tests
  int held_back = 0;                                                           // by so many KeepPending

 private:
  static constexpr size_t low = 256;
  void submit();
  void wait_for_rounds(size_t count, int64_t bytes);
  int64_t filled_ = 0;
  size_t looks_at_ = low;  // pending then, it is looked for a loop
  int64_t low_bytes_ = int64_t{1} << 30, looks_at_bytes_ = low_bytes_;
};

struct StreamSet;  // the streams that are current on each device (run/streams.cpp); null: the default ones

class Graph {
 public:
  GraphMutex mutex;
  InternedLayouts layouts;
  Pending pending;
  Rounds rounds;
  Pressure pressure;
  // Whose streams the pending work belongs to. What is recorded for others submits that first. Only checked once somebody has
  // chosen a stream.
  const StreamSet* streams = nullptr;
  std::atomic<bool> streams_were_chosen = false;
  // Nodes and cells that are free to be used again.
  Node* free_nodes = nullptr;
  size_t free_node_count = 0;
  void* free_cells = nullptr;
  uint64_t operations_recorded = 0;  // so far, on arrays; those that ran at once among them
  uint64_t evaluations = 0;          // begun: whoever sees the number change was interrupted by another one
  uint64_t nodes_let_go = 0;         // pending ones, that nobody wanted any more: whoever sees the number change has lost some
};
extern Graph& graph;

void Pressure::feel() {
  bool much = graph.pending.count() >= looks_at_ || graph.pending.bytes() + filled_ >= looks_at_bytes_;
  if (much && held_back == 0 && graph.pending.count() > 0) submit();
}

const StreamSet*& streams_of_thread();

// A thread that has to wait for it gives up Python's lock meanwhile; so whoever holds this one may take that one.
class GraphLock {
 public:
  GraphLock() { graph.mutex.lock(); }
  ~GraphLock() { graph.mutex.unlock(); }
  GraphLock(const GraphLock&) = delete;
  GraphLock& operator=(const GraphLock&) = delete;
};

// While one lives, its thread does not hold the lock, however often it had taken it: for calls of the program's own code.
class GraphUnlock {
 public:
  GraphUnlock() : times_(graph.mutex.give_up()) {}
  ~GraphUnlock() {
    if (times_ > 0) graph.mutex.take_back(times_);
  }
  GraphUnlock(const GraphUnlock&) = delete;
  GraphUnlock& operator=(const GraphUnlock&) = delete;

 private:
  uint32_t times_;
};

// While one lives, nothing is submitted because much is pending; evaluation still submits.
class KeepPending {
 public:
  KeepPending();
  ~KeepPending();
  KeepPending(const KeepPending&) = delete;
};

}  // namespace quern
