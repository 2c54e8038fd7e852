// File: quern/trace.h
//
// Records every compile, load, copy, launch and wait, with its duration and, for array work, the source line that caused it.
//
//   qn::Trace trace;
//   work();
//   for (const qn::TraceEvent& e : trace.stop()) std::cout << e.kind << " " << e.name << " " << e.site << "\n";
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace qn {

// One thing that the engine did while a trace was on.
struct TraceEvent {
  std::string kind;    // "compile", "load", "launch", "host_to_device", "device_to_host", "device_to_device", "fill", "wait",
                       // "allocate", "fallback"
  std::string name;    // of a kernel or a library
  std::string detail;  // of a compile: "memory", "disk" or "compiled"; of a launch: its grid and blocks;
                       // of a wait: what for
  std::string device;  // "cpu", "cuda:0"
  std::string site;    // "heat.cpp:12"; "" if unknown
  uint64_t bytes = 0;
  int64_t start_ns = 0;   // start of the call, by the host's steady clock
  int64_t host_ns = 0;    // time in the calling thread
  double device_ms = -1;  // time on the device; -1 if not measured
  // Start and end on the device, converted from its clock to the host's; 0 if not measured.
  int64_t device_start_ns = 0, device_end_ns = 0;
  uint64_t id = 0;                          // unique
  uintptr_t stream = 0;                     // native handle
  uint64_t key = 0;                         // equal for equal kernels; 0: no kernel
  std::vector<std::string> ops;             // operations of the kernel, for array work
  std::array<uint32_t, 3> grid{}, block{};  // of a launch
  uint32_t shared_bytes = 0;                // dynamic shared memory
};

// Records from construction to stop(). One at a time in a process: constructing a second one restarts the recording.
class Trace {
 public:
  Trace();
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  std::vector<TraceEvent> stop();  // ordered by their end; empty when called again

 private:
  bool running_ = true;
};

}  // namespace qn
