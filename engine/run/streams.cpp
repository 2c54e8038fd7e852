#include "run/streams.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/wait.h"
#include "device/stream_order.h"
#include "graph/array.h"
#include "run/found_errors.h"

namespace quern {

// Never changed, so that its address says which streams they are.
struct StreamSet {
  std::vector<std::pair<Context*, StreamPtr>> chosen;  // on other devices: the default ones
};

namespace {

thread_local std::shared_ptr<const StreamSet> of_thread;
std::shared_ptr<const StreamSet>& of_pending() {
  static auto* streams = new std::shared_ptr<const StreamSet>;  // guarded by the graph's lock
  return *streams;
}

const StreamPtr& stream_in(const StreamSet* streams, Context& context) {
  if (streams) {
    for (const auto& [of, stream] : streams->chosen)
      if (of == &context) return stream;
  }
  return context.default_stream;
}

}  // namespace

const StreamPtr& current_stream(Context& context) { return stream_in(of_thread.get(), context); }

void set_current_stream(Context& context, StreamPtr stream) {
  if (stream_in(of_thread.get(), context) == (stream ? stream : context.default_stream)) return;
  evaluate_all();
  StreamSet next = of_thread ? *of_thread : StreamSet();
  std::erase_if(next.chosen, [&](const auto& entry) { return entry.first == &context; });
  if (stream && stream != context.default_stream) next.chosen.emplace_back(&context, std::move(stream));
  of_thread = next.chosen.empty() ? nullptr : std::make_shared<const StreamSet>(std::move(next));
  streams_of_thread() = of_thread.get();
  graph.streams_were_chosen = true;
}

void change_streams() {
  GraphLock lock;
  evaluate_all();
  of_pending() = of_thread;
  graph.streams = of_thread.get();
  for (Context* context : all_contexts()) context->work_stream = stream_in(of_thread.get(), *context);
}

void use_current_streams() {
  if (graph.streams_were_chosen && streams_of_thread() != graph.streams) change_streams();
}

bool array_work_ended(Context& context) { return graph.streams_were_chosen ? context.idle() : context.default_stream->idle(); }

void finish_array_work(Context& context) {
  const bool chosen = graph.streams_were_chosen;
  uint64_t watched = last_watch();
  if (array_work_ended(context)) return settle_found_errors(context, chosen ? nullptr : context.default_stream.get(), watched);
  Waiting waiting;
  constexpr const char* what_for = "values for the host";
  chosen ? context.wait_all(what_for) : context.wait(context.default_stream, what_for);
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
  if (!graph.streams_were_chosen) return;
  for (const StreamPtr& stream : context.pool.streams()) wait_for(*context.default_stream, *stream);
}

}  // namespace quern
