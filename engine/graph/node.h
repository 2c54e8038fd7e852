// Nodes and cells: what arrays are made of.
//
// A Node is a value, and how it comes about: an op over operands, each another node seen through a layout. It never changes; it
// is pending until it is evaluated and then holds memory (Op::data in all but name). A Cell is a variable: it holds the node that
// is its value now. An array (array.h) is a view of a cell, so writing into an array puts another node into its cell, and every
// view sees it.
//
// Everything here is guarded by the graph's lock, held by GraphLock; counts are plain integers. Messages that name
// Python lines are made outside of it.
#pragma once

#include "core/buffer.h"
#include "core/device_id.h"
#include "core/layout.h"
#include "core/site.h"
#include "core/wait.h"
#include "graph/deferred_errors.h"
#include "graph/graph.h"
#include "graph/op.h"
#include "graph/user_row.h"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quern {

// Made, copied and let go of with the lock held.
class LayoutRef {
 public:
  LayoutRef() = default;
  explicit LayoutRef(InternedLayout* layout) : layout_(layout) {
    if (layout_) ++layout_->references;
  }
  LayoutRef(const LayoutRef& other) : LayoutRef(other.layout_) {}
  LayoutRef(LayoutRef&& other) noexcept : layout_(std::exchange(other.layout_, nullptr)) {}
  LayoutRef& operator=(LayoutRef other) noexcept {
    std::swap(layout_, other.layout_);
    return *this;
  }
  ~LayoutRef() {
    if (layout_) --layout_->references;  // the table lets go of unused ones when it grows
  }
  const InternedLayout* operator->() const { return layout_; }
  const InternedLayout& operator*() const { return *layout_; }
  const InternedLayout* get() const { return layout_; }
  bool operator==(const LayoutRef& other) const { return layout_ == other.layout_; }
  explicit operator bool() const { return layout_ != nullptr; }

 private:
  InternedLayout* layout_ = nullptr;
};

LayoutRef interned(Layout layout);
LayoutRef contiguous_layout(const Shape& shape);
LayoutRef broadcast_layout(const LayoutRef& from, const LayoutRef& to);  // `from` over the shape of `to`

// ---- nodes

struct Node;
void release(Node* node);  // one reference less

