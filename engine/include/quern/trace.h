// File: quern/trace.h
//
// Every compile, load, copy, launch and wait, with its cost and, for arrays, the line that asked for it.
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

struct TraceEvent {
  std::string kind;    // "compile", "load", "launch", "host_to_device", "device_to_host", "device_to_device", "fill", "wait",
                       // "allocate"
  std::string name;    // a kernel's, a library's
  std::string detail;  // of a compile: "memory", "disk" or "compiled"; of a launch: its grid and blocks
  std::string device;  // "cpu", "cuda:0"
  std::string site;    // "heat.cpp:12"; "" where it is not known
  uint64_t bytes = 0;
  int64_t start_ns = 0;   // the host's steady clock, when the call began
  int64_t host_ns = 0;    // how long the calling thread took
  double device_ms = -1;  // how long the device took; -1 where that was not measured
  // When that began and ended by the device's own clock, laid beside the host's; 0 where it was not measured.
  int64_t device_start_ns = 0, device_end_ns = 0;
  uint64_t id = 0;                          // of this event alone
  uintptr_t stream = 0;                     // the device's handle of it
  uint64_t key = 0;                         // equal for equal kernels; 0: it has no kernel
  std::vector<std::string> ops;             // what the kernel computes, of array work
  std::array<uint32_t, 3> grid{}, block{};  // of a kernel's launch
  uint32_t shared_bytes = 0;                // of dynamic shared memory
};

// Collects from its making to stop(). One at a time in a process: a second one starts the collection anew.
class Trace {
 public:
  Trace();
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  std::vector<TraceEvent> stop();  // in the order in which they ended; nothing, the second time

 private:
  bool running_ = true;
};

}  // namespace qn
