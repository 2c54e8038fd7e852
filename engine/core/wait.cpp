#include "core/wait.h"

namespace quern {

namespace {
WaitHooks wait_hooks;  // set once, before any work
}

void set_wait_hooks(WaitHooks hooks) { wait_hooks = hooks; }

Waiting::Waiting() : state_(wait_hooks.begin ? wait_hooks.begin() : nullptr) {}

Waiting::~Waiting() {
  if (wait_hooks.end) wait_hooks.end(state_);
}

thread_local int WaitsSoon::depth_ = 0;

}  // namespace quern
