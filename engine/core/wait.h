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

}  // namespace quern
