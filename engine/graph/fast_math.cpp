#include "graph/fast_math.h"

#include <utility>

namespace quern {

namespace {
thread_local bool is_on = false;
}  // namespace

std::atomic<bool> any_fast_math{false};

bool is_fast_math_here() { return is_on; }

bool set_fast_math(bool on) {
  if (on) any_fast_math = true;
  return std::exchange(is_on, on);
}

}  // namespace quern
