#include "device/cpu_interrupt.h"

#include <signal.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace quern {

namespace {

struct KernelThread {
  pthread_t id;
  std::atomic<Stoppable*> launch{nullptr};
};

// All threads that ever ran a kernel and still live.
struct Threads {
  std::mutex lock;
  std::vector<KernelThread*> all;
};
Threads& threads() {
  static auto* threads = new Threads;  // never destroyed: threads end late
  return *threads;
}

KernelThread& this_thread() {
  struct Entry {
    KernelThread thread;
    Entry() {
      thread.id = pthread_self();
      std::lock_guard hold(threads().lock);
      threads().all.push_back(&thread);
    }
    ~Entry() {
      std::lock_guard hold(threads().lock);
      std::erase(threads().all, &thread);
    }
  };
  thread_local Entry entry;
  return entry.thread;
}

thread_local KernelThread* in_kernel = nullptr;  // for the handler, which must not make a thread_local

// The mapping that the address lies in. Kernels' code lies in mappings of its own.
std::pair<uintptr_t, uintptr_t> mapping_of(const void* address) {
  auto at = reinterpret_cast<uintptr_t>(address);
  std::pair<uintptr_t, uintptr_t> found{0, 0};
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (!maps) return found;
  char line[512];
  while (std::fgets(line, sizeof line, maps)) {
    uintptr_t begin, end;
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2 && begin <= at && at < end) found = {begin, end};
  }
  std::fclose(maps);
  return found;
}

// Of the command that the stream has come to. An interrupt that the stream has come past is forgotten: numbers come again.
bool was_submitted_before_interrupt(StreamState& stream, const Command& command) {
  if (!stream.cancelled_by.load()) return false;
  std::lock_guard hold(stream.running_lock);
  uint32_t number = stream.completed.load(std::memory_order_relaxed) + 1;
  if (static_cast<int32_t>(stream.cancelled_until - number) < 0) {
    stream.cancelled_by = nullptr;
    return false;
  }
  return command.by == stream.cancelled_by;
}

// Highest first: libraries take theirs from below.
int free_signal() {
  for (int number = SIGRTMAX - 1; number > SIGRTMIN; --number) {
    struct sigaction current = {};
    if (sigaction(number, nullptr, &current) == 0 && !(current.sa_flags & SA_SIGINFO) && current.sa_handler == SIG_DFL)
      return number;
  }
  return SIGRTMAX;
}

// With the stream's running_lock held, so that the launch does not go. A function of the C library ends first.
bool stop(Stoppable& launch) {
  using namespace std::chrono_literals;
  std::tie(launch.code_begin, launch.code_end) = mapping_of(launch.code);
  launch.stopped = true;
  launch.failed = true;
  auto patience = std::chrono::steady_clock::now() + 5s;
  while (launch.inside.load() > 0 && std::chrono::steady_clock::now() < patience) {
    {
      std::lock_guard hold(threads().lock);
      for (KernelThread* thread : threads().all) {
        if (thread->launch.load() == &launch) pthread_kill(thread->id, InKernel::signal());
      }
    }
    std::this_thread::sleep_for(100us);
  }
  return launch.inside.load() == 0;
}

}  // namespace

thread_local const std::atomic<bool>* StopsWith::flag_ = nullptr;

int InKernel::signal() {
  static const int number = free_signal();
  return number;
}

void install_stop_handler(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction ours = {};
  ours.sa_sigaction = handler;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&ours.sa_mask);
  sigaction(InKernel::signal(), &ours, nullptr);
}

InKernel::InKernel(Stoppable& launch) {
  KernelThread& thread = this_thread();
  in_kernel = &thread;
  before_ = thread.launch.exchange(&launch);
  launch.inside.fetch_add(1);
}

InKernel::~InKernel() {
  Stoppable* launch = in_kernel->launch.exchange(before_);
  launch->inside.fetch_sub(1);
}

bool InKernel::must_leave(uintptr_t at) {
  Stoppable* launch = in_kernel ? in_kernel->launch.load() : nullptr;
  return launch && launch->stopped.load() && launch->code_begin <= at && at < launch->code_end;
}

