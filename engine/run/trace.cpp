#include "run/trace.h"
#include "core/format.h"

#include "core/clock.h"
#include "device/cpu_work.h"
#include "run/context.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

namespace quern {

namespace {

Recorder& recorder() {
  static Recorder* r = new Recorder;
  return *r;
}

constexpr size_t most_pending = 1024;  // calls whose device times are not read yet

bool runs_on_device(TraceKind kind) {
  return kind == TraceKind::launch || kind == TraceKind::fill || kind == TraceKind::host_to_device ||
         kind == TraceKind::device_to_host || kind == TraceKind::device_to_device;
}

}  // namespace

uint32_t Recorder::text(std::string&& text) {
  if (text.empty()) return 0;
  auto [at, is_new] = texts_.try_emplace(std::move(text), static_cast<uint32_t>(trace_.tables.texts.size()));
  if (is_new) trace_.tables.texts.push_back(at->first);
  return at->second;
}

TraceRow Recorder::row_of(TraceRecord&& r) {
  TraceRow row;
  row.id = r.id, row.stream = r.stream, row.bytes = r.bytes, row.fetched = r.fetched, row.operations = r.operations;
  row.start_ns = r.start_ns, row.host_ns = r.host_ns;
  row.device_ns = r.device_ms < 0 ? -1 : static_cast<int64_t>(r.device_ms * 1e6);
  row.site = r.site, row.kind = r.kind;
  row.grid = r.grid, row.block = r.block, row.dynamic_shared = r.dynamic_shared, row.static_shared = r.static_shared;
  row.registers = static_cast<uint16_t>(r.registers);
  row.device = static_cast<int8_t>(r.device.number());
  if (r.from) row.from = static_cast<int8_t>(r.from->number());
  row.name = text(std::move(r.name)), row.detail = text(std::move(r.detail));
  if (!r.kernel && r.kind == TraceKind::launch) {  // a library's, or a function of the host's
    std::string name = trace_.tables.texts[row.name];
    r.kernel = std::make_shared<KernelIdentity>(KernelIdentity{std::hash<std::string>()(name), {name}});
  }
  if (r.kernel) {
    auto [at, is_new] = kernels_.try_emplace(r.kernel.get(), static_cast<uint32_t>(trace_.tables.kernels.size()));
    if (is_new) trace_.tables.kernels.push_back(std::move(r.kernel));
    row.kernel = at->second;
  }
  if (!r.lines.empty()) {
    auto [at, is_new] = lines_.try_emplace(std::move(r.lines), static_cast<uint32_t>(trace_.tables.lines.size()));
    if (is_new) trace_.tables.lines.push_back(at->first);
    row.lines = at->second;
  }
  return row;
}

void Recorder::record(TraceRecord record) { add_pending(std::move(record), nullptr, nullptr); }

void Recorder::add_pending(TraceRecord record, std::shared_ptr<Event> start, std::shared_ptr<Event> end) {
  std::lock_guard hold(lock_);
  DeviceId device = record.device;
  trace_.rows.push_back(row_of(std::move(record)));
  if (!end) return;
  pending_.push_back({trace_.rows.size() - 1, std::move(start), std::move(end), moments_[device]});
  if (pending_.size() > most_pending) settle(Settle::what_is_done);
}

// Events of the CPU and of GPUs are finished in nearly the order of their calls.
void Recorder::settle(Settle how) {
  while (!pending_.empty()) {
    Pending& p = pending_.front();
    try {
      if (how == Settle::all_waited_for) p.end->synchronize();
      if (p.end->done())
        fill_in(p);
      else if (how == Settle::what_is_done)
        return;
    } catch (const std::exception&) {
      // The work failed: its waiter got the error; the trace keeps the call without a device time.
      p.start = p.end = nullptr;
    }
    DeviceId device = trace_.rows[p.row].device < 0 ? DeviceId::cpu() : DeviceId::gpu(trace_.rows[p.row].device);
    for (auto* event : {&p.start, &p.end})
      if (*event && event->use_count() == 1) spare_[device].push_back(std::move(*event));
    pending_.pop_front();
  }
}

void Recorder::fill_in(const Pending& p) {
  auto ns = [](double ms) { return static_cast<int64_t>(ms * 1e6); };
  TraceRow& row = trace_.rows[p.row];
  if (row.device < 0) {
    CpuWork work = work_between(*p.start, *p.end);
    row.device_ns = work.work_ns;
    row.device_start_ns = work.end_ns - work.work_ns;
    row.thread_ns = work.thread_ns;
    return;
  }
  row.device_ns = ns(p.end->elapsed_ms(*p.start));
  if (p.moment && p.moment->event->done()) row.device_start_ns = p.moment->host_ns + ns(p.start->elapsed_ms(*p.moment->event));
}

Trace Recorder::take(bool waits) {
  std::lock_guard hold(lock_);
  settle(waits ? Settle::all_waited_for : Settle::all);
  moments_.clear();
  spare_.clear();
  texts_.clear();
  kernels_.clear();
  lines_.clear();
  return std::exchange(trace_, {});
}

std::shared_ptr<Event> Recorder::event(Device& device) {
  {
    std::lock_guard hold(lock_);
    if (!device.id().is_cpu()) know_clock(device);  // the CPU has the host's
    auto& spare = spare_[device.id()];
    if (!spare.empty()) {
      auto event = std::move(spare.back());
      spare.pop_back();
      return event;
    }
  }
  return device.create_event({true, false});
}

// A difference of times is a float on GPUs: one of a minute is known to four microseconds.
void Recorder::know_clock(Device& device) {
  auto& known = moments_[device.id()];
  if (known && now_ns() - known->host_ns < 10'000'000'000) return;
  auto moment = std::make_shared<Moment>();
  moment->stream = device.create_stream({true, 0});
  moment->event = device.create_event({true, false});
  moment->host_ns = now_ns();
  moment->event->record(*moment->stream);
  known = std::move(moment);
}

// One call may submit several pieces of work.
void Recorder::add(const cupti::Found& found) {
  std::lock_guard hold(lock_);
  std::unordered_map<uint32_t, const cupti::Call*> calls;
  for (const cupti::Call& call : found.calls) calls.try_emplace(call.correlation, &call);
  std::unordered_map<uint64_t, size_t> rows;
  for (size_t i = 0; i < trace_.rows.size(); ++i)
    if (trace_.rows[i].device >= 0 && trace_.rows[i].id) rows.emplace(trace_.rows[i].id, i);
  static constexpr TraceKind kinds[] = {TraceKind::launch, TraceKind::host_to_device, TraceKind::device_to_host,
                                        TraceKind::device_to_device, TraceKind::fill};
  for (const cupti::Activity& a : found.activities) {
    auto made = calls.find(a.correlation);
    const cupti::Call* call = made == calls.end() ? nullptr : made->second;
    auto own = call ? rows.find(call->ours) : rows.end();
    if (own != rows.end()) {
      TraceRow& row = trace_.rows[own->second];
      row.device_start_ns = row.device_start_ns ? std::min(row.device_start_ns, a.start_ns) : a.start_ns;
      row.device_ns = std::max<int64_t>(row.device_ns, 0) + a.end_ns - a.start_ns;
      continue;
    }
    TraceRecord r{};
    r.kind = kinds[static_cast<size_t>(a.what)];
    r.device = DeviceId::gpu(a.device);
    r.stream = a.stream | uintptr_t{1} << 63;  // CUPTI's number, no handle
    r.site = call ? call->site : no_site;
    r.start_ns = call ? call->start_ns : a.start_ns;
    r.bytes = a.bytes;
    r.grid = a.grid, r.block = a.block;
    r.static_shared = a.static_shared, r.dynamic_shared = a.dynamic_shared, r.registers = a.registers;
    r.name = found.names[a.name];
    r.detail = "another library's";
    TraceRow row = row_of(std::move(r));
    row.device_start_ns = a.start_ns;
    row.device_ns = a.end_ns - a.start_ns;
    trace_.rows.push_back(row);
  }
}

std::vector<TraceRecord> records_of(const Trace& trace) {
  auto device = [](int8_t number) { return number < 0 ? DeviceId::cpu() : DeviceId::gpu(number); };
  std::vector<TraceRecord> out;
  for (const TraceRow& row : trace.rows) {
    TraceRecord r{};
    r.kind = row.kind, r.id = row.id, r.device = device(row.device), r.stream = row.stream, r.site = row.site;
    if (row.from != TraceRow::no_device) r.from = device(row.from);
    r.bytes = row.kind == TraceKind::launch ? 0 : row.bytes, r.start_ns = row.start_ns, r.host_ns = row.host_ns;
    if (row.device_ns >= 0) r.device_ms = static_cast<double>(row.device_ns) * 1e-6;
    if (row.device_start_ns) r.device_start_ns = row.device_start_ns, r.device_end_ns = row.device_start_ns + row.device_ns;
    r.grid = row.grid, r.block = row.block;
    r.dynamic_shared = row.dynamic_shared, r.static_shared = row.static_shared, r.registers = row.registers;
    r.lines = trace.tables.lines[row.lines];
    r.kernel = trace.tables.kernels[row.kernel];
    r.name = trace.tables.texts[row.name], r.detail = trace.tables.texts[row.detail];
    const auto &grid = row.grid, &block = row.block;
    if (grid[0] > 0)
      r.detail = formatted("grid {}x{}x{} block {}x{}x{}{}{}", grid[0], grid[1], grid[2], block[0], block[1], block[2],
                           r.detail.empty() ? "" : "; ", r.detail);
    out.push_back(std::move(r));
  }
  return out;
}

namespace {
std::mutex timing_lock;
std::string timing;

void wait_for_gpus() {
  for (Context* context : all_contexts()) {
    if (context->id().is_cpu()) continue;
    try {
      context->device.synchronize();
    } catch (const std::exception&) {
      // Whoever waits for the work that failed gets the error.
    }
  }
}
}  // namespace

void start_trace(bool for_profile) {
  cupti::stop();
  recorder().take();
  recorder().want_releases(for_profile);
  if (for_profile) {
    std::string why = cupti::start();
    std::lock_guard hold(timing_lock);
    timing = why.empty() ? "CUPTI" : why;
  }
  trace_sink = &recorder();
}

Trace stop_trace(bool waits) {
  trace_sink = nullptr;
  if (cupti::is_on()) {
    wait_for_gpus();
    recorder().add(cupti::stop());
  }
  return recorder().take(waits);
}

size_t trace_length() { return recorder().length(); }

std::string trace_timing() {
  std::lock_guard hold(timing_lock);
  return timing;
}

void Traced::begin(TraceKind kind, DeviceId device, Stream* stream, uint64_t bytes, Site site) {
  static std::atomic<uint64_t> made{0};
  record_.kind = kind;
  record_.id = ++made;
  record_.device = device;
  record_.stream = stream ? stream->native() : 0;
  record_.bytes = bytes;
  record_.site = site;
  bool timed = cupti::is_on() && !device.is_cpu();
  if (timed) {
    before_ = cupti::set_ours(record_.id);
    is_numbered_ = true;
  } else if (stream && runs_on_device(kind)) {
    stream_ = stream;
    start_ = recorder().event(stream->device);
    start_->record(*stream);
  }
  record_.start_ns = now_ns();
}

void Traced::end() {
  if (is_numbered_) cupti::set_ours(before_);
  record_.host_ns = took_ns_ >= 0 ? took_ns_ : now_ns() - record_.start_ns;
  std::shared_ptr<Event> finish;
  try {
    if (start_) {
      finish = recorder().event(stream_->device);
      finish->record(*stream_);
    }
  } catch (const std::exception&) {
    start_ = finish = nullptr;  // the device failed; the call itself raised
  }
  if (trace_sink.load() == &recorder()) recorder().add_pending(std::move(record_), std::move(start_), std::move(finish));
}

}  // namespace quern
