#include "core/trace.h"

#include "core/clock.h"

namespace quern {

std::atomic<TraceSink*> trace_sink{nullptr};

void trace_host(TraceKind kind, DeviceId device, Site site, int64_t start_ns, const char* detail) noexcept {
  TraceSink* sink = trace_listener();
  if (!sink) return;
  try {
    TraceRecord record{};
    record.kind = kind;
    record.device = device;
    record.site = site;
    record.start_ns = start_ns;
    record.host_ns = now_ns() - start_ns;
    record.detail = detail;
    sink->record(std::move(record));
  } catch (const std::exception&) {
    // Without memory for the trace the program goes on.
  }
}

}  // namespace quern
