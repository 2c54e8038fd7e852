#include "run/context.h"

#include "compile/clang.h"
#include "compile/nvrtc.h"
#include "core/error.h"
#include "core/wait.h"
#include "device/check/checker.h"
#include "device/check/timeline.h"
#include "graph/node.h"
#include "run/compile_job.h"
#include "run/found_errors.h"
#include "run/trace.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace quern {

Context::Context(Device& device) : device(device), pool(device) {
  default_stream = StreamPtr(&device.default_stream(), [](Stream*) {});
  work_stream = default_stream;
  for (unsigned bits = 0; bits < 8; ++bits)
    pinned_.push_back(std::make_unique<Pool>(device, PinnedOptions{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}));
}

Compiler& Context::compiler() { return device.kind == DeviceKind::cpu ? clang_compiler() : nvrtc_compiler(); }

std::string Context::name() const { return device.kind == DeviceKind::cpu ? "cpu" : "cuda:" + std::to_string(device.index); }

StreamPtr Context::stream_of_work() {
  GraphLock lock;
  return work_stream;
}

Buffer Context::allocate(size_t bytes, Site site, bool in_order) {
  Traced traced(TraceKind::allocate, id(), nullptr, bytes, site);
  return pool.allocate(bytes, site, in_order && work_stream == default_stream);
}

Buffer Context::allocate_pinned(size_t bytes, PinnedOptions options, Site site) {
  Traced traced(TraceKind::allocate, id(), nullptr, bytes, site);
  traced.name("pinned");
  return pinned_[options.portable | options.mapped << 1 | options.write_combined << 2]->allocate(bytes, site);
}

size_t Context::trim_pinned() {
  size_t freed = 0;
  for (auto& each : pinned_) freed += each->trim(true);
  return freed;
}

size_t Context::trim() {
  size_t freed = pool.trim();
  if (pool.info().kept > 0) {  // work that was submitted before it became free still uses it
    wait_all("memory to give back");
    freed += pool.trim();
  }
  return freed + trim_pinned();
}

StreamPtr Context::create_stream(StreamOptions options) {
  StreamPtr stream = device.create_stream(options);
  pool.know(stream);
  return stream;
}

void Context::copy(const StreamPtr& stream, void* dst, const void* src, size_t bytes, CopyKind kind, bool blocking) {
  auto traced_as = kind == CopyKind::host_to_device   ? TraceKind::host_to_device
                   : kind == CopyKind::device_to_host ? TraceKind::device_to_host
                                                      : TraceKind::device_to_device;
  Traced traced(traced_as, id(), stream.get(), bytes, tracing() ? current_site() : no_site);
  device.copy(*stream, dst, src, bytes, kind);
  if (!blocking) return;
  uint64_t watched = last_watch();
  stream->synchronize();
  if (check::on()) check::host_waits(*stream);
  settle_found_errors(*this, stream.get(), watched);
}

void Context::fill(const StreamPtr& stream, void* dst, size_t pitch, uint32_t value, unsigned value_bytes, size_t width,
                   size_t height) {
  Traced traced(TraceKind::fill, id(), stream.get(), width * height * value_bytes, tracing() ? current_site() : no_site);
  if (height == 1)
    device.fill(*stream, dst, value, value_bytes, width);
  else
    device.fill_2d(*stream, dst, pitch, value, value_bytes, width, height);
}

void Context::wait(const StreamPtr& stream, const char* what_for) {
  Traced traced(TraceKind::wait, id(), stream.get(), 0, tracing() ? current_site() : no_site);
  traced.detail(what_for);
  uint64_t watched = last_watch();
  stream->synchronize();
  if (check::on()) check::host_waits(*stream);
  settle_found_errors(*this, stream.get(), watched);
}

void Context::wait(Event& event, const char* what_for) {
  Traced traced(TraceKind::wait, id(), nullptr, 0, tracing() ? current_site() : no_site);
  traced.detail(what_for);
  event.synchronize();
  if (check::on()) check::host_waits(event);
}

void Context::wait_all(const char* what_for) {
  Traced traced(TraceKind::wait, id(), nullptr, 0, tracing() ? current_site() : no_site);
  traced.detail(what_for);
  uint64_t watched = last_watch();
  device.synchronize();
  if (check::on() && device.kind == DeviceKind::cpu) check::host_waits_for_all();
  settle_found_errors(*this, nullptr, watched);
}

bool Context::idle() {
  if (!default_stream->idle()) return false;
  auto others = pool.streams();
  return std::all_of(others.begin(), others.end(), [](const StreamPtr& stream) { return stream->idle(); });
}

namespace {
std::mutex contexts_lock;
std::vector<Context*> contexts;  // made so far; never destroyed

Context& context_of(Device& device) {
  std::lock_guard hold(contexts_lock);
  for (Context* c : contexts)
    if (&c->device == &device) return *c;
  contexts.push_back(new Context(device));
  return *contexts.back();
}
}  // namespace

Context& cpu_context() {
  static Context& context = context_of(cpu_device());
  return context;
}

Context& cuda_context(int index) {
  if (index < 0 || index >= cuda_device_count()) {
    std::string why = cuda_unavailable_reason();
    raise(ErrorKind::value, "[device] there is no GPU {}: {}", index,
          why.empty() ? "this machine has " + std::to_string(cuda_device_count()) : why);
  }
  return context_of(cuda_device(index));
}

Context& context_on(DeviceId device) { return device.is_cpu() ? cpu_context() : cuda_context(device.number()); }

Context& default_context() {
  static Context& context = []() -> Context& {
    const char* wish = std::getenv("QUERN_DEVICE");
    std::string name = wish ? wish : "";
    if (name.empty()) return cuda_device_count() > 0 ? cuda_context(0) : cpu_context();
    if (name == "cpu") return cpu_context();
    if (name == "cuda") return cuda_context(0);
    if (name.rfind("cuda:", 0) == 0) return cuda_context(std::atoi(name.c_str() + 5));
    raise(ErrorKind::value, "[device] QUERN_DEVICE is '{}'; use cpu, cuda or cuda:N", name);
  }();
  return context;
}

namespace {
thread_local Context* current = nullptr;
}

Context& current_context() { return current ? *current : default_context(); }

void set_current_context(Context* context) { current = context; }

std::vector<Context*> all_contexts() {
  std::lock_guard hold(contexts_lock);
  return contexts;
}

void finish_all() noexcept {
  for (Context* c : all_contexts()) c->device.finish_work();
}

void shut_down() noexcept {
  end_compile_jobs();
  for (Context* c : all_contexts()) c->device.shut_down();
  // A compiler or a driver that is still at work must not have its library taken down under it.
  if (left_running()) end_at_once();
}

void end_at_once() noexcept {
  on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
}

}  // namespace quern
