#include "run/streams.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "device/stream_order.h"
#include "graph/array.h"

namespace quern {

namespace {

// Never changed, so that its address says which streams they are. None: the default ones.
using Streams = std::vector<std::pair<Context*, StreamPtr>>;
thread_local std::shared_ptr<const Streams> of_thread;
std::shared_ptr<const Streams>& of_pending() {
  static auto* streams = new std::shared_ptr<const Streams>;  // guarded by the graph's lock
  return *streams;
}

const StreamPtr& stream_in(const Streams* streams, Context& context) {
  if (streams) {
    for (const auto& [of, stream] : *streams)
      if (of == &context) return stream;
  }
  return context.default_stream;
}

}  // namespace

const StreamPtr& current_stream(Context& context) { return stream_in(of_thread.get(), context); }

void set_current_stream(Context& context, StreamPtr stream) {
  if (stream_in(of_thread.get(), context) == (stream ? stream : context.default_stream)) return;
  evaluate_all();
  Streams next = of_thread ? *of_thread : Streams();
  std::erase_if(next, [&](const auto& entry) { return entry.first == &context; });
  if (stream && stream != context.default_stream) next.emplace_back(&context, std::move(stream));
  of_thread = next.empty() ? nullptr : std::make_shared<const Streams>(std::move(next));
  streams_of_thread() = of_thread.get();
  streams_were_chosen = true;
}

void change_streams() {
  GraphLock lock;
  evaluate_all();
  of_pending() = of_thread;
  streams_of_pending = of_thread.get();
  for (Context* context : all_contexts()) context->work_stream = stream_in(of_thread.get(), *context);
}

void use_current_streams() {
  if (streams_were_chosen && streams_of_thread() != streams_of_pending) change_streams();
}

void order_foreign_stream(Context& context, uintptr_t handle, bool back) {
  if (handle <= 1) {  // the default stream itself
    back ? wait_for(*context.stream_of_work(), *context.default_stream) : gather_streams(context);
    return;
  }
  auto foreign = context.device.foreign_stream(handle);
  if (back) return wait_for(*context.stream_of_work(), *foreign);
  wait_for(*foreign, *context.default_stream);
  for (const StreamPtr& stream : context.pool.streams()) wait_for(*foreign, *stream);
}

void gather_streams(Context& context) {
  if (!streams_were_chosen) return;
  for (const StreamPtr& stream : context.pool.streams()) wait_for(*context.default_stream, *stream);
}

}  // namespace quern
