// A device with everything that goes with it: its pool, its compiler, its streams. The only place that knows all layers.
//
// Start here, then program.h (text -> loaded code) and kernel.h (arguments -> launch). Everything that costs something passes a
// Traced (trace.h).
#pragma once

#include "compile/cache.h"
#include "device/allocator.h"
#include "device/device.h"

#include <memory>
#include <string>
#include <vector>

namespace quern {

using StreamPtr = std::shared_ptr<Stream>;
using EventPtr = std::shared_ptr<Event>;

class Context {
 public:
  explicit Context(Device& device);

  Device& device;
  Pool pool;
  StreamPtr default_stream;
  StreamPtr work_stream;       // where array work goes (streams.h); with the graph's lock held
  StreamPtr stream_of_work();  // the same, for who does not hold it
  Compiler& compiler();
  std::string name() const;  // "cpu", "cuda:0"
  DeviceId id() const { return device.id(); }

  Buffer allocate(size_t bytes, Site site = current_site(), bool in_order = false);  // see Pool::allocate()
  // Host memory that copies and kernels reach (Device). Used again when the work in flight at its end is done.
  Buffer allocate_pinned(size_t bytes, PinnedOptions options, Site site = current_site());
  size_t trim_pinned();  // gives what nobody uses back to the system, once the work that used it is done; returns the bytes
  size_t trim();         // the same of all memory
  StreamPtr create_stream(StreamOptions options);

  // `blocking`: the copy is done when this returns, and failures of work before it are raised.
  void copy(const StreamPtr& stream, void* dst, const void* src, size_t bytes, CopyKind kind, bool blocking);
  void fill(const StreamPtr& stream, void* dst, size_t pitch, uint32_t value, unsigned value_bytes, size_t width, size_t height);
  // `what_for` completes "waits for" in a profile.
  void wait(const StreamPtr& stream, const char* what_for);
  void wait(Event& event, const char* what_for);
  void wait_all(const char* what_for);
  bool idle();  // all that was submitted to any stream has ended

 private:
  std::vector<std::unique_ptr<Pool>> pinned_;  // for each combination of options
};

// The CPU's, or a GPU's. Raises ErrorKind::value for a device that is not there.
Context& cpu_context();
Context& cuda_context(int index);
// What "the device" means: QUERN_DEVICE, else the first GPU, else the CPU.
Context& default_context();
Context& context_on(DeviceId device);
std::vector<Context*> all_contexts();
// The one that this thread's calls without a device mean: the default one until set.
Context& current_context();
void set_current_context(Context* context);

// Waits for what all devices have; errors are printed.
void finish_all() noexcept;
// Once, when the process ends: nothing is computed any more.
void shut_down() noexcept;
// For a process that ends while threads are still at work here: after the exit code is known nothing is taken down under them.
void end_at_once() noexcept;

}  // namespace quern
