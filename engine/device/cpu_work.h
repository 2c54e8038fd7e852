// What the CPU's streams and threads did, for the trace: they count while somebody traces.
#pragma once

#include "device/device.h"

namespace quern {

// Between two events of a stream of the CPU that are done. What is submitted may lie for a while until somebody works on it.
struct CpuWork {
  int64_t end_ns = 0;     // of the second event, by the host's steady clock
  int64_t work_ns = 0;    // in which the stream was at work
  int64_t thread_ns = 0;  // of all threads of the pool together; little work takes one
};
CpuWork work_between(Event& start, Event& end);

}  // namespace quern
