// While checks run (device/check/), calls are carried out as soon as they are recorded, so that the errors that only their values
// show are raised at their own lines.
#pragma once

#include <atomic>

namespace quern {

inline std::atomic<bool> calls_at_once{false};

}  // namespace quern
