// What becomes of a group's nodes: computed, or failed; the errors they take from their operands and hand on. See node.h for how
// reading a value raises them. With the graph's lock held.
#pragma once

#include "graph/schedule.h"

#include <memory>
#include <vector>

namespace quern {

// The error of an operand; null: there is none.
std::shared_ptr<const Failed> failed_input(const Group& group);
// Deferred errors of its operands, which become its results'.
std::vector<DeferredError> deferred_of(const Group& group);

// Its work is submitted, as ArrayWork::current().
void finish(Group& group, const std::vector<DeferredError>& deferred);
void fail(Group& group, const std::shared_ptr<const Failed>& error);

}  // namespace quern
