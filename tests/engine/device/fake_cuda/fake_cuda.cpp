// The fake driver. Every exported cu* function does what the real one promises, on host memory, and nothing more. Here: devices,
// memory, streams and events. Code and launches: fake_modules.cpp.
#include "fake_cuda/fake_state.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace fake {

thread_local Context* current = nullptr;

State& state() {
  static State& state = *new State;
  return state;
}

bool refused(const char* symbol, Result& result, bool touches_gpu) {
  State& s = state();
  ++s.calls;
  if (fake_cuda_observer) fake_cuda_observer(symbol, nullptr);
  if (auto planned = s.failures.find(symbol); planned != s.failures.end()) {
    result = planned->second;
    s.failures.erase(planned);
    if (result >= illegal_address && result < 720) s.lost = result;
    return true;
  }
  if (!s.initialised) {
    result = not_initialized;
    return true;
  }
  if (touches_gpu && s.lost != ok) {
    result = s.lost;
    return true;
  }
  if (touches_gpu && !current) {
    result = invalid_context;
    return true;
  }
  return false;
}

// What a wait brings out.
Result settle(State& s) {
  if (!s.printed.empty()) {
    std::fputs(s.printed.c_str(), stdout);  // as the real driver does: not flushed
    s.printed.clear();
  }
  if (s.pending != ok) {
    s.lost = s.pending;
    s.pending = ok;
  }
  return s.lost;
}

void wait_for_host_calls() {
  while (state().host_calls > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool valid(State& s, StreamObject* stream) { return !stream || s.streams.count(stream); }

std::map<Address, Memory>::iterator holder_of(State& s, Address address) {
  auto it = s.memory.upper_bound(address);
  if (it == s.memory.begin()) return s.memory.end();
  --it;
  return address < it->first + it->second.bytes ? it : s.memory.end();
}

bool inside(State& s, Address address, size_t bytes) {
  auto it = holder_of(s, address);
  return it != s.memory.end() && address + bytes <= it->first + it->second.bytes;
}

bool is_exposed(const std::map<void*, size_t>& host, const void* pointer) {
  const char* p = static_cast<const char*>(pointer);
  for (const auto& [start, bytes] : host) {
    if (p >= start && p < static_cast<const char*>(start) + bytes) return true;
  }
  return false;
}

// ---- work that is late

void finish(const WorkPtr& work) {
  std::vector<WorkPtr> stack{work};
  while (!stack.empty()) {
    WorkPtr now = stack.back();
    if (!now || now->done) {
      stack.pop_back();
      continue;
    }
    auto before = std::find_if(now->after.begin(), now->after.end(), [](const WorkPtr& w) { return w && !w->done; });
    if (before != now->after.end()) {
      stack.push_back(*before);
      continue;
    }
    now->done = true;
    now->after.clear();
    if (now->run) std::exchange(now->run, nullptr)();
  }
}

WorkPtr submit(State& s, StreamObject* stream, std::function<void()> f, const WorkPtr& after) {
  if (!s.late) {
    if (f) f();
    return nullptr;
  }
  Context* context = stream ? stream->context : current;
  WorkPtr& last = stream ? stream->last : context->last;
  auto work = std::make_shared<Work>(Work{std::move(f), {last, after}, false});
  if (stream && stream->blocking()) work->after.push_back(context->last);
  for (StreamObject* other : s.streams) {
    if (!stream && other->context == context && other->blocking()) work->after.push_back(other->last);
  }
  return last = work;
}

void finish(State& s, StreamObject* stream) { finish(submit(s, stream, nullptr)); }

void finish_context(State& s, Context* context) {
  finish(context->last);
  for (StreamObject* stream : s.streams) {
    if (stream->context == context) finish(stream->last);
  }
  for (const WorkPtr& work : std::exchange(context->left, {})) finish(work);
}

// Who asks often enough sees the work end: a wait that polls ends.
bool is_late(const WorkPtr& work, int& asked) {
  if (!work || work->done) return false;
  if (++asked % 8) return true;
  finish(work);
  return false;
}

template <class T>
Result fill(State& s, Address dst, size_t pitch, T value, size_t width, size_t height, StreamObject* stream) {
  if (!valid(s, stream)) return invalid_handle;
  if (!inside(s, dst, pitch * (height - 1) + width * sizeof(T))) return invalid_value;
  submit(s, stream, [=] {
    for (size_t row = 0; row < height; ++row) {
      unsigned char* p = reinterpret_cast<unsigned char*>(dst) + row * pitch;
      for (size_t i = 0; i < width; ++i) std::memcpy(p + i * sizeof(T), &value, sizeof(T));
    }
  });
  return ok;
}

}  // namespace fake

using namespace fake;

extern "C" {

// Controls.

void fake_cuda_reset() {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.free_memory = size_t{1} << 30;
  s.failures.clear();
  s.launches.clear();
  s.hold = false;
}
void fake_cuda_fail_next(const char* symbol, int result) {
  std::lock_guard lock(state().mutex);
  state().failures[symbol] = result;
}
void fake_cuda_set_memory(size_t bytes) {
  std::lock_guard lock(state().mutex);
  state().free_memory = bytes;
}
size_t fake_cuda_launch_count() {
  std::lock_guard lock(state().mutex);
  return state().launches.size();
}
int fake_cuda_last_launch(FakeCudaLaunch* launch) {
  std::lock_guard lock(state().mutex);
  if (state().launches.empty()) return 0;
  *launch = state().launches.back();
  return 1;
}
size_t fake_cuda_live(const char* what) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  std::string kind = what;
  if (kind == "memory") return s.memory.size();
  if (kind == "host") return s.host.size();
  if (kind == "stream") return s.streams.size();
  if (kind == "event") return s.events.size();
  if (kind == "link") return s.links.size();
  return s.modules.size();
}
const char* fake_cuda_last_link() {
  std::lock_guard lock(state().mutex);
  return state().last_link.c_str();
}
uint64_t fake_cuda_calls() {
  std::lock_guard lock(state().mutex);
  return state().calls;
}
void fake_cuda_hold(int on) {
  State& s = state();
  std::vector<std::pair<void (*)(void*), void*>> run;
  {
    std::lock_guard lock(s.mutex);
    s.hold = on != 0;
    if (!on) run.swap(s.held);
  }
  for (auto& [function, data] : run) function(data);
}
unsigned fake_cuda_last_flags() {
  std::lock_guard lock(state().mutex);
  return state().last_flags;
}
int fake_cuda_function_attribute(const char* symbol, int attribute) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  for (Module* module : s.modules) {
    auto it = module->functions.find(symbol);
    if (it != module->functions.end() && it->second.attributes.count(attribute)) return it->second.attributes[attribute];
  }
  return -1;
}

