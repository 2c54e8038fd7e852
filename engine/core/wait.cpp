#include "core/wait.h"

#include <immintrin.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace quern {

namespace {

WaitHooks wait_hooks;  // set once, before any work
LockHooks lock_hooks;
std::string (*interrupt_hook)() = nullptr;
std::atomic<int> running_beside{0};

using Clock = std::chrono::steady_clock;

// The engine's locks are free while this lives.
class Unlocked {
 public:
  Unlocked() : depth_(lock_hooks.give_up ? lock_hooks.give_up() : 0) {}
  ~Unlocked() {
    if (depth_ > 0) lock_hooks.take_back(depth_);
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  uint32_t depth_;
};

}  // namespace

void set_wait_hooks(WaitHooks hooks) { wait_hooks = hooks; }
void set_lock_hooks(LockHooks hooks) { lock_hooks = hooks; }
void set_interrupt_hook(std::string (*stop)()) { interrupt_hook = stop; }

Waiting::Waiting() : end_(wait_hooks.end), state_(wait_hooks.begin ? wait_hooks.begin() : nullptr) {}

Waiting::~Waiting() {
  if (end_) end_(state_);
}

thread_local int WaitsSoon::depth_ = 0;
thread_local int WithoutSignals::depth_ = 0;

bool handles_signals() { return WithoutSignals::depth_ == 0 && wait_hooks.handles_signals && wait_hooks.handles_signals(); }

void look_at_signals() {
  if (!handles_signals()) return;
  thread_local Clock::time_point last;
  auto now = Clock::now();
  if (now - last < slice) return;
  Unlocked unlocked;
  WithoutSignals undisturbed;  // a handler that takes longer than its signal to come again must end all the same
  try {
    wait_hooks.handle_signals();
    last = Clock::now();
  } catch (...) {
    std::string text = interrupt_hook ? interrupt_hook() : "";
    last = Clock::now();
    throw Interrupted{std::current_exception(), std::move(text)};
  }
}

void wait_in_slices(const std::function<bool()>& ready) {
  using namespace std::chrono_literals;
  auto start = Clock::now();
  while (!ready()) {
    auto waited = Clock::now() - start;
    if (waited < 2ms) {
      for (int i = 0; i < 16; ++i) _mm_pause();
      continue;
    }
    std::this_thread::sleep_for(waited < 50ms ? 20us : 100us);
    look_at_signals();
  }
}

void start_beside(std::function<void()> f) {
  running_beside.fetch_add(1);
  try {
    std::thread([f = std::move(f)]() mutable {
      f();
      f = nullptr;
      running_beside.fetch_sub(1);
    }).detach();
  } catch (...) {
    running_beside.fetch_sub(1);
    throw;
  }
}

void run_beside(std::function<void()> f) {
  if (!handles_signals()) return f();
  struct Run {
    std::mutex lock;
    std::condition_variable ended;
    bool is_over = false;
    std::exception_ptr error;
  };
  auto run = std::make_shared<Run>();
  start_beside([run, f = std::move(f)]() mutable {
    std::exception_ptr error;
    try {
      f();
    } catch (...) {
      error = std::current_exception();
    }
    f = nullptr;  // before the waiting thread goes on
    {
      std::lock_guard hold(run->lock);
      run->is_over = true;
      run->error = std::move(error);
    }
    run->ended.notify_all();
  });
  Waiting waiting;
  std::unique_lock hold(run->lock);
  while (!run->ended.wait_for(hold, slice, [&] { return run->is_over; })) {
    hold.unlock();
    look_at_signals();
    hold.lock();
  }
  if (run->error) std::rethrow_exception(run->error);
}

bool left_running() { return running_beside.load() > 0; }

}  // namespace quern
