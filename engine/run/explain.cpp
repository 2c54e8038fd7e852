#include "run/explain.h"

#include <algorithm>

#include "codegen/emit.h"
#include "core/site.h"
#include "graph/array.h"
#include "graph/call.h"
#include "graph/schedule.h"
#include "graph/user_row.h"

namespace quern {

static std::vector<Group> groups_for(Node* target) {
  std::vector<Node*> nodes = needed_for({&target, 1});
  std::vector<Group> all;
  for (std::span<Node* const> segment : graph.rounds.cut(nodes)) {
    for (Group& group : schedule(segment)) all.push_back(std::move(group));
  }
  return all;
}

static std::string_view name_of(const Node& node) {
  return node.op == Op::call ? node.call->name() : node.op == Op::user ? std::string_view(node.user->name) : name_of(node.op);
}

std::vector<std::string> ops_of(const Group& group) {
  constexpr const char* reductions[] = {"sum", "prod", "max", "min", "any", "all"};
  std::vector<std::string> names;
  for (const Node* node : group.nodes)
    names.emplace_back(node->op == Op::reduce ? reductions[static_cast<size_t>(node->reduction)] : name_of(*node));
  return names;
}

std::string explain(const Array& array) {
  GraphLock lock;
  Node* target = array.cell()->node.get();
  if (target->error) return formatted("it failed: {}\n", target->error->text);
  if (target->is_computed) return "the value is computed: nothing would run\n";
  constexpr const char* reasons[] = {
      "",
      "a function of whole arrays is no part of a kernel",
      "no group before it goes over this shape",
      "it needs what a group before it computes otherwise than element for element, or overwrites what that one reads",
      "the group before it is full",
  };
  std::string out;
  size_t number = 0;
  for (const Group& group : groups_for(target)) {
    out += formatted("group {}: {} node{} over {}{}{}\n", ++number, group.nodes.size(), group.nodes.size() == 1 ? "" : "s",
                     to_string(group.shape), group.reduces ? ", with reductions" : "",
                     group.is_call ? ", a function of whole arrays" : "");
    if (group.apart != Apart::first)
      out += formatted("  not part of an earlier one: {}\n", reasons[static_cast<int>(group.apart)]);
    for (uint32_t i = 0; i < group.nodes.size(); ++i) {
      const Node& node = *group.nodes[i];
      bool kept = std::find(group.stores.begin(), group.stores.end(), i) != group.stores.end();
      std::string_view name = name_of(node);
      std::string where = describe_site(node.site);
      out += formatted("  {} {} {}{}{}\n", name, row(node.dtype).name, to_string(node.shape()), where.empty() ? "" : "  " + where,
                       kept ? "  (stored)" : "");
    }
    bool empty = std::find(group.shape.begin(), group.shape.end(), 0) != group.shape.end();
    if (!group.is_call && !group.stores.empty() && !empty) out += "\n" + print_kernel(group, form_of(group)) + "\n";
  }
  return out;
}

}  // namespace quern
