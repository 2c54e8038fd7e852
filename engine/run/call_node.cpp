#include "run/call_node.h"

#include <algorithm>

#include "core/wait.h"
#include "graph/call.h"
#include "run/calls/checks.h"
#include "run/found_errors.h"
#include "run/kernel_cache.h"
#include "run/result_memory.h"

namespace quern {

void run_call(Node& node) {
  if (node.op == Op::part) {
    node.buffer = node.operands[0].node->call->buffers[node.part - 1u];
    return;
  }
  Context& context = context_on(node.device);
  Call& call = *node.call;
  std::vector<CallView> inputs, outputs;
  auto view = [&](const Buffer& buffer, const LayoutRef& layout, DType dtype) {
    return CallView{static_cast<char*>(buffer.pointer()) + layout->offset * static_cast<int64_t>(size_of(dtype)), buffer.block(),
                    layout, dtype, nullptr};
  };
  for (const Operand& o : std::span(call.operands).subspan(call.in_place ? 1 : 0)) {
    inputs.push_back(view(o.node->buffer, o.layout, o.dtype));
    inputs.back().node = o.node.get();
  }
  std::vector<Buffer> held;  // a handler of a signal may be run while the body compiles something or waits for memory
  for (const Operand& o : call.operands) held.push_back(o.node->buffer);
  std::optional<WithoutSignals> undisturbed;
  if (call.in_place) undisturbed.emplace();
  Node* self = &node;
  Buffer out = memory_of(context, {&self, 1}, node);
  outputs.push_back(call.in_place ? view(out, node.target, node.target_dtype) : view(out, node.layout, node.dtype));
  std::vector<Buffer> more;
  for (const CallResult& result : call.more) {
    LayoutRef layout = layout_of_result(result);
    more.push_back(memory_for(context, std::max<size_t>(static_cast<size_t>(layout->elements) * size_of(result.dtype), 1),
                              node.site, false));
    outputs.push_back(view(more.back(), layout, result.dtype));
  }
  const CallRun run{inputs, outputs, node.device, node.site};
  WorkOf line(run.site);
  call.body ? call.body->run(run) : run_check(*call.check, run);
  watched_work_is_submitted();
  node.buffer = std::move(out);
  call.buffers = std::move(more);
}

}  // namespace quern
