// A launch on the CPU: blocks over the thread pool, every fault of kernel code caught.
//
// guarded() runs kernel code with a way out: a signal raised by the code itself, or end_kernel() called from it, jumps back
// here, and the launch fails with a text that names the kernel. Other faults go to the handler that was there before.
#include "core/error.h"
#include "core/log.h"
#include "device/check/checked_launch.h"
#include "device/check/host_pages.h"
#include "device/cpu_interrupt.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <csetjmp>

namespace quern {

namespace {

// ---- faults

struct Guard {
  sigjmp_buf way_out;
  KernelFault fault;
  Guard* outer = nullptr;
};
thread_local Guard* guard = nullptr;

// See cpu_interrupt.h. The counter's register says where the thread was.
void on_stop(int, siginfo_t*, void* context) {
  auto at = static_cast<uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (guard && InKernel::must_leave(at)) siglongjmp(guard->way_out, 1);
}

constexpr int caught_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction previous_actions[64];

// All that is between the stack pointer and the guard, which the kernel's caller has on its stack, can be read and written but
// where the stack has run out. Below the pointer lie the 128 bytes that a function may use without moving it, and what is pushed.
bool is_stack_overflow(const Guard& guard, const ucontext_t& context, const void* address) {
  constexpr uintptr_t below = 256;
  auto pointer = static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
  auto at = reinterpret_cast<uintptr_t>(address);
  return at >= pointer - below && at < reinterpret_cast<uintptr_t>(&guard);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  constexpr greg_t write_bit = 2;  // of the page fault's error code
  if (signal == SIGSEGV && check::on() &&
      check::host_touched(info->si_addr, static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & write_bit))
    return;
  // Only faults that this thread's kernel code raised itself (si_code > 0), never one sent by another process.
  if (guard && info->si_code > 0) {
    guard->fault.signal = signal;
    guard->fault.address = info->si_addr;
    guard->fault.is_stack = is_stack_overflow(*guard, *static_cast<const ucontext_t*>(context), info->si_addr);
    siglongjmp(guard->way_out, 1);
  }
  struct sigaction& previous = previous_actions[signal];
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    ::signal(signal, SIG_DFL);  // returning repeats the fault, which now ends the process as it would have
    if (info->si_code <= 0) ::raise(signal);
  } else {
    previous.sa_handler(signal);
  }
}

void install_handlers() {
  install_stop_handler(on_stop);
  for (int signal : caught_signals) {
    struct sigaction current = {};
    sigaction(signal, nullptr, &current);
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == on_fault) continue;
    previous_actions[signal] = current;
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
  }
}

// A stack of its own for the handler: a kernel that runs out of stack must still be caught.
class SignalStack {
 public:
  SignalStack() {
    stack_t current{};
    sigaltstack(nullptr, &current);
    if (!(current.ss_flags & SS_DISABLE)) return;
    memory_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    stack_t ours{};
    ours.ss_sp = memory_;
    ours.ss_size = size;
    sigaltstack(&ours, nullptr);
  }
  ~SignalStack() {
    if (memory_ == MAP_FAILED) return;
    stack_t off{};
    off.ss_flags = SS_DISABLE;
    sigaltstack(&off, nullptr);
    munmap(memory_, size);
  }

 private:
  static constexpr size_t size = 64 << 10;
  void* memory_ = MAP_FAILED;
};

template <class F>
std::optional<KernelFault> guarded(Stoppable& launch, F&& f) {
  thread_local SignalStack stack;
  InKernel in_kernel(launch);
  Guard here;
  here.outer = guard;
  guard = &here;
  std::optional<KernelFault> fault;
  if (sigsetjmp(here.way_out, 0) == 0) {
    f();
  } else {
    // The signal was blocked on entry to the handler and we did not return from it.
    sigset_t set;
    sigemptyset(&set);
    for (int signal : caught_signals) sigaddset(&set, signal);
    sigaddset(&set, InKernel::signal());
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    fault = std::move(here.fault);
  }
  guard = here.outer;
  return fault;
}

std::string describe(const KernelFault& fault) {
  if (!fault.text.empty()) return fault.text;
  switch (fault.signal) {
    case SIGSEGV:
    case SIGBUS:
      if (fault.is_stack) return "its stack overflowed: a recursion too deep or without an end, or locals too large";
      return formatted("it accessed memory at {} that is not mapped; check the kernel's indices and pointers", fault.address);
    case SIGFPE:
      return "an arithmetic fault";
    default:
      return formatted("signal {}", fault.signal);
  }
}

// ---- running blocks

