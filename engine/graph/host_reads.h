// Counts how often a thread reads values of arrays on the host. A recorded step of a program is replayed with other values, so it
// must not contain what Python computed from the values that were there while it was recorded.
#pragma once

#include <cstdint>

namespace quern {

// So far on this thread: values that were copied to the host, sizes that depend on values, addresses that were handed out.
uint64_t host_reads();
void count_host_read();

}  // namespace quern
