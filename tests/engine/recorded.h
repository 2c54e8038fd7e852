// Graphs without memory: what the tests of schedules, forms, texts and batches record on. Nothing can run, so a "GPU" is as good
// as the CPU; texts say what came out.
#pragma once

#include "core/format.h"
#include "core/site.h"
#include "graph/array.h"
#include "graph/call.h"
#include "graph/schedule.h"
#include "graph/user_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace recorded {

using namespace quern;

inline constexpr DeviceId cpu = DeviceId::cpu(), gpu = DeviceId::gpu(0);

// A test that needs a value is wrong.
inline bool nothing_runs(Ask ask, std::span<Node* const>) {
  if (ask == Ask::at_once) return false;
  throw std::logic_error("a value was read, or pending work was submitted");
}

class SomeCall : public CallBody {
 public:
  std::string_view name() const override { return "some call"; }
  void run(const CallRun&) const override { throw std::logic_error("a call runs"); }
};

inline Scalar number(double value) { return {.kind = WeakScalar::real, .re = value}; }
inline Scalar integer(int64_t value) { return {.kind = WeakScalar::integer, .integer = value}; }

template <class... A>
Array op(Op which, const A&... operands) {
  const Argument all[] = {Argument(operands)...};
  return elementwise(which, all);
}
template <class... A>
void op_into(const Array& into, Op which, const A&... operands) {
  const Argument all[] = {Argument(operands)...};
  elementwise(which, all, &into);
}
inline Array sum(const Array& a, std::vector<bool> axes, Reduction reduction = Reduction::sum, bool keep = false) {
  return reduce(reduction, a, axes, keep);
}
inline Array transposed(const Array& a) {
  std::vector<int> axes;
  for (size_t i = a.rank(); i-- > 0;) axes.push_back(static_cast<int>(i));
  return a.view(a.layout().transposed(axes));
}
inline Array some_call(const Array& a) {
  CallResult result{a.shape(), a.dtype()};
  return record_call(std::make_shared<SomeCall>(), {&a, 1}, {&result, 1}, a.device())[0];
}

inline std::string numbers_text(const std::vector<int64_t>& numbers) { return formatted("({})", join_text(numbers, ", ")); }

// Has the graph's lock, and no pending work before and after.
class Recorded : public testing::Test {
 protected:
  Recorded() {
    set_executor(&nothing_runs);
    EXPECT_EQ(graph.pending.count(), 0u);
  }
  ~Recorded() override { EXPECT_EQ(graph.pending.count(), 0u) << "arrays outlive their test"; }

  // An array that is in memory, under a name of one's own.
  Array memory(const std::string& name, Shape shape, DType dtype = DType::float32, DeviceId device = gpu) {
    NodeRef node = new_node(Op::data, dtype, contiguous_layout(shape), device);
    node->is_computed = true;
    names_[node.get()] = name;
    return Array(std::move(node));
  }

  static std::vector<Group> scheduled() { return schedule(needed_for({})); }

  // Of each group: what it goes over and why it is one of its own, its loads, then its nodes. A value is v<i> in its own group,
  // v<group>.<i> in others.
  std::string text(const std::vector<Group>& groups) const {
    std::string out;
    for (const Group& group : groups) out += text(group);
    return "\n" + out;
  }
  std::string text(const Group& group) const {
    constexpr const char* why[] = {"first", "a call", "another shape", "order", "the one before is full"};
    std::string out =
        formatted("group {} over {}: {}\n", group.number, to_string(group.shape), why[static_cast<int>(group.apart)]);
    for (size_t i = 0; i < group.loads.size(); ++i) {
      const Load& load = group.loads[i];
      out += formatted("  x{} = {}{}\n", i, name(*load.node), view(*load.layout, *load.node, load.dtype));
    }
    for (size_t i = 0; i < group.nodes.size(); ++i) out += node_text(group, i);
    return out;
  }

 private:
  KeepPending keep_;  // however large its arrays are

  std::string name(const Node& node) const {
    if (auto found = names_.find(&node); found != names_.end()) return found->second;
    if (node.op == Op::index) return "positions";
    return node.op == Op::constant ? "a number" : formatted("v{}.{}", node.group, node.mark);
  }
  // How a layout differs from the whole memory in its order.
  static std::string view(const InternedLayout& layout, const Node& node, DType dtype) {
    std::string out;
    if (layout != *node.layout) out += formatted(" strides {}", numbers_text(layout.strides));
    if (layout.offset != 0) out += formatted(" from {}", layout.offset);
    if (dtype != node.dtype) out += formatted(" as {}", row(dtype).name);
    return out;
  }

  std::string node_text(const Group& group, size_t i) const {
    constexpr const char* reductions[] = {"sum", "prod", "max", "min", "any", "all"};
    const Node& node = *group.nodes[i];
    std::string what = node.op == Op::reduce ? reductions[static_cast<int>(node.reduction)]
                       : node.op == Op::call ? std::string(node.call->body->name())
                       : node.op == Op::user ? node.user->name
                                             : std::string(name_of(node.op));
    if (node.op == Op::update)
      what = formatted("update of {}{}", name(*node.operands[0].node), view(*node.target, node, node.target_dtype));
    std::string out = formatted("  v{} = {} {}", i, row(node.dtype).name, what);
    for (const Origin& from : group.sources(i).subspan(node.writes() ? 1 : 0))
      out += formatted(" {}{}", from.kind == Origin::Kind::local ? "v" : from.kind == Origin::Kind::load ? "x" : "k", from.index);
    if (group.loops[i] > 0) out += formatted(", loop {}", group.loops[i]);
    if (group.per_result[i]) out += ", for each result";
    if (group.is_uniform(node)) out += ", once";
    bool stored = std::find(group.stores.begin(), group.stores.end(), i) != group.stores.end();
    return out + (stored ? "  (stored)\n" : "\n");
  }

  GraphLock lock_;
  std::map<const Node*, std::string> names_;
};

}  // namespace recorded