Running::Running(StreamState& stream, const Command& command) : stream_(stream) {
  stream.stop.store(false, std::memory_order_relaxed);
  stream.running_since.store(command.is_heavy ? now_ns() : 0, std::memory_order_relaxed);
  stream.running_command.store(&command);
}

Running::~Running() {
  if (!stream_.running_command.load(std::memory_order_relaxed)) return;
  std::lock_guard hold(stream_.running_lock);
  stream_.running_command = nullptr;
}

bool begin_launch(StreamState& stream, const Command& command, Stoppable& launch) {
  stream.running.store(&launch);  // before `stop` is read: interrupt() uses the opposite order
  launch.is_left = was_submitted_before_interrupt(stream, command);
  if (!stream.stop.load()) return true;
  end_launch(stream, command, false);
  return false;
}

void end_launch(StreamState& stream, const Command& command, bool was_stopped) {
  std::lock_guard hold(stream.running_lock);
  stream.running = nullptr;
  stream.running_command = nullptr;
  if (!was_stopped) return;
  drop_work(command.work);
  if (!stream.stop) return;  // it was left running: reading its results raises
  const KernelInfo& kernel = command.kernel->info;
  Stopped stopped{kernel.name, command.site, false, {}};
  for (const Param& param : kernel.params) {
    // Arrays of kernels written in Python are structs that begin with an address.
    if (param.access == Access::read || param.size < sizeof(void*) || param.offset + param.size > command.arg_bytes) continue;
    if (param.access == Access::none && param.size == sizeof(void*)) continue;
    for (size_t at = 0; at + sizeof(void*) <= param.size; at += sizeof(void*)) {
      const void* address;
      std::memcpy(&address, command.args() + param.offset + at, sizeof address);
      stopped.written.push_back(address);
    }
  }
  stream.stopped.push_back(std::move(stopped));
}

// Array work goes on, marks and callbacks have others that wait for them.
bool is_cancelled(StreamState& stream, const Command& command) {
  return command.work == 0 && (command.what == Command::What::launch || command.what == Command::What::copy) &&
         was_submitted_before_interrupt(stream, command);
}

namespace {

// With the stream's running_lock held: is what runs to be stopped? Of a launch's time nothing is known before its first block has
// ended; its threads look again then.
bool is_to_stop(const StreamState& stream, const Command& command, Stoppable* launch) {
  constexpr double most_since = 0.5e9;  // ns
  if (command.work == 0) return true;
  if (launch) launch->is_left = true;
  if (launch && launch->seconds_left() >= 0) return takes_too_long(*launch);
  int64_t since = stream.running_since.load();
  return since > 0 && static_cast<double>(now_ns() - since) > most_since;
}

}  // namespace

void stop_what_was_left(StreamState& stream) noexcept {
  if (!stream.cancelled_by.load(std::memory_order_relaxed)) return;
  std::lock_guard hold(stream.running_lock);
  Stoppable* launch = stream.running.load();
  if (launch && launch->is_left && is_to_stop(stream, *stream.running_command.load(), launch)) stop(*launch);
}

std::vector<Stopped> CpuDevice::interrupt() noexcept {
  std::vector<Stopped> out;
  void* self = __builtin_thread_pointer();
  for (auto& stream : states()) {
    std::unique_lock hold(stream->running_lock);
    stream->cancelled_until = stream->submitted.load();
    stream->cancelled_by = self;
    const Command* command = stream->running_command.load();
    if (command && command->by == self) {
      if (command->what == Command::What::copy) {  // host memory is about to go
        uint32_t running = stream->completed.load();
        hold.unlock();
        finish(*stream, running + 1);
        hold.lock();
      } else if (is_to_stop(*stream, *command, stream->running.load())) {
        stream->stop = true;
        Stoppable* launch = stream->running.load();
        if (launch && !stop(*launch)) out.push_back({"", no_site, true, {}});
        for (int i = 0; launch && stream->running == launch && i < 1000; ++i) {  // until it has reported what it was
          hold.unlock();
          std::this_thread::sleep_for(std::chrono::microseconds(100));
          hold.lock();
        }
      }
    }
    for (Stopped& stopped : stream->stopped) out.push_back(std::move(stopped));
    stream->stopped.clear();
  }
  return out;
}

}  // namespace quern