class NodeRef {
 public:
  NodeRef() = default;
  explicit NodeRef(Node* node);
  NodeRef(const NodeRef& other) : NodeRef(other.node_) {}
  NodeRef(NodeRef&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  NodeRef& operator=(NodeRef other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~NodeRef() {
    if (node_) release(node_);
  }
  Node* operator->() const { return node_; }
  Node& operator*() const { return *node_; }
  Node* get() const { return node_; }
  Node* detach() { return std::exchange(node_, nullptr); }
  bool operator==(const NodeRef& other) const { return node_ == other.node_; }
  explicit operator bool() const { return node_ != nullptr; }

 private:
  Node* node_ = nullptr;
};

// A node's memory seen through a layout, perhaps as another type (the parts of complex numbers).
struct Operand {
  NodeRef node;
  LayoutRef layout;
  DType dtype = DType::boolean;
  const Shape& shape() const { return layout->shape; }
};

// What the tape knows of a value (tape.h). These take the lock themselves where they count.
struct Entry;
void release(Entry* entry);

class EntryRef {
 public:
  EntryRef() = default;
  explicit EntryRef(Entry* entry);
  EntryRef(const EntryRef& other);
  EntryRef(EntryRef&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  EntryRef& operator=(EntryRef other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~EntryRef();
  Entry* operator->() const { return entry_; }
  Entry& operator*() const { return *entry_; }
  Entry* get() const { return entry_; }
  Entry* detach() { return std::exchange(entry_, nullptr); }
  bool operator==(const EntryRef& other) const { return entry_ == other.entry_; }
  explicit operator bool() const { return entry_ != nullptr; }

 private:
  Entry* entry_ = nullptr;
};

class CallBody;

struct CallResult {
  Shape shape;
  DType dtype;
  LayoutRef layout = {};  // how it lies in memory; none: in C order
};

// What a call node holds; see call.h.
// What the device looks for in values that the host does not know; where it is found, the next look raises.
struct Check {
  // no_negatives: among integers that are exponents of integers; no_zeros: among integers that divide; range: is the number (0-d)
  // one that `dtype` can hold?
  enum class For : uint8_t { no_negatives, no_zeros, range };
  For what;
  DType dtype;
};

struct Call {
  std::shared_ptr<const CallBody> body;  // none: a check
  std::optional<Check> check;
  std::vector<Operand> operands;
  std::vector<CallResult> more;  // results after the first
  std::vector<Buffer> buffers;   // and their memory, once computed
  bool in_place = false;
  std::string_view name() const;
};

// Elements of a computed value that are known, or will be, to hold no number that a Refusal (run/calls/checks.h) refuses.
struct LookedThrough {
  int64_t begin, end;  // in its memory
  int64_t low, high, except;
  DeferredError error;  // open: nobody knows yet
};

// A host value, in its own type.
struct alignas(16) Constant {
  std::array<char, 16> bytes{};
};

// Of a complex constant in fastmath(): the part that is 0, which its kernels leave out.
enum class KnownPart : uint8_t { none, real_is_zero, imaginary_is_zero };

struct Node;
KnownPart known_part(const Node& constant);

struct Node {
  uint32_t references = 0;
  uint32_t cells = 0;  // of the references, those of cells: somebody may look
  Op op = Op::data;
  DType dtype = DType::boolean;    // of the value
  DType compute = DType::boolean;  // what the op works in
  Reduction reduction = Reduction::sum;
  DeviceId device;
  bool is_computed = false;
  bool is_settled = false;      // on the CPU: its memory was written before anybody could ask, whatever the device is doing
  bool is_fast = false;         // recorded in fastmath() (fast_math.h)
  bool writes_exposed = false;  // an update of memory whose address is known outside: always in place
  uint8_t part = 0;             // of a call's results, this one
  uint8_t operand_count = 0;
  Site site = no_site;
  size_t slot = no_slot;  // where it stands among the pending ones
  LayoutRef layout;       // its shape, and how its memory is laid out (no gaps, offset 0)
  std::array<Operand, 3> operands;
  LayoutRef target;  // an update's: the part that is replaced
  DType target_dtype = DType::boolean;
  Constant constant;                          // a constant's
  std::vector<bool> axes;                     // a reduction's: true for each that goes
  std::unique_ptr<Call> call;                 // a call's: the function, and the operands; a user row's: the operands
  const UserRow* user = nullptr;              // a user row's
  uint8_t output = 0;                         // which of its results
  Buffer buffer;                              // once computed
  std::shared_ptr<const Failed> error;        // why it cannot be computed
  std::vector<DeferredError> deferred;        // of a computed value: what may yet prove wrong of it
  std::vector<LookedThrough> looked_through;  // as long as nothing but the graph's work writes there
  uint64_t work = 0;                          // of a computed value: the number of the work that writes it (interrupts.h)

  Node* next = nullptr;  // in a list of those that are let go

  // Scratch of the scheduler.
  uint32_t group = 0, mark = 0, read_by = 0, uses = 0;
  uint8_t waits = 0;  // not placed yet, with so many others before it
  bool needed = false, overwritten = false, read_by_waiting = false;
  uint64_t reading = 0;  // the sequence (sequence.h) in which it has this number
  uint32_t number = 0;
  uint64_t token = 0;  // what it is to the cutter (rounds.h); 0: not known yet

  static constexpr size_t no_slot = ~size_t{0};
  bool is_pending() const { return slot != no_slot; }
  // Its memory is seen outside: it stays where it is, and what reads or writes it is submitted at once.
  bool is_exposed() const { return (writes_exposed && !is_computed) || (buffer && buffer.block()->exposures > 0); }
  int64_t size() const { return layout->elements; }
  const Shape& shape() const { return layout->shape; }
  std::span<Operand> inputs() {
    if (call) return call->operands;
    return {operands.data(), operand_count};
  }
  std::span<const Operand> inputs() const { return const_cast<Node*>(this)->inputs(); }
  // The first operand's memory becomes this value's, when nobody else needs that.
  bool writes() const { return op == Op::update || (call && call->in_place); }
  void drop_inputs();  // of a node that is computed
};

// Why the value is not what it should be, because of an interrupt; null when it is.
std::shared_ptr<const Failed> interrupted(const Node& node);

NodeRef new_node(Op op, DType dtype, LayoutRef layout, DeviceId device);
NodeRef constant_node(const Constant& value, DType dtype, DeviceId device);

// ---- cells

struct Cell {
  uint32_t references = 0;
  NodeRef node;
  EntryRef entry;             // how the value came about, where somebody wants its gradient (tape.h)
  uint32_t version = 0;       // how often it was written
  bool is_read_only = false;  // foreign memory that must not be written
  // The handle that a view's base is, where one is kept (bindings/arrays.h); it says so itself, and takes it back when it goes.
  std::atomic<const class Array*> holder = nullptr;
  const DeviceId device;  // of every node that it will hold: to be asked without the lock

  explicit Cell(NodeRef value) : device(value->device) { set(std::move(value)); }
  ~Cell() { set({}); }
  static void* operator new(size_t size);  // from a list of used ones
  static void operator delete(void* memory);
  void set(NodeRef value);
  bool is_exposed() const { return node->is_exposed(); }
};

}  // namespace quern
