// The CUDA device's own header: what cuda.cpp (device, errors), cuda_memory.cpp, cuda_staging.cpp, cuda_stream.cpp,
// cuda_module.cpp and cuda_link.cpp share. Launches that go out together: cuda_together.h.
//
// Every public call begins with `Use use(*this, "op")`: it raises when the context is lost or the process was forked, makes the
// primary context current for the calling thread and puts a foreign one back at the end. After shut_down it is false, and the
// call does nothing.
#pragma once

#include "core/print.h"
#include "core/wait.h"
#include "device/cuda_driver.h"
#include "device/cuda_together.h"
#include "device/device.h"

#include <array>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace quern {

struct SymbolName;

class CudaDevice;
class CudaModule;

class CudaKernel final : public LoadedKernel {
 public:
  CudaDevice* device = nullptr;
  cuda::FunctionHandle function = nullptr;
  const std::string* shown_name = nullptr;        // lives for ever: launches remember it
  std::atomic<uint32_t> dynamic_shared_limit{0};  // what was last set in the driver
};

class CudaModule final : public LoadedModule {
 public:
  CudaModule(CudaDevice& device, const Binary& binary);
  ~CudaModule() override;
  LoadedKernel* kernel(const std::string& name) override;
  std::vector<std::string> kernel_names() override;
  std::optional<GlobalInfo> global(const std::string& name) override;

 private:
  struct Entry;
  Entry* find(const std::string& name);
  // Of a kernel that is extern "C": what NVRTC reported.
  void learn_type(SymbolName& name, const std::string& symbol) const;
  std::unique_ptr<CudaKernel> make_kernel(const Entry& entry);

  CudaDevice& device_;
  cuda::ModuleHandle module_ = nullptr;
  std::vector<std::pair<std::string, std::string>> names_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<std::string> globals_;
  bool prints_ = false;
  std::mutex mutex_;
};

class CudaStream final : public Stream {
 public:
  CudaStream(CudaDevice& device, cuda::StreamHandle handle, bool owned);
  ~CudaStream() override;
  void synchronize() override;
  bool done() override;
  void wait(Event& event) override;
  void call(std::function<void()> f) override;
  uintptr_t native() override { return reinterpret_cast<uintptr_t>(handle()); }
  void begin_together() override;
  void end_together() override;

  // For whoever submits something or asks how far the stream is: what is collected has gone out.
  cuda::StreamHandle handle();
  cuda::StreamHandle bare_handle() const { return handle_; }
  // Was anything submitted since the last time that this was asked?
  bool take_work() { return has_work_.exchange(false, std::memory_order_relaxed); }

  CudaDevice& cuda_device;

 private:
  cuda::StreamHandle handle_;
  bool owned_;
  std::atomic<bool> has_work_{false};
};

// The end of what a stream has now, for a wait on the thread that handles signals: the driver's own waits cannot be ended.
class CudaEnd {
 public:
  CudaEnd(CudaDevice& device, cuda::StreamHandle stream);
  ~CudaEnd();
  CudaEnd(CudaEnd&& other) noexcept : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}
  // How the work ended; not_ready where there was nothing to wait by: the driver's wait is to follow.
  cuda::Result wait() const;

 private:
  CudaDevice* device_;
  cuda::EventHandle event_ = nullptr;
};

class CudaEvent final : public Event {
 public:
  CudaEvent(CudaDevice& device, EventOptions options);
  CudaEvent(CudaDevice& device, const std::string& shared);  // of another process, by what share() gave there
  ~CudaEvent() override;
  void record(Stream& stream) override;
  void synchronize() override;
  bool done() override;
  double elapsed_ms(Event& start) override;
  uintptr_t native() override { return reinterpret_cast<uintptr_t>(handle); }
  std::string share();  // the 64 bytes by which other processes open it; needs EventOptions::interprocess

  CudaDevice& device;
  cuda::EventHandle handle = nullptr;

 private:
  friend class CudaStream;
  bool timing_, interprocess_;
  std::atomic<bool> recorded_{false};
  std::atomic<uint64_t> launches_{0};  // of the device when it was last recorded
  std::atomic<uintptr_t> stream_{0};
};

