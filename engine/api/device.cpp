// The public C++ headers (engine/include/quern/) on the engine's own classes.
#include "core/error.h"
#include "device/stream_order.h"
#include "graph/array.h"
#include "quern/quern.h"
#include "run/context.h"
#include "run/eval.h"
#include "run/kernel.h"
#include "run/synchronize.h"
#include "run/trace.h"

namespace qn {

// ---- devices, streams, events

Device::Device() : context_(&quern::default_context()) {}
Device Device::cpu() { return Device(quern::cpu_context()); }
Device Device::cuda(int index) { return Device(quern::cuda_context(index)); }
int Device::cuda_count() { return quern::cuda_device_count(); }
std::string Device::name() const { return context_->name(); }
std::string Device::description() const { return context_->device.info().name; }
size_t Device::total_memory() const { return context_->device.info().total_memory; }
void Device::synchronize() const { quern::synchronize(*context_); }

Stream::Stream(const Device& device) : device_(device), handle_(device.context().create_stream({})) {}
Stream Stream::of(const Device& device) { return Stream(device, device.context().default_stream); }
void Stream::synchronize() const { quern::synchronize(device_.context(), handle_); }
bool Stream::done() const { return quern::is_done(*handle_); }

Event::Event(const Stream& stream) : context_(&stream.device().context()), handle_(context_->device.create_event({true, false})) {
  quern::record(*handle_, stream.handle());
}
void Event::synchronize() const { quern::synchronize(*context_, *handle_); }
double Event::milliseconds_since(const Event& start) const { return handle_->elapsed_ms(*start.handle_); }

// ---- memory

namespace detail {

namespace {
const quern::StreamPtr& on(const Device& device, const Stream* stream) {
  return stream ? stream->handle() : device.context().default_stream;
}
}  // namespace

Memory::Memory(const Device& device, size_t bytes)
    : device_(device), holder_(std::make_shared<quern::Buffer>(device.context().allocate(bytes ? bytes : 1))) {}

void* Memory::pointer() const { return static_cast<quern::Buffer*>(holder_.get())->pointer(); }
quern::Block* Memory::block() const { return static_cast<quern::Buffer*>(holder_.get())->block(); }

void Memory::copy_from(const void* host, size_t bytes, const Stream* stream) {
  const quern::StreamPtr& s = on(device_, stream);
  quern::used_on(s, *block());
  device_.context().copy(s, pointer(), host, bytes, quern::CopyKind::host_to_device, true);
}

void Memory::copy_to(void* host, size_t bytes, const Stream* stream) const {
  const quern::StreamPtr& s = on(device_, stream);
  quern::used_on(s, *block());
  device_.context().copy(s, host, pointer(), bytes, quern::CopyKind::device_to_host, true);
}

void Memory::fill_bytes(uint8_t value, size_t bytes, const Stream* stream) {
  const quern::StreamPtr& s = on(device_, stream);
  quern::used_on(s, *block());
  device_.context().fill(s, pointer(), 0, value, 1, bytes, 1);
}

}  // namespace detail

// ---- programs and kernels

Program::Program(const Device& device, const std::string& source, const CompileOptions& options) {
  quern::CompileOptions inner;
  inner.flags = options.flags;
  inner.name_expressions = options.name_expressions;
  inner.tells_types = true;
  handle_ = quern::build(device.context(), {source, "kernel.cu"}, inner);
}

Kernel Program::kernel(const std::string& name) const { return Kernel(handle_->kernel(name)); }
std::string Program::log() const { return handle_->log; }

std::string Kernel::name() const { return handle_->info().name; }
std::string Kernel::signature() const { return quern::describe_signature(handle_->info().signature); }

void Kernel::submit(const Launch& launch, const detail::Argument* values, size_t count) const {
  using Number = quern::ParamType::Number;
  quern::Arguments args(*handle_);
  for (size_t i = 0; i < count; ++i) {
    const detail::Argument& v = values[i];
    switch (v.kind) {
      case detail::ArgumentKind::pointer:
        args.pointer(reinterpret_cast<uint64_t>(v.data), v.block);
        break;
      case detail::ArgumentKind::boolean:
        args.typed(v.data, v.size, Number::boolean, "bool");
        break;
      case detail::ArgumentKind::integer:
        args.typed(v.data, v.size, Number::integer, "a signed integer");
        break;
      case detail::ArgumentKind::unsigned_integer:
        args.typed(v.data, v.size, Number::unsigned_integer, "an unsigned integer");
        break;
      case detail::ArgumentKind::floating:
        args.typed(v.data, v.size, Number::floating, v.size == 4 ? "a float" : "a double");
        break;
      case detail::ArgumentKind::bytes:
        args.typed(v.data, v.size, Number::none, "a struct");
        break;
    }
  }
  quern::LaunchShape shape;
  shape.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  shape.block = {launch.block.x, launch.block.y, launch.block.z};
  shape.dynamic_shared = launch.shared_bytes;
  shape.cooperative = launch.cooperative;
  quern::Context& context = handle_->context();
  handle_->launch(launch.stream ? launch.stream->handle() : context.default_stream, shape, args);
}

// ---- the trace

Trace::Trace() { quern::start_trace(); }
Trace::~Trace() { stop(); }

std::vector<TraceEvent> Trace::stop() {
  std::vector<TraceEvent> out;
  if (!std::exchange(running_, false)) return out;
  for (quern::TraceRecord& r : quern::records_of(quern::stop_trace()))
    out.push_back({quern::trace_kind_names[static_cast<int>(r.kind)], std::move(r.name), std::move(r.detail), r.device.name(),
                   quern::describe_site(r.site), r.bytes, r.start_ns, r.host_ns, r.device_ms, r.device_start_ns, r.device_end_ns,
                   r.id, r.stream, r.kernel ? r.kernel->key : 0, r.kernel ? r.kernel->ops : std::vector<std::string>(), r.grid,
                   r.block, r.dynamic_shared});
  return out;
}

}  // namespace qn
