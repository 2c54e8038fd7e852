#include "run/outcomes.h"

#include "core/interrupts.h"
#include "run/context.h"

namespace quern {

static void let_go(Group& group) {
  for (Node* node : group.nodes) {
    graph.pending.remove(*node);
    node->drop_inputs();
  }
}

// The work that made what the group reads.
static std::vector<uint64_t> works_of(const Group& group) {
  std::vector<uint64_t> works;
  for (const Load& load : group.loads) works.push_back(load.node->work);
  for (Node* node : group.nodes) {
    if (!group.is_call && !node->writes()) continue;
    for (const Operand& o : node->inputs()) works.push_back(o.node->work);
  }
  std::erase(works, 0);
  return works;
}

std::vector<DeferredError> deferred_of(const Group& group) {
  std::vector<DeferredError> deferred;
  for (const Load& load : group.loads) add_deferred(deferred, load.node->deferred);
  for (Node* node : group.nodes) {
    if (!group.is_call && !node->writes()) continue;
    for (const Operand& o : node->inputs()) add_deferred(deferred, o.node->deferred);
  }
  return deferred;
}

std::shared_ptr<const Failed> failed_input(const Group& group) {
  auto error_of = [](const Node& node) { return node.error ? node.error : interrupted(node); };
  for (const Load& load : group.loads) {
    if (auto error = error_of(*load.node)) return error;
  }
  for (Node* node : group.nodes) {
    if (!group.is_call && !node->writes()) continue;
    for (const Operand& o : node->inputs()) {
      if (auto error = error_of(*o.node)) return error;
      if (!group.is_call) break;  // the others are loads
    }
  }
  return nullptr;
}

void fail(Group& group, const std::shared_ptr<const Failed>& error) {
  for (Node* node : group.nodes) {
    node->error = error;
    node->is_computed = true;
  }
  let_go(group);
}

void finish(Group& group, const std::vector<DeferredError>& deferred) {
  if (context_on(group.device).device.may_drop_work()) record_inputs(ArrayWork::current(), works_of(group));
  for (uint32_t s : group.stores) {
    group.nodes[s]->is_computed = true;
    Node& node = *group.nodes[s];
    node.work = node.op == Op::part ? node.operands[0].node->work : ArrayWork::current();
    if (!deferred.empty()) group.nodes[s]->deferred = deferred;
  }
  let_go(group);
}

}  // namespace quern