struct Job : Stoppable {
  const CpuKernel& kernel;
  QuernCpuLaunch& launch;
  uint64_t count;
  unsigned threads;     // of the pool
  uint32_t joined = 1;  // blocks that run as one
  uint64_t chunk = 1;
  std::atomic<uint64_t> next{0};
  std::atomic<uint64_t> finished{0};
  GridBarrier barrier;
  bool together = false;            // blocks wait for each other, so all are in flight at once
  std::atomic<int64_t> busy_ns{0};  // of all threads together
  std::atomic<float> block_ns{-1};  // what a block takes, about; negative while nothing is known
  double seconds_left() const override {
    float known = block_ns.load(std::memory_order_relaxed);
    uint64_t begun = std::min(next.load(std::memory_order_relaxed), count);
    return known < 0 ? -1 : 1e-9 * static_cast<double>(known) * static_cast<double>(count - begun) / threads;
  }
  std::mutex fault_lock;
  KernelFault fault;

  Job(const CpuKernel& kernel, QuernCpuLaunch& launch, uint64_t count, unsigned threads)
      : Stoppable(kernel.code->blocks ? reinterpret_cast<const void*>(kernel.code->blocks)
                                      : reinterpret_cast<const void*>(kernel.code->start)),
        kernel(kernel),
        launch(launch),
        count(count),
        threads(threads) {}
};

bool as_coroutines(const QuernCpuKernel& code, const QuernCpuLaunch& launch) {
  return !code.blocks || ((code.flags & QUERN_KERNEL_FULL_WARPS) && launch.block[0] % 32 != 0);
}

void run_blocks(const CpuKernel& kernel, const QuernCpuLaunch& launch, uint64_t first, uint64_t last,
                const std::atomic<bool>& failed) {
  const QuernCpuKernel& code = *kernel.code;
  if (as_coroutines(code, launch)) return run_coroutine_blocks(kernel, launch, first, last, failed);
  size_t threads = size_t{launch.block[0]} * launch.block[1] * launch.block[2];
  size_t shared = (size_t{code.static_shared} + 63) / 64 * 64 + (size_t{launch.dynamic_shared} + 63) / 64 * 64;
  size_t slots = size_t{code.slot_bytes} * ((threads + 63) / 64 * 64);
  char* memory = scratch(shared + slots + 64);
  code.blocks(&launch, first, last, memory, memory + shared);
}

void take_chunks(Job& job) {
  if (job.together) {
    run_coroutine_grid(job.kernel, job.launch, job.next, job.count, job.finished, job.barrier, job.threads, job.failed);
    return;
  }
  while (!job.failed.load(std::memory_order_relaxed)) {
    if (takes_too_long(job)) {
      job.stopped = job.failed = true;
      return;
    }
    uint64_t first = job.next.fetch_add(job.chunk, std::memory_order_relaxed);
    if (first >= job.count) return;
    run_blocks(job.kernel, job.launch, first, std::min(job.count, first + job.chunk), job.failed);
  }
}

void work_on(Job& job) {
  int64_t start = now_ns();
  if (auto fault = guarded(job, [&] { take_chunks(job); })) {
    std::lock_guard hold(job.fault_lock);
    if (!job.failed.exchange(true)) job.fault = std::move(*fault);
  }
  job.busy_ns.fetch_add(now_ns() - start, std::memory_order_relaxed);
}

// Makes few wide blocks of many narrow ones, where the kernel allows it: enough are left for the threads to share.
void join_blocks(Job& job) {
  constexpr uint64_t pieces_for_each_thread = 16;
  constexpr uint32_t primes[] = {2, 3, 5, 7, 11, 13};
  uint32_t joins = job.kernel.code->flags & (QUERN_KERNEL_JOINS_X | QUERN_KERNEL_JOINS_Y | QUERN_KERNEL_JOINS_Z);
  if (!joins || !(job.launch.flags & QUERN_LAUNCH_SMALL_GRID)) return;
  uint32_t& along = job.launch.grid[joins == QUERN_KERNEL_JOINS_X ? 0 : joins == QUERN_KERNEL_JOINS_Y ? 1 : 2];
  uint64_t most =
      std::min<uint64_t>(QUERN_JOINED_THREADS / job.launch.block[0], job.count / (job.threads * pieces_for_each_thread));
  uint32_t joined = 1;
  if (along <= most) {
    joined = along;
  } else {
    for (uint32_t prime : primes) {
      while (uint64_t{joined} * prime <= most && along / joined % prime == 0) joined *= prime;
    }
  }
  along /= joined;
  job.launch.block[0] *= joined;
  job.count /= joined;
  job.joined = joined;
}

// Waking the pool costs some microseconds; a launch that is done sooner stays here.
constexpr float alone_below_ns = 20e3f;

