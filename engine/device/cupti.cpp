#include "device/cupti.h"
#include "core/format.h"

#include "core/clock.h"
#include "core/nvidia_libraries.h"
#include "device/cupti_types.h"
#include "device/device.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace quern::cupti {

namespace {

constexpr size_t buffer_bytes = size_t{1} << 20;
constexpr size_t record_alignment = 8;
constexpr int kinds[] = {kind_memcpy, kind_memset, kind_kernel, kind_memcpy_between};

// A moment by both clocks.
struct Moment {
  uint64_t cupti = 0;
  int64_t host = 0;
};

struct State {
  std::mutex lock;  // guards what follows
  Functions call;
  std::string path, problem;  // of the library; why it is of no use
  bool looked_for = false;
  Subscriber subscriber = nullptr;
  Moment began;
  Found found;
  std::unordered_map<const char*, uint32_t> names;
};
State& state() {
  static auto* one = new State;  // CUPTI's thread may call until the process ends
  return *one;
}

std::atomic<bool> on{false};
thread_local uint64_t ours = 0;

// ---- what CUPTI reports

// Of the functions of a domain: 0: not seen yet; 1: it submits nothing; 2: it does.
std::atomic<uint8_t> submits[2][4096];

bool is_submission(int domain, uint32_t number, const char* name) {
  if (number >= std::size(submits[0]) || !name) return false;
  std::atomic<uint8_t>& known = submits[domain == domain_driver ? 0 : 1][number];
  if (uint8_t seen = known.load(std::memory_order_relaxed)) return seen == 2;
  std::string_view rest = name;
  rest.remove_prefix(domain == domain_driver ? 2 : 4);  // cu, cuda
  bool does =
      rest.starts_with("Launch") || rest.starts_with("Memcpy") || rest.starts_with("Memset") || rest.starts_with("GraphLaunch");
  known = does ? 2 : 1;
  return does;
}

void on_call(void*, int domain, uint32_t number, const CallbackData* data) {
  if ((domain != domain_driver && domain != domain_runtime) || data->site != site_enter) return;
  if (!is_submission(domain, number, data->function_name)) return;
  Call call{data->correlation, ours ? no_site : current_site(), ours, now_ns()};
  State& s = state();
  std::lock_guard hold(s.lock);
  s.found.calls.push_back(call);
}

void want_buffer(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(record_alignment, buffer_bytes));
  *bytes = *buffer ? buffer_bytes : 0;
  *most_records = 0;  // as many as fit
}

uint32_t number_of(State& s, const char* name) {
  if (!name) return 0;
  auto [at, is_new] = s.names.try_emplace(name, static_cast<uint32_t>(s.found.names.size()));
  if (is_new) s.found.names.emplace_back(name);
  return at->second;
}

template <class T>
Activity activity_of(const T& record) {
  Activity out;
  out.device = static_cast<int>(record.device);
  out.stream = record.stream;
  out.correlation = record.correlation;
  out.start_ns = static_cast<int64_t>(record.start);  // by CUPTI's clock until stop()
  out.end_ns = static_cast<int64_t>(record.end);
  return out;
}

void add(State& s, const Record& record) {
  Activity out;
  switch (record.kind) {
    case kind_kernel: {
      const auto& kernel = reinterpret_cast<const KernelRecord&>(record);
      out = activity_of(kernel);
      out.registers = kernel.registers;
      out.name = number_of(s, kernel.name);
      for (size_t d = 0; d < 3; ++d) {
        out.grid[d] = static_cast<uint32_t>(kernel.grid[d]);
        out.block[d] = static_cast<uint32_t>(kernel.block[d]);
      }
      out.static_shared = static_cast<uint32_t>(kernel.static_shared);
      out.dynamic_shared = static_cast<uint32_t>(kernel.dynamic_shared);
      break;
    }
    case kind_memcpy: {
      const auto& copy = reinterpret_cast<const CopyRecord&>(record);
      out = activity_of(copy);
      out.bytes = copy.bytes;
      out.what = copy.copy_kind == copy_in    ? What::host_to_device
                 : copy.copy_kind == copy_out ? What::device_to_host
                                              : What::device_to_device;
      break;
    }
    case kind_memcpy_between: {
      const auto& copy = reinterpret_cast<const CopyBetweenRecord&>(record);
      out = activity_of(copy);
      out.bytes = copy.bytes;
      out.what = What::device_to_device;
      break;
    }
    case kind_memset: {
      const auto& fill = reinterpret_cast<const FillRecord&>(record);
      out = activity_of(fill);
      out.bytes = fill.bytes;
      out.what = What::fill;
      break;
    }
    default:
      return;
  }
  if (out.start_ns != 0) s.found.activities.push_back(out);  // 0: CUPTI could not time it
}

