#include "run/trace.h"

#include "core/clock.h"

#include <fmt/format.h>

#include <atomic>
#include <functional>

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
  std::map<DeviceId, Moment> moments;
  {
    std::lock_guard hold(lock_);
    mine.swap(records_);
    moments.swap(moments_);
  }
  std::vector<TraceRecord> out;
  for (Pending& p : mine) {
    try {
      auto moment = moments.find(p.record.device);
      fill_in(p, moment == moments.end() ? nullptr : &moment->second);
    } catch (const std::exception&) {
      // The work failed: its waiter was told; the trace keeps the call without a device time.
    }
    if (p.record.kind == TraceKind::launch && !p.record.kernel)  // a library's, or a function of the host's
      p.record.kernel =
          std::make_shared<KernelIdentity>(KernelIdentity{std::hash<std::string>()(p.record.name), {p.record.name}});
    const auto &grid = p.record.grid, &block = p.record.block;
    if (grid[0] > 0)
      p.record.detail = fmt::format("grid {}x{}x{} block {}x{}x{}", grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    out.push_back(std::move(p.record));
  }
  return out;
}

void Recorder::fill_in(Pending& p, const Moment* moment) {
  if (!p.end || !p.end->done()) return;
  p.record.device_ms = p.end->elapsed_ms(*p.start);
  if (!moment || !moment->event->done()) return;
  auto ns = [](double ms) { return static_cast<int64_t>(ms * 1e6); };
  p.record.device_start_ns = moment->host_ns + ns(p.start->elapsed_ms(*moment->event));
  p.record.device_end_ns = p.record.device_start_ns + ns(p.record.device_ms);
}

void Recorder::know_clock(Device& device) {
  std::lock_guard hold(lock_);
  auto [at, is_new] = moments_.try_emplace(device.id());
  if (!is_new) return;
  Moment& moment = at->second;
  moment.stream = device.create_stream({true, 0});
  moment.event = device.create_event({true, false});
  moment.host_ns = now_ns();
  moment.event->record(*moment.stream);
}

void start_trace() {
  recorder().take();
  trace_sink = &recorder();
}

std::vector<TraceRecord> stop_trace() {
  trace_sink = nullptr;
  return recorder().take();
}

void Traced::begin(TraceKind kind, DeviceId device, Stream* stream, uint64_t bytes, Site site) {
  static std::atomic<uint64_t> made{0};
  record_.kind = kind;
  record_.id = ++made;
  record_.device = device;
  record_.stream = stream ? stream->native() : 0;
  record_.bytes = bytes;
  record_.site = site;
  if (stream && runs_on_device(kind)) {
    stream_ = stream;
    recorder().know_clock(stream->device);
    start_ = stream->device.create_event({true, false});
    start_->record(*stream);
  }
  record_.start_ns = now_ns();
}

void Traced::end() {
  record_.host_ns = took_ns_ >= 0 ? took_ns_ : now_ns() - record_.start_ns;
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
