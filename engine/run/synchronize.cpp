#include "run/synchronize.h"

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
  return stream.done();
}

bool is_done(Event& event) {
  evaluate_all();
  return event.done();
}

void record(Event& event, const StreamPtr& stream) {
  evaluate_all();
  event.record(*stream);
}

void wait_for(Stream& stream, Event& event) {
  evaluate_all();
  stream.wait(event);
}

void call_after(Stream& stream, std::function<void()> f) {
  evaluate_all();
  stream.call(std::move(f));
}

PoolInfo pool_info(Context& context) {
  evaluate_all();
  return context.pool.info();
}

}  // namespace quern
