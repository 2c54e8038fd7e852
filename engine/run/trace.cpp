#include "run/trace.h"

#include "core/clock.h"

namespace quern {

namespace {

Recorder& recorder() {
  static Recorder* r = new Recorder;
  return *r;
}

bool runs_on_device(TraceKind kind) {
  return kind == TraceKind::launch || kind == TraceKind::fill || kind == TraceKind::host_to_device ||
         kind == TraceKind::device_to_host || kind == TraceKind::device_to_device;
}

}  // namespace

void Recorder::record(TraceRecord record) { add_pending(std::move(record), nullptr, nullptr); }

void Recorder::add_pending(TraceRecord record, std::shared_ptr<Event> start, std::shared_ptr<Event> end) {
  std::lock_guard hold(lock_);
  records_.push_back({std::move(record), std::move(start), std::move(end)});
}

std::vector<TraceRecord> Recorder::take() {
  std::vector<Pending> mine;
  {
    std::lock_guard hold(lock_);
    mine.swap(records_);
  }
  std::vector<TraceRecord> out;
  for (Pending& p : mine) {
    try {
      if (p.end && p.end->done()) p.record.device_ms = p.end->elapsed_ms(*p.start);
    } catch (const std::exception&) {
      // The work failed: its waiter was told; the trace keeps the call without a device time.
    }
    out.push_back(std::move(p.record));
  }
  return out;
}

void start_trace() {
  recorder().take();
  trace_sink = &recorder();
}

std::vector<TraceRecord> stop_trace() {
  trace_sink = nullptr;
  return recorder().take();
}

void Traced::begin(TraceKind kind, int device, Stream* stream, uint64_t bytes, Site site) {
  record_.kind = kind;
  record_.device = device;
  record_.stream = stream ? stream->native() : 0;
  record_.bytes = bytes;
  record_.site = site;
  if (stream && runs_on_device(kind)) {
    stream_ = stream;
    start_ = stream->device.create_event({true, false});
    start_->record(*stream);
  }
  record_.start_ns = now_ns();
}

void Traced::end() {
  record_.host_ns = now_ns() - record_.start_ns;
  std::shared_ptr<Event> finish;
  try {
    if (start_) {
      finish = stream_->device.create_event({true, false});
      finish->record(*stream_);
    }
  } catch (const std::exception&) {
    start_ = finish = nullptr;  // the device failed; the call itself raised
  }
  if (trace_sink.load() == &recorder()) recorder().add_pending(std::move(record_), std::move(start_), std::move(finish));
}

}  // namespace quern
