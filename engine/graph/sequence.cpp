#include "graph/sequence.h"

#include "core/hash.h"

#include <algorithm>

namespace quern {

namespace {

class Reader {
 public:
  explicit Reader(Sequence& sequence) : words_(sequence.words), nodes_(sequence.nodes) {
    static uint64_t readings = 0;
    reading_ = ++readings;
    words_.clear();
    nodes_.clear();
  }

  void pending(Node& node) {
    give_number(node);
    std::span<Operand> inputs = node.inputs();
    words_.push_back(static_cast<uint64_t>(node.op) | static_cast<uint64_t>(node.dtype) << 16 |
                     static_cast<uint64_t>(node.compute) << 24 | node.device.key() << 32 | uint64_t{node.writes()} << 40 |
                     uint64_t{node.is_fast} << 41);
    words_.push_back(uint64_t{node.references} | uint64_t{inputs.size()} << 32);
    layout(node.layout);
    if (node.op == Op::update || (node.call && node.call->in_place)) {
      layout(node.target);
      words_.push_back(static_cast<uint64_t>(node.target_dtype));
    }
    if (node.op == Op::user) {
      words_.push_back(node.user->hash);
      words_.push_back(node.output);
    }
    if (node.op == Op::reduce) {
      uint64_t axes = 1;
      for (bool goes : node.axes) axes = axes << 1 | uint64_t{goes};
      words_.push_back(axes);
      words_.push_back(node.axes.size() << 8 | static_cast<uint64_t>(node.reduction));
    }
    for (Operand& o : inputs) {
      words_.push_back(number(*o.node) | static_cast<uint64_t>(o.dtype) << 56);
      layout(o.layout);
    }
  }

 private:
  uint64_t number(Node& node) {
    if (node.reading == reading_) return node.number;
    give_number(node);
    enum { memory, constant, positions } kind = node.op == Op::constant ? constant : node.op == Op::index ? positions : memory;
    return node.number | static_cast<uint64_t>(node.dtype) << 32 | uint64_t{kind} << 40 |
           static_cast<uint64_t>(known_part(node)) << 44 | uint64_t{1} << 48;
  }
  void give_number(Node& node) {
    node.reading = reading_;
    node.number = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(&node);
  }
  void layout(const LayoutRef& layout) { words_.push_back(reinterpret_cast<uintptr_t>(layout.get())); }

  std::vector<uint64_t>& words_;
  std::vector<Node*>& nodes_;
  uint64_t reading_;
};

}  // namespace

uint64_t hash_of(std::span<const uint64_t> words) {
  uint64_t hash = words.size();
  for (uint64_t word : words) hash = mixed(hash, word);
  return hash;
}

void read(std::span<Node* const> nodes, Sequence& sequence) {
  Reader reader(sequence);
  for (Node* node : nodes) reader.pending(*node);
  sequence.hash = hash_of(sequence.words);
}

std::vector<LayoutRef> layouts_of(const Sequence& sequence) {
  std::vector<LayoutRef> all;
  for (Node* node : sequence.nodes) {
    all.push_back(node->layout);
    if (node->target) all.push_back(node->target);
    for (Operand& o : node->inputs()) all.push_back(o.layout);
  }
  std::sort(all.begin(), all.end(), [](const LayoutRef& a, const LayoutRef& b) { return a.get() < b.get(); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace quern