// The driver and its devices.

Result cuInit(unsigned) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  ++s.calls;
  if (const char* devices = std::getenv("FAKE_CUDA_DEVICES")) s.devices = std::atoi(devices);
  s.late = std::getenv("FAKE_CUDA_LATE") != nullptr;
  s.has_host_thread = std::getenv("FAKE_CUDA_HOST_THREAD") != nullptr;
  s.has_peers = std::getenv("FAKE_CUDA_NO_PEERS") == nullptr;
  if (s.devices == 0) return no_device;
  s.initialised = true;
  return ok;
}
Result cuDriverGetVersion(int* version) {
  const char* chosen = std::getenv("FAKE_CUDA_VERSION");
  *version = chosen ? std::atoi(chosen) : state().version;
  return ok;
}
Result cuGetErrorName(Result error, const char** text) {
  *text = error == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == out_of_memory ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == no_device     ? "CUDA_ERROR_NO_DEVICE"
          : error == 710           ? "CUDA_ERROR_ASSERT"
                                   : "CUDA_ERROR_OTHER";
  return ok;
}
Result cuGetErrorString(Result error, const char** text) {
  *text = error == illegal_address ? "an illegal memory access was encountered"
          : error == out_of_memory ? "out of memory"
          : error == no_device     ? "no CUDA-capable device is detected"
          : error == 710           ? "device-side assert triggered"
                                   : "some other error";
  return ok;
}
Result cuDeviceGetCount(int* count) {
  ENTER("cuDeviceGetCount", false);
  *count = s.devices;
  return ok;
}
Result cuDeviceGet(int* device, int ordinal) {
  ENTER("cuDeviceGet", false);
  if (ordinal < 0 || ordinal >= s.devices) return 101;
  *device = ordinal;
  return ok;
}
Result cuDeviceGetName(char* name, int bytes, int device) {
  ENTER("cuDeviceGetName", false);
  std::snprintf(name, static_cast<size_t>(bytes), "Fake GPU %d", device);
  return ok;
}
Result cuDeviceGetPCIBusId(char* text, int bytes, int device) {
  ENTER("cuDeviceGetPCIBusId", false);
  std::snprintf(text, static_cast<size_t>(bytes), "0000:0%d:00.0", device);
  return ok;
}
Result cuDeviceTotalMem_v2(size_t* bytes, int) {
  ENTER("cuDeviceTotalMem_v2", false);
  *bytes = size_t{80} << 30;
  return ok;
}
Result cuDeviceGetAttribute(int* value, int attribute, int) {
  ENTER("cuDeviceGetAttribute", false);
  static const std::map<int, int>& values =
      *new std::map<int, int>{{1, 1024},  {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535},  {7, 65535},
                              {8, 49152}, {10, 32},  {16, 132}, {75, 9}, {76, 0},         {97, 232448}};
  auto it = values.find(attribute);
  if (it == values.end()) return invalid_value;
  *value = it->second;
  return ok;
}

