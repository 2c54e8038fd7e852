// The one place that every compile, load, copy, fill, launch and wait passes, with its cost and the site that asked for it.
//
// core/ owns the sink and the record; run/ makes the records, run/trace.cpp keeps and formats them. Off, it costs one load.
#pragma once

#include "core/site.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace quern {

enum class TraceKind : uint8_t { compile, load, launch, host_to_device, device_to_host, device_to_device, fill, wait, allocate };
inline constexpr const char* trace_kind_names[] = {"compile",          "load", "launch", "host_to_device", "device_to_host",
                                                   "device_to_device", "fill", "wait",   "allocate"};

struct TraceRecord {
  TraceKind kind;
  int device = 0;  // 0..n-1 for CUDA, -1 for the CPU
  uintptr_t stream = 0;
  Site site = no_site;
  uint64_t bytes = 0;
  int64_t start_ns = 0;   // host clock (steady), when the call began
  int64_t host_ns = 0;    // how long the calling thread took
  double device_ms = -1;  // how long the device took; -1 when not measured
  std::string name;       // kernel, text or library
  std::string detail;     // "memory", "disk" or "compiled" for a compile; grid and block for a launch
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(TraceRecord record) = 0;
};

extern std::atomic<TraceSink*> trace_sink;
inline bool tracing() { return trace_sink.load(std::memory_order_relaxed) != nullptr; }

}  // namespace quern