void have_buffer(void*, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  State& s = state();
  {
    std::lock_guard hold(s.lock);
    for (Record* record = nullptr; s.call.cuptiActivityGetNextRecord(buffer, valid, &record) == success;) add(s, *record);
  }
  std::free(buffer);
}

// ---- finding it

void look_for(State& s) {
  if (std::exchange(s.looked_for, true)) return;
  const char* chosen = std::getenv("QUERN_CUPTI");
  if (chosen) s.path = chosen;
  if (!chosen)
    if (auto library = find_nvidia_library("cupti")) s.path = library->path;
  if (s.path.empty()) {
    auto source = chosen_nvidia_source();
    s.problem = formatted("CUPTI is not installed (pip install nvidia-cuda-cupti{} brings it)",
                          source && source->major > 12 ? "" : "-cu12");
    return;
  }
  void* handle = dlopen(s.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    s.problem = formatted("{} does not load: {}", s.path, why ? why : "no reason given");
    return;
  }
#define QUERN_CUPTI_FIND(name, params)                                    \
  s.call.name = reinterpret_cast<Result(*) params>(dlsym(handle, #name)); \
  if (!s.call.name && s.problem.empty()) s.problem = formatted("{} has no {}", s.path, #name);
  QUERN_CUPTI_SYMBOLS(QUERN_CUPTI_FIND)
#undef QUERN_CUPTI_FIND
}

std::string describe(const State& s, Result result) {
  if (result == error_multiple_subscribers || result == error_max_limit_reached)
    return "another tool holds CUPTI (a profiler or a debugger of NVIDIA's, torch.profiler)";
  const char* text = nullptr;
  s.call.cuptiGetResultString(result, &text);
  return formatted("CUPTI refuses: {}", text ? text : std::to_string(result));
}

Moment moment(const State& s) {
  Moment now;
  int64_t before = now_ns();
  s.call.cuptiGetTimestamp(&now.cupti);
  now.host = (before + now_ns()) / 2;
  return now;
}

// Everything off that may be on.
void end(State& s) {
  for (int kind : kinds) s.call.cuptiActivityDisable(kind);
  for (int domain : {domain_driver, domain_runtime}) s.call.cuptiEnableDomain(0, s.subscriber, domain);
  s.call.cuptiUnsubscribe(s.subscriber);
  s.subscriber = nullptr;
}

}  // namespace

std::string start() {
  if (cuda_device_count() == 0) return "there is no GPU";
  State& s = state();
  {
    std::lock_guard hold(s.lock);
    look_for(s);
    if (!s.problem.empty()) return s.problem;
    s.found = {};
    s.names.clear();
  }
  // Without the lock: CUPTI may call back.
  if (Result result = s.call.cuptiSubscribe(&s.subscriber, on_call, nullptr)) return describe(s, result);
  s.began = moment(s);
  Result result = s.call.cuptiActivityRegisterCallbacks(want_buffer, have_buffer);
  for (int domain : {domain_driver, domain_runtime})
    if (!result) result = s.call.cuptiEnableDomain(1, s.subscriber, domain);
  for (int kind : kinds)
    if (!result) result = s.call.cuptiActivityEnable(kind);
  if (result) {
    end(s);
    return describe(s, result);
  }
  on = true;
  return "";
}

bool is_on() { return on.load(std::memory_order_relaxed); }

uint64_t set_ours(uint64_t number) { return std::exchange(ours, number); }

Found stop() {
  if (!on.exchange(false)) return {};
  State& s = state();
  constexpr uint32_t forced = 1;
  s.call.cuptiActivityFlushAll(forced);
  Moment ended = moment(s);
  end(s);
  std::lock_guard hold(s.lock);
  Found found = std::exchange(s.found, {});
  double pace = ended.cupti > s.began.cupti
                    ? static_cast<double>(ended.host - s.began.host) / static_cast<double>(ended.cupti - s.began.cupti)
                    : 1;
  auto on_host = [&](int64_t time) {
    return s.began.host + static_cast<int64_t>(static_cast<double>(time - static_cast<int64_t>(s.began.cupti)) * pace);
  };
  for (Activity& activity : found.activities) {
    activity.start_ns = on_host(activity.start_ns);
    activity.end_ns = on_host(activity.end_ns);
  }
  return found;
}

}  // namespace quern::cupti