// The primary context.

Result cuDevicePrimaryCtxRetain(Context** context, int device) {
  ENTER("cuDevicePrimaryCtxRetain", false);
  *context = &s.contexts[device];
  return ok;
}
Result cuCtxGetCurrent(Context** context) {
  ENTER("cuCtxGetCurrent", false);
  *context = current;
  return ok;
}
Result cuCtxSetCurrent(Context* context) {
  ENTER("cuCtxSetCurrent", false);
  current = context;
  return ok;
}
Result cuDeviceCanAccessPeer(int* can, int device, int peer) {
  ENTER("cuDeviceCanAccessPeer", false);
  *can = s.has_peers && device != peer;
  return ok;
}
Result cuCtxEnablePeerAccess(Context* peer, unsigned flags) {
  ENTER("cuCtxEnablePeerAccess", true);
  if (flags != 0 || peer == current) return invalid_value;
  if (!s.has_peers) return peer_access_unsupported;
  return s.peers.emplace(current->device, peer->device).second ? ok : peer_access_already_enabled;
}
Result cuCtxSynchronize() {
  ENTER("cuCtxSynchronize", true);
  finish_context(s, current);
  return settle(s);
}

// Memory.

Result cuMemGetInfo_v2(size_t* free, size_t* total) {
  ENTER("cuMemGetInfo_v2", true);
  *free = s.free_memory;
  *total = size_t{80} << 30;
  return ok;
}
static Result take(State& s, Address* pointer, size_t bytes) {
  if (bytes == 0) return invalid_value;
  if (bytes > s.free_memory) return out_of_memory;
  s.free_memory -= bytes;
  void* memory = std::aligned_alloc(256, (bytes + 255) & ~size_t{255});
  std::memset(memory, 0, bytes);  // what kernels that compute nothing leave
  *pointer = reinterpret_cast<Address>(memory);
  s.memory[*pointer] = {bytes, current->device};
  return ok;
}
Result cuMemAlloc_v2(Address* pointer, size_t bytes) {
  wait_for_host_calls();
  ENTER("cuMemAlloc_v2", true);
  return take(s, pointer, bytes);
}
Result cuMemAllocManaged(Address* pointer, size_t bytes, unsigned flags) {
  ENTER("cuMemAllocManaged", true);
  if (flags != 1 && flags != 2) return invalid_value;
  return take(s, pointer, bytes);
}
Result cuMemFree_v2(Address pointer) {
  wait_for_host_calls();
  ENTER("cuMemFree_v2", true);
  auto it = s.memory.find(pointer);
  if (it == s.memory.end()) return invalid_value;
  finish_context(s, current);
  s.free_memory += it->second.bytes;
  if (s.late) std::memset(reinterpret_cast<void*>(pointer), 0xdd, it->second.bytes);  // for who still reads it
  std::free(reinterpret_cast<void*>(pointer));
  s.memory.erase(it);
  return ok;
}
Result cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  ENTER("cuMemHostAlloc", true);
  *pointer = std::malloc(bytes);
  s.host[*pointer] = bytes;
  s.last_flags = flags;
  return ok;
}
Result cuMemFreeHost(void* pointer) {
  ENTER("cuMemFreeHost", true);
  finish_context(s, current);
  if (!s.host.erase(pointer)) return invalid_value;
  std::free(pointer);
  return ok;
}
Result cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags) {
  ENTER("cuMemHostRegister_v2", true);
  if (!s.registered.emplace(pointer, bytes).second) return already_registered;
  s.last_flags = flags;
  return ok;
}
Result cuMemHostUnregister(void* pointer) {
  ENTER("cuMemHostUnregister", true);
  return s.registered.erase(pointer) ? ok : not_registered;
}
Result cuMemHostGetDevicePointer_v2(Address* device, void* host, unsigned) {
  ENTER("cuMemHostGetDevicePointer_v2", true);
  if (!s.host.count(host) && !s.registered.count(host)) return invalid_value;
  *device = reinterpret_cast<Address>(host);
  return ok;
}

