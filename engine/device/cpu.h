// The CPU device, private to its files.
//
//   cpu.cpp             the Device: information, copies, fills; hands work to streams
//   cpu_stream.cpp      streams that run in order in the background, events
//   cpu_launch.cpp      a launch: blocks over the thread pool, faults caught
//   cpu_interrupt.cpp   stops what runs and drops what is submitted
//   cpu_coroutines.cpp  blocks whose threads are coroutines
//   cpu_module.cpp      loads compiled objects
//   cpu_runtime.cpp     what kernel code may call: printf, assert, clocks
//   cpu_memory.cpp      memory with guard pages, pinned memory
//   cpu_textures.cpp    arrays for textures, texture and surface objects
//
// Start at CpuStream::submit(), which takes a Command, and CpuDevice::run(), which carries one out.
#pragma once

#include "compile/cpu_module.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/interrupts.h"
#include "core/wait.h"
#include "device/cpu_image.h"
#include "device/device.h"
#include "device/thread_pool.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace quern {

class CpuDevice;
class CpuStream;
class CpuEvent;
class CpuModule;
struct Stoppable;  // a launch that runs

class CpuKernel : public LoadedKernel {
 public:
  const QuernCpuKernel* code = nullptr;
  CpuModule* module = nullptr;
  std::atomic<float> nanoseconds_per_block{-1};  // measured: small launches stay on one thread
};

// What happened to a launch that failed; kept until the next wait raises it.
struct Failure {
  ErrorKind kind = ErrorKind::launch;
  std::string text;
  Site site = no_site;  // turned into a line by the thread that raises: it may take Python's lock, the worker must not
  [[noreturn]] void raise() const;
};

struct EventState {
  std::atomic<bool> recorded{false};
  std::atomic<uint32_t> sequence{0};  // of the record command in its stream
  std::shared_ptr<struct StreamState> stream;
  std::atomic<int64_t> time_ns{0};
  std::atomic<int64_t> pool_ns{0}, worked_ns{0};  // ThreadPool::time_in_bodies() then, and the stream's worked_ns
  void reached(const struct StreamState& by);
};

struct Dependency {
  std::shared_ptr<struct StreamState> stream;
  uint32_t sequence;
};

// One piece of submitted work. Launch arguments lie in the command itself when they are small.
struct Command {
  enum class What : uint8_t { nothing, launch, copy, fill, record, call } what = What::nothing;
  std::vector<Dependency> after;

  std::shared_ptr<CpuModule> module;
  CpuKernel* kernel = nullptr;
  LaunchShape shape;
  Site site = no_site;
  void* by = nullptr;  // the thread that submitted it
  uint64_t work = 0;   // the array work that it belongs to; 0: none
  bool is_heavy = false;
  uint32_t arg_bytes = 0;
  alignas(16) std::array<char, 160> small_args;
  std::unique_ptr<char[]> large_args;

  void* dst = nullptr;
  const void* src = nullptr;
  size_t bytes = 0, pitch = 0, width = 0, height = 0;
  uint32_t value = 0, value_bytes = 0;

  std::shared_ptr<EventState> event;
  std::function<void()> call;

  const char* args() const { return large_args ? large_args.get() : small_args.data(); }

  // Drops what it holds; the plain members keep whatever they had.
  void clear() {
    what = What::nothing;
    if (!after.empty()) after.clear();
    module.reset();
    large_args.reset();
    event.reset();
    call = nullptr;
  }
};

// The queue behind a stream; outlives the Stream object while work is pending. Producers fill slots under `producers`;
// whoever holds `baton` (the stream's own thread, or a thread that waits) carries commands out in order.
struct StreamState : std::enable_shared_from_this<StreamState> {
  static constexpr uint32_t capacity = 1024;

  explicit StreamState(CpuDevice& device, bool blocking) : device(device), blocking(blocking), slots(capacity) {}

  CpuDevice& device;
  bool blocking;        // takes part in the legacy default stream's order
  uint64_t number = 0;  // the Stream's
  bool is_default = false;
  std::vector<Command> slots;
  std::mutex producers;
  std::mutex baton;
  std::atomic<uint32_t> submitted{0};  // futex words: 32 bits, compared by difference
  std::atomic<uint32_t> completed{0};
  std::atomic<bool> closing{false};
  std::thread worker;
  std::atomic<uint32_t> waiters{0};   // for `completed`
  std::atomic<int64_t> worked_ns{0};  // in commands that were carried out while somebody traced
  std::mutex failure_lock;
  std::optional<Failure> failure;

