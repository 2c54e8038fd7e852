#include "run/synchronize.h"

#include "device/check/checker.h"
#include "device/check/timeline.h"
#include "graph/array.h"

namespace quern {

void synchronize(Context& context) {
  evaluate_all();
  context.wait_all("the end of all work");
}

void synchronize(Context& context, const StreamPtr& stream) {
  evaluate_all();
  context.wait(stream, "the end of a stream's work");
}

void synchronize(Context& context, Event& event) {
  evaluate_all();
  context.wait(event, "an event");
}

bool is_done(Stream& stream) {
  evaluate_all();
  bool done = stream.done();
  if (done && check::on()) check::host_waits(stream);
  return done;
}

bool is_done(Event& event) {
  evaluate_all();
  bool done = event.done();
  if (done && check::on()) check::host_waits(event);
  return done;
}

void record(Event& event, const StreamPtr& stream) {
  evaluate_all();
  event.record(*stream);
  if (check::on()) check::recorded(event, *stream);
}

void wait_for(Stream& stream, Event& event) {
  evaluate_all();
  stream.wait(event);
  if (check::on()) check::stream_waits(stream, event);
}

void call_after(Stream& stream, std::function<void()> f) {
  evaluate_all();
  stream.call(std::move(f));
}

size_t give_back_unused(Context& context) {
  evaluate_all();
  return context.trim();
}

PoolInfo pool_info(Context& context) {
  evaluate_all();
  return context.pool.info();
}

}  // namespace quern
