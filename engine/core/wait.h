// Around a wait that may take long: lets the bindings give up Python's lock meanwhile, so that nothing waits with it held.
#pragma once

namespace quern {

struct WaitHooks {
  void* (*begin)() = nullptr;  // what it returns goes to end()
  void (*end)(void*) = nullptr;
};
void set_wait_hooks(WaitHooks hooks);

class Waiting {
 public:
  Waiting();
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void* state_;
};

// While one lives, this thread is about to wait for what it submits, and does that work itself where it can: nobody else is
// woken.
class WaitsSoon {
 public:
  WaitsSoon() { ++depth_; }
  ~WaitsSoon() { --depth_; }
  WaitsSoon(const WaitsSoon&) = delete;
  WaitsSoon& operator=(const WaitsSoon&) = delete;
  static bool here() { return depth_ > 0; }

 private:
  static thread_local int depth_;
};

}  // namespace quern