  // Interrupts: what runs now (it ends with running_lock held), and what is to be dropped: commands up to a number that a thread
  // has submitted.
  std::mutex running_lock;
  std::atomic<const Command*> running_command{nullptr};
  std::atomic<Stoppable*> running{nullptr};  // when it is a launch
  std::atomic<int64_t> running_since{0};     // ns, of what may take long
  std::atomic<uint32_t> heavy{0};            // commands that may take long, not done yet
  std::atomic<bool> stop{false};
  std::atomic<void*> cancelled_by{nullptr};
  uint32_t cancelled_until = 0;  // with running_lock held
  std::vector<Stopped> stopped;  // with running_lock held

  bool reached(uint32_t sequence) const {
    return static_cast<int32_t>(completed.load(std::memory_order_acquire) - sequence) >= 0;
  }
  void complete(uint32_t sequence);
  // Returns when `completed` is not `seen` any more, or after that time.
  void wait_for_change(uint32_t seen, std::chrono::nanoseconds time);
  bool idle() const { return completed.load(std::memory_order_acquire) == submitted.load(std::memory_order_acquire); }
};

// Raises what went wrong in the stream since the last wait, and hands printed text on.
void raise_failure(StreamState& state);

// Waits until `sequence` is done, carrying work out on the calling thread when nobody else does.
void finish(StreamState& stream, uint32_t sequence) noexcept;
// The same, handling signals where this thread does so; it then carries out short work alone. Throws Interrupted.
void wait_until(StreamState& stream, uint32_t sequence);

class CpuStream : public Stream {
 public:
  CpuStream(CpuDevice& device, StreamOptions options, bool is_default);
  ~CpuStream() override;
  void synchronize() override;
  bool done() override;
  bool idle() override { return state->idle(); }
  void wait(Event& event) override;
  void call(std::function<void()> f) override;
  uintptr_t native() override;
  void make_room() override;

  enum class Wake { now, by_waiter };  // by_waiter: the caller waits next and does the work itself
  // fill(Command&) says what to do; the command is a cleared one that lies in the queue already.
  template <class Fill>
  uint32_t submit(Fill&& fill, Wake wake = Wake::now) {
    if (is_shut()) return state->completed.load();
    if (ArrayWork::current() == 0) make_room_for_launches();
    std::vector<Dependency> after = dependencies();
    std::unique_lock hold(state->producers);
    Command& command = next_slot();
    fill(command);
    command.by = __builtin_thread_pointer();
    command.work = ArrayWork::current();
    weigh(command);
    command.after = std::move(after);
    return publish(hold, wake);
  }
  // Waits for everything submitted, without raising.
  void drain() noexcept;
  std::shared_ptr<StreamState> state;
  const bool is_default;

 private:
  bool is_shut() const;
  std::vector<Dependency> dependencies() const;
  void make_room_for_launches();
  void weigh(Command& command);
  Command& next_slot();  // with `producers` held; waits for room
  uint32_t publish(std::unique_lock<std::mutex>& hold, Wake wake);
};

class CpuEvent : public Event {
 public:
  explicit CpuEvent(EventOptions options) : options(options) {}
  void record(Stream& stream) override;
  void synchronize() override;
  bool done() override;
  double elapsed_ms(Event& start) override;
  uintptr_t native() override;
  EventOptions options;
  std::shared_ptr<EventState> state;
};

class CpuModule : public LoadedModule, public std::enable_shared_from_this<CpuModule> {
 public:
  explicit CpuModule(const Binary& binary);
  LoadedKernel* kernel(const std::string& name) override;
  std::vector<std::string> kernel_names() override;
  std::optional<GlobalInfo> global(const std::string& name) override;
  const QuernCpuModule& table() const { return *table_; }
  bool contains(const void* pointer) const { return image_.contains(pointer); }  // a variable or a constant of its code

 private:
  CpuImage image_;
  const QuernCpuModule* table_ = nullptr;
  std::vector<std::unique_ptr<CpuKernel>> kernels_;
};

