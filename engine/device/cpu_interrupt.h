// Interrupts of the CPU device (docs/decisions/0012). Kernels of the user's are stopped, and those not begun are dropped. Array
// work ends behind the program's back, so that no value is lost, unless that takes long: then it is stopped, and its results say
// so.
//
// A kernel is stopped by a signal to the threads that run it. Its handler jumps out of the kernel as the one for faults does, but
// only from the kernel's own code: whoever is in the C library or in the engine meanwhile goes on, and gets the signal again. So
// kernels need not ask, and loops stay as they are.
#pragma once

#include "device/cpu.h"

#include <pthread.h>
#include <signal.h>

namespace quern {

// A launch that runs, as much of it as is needed to stop it.
struct Stoppable {
  explicit Stoppable(const void* code) : code(code) {}
  virtual ~Stoppable() = default;
  virtual double seconds_left() const = 0;  // about; negative while nobody knows
  const void* code;                         // an address in its code
  std::atomic<bool> failed{false};          // no further block begins
  std::atomic<bool> stopped{false};         // because of an interrupt
  std::atomic<bool> is_left{false};         // an interrupt let it go on: array work, which ends unless that takes long
  std::atomic<int> inside{0};               // threads that may be in its code
  uintptr_t code_begin = 0, code_end = 0;   // valid once stopped
};

// The calling thread runs this launch's code while one lives.
class InKernel {
 public:
  explicit InKernel(Stoppable& launch);
  ~InKernel();
  InKernel(const InKernel&) = delete;
  InKernel& operator=(const InKernel&) = delete;
  // For the signal's handler: is this thread to leave the code at `at`?
  static bool must_leave(uintptr_t at);
  static int signal();  // its number; the handler that is installed is the first caller's

 private:
  Stoppable* before_;
};
void install_stop_handler(void (*handler)(int, siginfo_t*, void*));

// A command that a stream carries out, from here to its end.
class Running {
 public:
  Running(StreamState& stream, const Command& command);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  StreamState& stream_;
};
// The same for its launch; false: it is to be dropped instead. The command ends with its launch.
bool begin_launch(StreamState& stream, const Command& command, Stoppable& launch);
void end_launch(StreamState& stream, const Command& command, bool was_stopped);

bool is_cancelled(StreamState& stream, const Command& command);
// For who waits for array work that an interrupt has left running, which may take long, as far as is known by now.
void stop_what_was_left(StreamState& stream) noexcept;
// Of such work.
inline bool takes_too_long(const Stoppable& launch) {
  constexpr double most_seconds = 2;
  return launch.is_left.load(std::memory_order_relaxed) && launch.seconds_left() > most_seconds;
}

}  // namespace quern
