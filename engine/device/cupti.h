// What GPUs did, by CUPTI's activity records: when each kernel, copy and fill ran, those of other libraries in the process, too.
//
// libcupti is found at run time, as the driver is, and no header of it is used (tests/engine/device/cupti_test.cpp compares the
// types where one is installed). One recording at a time. run/trace.cpp is the only caller.
#pragma once

#include "core/site.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace quern::cupti {

enum class What : uint8_t { kernel, host_to_device, device_to_host, device_to_device, fill };

struct Activity {
  What what = What::kernel;
  int device = 0;
  uint16_t registers = 0;
  uint32_t stream = 0, correlation = 0;  // CUPTI's numbers
  uint32_t name = 0;                     // of a kernel, in Found::names
  uint32_t static_shared = 0, dynamic_shared = 0;
  std::array<uint32_t, 3> grid{}, block{};
  uint64_t bytes = 0;
  int64_t start_ns = 0, end_ns = 0;  // by the host's steady clock
};

// A call of the driver or of the runtime that may have caused activities.
struct Call {
  uint32_t correlation = 0;
  Site site = no_site;   // where the program was, as far as that is known; not used for ours
  uint64_t ours = 0;     // the number that Ours had; 0: another library's
  int64_t start_ns = 0;  // by the host's steady clock
};

struct Found {
  std::vector<Activity> activities;
  std::vector<std::string> names{""};
  std::vector<Call> calls;
};

// Begins. "" or why not, in words: it is not installed, another tool holds it.
std::string start();
bool is_on();
// Ends it. What was submitted must have ended.
Found stop();

// What this thread asks of the driver is this call of ours from now on; 0: it is not. Returns what it was before.
uint64_t set_ours(uint64_t number);

}  // namespace quern::cupti