// Large copies of pageable host memory (cuda_staging.cpp). What it allocates lives as long as the process.
class CudaStaging {
 public:
  explicit CudaStaging(CudaDevice& device) : device_(device) {}
  bool takes(const void* host, size_t bytes);
  bool is_pageable(const void* host);
  void to_device(cuda::StreamHandle stream, cuda::Address to, const char* from, size_t bytes);  // `from` is free at the return
  void to_host(cuda::StreamHandle stream, char* to, cuda::Address from, size_t bytes);          // done at the return

 private:
  struct Slot {
    void* memory = nullptr;
    cuda::EventHandle free = nullptr;  // passed when the last copy of it is done
  };
  struct Piece {
    size_t at, bytes;
  };
  using TakePiece = std::function<std::optional<Piece>()>;
  void wait_for(Slot& slot);
  void in_pieces(size_t bytes, const std::function<void(std::array<Slot, 2>&, const TakePiece&)>& f);

  CudaDevice& device_;
  std::mutex lock_;
  std::array<std::array<Slot, 2>, 8> slots_;  // of eight threads: more are no faster
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int index);

  const DeviceInfo& info() override { return info_; }
  int attribute(int number) override;
  MemoryInfo memory() override;
  int number_of(const void* memory);  // the GPU whose it is, -1 for none
  Target target() override;

  void* allocate(size_t bytes) override;
  void release(void* pointer) noexcept override;
  void* allocate_pinned(size_t bytes, PinnedOptions options) override;
  void release_pinned(void* pointer) noexcept override;
  void register_host(void* pointer, size_t bytes, unsigned flags) override;
  void unregister_host(void* pointer) noexcept override;
  void* device_pointer(void* host_pointer) override;
  void* allocate_managed(size_t bytes, unsigned flags) override;
  void release_managed(void* pointer) noexcept override;

  // Memory for other processes: a handle of it, and there the memory of a handle, until it is closed.
  std::string share(void* pointer);
  void* open_shared(const std::string& handle, unsigned flags);
  void close_shared(void* pointer) noexcept;

  Stream& default_stream() override { return *default_stream_; }
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
  std::string linker_id() override;
  std::shared_ptr<LoadedModule> load(const Binary& binary) override;
  void launch(Stream& stream, LoadedKernel& kernel, const LaunchShape& shape, const void* args, size_t arg_bytes,
              Site site) override;

  bool can_reach(Device& other) override;
  void reach(Device& other) override;
  std::shared_ptr<void> use() override;

  std::vector<Stopped> interrupt() noexcept override;
  void finish_work() noexcept override;
  void shut_down() noexcept override;

  // For the classes above.

  // False, without an error: after shut_down, on a lost context, in a forked child. What destructors ask.
  bool usable() const noexcept { return state_.load(std::memory_order_acquire) == State::alive && !cuda::forked(); }
  // Raises what `result` means unless it is success; a lost context is remembered. `call` is the driver call as written.
  void check(cuda::Result result, const char* op, const char* call) {
    if (result != cuda::success) [[unlikely]]
      fail(result, op, call);
  }
  [[noreturn]] void fail(cuda::Result result, const char* op, const char* call);
  // Destructors and noexcept calls: remembers a lost context, ignores the rest.
  void note(cuda::Result result) noexcept;
  CudaStream& own(Stream& stream, const char* op);  // raises when the stream is another device's
  // To the driver, or to what goes out together with it.
  void launch(CudaStream& stream, const CudaLaunch& launch, const void* args);
  cuda::Result try_launch(cuda::StreamHandle stream, const CudaLaunch& launch, const void* args);
  void launched(cuda::StreamHandle stream, const CudaLaunch& launch);  // remembers it for messages
  [[noreturn]] void refuse_launch(cuda::Result result, const CudaLaunch& launch);
  CudaTogether together{*this};

  // Waits for what the stream has now. `op`: for messages.
  void wait_for(cuda::StreamHandle stream, const char* op);
  // The same on the thread that handles signals alone, before a call of the driver that would wait itself.
  cuda::Result wait_here(cuda::StreamHandle stream);
  // Streams that the default one does not wait for.
  void know(CudaStream& stream);
  void forget(CudaStream& stream);

  // What finished: launches on `stream` up to number `last`; whatever they printed or left behind comes out.
  void finished(uintptr_t stream, uint64_t last);
  void finished_all();
  uint64_t launches() const { return launches_.load(std::memory_order_relaxed); }
  void keep_failure(std::exception_ptr failure) noexcept;  // of a host function; raised by the next wait
  void retire(cuda::ModuleHandle module) noexcept;         // unloads it when nothing can be running from it

  // What the host printed comes before what the driver prints while it waits for a kernel that prints.
  void before_wait() {
    if (prints()) flush_host_output();
  }
  bool prints() const { return printed_.load(std::memory_order_relaxed); }

 private:
  friend class Use;
  friend class CudaEnd;
  enum class State : int { alive, lost, shut_down };

  [[noreturn]] void raise_unusable(const char* op);
  void lose(cuda::Result result) noexcept;
  void allow_shared(CudaKernel& kernel, uint32_t bytes);
  void raise_kept_failure();
  void let_access(CudaDevice& other);
  std::vector<cuda::ModuleHandle> take_retired() noexcept;
  void unload(const std::vector<cuda::ModuleHandle>& modules) noexcept;

  cuda::DeviceHandle id_ = 0;
  cuda::ContextHandle context_ = nullptr;
  DeviceInfo info_;
  std::unique_ptr<CudaStream> default_stream_;
  CudaStaging staging_{*this};

  std::atomic<State> state_{State::alive};
  std::string lost_text_;  // written once, before state_ becomes lost

  // The last launches, for the message that names the kernel when the context is lost.
  struct Recent {
    const std::string* kernel = nullptr;  // nullptr: finished
    Site site = no_site;
    uintptr_t stream = 0;
    uint64_t number = 0;
  };
  std::string lost_text(cuda::Result result, const std::vector<Recent>& running);  // running: oldest first
  static constexpr size_t recent_count = 64;
  std::mutex recent_mutex_;
  Recent recent_[recent_count];
  std::atomic<uint64_t> launches_{0};

  std::mutex reached_mutex_;
  std::set<CudaDevice*> reached_;

  std::atomic<bool> printed_{false};
  std::atomic<bool> left_running_{false};  // a wait was interrupted
  std::recursive_mutex ends_mutex_;        // of the next two
  std::vector<CudaStream*> other_streams_;
  std::vector<cuda::EventHandle> free_ends_;
  std::atomic<bool> has_failure_{false};
  std::mutex kept_mutex_;
  std::exception_ptr failure_;
  std::vector<cuda::ModuleHandle> retired_;
};

