// The device contract: what a machine that runs kernels must do.
//
// Two devices keep it: device/cpu.cpp (compiled kernels on a thread pool) and device/cuda.cpp (the NVIDIA driver, found at run
// time). run/ is the only caller. Everything that takes a Stream is submitted and returns; a failure of submitted work is raised
// by the next call that waits for it, as ErrorKind::launch, and names the kernel and the line that launched it.
// Calls raise quern::Error; those marked noexcept never do. All calls may be made from any thread.
#pragma once

#include "compile/compiler.h"
#include "core/device_id.h"
#include "core/site.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quern {

class Device;
class Stream;

using Dim3 = std::array<uint32_t, 3>;

struct MemoryInfo {
  size_t free = 0, total = 0;
};

// What a user may ask about a device; the names and numbers follow CUdevice_attribute, so that PyCUDA's enum maps one to one.
struct DeviceInfo {
  std::string name;
  std::string pci_bus_id;
  int major = 0, minor = 0;  // compute capability; the CPU says 9.0: its prelude serves what that generation defines
  size_t total_memory = 0;
  uint32_t max_threads_per_block = 1024;
  Dim3 max_block{1024, 1024, 64};
  Dim3 max_grid{2147483647, 65535, 65535};
  size_t max_shared = 48 * 1024;        // without opting in
  size_t max_shared_optin = 48 * 1024;  // what a kernel gets that asks for it
  uint32_t multiprocessors = 1;
  uint32_t warp_size = 32;
};

enum class Access : uint8_t { none = 0, read = 1, write = 2, both = 3 };  // for a parameter that is no pointer: none

struct Param {
  uint32_t offset = 0, size = 0;
  Access access = Access::both;
};

// What is known of a compiled kernel. `signature` is the Itanium encoding of the parameter types ("fPKfPfi"), empty when only the
// sizes are known (an extern "C" kernel on a GPU).
struct KernelInfo {
  std::string symbol, name, signature;
  std::vector<Param> params;
  uint32_t param_bytes = 0;
  bool params_known = true;  // false: an old driver that cannot say; arguments are then packed as given
  uint32_t static_shared = 0, local_bytes = 0, const_bytes = 0, registers = 0;
  uint32_t max_threads = 1024;
  bool prints = false;
};

struct LaunchShape {
  Dim3 grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamic_shared = 0;
  bool cooperative = false;
  bool turned = false;  // the code takes a thread's x for y: the device gets the block with them exchanged
};

class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
  KernelInfo info;
  bool is_checked = false;  // compiled for checks (device/check/)
};

struct GlobalInfo {
  void* address = nullptr;
  size_t size = 0;
};

class LoadedModule {
 public:
  virtual ~LoadedModule() = default;
  // A kernel by its symbol, or by the name in the source when that is unique; nullptr when there is none.
  virtual LoadedKernel* kernel(const std::string& name) = 0;
  virtual std::vector<std::string> kernel_names() = 0;  // for messages
  virtual std::optional<GlobalInfo> global(const std::string& name) = 0;
};

class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream& stream) = 0;
  virtual void synchronize() = 0;
  virtual bool done() = 0;
  virtual double elapsed_ms(Event& start) = 0;  // from `start` to this; both recorded with timing and done
  virtual uintptr_t native() = 0;
};

struct EventOptions {
  bool timing = true, blocking_sync = false, interprocess = false;
};

class Stream {
 public:
  explicit Stream(Device& device) : device(device), number(++made) {}
  virtual ~Stream() = default;  // work already submitted still runs
  virtual void synchronize() = 0;
  virtual bool done() = 0;
  virtual bool idle() { return done(); }           // like done(), but leaves a failure for the next wait
  virtual void wait(Event& event) = 0;             // later work of this stream waits for it
  virtual void call(std::function<void()> f) = 0;  // runs f on a thread of ours, in order; f must not call the engine
  virtual uintptr_t native() = 0;                  // cudaStream_t, or our own handle
  virtual void make_room() {}                      // waits, handling signals, when much is submitted already
  // Kernels launched in between may go to the driver together, at the end or when something else is asked of the stream.
  virtual void begin_together() {}
  virtual void end_together() {}
  Device& device;
  const uint64_t number;           // no other stream has it
  std::atomic<uint64_t> works{0};  // what was submitted that others may have to wait for; see stream_order.h

 private:
  static inline std::atomic<uint64_t> made{0};
};

struct StreamOptions {
  bool non_blocking = false;  // does not take part in the legacy default stream's order
  int priority = 0;           // lower is more urgent, as in CUDA
};

// Compiled code that a program is linked with.
enum class CodeKind { cubin, ptx, fatbin, object, archive };
inline constexpr const char* code_kind_names[] = {"a cubin", "PTX", "a fatbin", "an object file", "an archive"};
struct LinkedCode {
  CodeKind kind;
  std::string bytes;
  std::string name;  // for messages
};

// What was under way when the program was interrupted.
struct Stopped {
  std::string name;                  // of the kernel, or the function
  Site site = no_site;               // who launched it
  bool still_runs = false;           // it could not be stopped
  std::vector<const void*> written;  // addresses that it was given and may have written to
};