Result cuPointerGetAttribute(void* value, int attribute, Address pointer) {
  ENTER("cuPointerGetAttribute", true);
  bool is_host = s.host.count(reinterpret_cast<void*>(pointer)) || s.registered.count(reinterpret_cast<void*>(pointer));
  if (attribute == 9 ? !inside(s, pointer, 1) : attribute != 2 || !is_host) return invalid_value;
  *static_cast<int*>(value) = attribute == 9 ? holder_of(s, pointer)->second.device : 1;
  return ok;
}

// Copies and fills.

Result cuMemcpyHtoDAsync_v2(Address dst, const void* src, size_t bytes, StreamObject* stream) {
  ENTER("cuMemcpyHtoDAsync_v2", true);
  if (!valid(s, stream)) return invalid_handle;
  if (!inside(s, dst, bytes)) return invalid_value;
  bool at_once = !s.late || !(is_exposed(s.host, src) || is_exposed(s.registered, src));
  std::string staged(at_once ? static_cast<const char*>(src) : "", at_once ? bytes : 0);
  submit(s, stream, [=] { std::memcpy(reinterpret_cast<void*>(dst), at_once ? staged.data() : src, bytes); });
  return ok;
}
Result cuMemcpyDtoHAsync_v2(void* dst, Address src, size_t bytes, StreamObject* stream) {
  ENTER("cuMemcpyDtoHAsync_v2", true);
  if (!valid(s, stream)) return invalid_handle;
  if (!inside(s, src, bytes)) return invalid_value;
  WorkPtr work = submit(s, stream, [=] { std::memcpy(dst, reinterpret_cast<void*>(src), bytes); });
  if (!is_exposed(s.host, dst) && !is_exposed(s.registered, dst)) finish(work);
  return ok;
}
Result cuMemcpyAsync(Address dst, Address src, size_t bytes, StreamObject* stream) {
  ENTER("cuMemcpyAsync", true);
  if (!valid(s, stream)) return invalid_handle;
  if (!inside(s, dst, bytes) || !inside(s, src, bytes)) return invalid_value;
  submit(s, stream, [=] { std::memmove(reinterpret_cast<void*>(dst), reinterpret_cast<void*>(src), bytes); });
  return ok;
}
#define FILL(name, type)                                                              \
  Result cuMemset##name##Async(Address dst, type value, size_t n, StreamObject* st) { \
    ENTER("cuMemset" #name "Async", true);                                            \
    return fill(s, dst, 0, value, n, 1, st);                                          \
  }
FILL(D8, unsigned char)
FILL(D16, unsigned short)
FILL(D32, unsigned)
#define FILL_2D(name, type)                                                                                              \
  Result cuMemsetD2##name##Async(Address dst, size_t pitch, type value, size_t width, size_t height, StreamObject* st) { \
    ENTER("cuMemsetD2" #name "Async", true);                                                                             \
    return fill(s, dst, pitch, value, width, height, st);                                                                \
  }