class CpuDevice : public Device {
 public:
  CpuDevice();
  const DeviceInfo& info() override;
  int attribute(int number) override;
  MemoryInfo memory() override;
  Target target() override;
  void* allocate(size_t bytes) override;
  void release(void* pointer) noexcept override;
  void* allocate_pinned(size_t bytes, PinnedOptions options) override;
  void release_pinned(void* pointer) noexcept override;
  void register_host(void* pointer, size_t bytes, unsigned flags) override;
  void unregister_host(void* pointer) noexcept override;
  void* device_pointer(void* host_pointer) override;
  // Pinned memory with pages of its own that the address lies in, and its bytes; 0 where it is none.
  std::pair<const void*, size_t> pinned_pages(const void* pointer);
  void* allocate_managed(size_t bytes, unsigned flags) override;
  void release_managed(void* pointer) noexcept override;
  Stream& default_stream() override;
  std::unique_ptr<Stream> create_stream(StreamOptions options) override;
  std::unique_ptr<Stream> foreign_stream(uintptr_t handle) override;
  std::unique_ptr<Event> create_event(EventOptions options) override;
  void synchronize() override;
  void copy(Stream& stream, void* dst, const void* src, size_t bytes, CopyKind kind) override;
  void fill(Stream& stream, void* dst, uint32_t value, unsigned value_bytes, size_t count) override;
  void fill_2d(Stream& stream, void* dst, size_t pitch, uint32_t value, unsigned value_bytes, size_t width,
               size_t height) override;
  Binary link(const Binary& binary, const std::string& name, const std::vector<LinkedCode>& others,
              unsigned most_registers) override;
  std::shared_ptr<LoadedModule> load(const Binary& binary) override;
  void launch(Stream& stream, LoadedKernel& kernel, const LaunchShape& shape, const void* args, size_t arg_bytes,
              Site site) override;
  std::vector<Stopped> interrupt() noexcept override;
  bool may_drop_work() const override { return heavy.load(std::memory_order_relaxed) > 0; }
  std::atomic<uint32_t> heavy{0};  // of all streams
  void finish_work() noexcept override;
  void shut_down() noexcept override;

  // For the other files of this device.
  void run(StreamState& stream, Command& command) noexcept;
  std::optional<Failure> run_launch(StreamState& stream, const Command& command) noexcept;
  void copy_bytes(void* dst, const void* src, size_t bytes) noexcept;
  void fill_bytes(const Command& command) noexcept;
  bool is_exposed(const void* pointer, size_t bytes);
  std::vector<Dependency> dependencies(const CpuStream& stream);
  std::vector<std::shared_ptr<StreamState>> states();  // of all streams
  ThreadPool& pool();
  unsigned threads() const { return threads_; }
  bool shut() const { return shut_.load(std::memory_order_relaxed); }
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  DeviceInfo info_;
  unsigned threads_ = 1;
  std::mutex pool_lock_;
  ThreadPool* pool_ = nullptr;
  std::mutex streams_lock_;
  std::vector<std::weak_ptr<StreamState>> streams_;  // all but the default
  std::atomic<int> blocking_streams_{0};
  std::unique_ptr<CpuStream> default_stream_;
  std::once_flag default_once_;
  std::mutex memory_lock_;
  std::map<const char*, size_t> mapped_;  // raw allocations and their mapping
  std::map<const char*, size_t> pinned_;  // pinned and registered host memory
  std::atomic<size_t> allocated_{0};
  std::atomic<bool> shut_{false};
};

// Runs `body`; a fault or a kernel's own failure inside ends it and is returned. See cpu_launch.cpp.
struct KernelFault {
  int signal = 0;
  const void* address = nullptr;
  bool is_stack = false;  // there was no stack left
  std::string text;       // of assert, trap
};
// A launch that was stopped, or a function of the engine's own between two of its parts.
struct Interrupt {};
// While one lives, on_cpu_threads() called from this thread ends with an Interrupt once the flag is set.
class StopsWith {
 public:
  explicit StopsWith(const std::atomic<bool>& flag) : before_(std::exchange(flag_, &flag)) {}
  ~StopsWith() { flag_ = before_; }
  StopsWith(const StopsWith&) = delete;
  StopsWith& operator=(const StopsWith&) = delete;
  static const std::atomic<bool>* flag() { return flag_; }

 private:
  static thread_local const std::atomic<bool>* flag_;
  const std::atomic<bool>* before_;
};

extern const QuernCpuRuntime cpu_runtime;
extern QuernCpuTexture cpu_textures[QUERN_CPU_TEXTURES];  // cpu_textures.cpp
void catch_faults();                                      // from now on, once for the process
[[noreturn]] void end_kernel(std::string text);           // from runtime calls inside a kernel

// Blocks [first, last) of a coroutine kernel on this thread.
void run_coroutine_blocks(const CpuKernel& kernel, const QuernCpuLaunch& launch, uint64_t first, uint64_t last,
                          const std::atomic<bool>& failed);
// Where all blocks of a launch wait for each other: how many do, and how often they went on.
struct GridBarrier {
  std::atomic<uint64_t> waiting{0}, passed{0};
};
// All blocks together, for kernels that wait on memory or on the whole grid.
void run_coroutine_grid(const CpuKernel& kernel, const QuernCpuLaunch& launch, std::atomic<uint64_t>& next, uint64_t count,
                        std::atomic<uint64_t>& finished, GridBarrier& barrier, unsigned threads, const std::atomic<bool>& failed);

char* scratch(size_t bytes);  // this thread's, 64-byte aligned; valid until the next call on this thread

}  // namespace quern
