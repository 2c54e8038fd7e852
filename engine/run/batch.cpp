#include "run/batch.h"

#include <algorithm>
#include <utility>

namespace quern {

namespace {

constexpr size_t looked_back_at = 64;  // groups

bool may_share(const Group& group) {
  return !group.is_call && !group.reduces && !group.stores.empty() && !group.shape.empty() && !is_empty(group);
}

// The last group whose results this one needs; 0: none.
uint32_t needs(const Group& group) {
  uint32_t last = 0;
  for (const Load& load : group.loads) {
    if (load.node->is_pending()) last = std::max(last, load.node->group);
  }
  for (Node* node : group.nodes) {
    if (!node->writes()) continue;
    const Node& old = *node->inputs()[0].node;
    if (old.is_pending()) last = std::max(last, old.group);
  }
  return last;
}

bool reads(const Group& group, const Node* value) {
  for (const Load& load : group.loads) {
    if (load.node == value) return true;
  }
  for (Node* node : group.nodes) {
    if (!group.is_call && !node->writes()) continue;
    for (const Operand& o : node->inputs()) {
      if (o.node.get() == value) return true;
    }
  }
  return false;
}

// Does `later` overwrite what `earlier` reads?
bool overwrites(const Group& later, const Group& earlier) {
  return std::any_of(later.nodes.begin(), later.nodes.end(),
                     [&](Node* node) { return node->writes() && reads(earlier, node->inputs()[0].node.get()); });
}

// The batch that the group may join: it then runs before all that came after that batch's first group.
Batch* batch_for(std::vector<Batch>& batches, const std::vector<std::pair<size_t, size_t>>& places, const Group& group,
                 const LaunchPlan& plan) {
  uint32_t needed = needs(group);
  size_t most = segments_of(group, plan.form).count;
  for (size_t k = places.size(); k-- > 0 && k + looked_back_at >= places.size();) {
    Batch& batch = batches[places[k].first];
    const Batch::Member& other = batch.members[places[k].second];
    if (other.group.number <= needed || overwrites(group, other.group)) return nullptr;
    bool is_first = places[k].second == 0;
    if (is_first && other.plan && other.plan->key == plan.key && batch.members.size() < most) return &batch;
  }
  return nullptr;
}

}  // namespace

std::vector<Batch> batches_of(std::vector<Group> groups) {
  std::vector<Batch> batches;
  std::vector<std::pair<size_t, size_t>> places;  // of each group: its batch, and which of the members it is
  bool alone = groups.size() == 1;
  for (Group& group : groups) {
    std::optional<LaunchPlan> plan;
    Batch* batch = nullptr;
    if (!alone && may_share(group)) {
      plan = LaunchPlan{form_of(group), {}, nullptr, {}};
      plan->key = key_of(group, plan->form);
      if (segments_of(group, plan->form).count > 1) batch = batch_for(batches, places, group, *plan);
    }
    if (!batch) batch = &batches.emplace_back();
    places.emplace_back(batch - batches.data(), batch->members.size());
    batch->members.push_back({std::move(group), std::move(plan)});
  }
  return batches;
}

}  // namespace quern
