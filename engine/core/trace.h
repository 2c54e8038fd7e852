// The one place that every compile, load, copy, fill, launch and wait passes, with its cost and its call site.
//
// core/ owns the sink and the record; run/ makes the records, run/trace.cpp keeps and formats them. Off, it costs one load.
#pragma once

#include "core/device_id.h"
#include "core/site.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quern {

enum class TraceKind : uint8_t {
  compile,
  load,
  launch,
  host_to_device,
  device_to_host,
  device_to_device,
  fill,
  wait,
  allocate,
  release,  // of memory, with the site that allocated it; only for a sink that wants_releases()
  fallback  // a function of NumPy's on the host, for arrays of ours
};
inline constexpr const char* trace_kind_names[] = {"compile",          "load", "launch", "host_to_device", "device_to_host",
                                                   "device_to_device", "fill", "wait",   "allocate",       "release",
                                                   "fallback"};

// One of the things that a kernel is compiled for: its name in words, and a hash of its value.
struct KernelTrait {
  const char* what;
  uint64_t value;
};

// What a kernel is: the same wherever it is launched from. Never changes once made.
struct KernelIdentity {
  uint64_t key = 0;              // of equal work: a hash of what its text depends on, of the text where that is a user's
  std::vector<std::string> ops;  // of array work, in order; else who it is of: "sort", "elementwise"; none: a user's text
  std::string form = {};         // of array work: the types and dimensions that it is compiled for, in words
  // Which of the ops join float64 with a narrower type, though nobody asked for a conversion: they work in float64.
  std::vector<uint32_t> widened = {};
  std::string reason = {};  // why it was compiled: "new expression", "new dtypes" (run/compile_reasons.h)
};

// What a launch of array work is about.
struct TracedWork {
  std::vector<Site> lines;  // that recorded what it computes, one for each op
  uint64_t bytes = 0;       // read and written, each element once
  uint64_t fetched = 0;     // with what lies between neighbours, where whole pieces of memory are moved
  uint64_t operations = 0;  // of floating-point numbers
  bool is_single = false;   // one operation of a group whose kernel is not compiled yet
};
// The detail of its launch.
inline constexpr const char* of_single = "operation by operation";

struct TraceRecord {
  TraceKind kind;
  uint64_t id = 0;  // of this call alone, in this process
  DeviceId device;
  std::optional<DeviceId> from;  // of a copy between devices: the one that it comes from
  uintptr_t stream = 0;
  Site site = no_site;
  uint64_t bytes = 0;
  uint64_t fetched = 0, operations = 0;  // of array work (TracedWork); `bytes`, too
  int64_t start_ns = 0;                  // host clock (steady), when the call began
  int64_t host_ns = 0;    // how long the calling thread took; a compiler that worked ahead on another one: how long that took
  double device_ms = -1;  // how long the device took; -1 when not measured
  // By the device's own clock, laid beside the host's where the device's first event of the trace is; 0 when not measured.
  int64_t device_start_ns = 0, device_end_ns = 0;
  std::array<uint32_t, 3> grid{}, block{};  // of a launch; 0 for one that has none, such as a library's
  uint32_t dynamic_shared = 0, static_shared = 0, registers = 0;
  std::vector<Site> lines;                       // of array work: the lines that recorded what a launch computes, one for each op
  std::shared_ptr<const KernelIdentity> kernel;  // of launches, compiles and loads, where there is one
  std::string name;                              // kernel, text or library
  std::string
      detail;  // "memory", "disk" or "compiled" for a compile; grid and block for a launch, and of_single; of a wait: what for
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(TraceRecord record) = 0;
  virtual bool wants_releases() const { return false; }
};

extern std::atomic<TraceSink*> trace_sink;
// The sink, or null. Acquired, so that whoever gets the sink sees it whole.
inline TraceSink* trace_listener() { return trace_sink.load(std::memory_order_acquire); }
// Something that the host did from then until now, where no Traced stands around it.
void trace_host(TraceKind kind, DeviceId device, Site site, int64_t start_ns, const char* detail) noexcept;
inline bool tracing() { return trace_sink.load(std::memory_order_relaxed) != nullptr; }

}  // namespace quern
