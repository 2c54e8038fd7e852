// Where results go: new memory of the pool, that of the old value for an update, or that of an operand which nobody else can see.
// With the graph's lock held.
#pragma once

#include "graph/schedule.h"
#include "run/context.h"

#include <span>

namespace quern {

// For what is not submitted yet; `in_order`: see Pool::allocate(). Throws Restart (undisturbed.h) when arrays were used while it
// waited for some to come free.
Buffer memory_for(Context& context, size_t bytes, Site site, bool in_order = true);

// For one of the results that a group stores, and for a node of `group`, alone. An update goes into the memory of the old value,
// unless it may still be read.
Buffer memory_of(Context& context, const Group& group, uint32_t store);
Buffer memory_of(Context& context, std::span<Node* const> group, Node& node);

}  // namespace quern