enum class CopyKind { host_to_device, device_to_host, device_to_device };

struct PinnedOptions {
  bool portable = false, mapped = false, write_combined = false;
};

class Device {
 public:
  virtual ~Device() = default;

  DeviceKind kind;
  int index = 0;
  DeviceId id() const { return kind == DeviceKind::cpu ? DeviceId::cpu() : DeviceId::gpu(index); }
  virtual const DeviceInfo& info() = 0;
  virtual int attribute(int number) = 0;  // CUdevice_attribute; raises ErrorKind::value for one it has not
  virtual MemoryInfo memory() = 0;
  virtual Target target() = 0;  // what the compiler is asked for

  // Memory, raw. Only device/allocator.h calls these; it keeps and reuses blocks. nullptr when there is no memory left.
  virtual void* allocate(size_t bytes) = 0;
  virtual void release(void* pointer) noexcept = 0;

  // Host memory that asynchronous copies can use, and (mapped) its address for kernels. Only device/allocator.h asks for some.
  virtual void* allocate_pinned(size_t bytes, PinnedOptions options) = 0;
  virtual void release_pinned(void* pointer) noexcept = 0;
  virtual void register_host(void* pointer, size_t bytes, unsigned flags) = 0;
  virtual void unregister_host(void* pointer) noexcept = 0;
  virtual void* device_pointer(void* host_pointer) = 0;
  virtual void* allocate_managed(size_t bytes, unsigned flags) = 0;
  virtual void release_managed(void* pointer) noexcept = 0;

  // Streams and events.
  virtual Stream& default_stream() = 0;  // the legacy default stream
  virtual std::unique_ptr<Stream> create_stream(StreamOptions options) = 0;
  // A stream that another library made, by its handle; it stays that library's. Raises ErrorKind::value where there are none.
  virtual std::unique_ptr<Stream> foreign_stream(uintptr_t handle) = 0;
  virtual std::unique_ptr<Event> create_event(EventOptions options) = 0;
  virtual void synchronize() = 0;

  // Copies and fills. Host memory must live until the copy is done; run/ keeps it.
  virtual void copy(Stream& stream, void* dst, const void* src, size_t bytes, CopyKind kind) = 0;
  virtual void fill(Stream& stream, void* dst, uint32_t value, unsigned value_bytes, size_t count) = 0;
  virtual void fill_2d(Stream& stream, void* dst, size_t pitch, uint32_t value, unsigned value_bytes, size_t width,
                       size_t height) = 0;

  // Code. link() takes relocatable code (CompileOptions) and what it lacks, and gives what load() takes. It raises
  // ErrorKind::compile with the linker's log. Not to be asked of the CPU, which has none. `most_registers` of a thread: for PTX.
  virtual Binary link(const Binary& binary, const std::string& name, const std::vector<LinkedCode>& others,
                      unsigned most_registers) = 0;
  virtual std::string linker_id() { return {}; }  // part of the key of what is linked, as Compiler::id()
  virtual std::shared_ptr<LoadedModule> load(const Binary& binary) = 0;
  // `args` is the packed parameter block, info.param_bytes long; it is copied before the call returns.
  virtual void launch(Stream& stream, LoadedKernel& kernel, const LaunchShape& shape, const void* args, size_t arg_bytes,
                      Site site) = 0;

  // A handler of a signal threw while the calling thread waited: on the CPU what it submitted is dropped and what runs of it is
  // stopped; on a GPU it goes on. Returns what was under way.
  virtual std::vector<Stopped> interrupt() noexcept = 0;
  // May an interrupt still drop array work that is submitted?
  virtual bool may_drop_work() const { return false; }

  // Between this device's memory and the other's copies go directly, once reach() was called; can_reach() says whether that can
  // be. Without it the driver takes them through the host. A copy from there is submitted here, as one within the device.
  virtual bool can_reach(Device&) { return false; }
  virtual void reach(Device&) {}

  // For libraries that work on this device: makes it the calling thread's, until what is returned goes.
  virtual std::shared_ptr<void> use() { return nullptr; }

  // Waits for what is submitted, as far as the user does; errors are printed.
  virtual void finish_work() noexcept = 0;
  // Before the process ends: the same; afterwards every call of this device does nothing.
  virtual void shut_down() noexcept = 0;
};

// f(0) ... f(count - 1) on the CPU device's threads; returns when all are done. For work that is no kernel.
void on_cpu_threads(size_t count, const std::function<void(size_t)>& f);
unsigned cpu_threads();

// All devices found, CPU last. Made on first use; never destroyed.
int cuda_device_count() noexcept;       // 0 when there is no driver or no GPU
std::string cuda_unavailable_reason();  // "" when there is one
Device& cuda_device(int index);
// The number of the GPU whose memory an address is in; -1 when CUDA knows no such memory. `asking`: a GPU that is in use anyway.
int cuda_device_of(const void* address, int asking);
Device& cpu_device();

}  // namespace quern
