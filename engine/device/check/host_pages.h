// Pinned and managed memory that work may still use: the host cannot touch it until it has waited for that work. Where it does,
// the fault is reported as a finding, and the program continues.
#pragma once

#include "device/check/timeline.h"

namespace quern::check {

void keep_from_host(const WorkPtr& work, const Range& range);  // nothing where it is not pinned
void give_back_to_host();                                      // what is over, now that the host has waited
void forget_host_pages();

// While one lives, this process's work may use all of it.
class HostPagesOpen {
 public:
  HostPagesOpen();
  ~HostPagesOpen();
  HostPagesOpen(const HostPagesOpen&) = delete;
  HostPagesOpen& operator=(const HostPagesOpen&) = delete;
};

// A fault of the host: was it such memory? Then it can be used from now on.
bool host_touched(const void* address, bool writes);

}  // namespace quern::check