FILL_2D(D8, unsigned char)
FILL_2D(D16, unsigned short)
FILL_2D(D32, unsigned)

// Streams and events.

Result cuStreamCreateWithPriority(StreamObject** stream, unsigned flags, int priority) {
  ENTER("cuStreamCreateWithPriority", true);
  *stream = new StreamObject{current, flags, priority};
  s.streams.insert(*stream);
  s.last_flags = flags;
  return ok;
}
Result cuStreamDestroy_v2(StreamObject* stream) {
  ENTER("cuStreamDestroy_v2", true);
  if (!s.streams.erase(stream)) return invalid_handle;
  if (stream->last) stream->context->left.push_back(stream->last);
  delete stream;
  return ok;
}
Result cuStreamSynchronize(StreamObject* stream) {
  ENTER("cuStreamSynchronize", true);
  if (!valid(s, stream)) return invalid_handle;
  finish(s, stream);
  return settle(s);
}
Result cuStreamQuery(StreamObject* stream) {
  ENTER("cuStreamQuery", true);
  if (!valid(s, stream)) return invalid_handle;
  if (s.hold) return not_ready;
  if (is_late(stream ? stream->last : current->last, stream ? stream->asked : current->asked)) return not_ready;
  for (StreamObject* other : s.streams) {
    if (!stream && other->context == current && other->blocking() && is_late(other->last, other->asked)) return not_ready;
  }
  return settle(s);
}
Result cuStreamWaitEvent(StreamObject* stream, EventObject* event, unsigned) {
  ENTER("cuStreamWaitEvent", true);
  if (!valid(s, stream) || !s.events.count(event)) return invalid_handle;
  submit(s, stream, nullptr, event->work);
  return ok;
}
Result cuLaunchHostFunc(StreamObject* stream, void (*call)(void*), void* data) {
  {
    ENTER("cuLaunchHostFunc", true);
    if (!valid(s, stream)) return invalid_handle;
    if (s.hold) {
      s.held.emplace_back(call, data);
      return ok;
    }
    if (s.late) {
      submit(s, stream, [=] { call(data); });
      return ok;
    }
  }
  if (!state().has_host_thread) {
    call(data);
    return ok;
  }
  ++state().host_calls;
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    call(data);
    --state().host_calls;
  }).detach();
  return ok;
}
Result cuEventCreate(EventObject** event, unsigned flags) {
  ENTER("cuEventCreate", true);
  *event = new EventObject{current, flags};
  s.events.insert(*event);
  s.last_flags = flags;
  return ok;
}
Result cuEventDestroy_v2(EventObject* event) {
  ENTER("cuEventDestroy_v2", true);
  if (!s.events.erase(event)) return invalid_handle;
  delete event;
  return ok;
}
Result cuEventRecord(EventObject* event, StreamObject* stream) {
  ENTER("cuEventRecord", true);
  if (!s.events.count(event) || !valid(s, stream)) return invalid_handle;
  if (event->context != (stream ? stream->context : current)) return invalid_handle;
  event->time = ++s.clock;
  event->work = submit(s, stream, nullptr);
  return ok;
}
Result cuEventSynchronize(EventObject* event) {
  ENTER("cuEventSynchronize", true);
  if (!s.events.count(event)) return invalid_handle;
  finish(event->work);
  return settle(s);
}
Result cuEventQuery(EventObject* event) {
  ENTER("cuEventQuery", true);
  if (!s.events.count(event)) return invalid_handle;
  if ((s.hold && event->time) || is_late(event->work, event->asked)) return not_ready;
  return settle(s);
}
Result cuEventElapsedTime(float* milliseconds, EventObject* start, EventObject* end) {
  ENTER("cuEventElapsedTime", true);
  if (!s.events.count(start) || !s.events.count(end) || !start->time || !end->time) return invalid_handle;
  if (s.hold || (start->work && !start->work->done) || (end->work && !end->work->done)) return not_ready;
  *milliseconds = static_cast<float>(end->time - start->time);
  return ok;
}

}  // extern "C"
