// The CUDA device's streams and events.
#include "core/error.h"
#include "core/wait.h"
#include "device/cuda.h"

#include <cstring>

namespace quern {

using namespace cuda;

namespace {

CudaEvent& cuda_event(Event& event, const char* op) {
  CudaEvent* own = dynamic_cast<CudaEvent*>(&event);
  if (!own) raise(ErrorKind::value, "[{}] the event belongs to the CPU, not to a GPU", op);
  return *own;
}

struct HostCall {
  CudaDevice& device;
  std::function<void()> function;
};

// Runs on a thread of the driver. An exception must not reach it.
void run_host_call(void* data) {
  std::unique_ptr<HostCall> call(static_cast<HostCall*>(data));
  try {
    call->function();
  } catch (...) {
    call->device.keep_failure(std::current_exception());
  }
  --host_calls_to_come;
}

}  // namespace

// Events are used again: a wait may begin inside the signal handler of another one, so each wait has its own.
CudaEnd::CudaEnd(CudaDevice& device, StreamHandle stream) : device_(&device) {
  {
    std::lock_guard hold(device.ends_mutex_);
    if (!device.free_ends_.empty()) {
      event_ = device.free_ends_.back();
      device.free_ends_.pop_back();
    }
  }
  if (!event_ && driver().cuEventCreate(&event_, event_disable_timing) != success) event_ = nullptr;
  if (!event_ || driver().cuEventRecord(event_, stream) == success) return;
  driver().cuEventDestroy_v2(event_);
  event_ = nullptr;
}

CudaEnd::~CudaEnd() {
  if (!event_) return;
  std::lock_guard hold(device_->ends_mutex_);
  device_->free_ends_.push_back(event_);
}

Result CudaEnd::wait() const {
  Result result = error_not_ready;
  if (event_) wait_in_slices([&] { return (result = driver().cuEventQuery(event_)) != error_not_ready; });
  return result;
}

Result CudaDevice::wait_here(StreamHandle stream) {
  before_wait();
  return handles_signals() ? CudaEnd(*this, stream).wait() : error_not_ready;
}

void CudaDevice::wait_for(StreamHandle stream, const char* op) {
  Result result = wait_here(stream);
  // What kernels print comes out in the driver's own waits alone.
  if (result == error_not_ready || prints()) result = driver().cuStreamSynchronize(stream);
  check(result, op, "cuStreamSynchronize(stream)");
}

void CudaDevice::synchronize() {
  Use use(*this, "synchronize");
  if (!use) return;
  std::vector<ModuleHandle> unused = take_retired();
  together.submit();
  before_wait();
  if (handles_signals()) {
    std::vector<CudaEnd> ends;
    ends.emplace_back(*this, nullptr);
    {
      std::lock_guard hold(ends_mutex_);  // so that none of them goes meanwhile
      for (CudaStream* other : other_streams_)
        if (other->take_work()) ends.emplace_back(*this, other->bare_handle());
    }
    for (const CudaEnd& end : ends) end.wait();
  }
  QUERN_CU(*this, "synchronize", cuCtxSynchronize());  // also for what others submitted
  unload(unused);
  finished_all();
}

void CudaDevice::know(CudaStream& stream) {
  std::lock_guard hold(ends_mutex_);
  other_streams_.push_back(&stream);
}

void CudaDevice::forget(CudaStream& stream) {
  std::lock_guard hold(ends_mutex_);
  std::erase(other_streams_, &stream);
}

std::unique_ptr<Stream> CudaDevice::create_stream(StreamOptions options) {
  Use use(*this, "stream");
  StreamHandle handle = nullptr;
  unsigned flags = options.non_blocking ? stream_non_blocking : 0u;
  if (use) QUERN_CU(*this, "stream", cuStreamCreateWithPriority(&handle, flags, options.priority));
  auto stream = std::make_unique<CudaStream>(*this, handle, handle != nullptr);
  if (options.non_blocking) know(*stream);
  return stream;
}

std::unique_ptr<Stream> CudaDevice::foreign_stream(uintptr_t handle) {
  return std::make_unique<CudaStream>(*this, reinterpret_cast<StreamHandle>(handle), false);
}

std::unique_ptr<Event> CudaDevice::create_event(EventOptions options) { return std::make_unique<CudaEvent>(*this, options); }

CudaStream::CudaStream(CudaDevice& device, StreamHandle stream, bool owned)
    : Stream(device), cuda_device(device), handle_(stream), owned_(owned) {}

StreamHandle CudaStream::handle() {
  if (cuda_device.together.collects(*this)) cuda_device.together.submit();
  has_work_.store(true, std::memory_order_relaxed);
  return handle_;
}

void CudaStream::begin_together() {
  has_work_.store(true, std::memory_order_relaxed);
  if (cuda_device.usable()) cuda_device.together.begin(*this);
}

void CudaStream::end_together() {
  Use use(cuda_device, "launch");
  cuda_device.together.end(*this);
}

CudaStream::~CudaStream() {
  cuda_device.forget(*this);
  if (!owned_ || !cuda_device.usable()) return;
  try {
    Use use(cuda_device, "stream");
    if (use) cuda_device.note(driver().cuStreamDestroy_v2(handle()));
  } catch (...) {
  }
}

void CudaStream::synchronize() {
  Use use(cuda_device, "synchronize");
  if (!use) return;
  StreamHandle stream = handle();
  uint64_t last = cuda_device.launches();
  cuda_device.wait_for(stream, "synchronize");
  cuda_device.finished(reinterpret_cast<uintptr_t>(stream), last);
}

bool CudaStream::done() {
  Use use(cuda_device, "query");
  if (!use) return true;
  StreamHandle stream = handle();
  uint64_t last = cuda_device.launches();
  Result result = driver().cuStreamQuery(stream);
  if (result == error_not_ready) return false;
  cuda_device.check(result, "query", "cuStreamQuery");
  cuda_device.finished(reinterpret_cast<uintptr_t>(stream), last);
  return true;
}

void CudaStream::wait(Event& event) {
  Use use(cuda_device, "wait");
  if (!use) return;
  QUERN_CU(cuda_device, "wait", cuStreamWaitEvent(handle(), cuda_event(event, "wait").handle, 0));
}

void CudaStream::call(std::function<void()> f) {
  Use use(cuda_device, "call");
  if (!use) return;
  auto call = std::make_unique<HostCall>(HostCall{cuda_device, std::move(f)});
  ++host_calls_to_come;
  Result result = driver().cuLaunchHostFunc(handle(), &run_host_call, call.get());
  if (result != success) --host_calls_to_come;
  cuda_device.check(result, "call", "cuLaunchHostFunc");
  call.release();  // run_host_call frees it
}

CudaEvent::CudaEvent(CudaDevice& owner, EventOptions options)
    : device(owner), timing_(options.timing), interprocess_(options.interprocess) {
  if (timing_ && interprocess_) raise(ErrorKind::logic, "[event] interprocess events cannot have timing; disable it");
  Use use(device, "event");
  if (!use) return;
  unsigned flags = (options.blocking_sync ? event_blocking_sync : 0u) | (options.timing ? 0u : event_disable_timing) |
                   (options.interprocess ? event_interprocess : 0u);
  QUERN_CU(device, "event", cuEventCreate(&handle, flags));
}

CudaEvent::CudaEvent(CudaDevice& owner, const std::string& shared) : device(owner), timing_(false), interprocess_(false) {
  IpcEvent given{};
  if (shared.size() != sizeof given.bytes)
    raise(ErrorKind::logic, "[event] a handle has {} bytes, not {}", sizeof given.bytes, shared.size());
  std::memcpy(given.bytes, shared.data(), shared.size());
  Use use(device, "event");
  if (!use) return;
  Result status = driver().cuIpcOpenEventHandle(&handle, given);
  if (status == error_invalid_context || status == error_invalid_value || status == error_invalid_handle)
    raise(ErrorKind::logic, "[event] this is not a handle of an event that another running process owns on {}",
          device.info().name);
  device.check(status, "event", "cuIpcOpenEventHandle");
}

std::string CudaEvent::share() {
  if (!interprocess_)
    raise(ErrorKind::logic, "[event] only an event made for other processes (flag INTERPROCESS) can be shared with them");
  Use use(device, "event");
  IpcEvent shared{};
  if (use) QUERN_CU(device, "event", cuIpcGetEventHandle(&shared, handle));
  return std::string(shared.bytes, sizeof shared.bytes);
}

CudaEvent::~CudaEvent() {
  if (!handle || !device.usable()) return;
  try {
    Use use(device, "event");
    if (use) device.note(driver().cuEventDestroy_v2(handle));
  } catch (...) {
  }
}

void CudaEvent::record(Stream& stream) {
  Use use(device, "record");
  if (!use) return;
  CudaStream& s = device.own(stream, "record");
  StreamHandle on = s.handle();
  launches_ = device.launches();
  stream_ = reinterpret_cast<uintptr_t>(on);
  QUERN_CU(device, "record", cuEventRecord(handle, on));
  recorded_ = true;
}

void CudaEvent::synchronize() {
  Use use(device, "synchronize");
  if (!use) return;
  uint64_t last = launches_;
  uintptr_t stream = stream_;
  device.before_wait();
  Result result = error_not_ready;
  if (handles_signals()) wait_in_slices([&] { return (result = driver().cuEventQuery(handle)) != error_not_ready; });
  if (result == error_not_ready || device.prints()) result = driver().cuEventSynchronize(handle);
  device.check(result, "synchronize", "cuEventSynchronize(handle)");
  if (recorded_) device.finished(stream, last);
}

bool CudaEvent::done() {
  Use use(device, "query");
  if (!use) return true;
  uint64_t last = launches_;
  uintptr_t stream = stream_;
  Result result = driver().cuEventQuery(handle);
  if (result == error_not_ready) return false;
  device.check(result, "query", "cuEventQuery");
  if (recorded_) device.finished(stream, last);
  return true;
}

double CudaEvent::elapsed_ms(Event& start) {
  Use use(device, "elapsed time");
  if (!use) return 0;
  CudaEvent& from = cuda_event(start, "elapsed time");
  if (!timing_ || !from.timing_) raise(ErrorKind::logic, "[elapsed time] an event was created without timing");
  if (!recorded_ || !from.recorded_) raise(ErrorKind::logic, "[elapsed time] an event was not recorded");
  float milliseconds = 0;
  Result result = driver().cuEventElapsedTime(&milliseconds, from.handle, handle);
  if (result == error_not_ready) raise(ErrorKind::logic, "[elapsed time] an event has not happened yet: synchronize it first");
  if (result == error_invalid_handle) raise(ErrorKind::value, "[elapsed time] the events belong to different GPUs");
  device.check(result, "elapsed time", "cuEventElapsedTime");
  return static_cast<double>(milliseconds);
}

}  // namespace quern
