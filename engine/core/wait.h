// Waits that may take long: they let the bindings give up Python's lock, and run the handlers of signals that come meanwhile
// (docs/decisions/0012).
//
// Handlers run on one thread, Python's main one, with no engine lock held; they may use the engine. What a handler throws ends
// the wait as an Interrupted, which is no std::exception: only who owns what is half done, and the bindings, catch it.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace quern {

struct WaitHooks {
  void* (*begin)() = nullptr;  // what it returns goes to end()
  void (*end)(void*) = nullptr;
  bool (*handles_signals)() = nullptr;  // does this thread?
  void (*handle_signals)() = nullptr;   // those that have come; throws what a handler raises
};
void set_wait_hooks(WaitHooks hooks);

// The engine's locks that the calling thread holds: given up while handlers run. `take_back` gets what `give_up` returned.
struct LockHooks {
  uint32_t (*give_up)() = nullptr;
  void (*take_back)(uint32_t) = nullptr;
};
void set_lock_hooks(LockHooks hooks);

// After a handler has thrown: stops what the calling thread has submitted; returns what is to be said of it.
void set_interrupt_hook(std::string (*stop)());

class Waiting {
 public:
  Waiting();
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void (*end_)(void*);  // kept: the hooks are taken away when the interpreter ends, and this thread must not go back to it then
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

// ---- signals

struct Interrupted {
  std::exception_ptr cause;  // what the handler threw
  std::string text;          // what was stopped, and what may be half written; "" when nothing was
};

// How long a wait goes on between two checks.
constexpr std::chrono::milliseconds slice{20};

// Is the calling thread the one that handles signals, and may it now?
bool handles_signals();
// Runs the handlers of signals that have come. Throws Interrupted. Cheap when called often: it looks once in a slice.
void look_at_signals();

// While one lives, this thread handles no signals: something is half done that handlers must not see.
class WithoutSignals {
 public:
  WithoutSignals() { ++depth_; }
  ~WithoutSignals() { --depth_; }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  friend bool handles_signals();
  static thread_local int depth_;
};

// Asks `ready` until it says yes, soon often, later seldom. Throws Interrupted.
void wait_in_slices(const std::function<bool()>& ready);

// Runs f on a thread of its own, which nobody waits for: f must own what it uses, and throw nothing.
void start_beside(std::function<void()> f);
// Runs f and returns when it is done. On the thread that handles signals f runs beside it; a handler that throws leaves f
// running, which must own what it uses. What f throws is thrown here.
void run_beside(std::function<void()> f);
// Do threads of these two still run? The process must not take down their libraries meanwhile.
bool left_running();

}  // namespace quern
