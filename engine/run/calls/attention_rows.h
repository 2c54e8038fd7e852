// The loops of attention on the CPU (attention.h), over rows of scores that stay in a core's second cache. Products are the host
// BLAS's. Start reading at attend_on_host().
#pragma once

#include "graph/call.h"
#include "run/calls/attention.h"

namespace quern {

struct AttentionOnHost {
  CallView query, key, value;
  std::optional<CallView> mask, kept;
  AttentionForm form;
  CallView result, logarithms;
};
struct AttentionGradientsOnHost {
  CallView given;
  std::array<CallView, 3> gradients;  // of query, key and value
};

// Products of numbers that they need, for the trace and for the choice of threads.
int64_t products_of(const AttentionOnHost& attention);

void attend_on_host(const AttentionOnHost& attention);
// Where there are few heads, the gradients of queries are summed from those of several parts of the keys.
void attend_backward_on_host(const AttentionOnHost& attention, const AttentionGradientsOnHost& wanted);

}  // namespace quern