void run_job(CpuDevice& device, CpuKernel& kernel, Job& job) {
  join_blocks(job);
  float known = kernel.nanoseconds_per_block.load(std::memory_order_relaxed) * static_cast<float>(job.joined);
  job.block_ns = known;
  bool spins = (kernel.code->flags & QUERN_KERNEL_SPINS) != 0 || job.together;
  if (known < 0 && !spins && job.count > 1) {
    // Not measured yet: the first block measures it.
    int64_t start = now_ns();
    if (auto fault = guarded(job, [&] { run_blocks(kernel, job.launch, 0, 1, job.failed); })) {
      job.fault = std::move(*fault);
      job.failed = true;
      return;
    }
    job.busy_ns = now_ns() - start;
    known = static_cast<float>(job.busy_ns.load());
    job.block_ns = known;
    job.next = 1;
  }
  unsigned threads = job.threads;
  uint64_t left = job.count - job.next.load();
  bool alone = threads == 1 || left <= 1 || (!spins && known >= 0 && known * static_cast<float>(left) < alone_below_ns);
  if (alone) {
    job.chunk = spins ? 1 : left;
    work_on(job);
  } else {
    // Chunks of about 50 microseconds balance well; never so few that a thread starves at the end.
    uint64_t by_time = known > 0 ? static_cast<uint64_t>(50e3f / known) : 1;
    job.chunk =
        std::max<uint64_t>(1, std::min<uint64_t>(std::max<uint64_t>(by_time, left / (threads * 64)), left / (threads * 4)));
    device.pool().run([](void* context) { work_on(*static_cast<Job*>(context)); }, &job);
  }
  if (job.failed) return;
  // The threads' own time: to wake them is no work, and a launch that woke them once for nothing is not to do so for ever.
  float per_block = static_cast<float>(job.busy_ns.load(std::memory_order_relaxed)) / static_cast<float>(job.count);
  float estimate = known < 0 ? per_block : 0.5f * known + 0.5f * per_block;
  kernel.nanoseconds_per_block.store(estimate / static_cast<float>(job.joined), std::memory_order_relaxed);
}

}  // namespace

void catch_faults() {
  static std::once_flag once;
  std::call_once(once, install_handlers);
}

void end_kernel(std::string text) {
  if (!guard) bug("a kernel's runtime call came from outside a kernel: {}", text);
  guard->fault.text = std::move(text);
  siglongjmp(guard->way_out, 1);
}

std::optional<Failure> CpuDevice::run_launch(StreamState& stream, const Command& command) noexcept {
  catch_faults();
  CpuKernel& kernel = *command.kernel;
  QuernCpuLaunch launch{};
  launch.args = command.args();
  bool small = true;
  uint64_t count = 1;
  for (int d = 0; d < 3; ++d) {
    launch.grid[d] = command.shape.grid[d];
    launch.block[d] = command.shape.block[d];
    count *= launch.grid[d];
    small = small && uint64_t{launch.grid[d]} * launch.block[d] <= 0x7fffffffu;
  }
  launch.dynamic_shared = command.shape.dynamic_shared;
  launch.flags = small ? QUERN_LAUNCH_SMALL_GRID : 0;
  Job job(kernel, launch, count, threads());
  launch.host = &job;
  std::optional<check::CheckedLaunch> checked;
  if (check::on() && kernel.is_checked) {
    checked.emplace(kernel, launch, stream, command.site, command.shape.turned);
    job.threads = 1;
  }
  job.together = as_coroutines(*kernel.code, launch) && (command.shape.cooperative || (kernel.code->flags & QUERN_KERNEL_SPINS));
  if (!begin_launch(stream, command, job)) {
    drop_work(command.work);
    return std::nullopt;
  }
  std::string error;
  try {
    run_job(*this, kernel, job);
    if (checked && !job.failed && !job.together && count > 1 && !(kernel.code->flags & QUERN_KERNEL_PRINTS)) {
      while (checked->begin_order()) {
        Job again(kernel, launch, count, 1);
        launch.host = &again;
        run_job(*this, kernel, again);
        if (again.failed) break;
      }
      checked->end_orders();
      launch.host = &job;
    }
  } catch (const std::exception& e) {
    error = e.what();
  }
  end_launch(stream, command, job.stopped);
  if (job.stopped) return std::nullopt;
  if (!error.empty()) return Failure{ErrorKind::launch, error, command.site};
  if (!job.failed) return std::nullopt;
  return Failure{ErrorKind::launch, formatted("[launch] kernel '{}' failed: {}", kernel.info.name, describe(job.fault)),
                 command.site};
}

char* scratch(size_t bytes) {
  struct Memory {
    char* data = nullptr;
    size_t size = 0;
    ~Memory() {
      if (data) munmap(data, size);
    }
  };
  thread_local Memory memory;
  if (memory.size < bytes) {
    if (memory.data) munmap(memory.data, memory.size);
    size_t size = std::max<size_t>((bytes + 4095) / 4096 * 4096, size_t{256} << 10);
    void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory.data = p == MAP_FAILED ? nullptr : static_cast<char*>(p);
    memory.size = memory.data ? size : 0;
    if (!memory.data) end_kernel(formatted("there is no memory for the {} bytes that its blocks need", bytes));
  }
  return memory.data;
}

}  // namespace quern