// How many host functions the driver has yet to call, on all devices. Loading a module, allocating and launching may wait for
// them inside the driver, and a function of Python's waits for Python's lock: a driver call gives it up while there are any.
inline std::atomic<int> host_calls_to_come{0};

class Use {
 public:
  Use(CudaDevice& device, const char* op) {
    if (host_calls_to_come.load(std::memory_order_relaxed) > 0) [[unlikely]]
      without_python_.emplace();
    if (device.state_.load(std::memory_order_acquire) != CudaDevice::State::alive || cuda::forked()) [[unlikely]] {
      if (device.state_.load(std::memory_order_acquire) == CudaDevice::State::shut_down) return;
      device.raise_unusable(op);
    }
    cuda::ContextHandle now = nullptr;
    if (cuda::driver().cuCtxGetCurrent(&now) == cuda::error_deinitialized) [[unlikely]] {
      // The process ends, and the driver's exit function ran before ours: no work was lost, and none can begin.
      device.state_.store(CudaDevice::State::shut_down, std::memory_order_release);
      return;
    }
    active_ = true;
    if (now == device.context_) return;
    device.check(cuda::driver().cuCtxSetCurrent(device.context_), op, "cuCtxSetCurrent");
    previous_ = now;  // none: ours may stay
  }
  ~Use() {
    if (previous_) cuda::driver().cuCtxSetCurrent(previous_);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  explicit operator bool() const { return active_; }

 private:
  std::optional<Waiting> without_python_;
  bool active_ = false;
  cuda::ContextHandle previous_ = nullptr;
};

// A driver call that must succeed: QUERN_CU(device, "copy", cuMemcpyAsync(dst, src, bytes, stream)).
#define QUERN_CU(device, op, call) (device).check(cuda::driver().call, op, #call)

}  // namespace quern
